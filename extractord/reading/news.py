"""What is new in a project's memory, in one line.

Owns: what counts as new, and the line. Leaves the record of it to the ledger.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from extractord.ledger import ChangesetState, Kind
from extractord.memory.changeset import ChangeKind
from extractord.supervisor import Supervisor

_OURS = (Kind.EXTRACTION, Kind.CONSOLIDATION, Kind.REVIEW)


def news(supervisor: Supervisor, memory_dir: Path) -> str:
    """Return "2 new memories since yesterday …", "" where there is none. Counted: topics made or changed, and still so."""
    entries = supervisor.ledger.changesets(since=_yesterday(supervisor.wall()), memory_dir=str(memory_dir))
    files = {
        file.path
        for entry in entries
        if entry.row.kind in _OURS and entry.row.state is ChangesetState.APPLIED
        for file in entry.files
        if file.change is not ChangeKind.DELETE and file.undone_by is None
    }
    if not files:
        return ""
    return f"{len(files)} new {'memory' if len(files) == 1 else 'memories'} since yesterday (`extractord log`)"


def _yesterday(now: float) -> float:
    """Return the beginning of yesterday, local time."""
    day = datetime.fromtimestamp(now, UTC).astimezone().date() - timedelta(days=1)
    return datetime(day.year, day.month, day.day).astimezone().timestamp()
