"""What an agent run over a chunk knows when it starts.

Owns: filling a briefing from the memory directory, the ledger and the digest. Leaves the run to ``chunk``, its words to
``agent.prompting``.
"""

from __future__ import annotations

from collections.abc import Mapping

from extractord.agent.briefing import Briefing
from extractord.extraction.pending import Pending, briefed, manifest_with
from extractord.extraction.subject import Subject
from extractord.memory.directory import Snapshot
from extractord.memory.facts import Sharing
from extractord.runs.places import sharing_of
from extractord.supervisor import Supervisor
from extractord.transcript.digest import Digest

TOMBSTONES_SHOWN = 20  # newest ones that a model is told of (DESIGN §5)


def briefing_of(supervisor: Supervisor, subject: Subject, digest: Digest, snapshot: Snapshot, pending: Mapping[str, Pending]) -> Briefing:
    """Return what an agent run over a chunk knows when it starts."""
    sharing = sharing_of(supervisor, subject.home.project_root)
    return Briefing(
        digest=digest,
        manifest=manifest_with(snapshot, pending, sharing),
        index=snapshot.index or "",
        now=subject.now.isoformat(),
        tombstones=tuple(supervisor.ledger.tombstones(str(subject.memory_dir))[:TOMBSTONES_SHOWN]),
        pending=briefed(pending),
        team_index=(snapshot.team_index or "") if sharing is Sharing.ON else None,
        candidates=subject.found.candidates if subject.found else (),
    )
