"""Taking changesets back.

Owns: planning the step back of a whole changeset, and which changesets stand to be taken back. Leaves one topic's step to
``reverting``, carrying it out to ``applying``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from extractord.applying import LOCK_SECONDS, Application, carry_out
from extractord.errors import ChangedMeanwhileError
from extractord.history.reverting import Blocked, Reverted, revert
from extractord.ledger import Burial, ChangesetRow, ChangesetState, FileRow, FileState, FullChangeset, Kind, LogEntry, Outcome
from extractord.memory.directory import MemoryDirectory, Snapshot
from extractord.memory.prepared import IndexRestore, TopicWrite, spare_name
from extractord.memory.removals import removed
from extractord.supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back, by which new changeset."""

    id: str
    undoes: str
    files: tuple[str, ...]


def standing(supervisor: Supervisor, since: float | None) -> tuple[str, ...]:
    """Return the ids of all changesets of ours that stand, newest first (those written at or after ``since``)."""
    entries = [e for e in supervisor.ledger.changesets() if e.row.state is ChangesetState.APPLIED]
    kinds = {e.row.id: e.row.kind for e in supervisor.ledger.changesets()}
    return tuple(e.row.id for e in entries if (since is None or e.row.time >= since) and not _only_took_back(e, kinds))


def still_stands(supervisor: Supervisor, changeset: str) -> bool:
    """Whether a changeset is still to be taken back: taking an undo of an undo back takes along what that had brought."""
    return supervisor.ledger.changeset(changeset).row.state is ChangesetState.APPLIED


def _only_took_back(entry: LogEntry, kinds: dict[str, Kind]) -> bool:
    """Whether a changeset removed something of ours rather than brought it (an undo of an undo brings)."""
    return entry.row.kind is Kind.UNDO and kinds.get(entry.row.undoes or "") is not Kind.UNDO


def undo(supervisor: Supervisor, changeset: str) -> Undone:
    """Take one changeset back. Raises ChangedMeanwhileError where its lines changed since, then nothing is written."""
    full = supervisor.ledger.changeset(changeset)
    if full.row.state is not ChangesetState.APPLIED:
        raise ChangedMeanwhileError(f"changeset {full.row.id} is {full.row.state.value}, there is nothing to take back")
    directory = supervisor.directory(Path(full.row.memory_dir))
    with directory.lock(LOCK_SECONDS):
        snapshot = directory.read()
        steps = [(file, _step(full.row, file, snapshot)) for file in _written(full)]
        application = _application(supervisor, directory, full, steps, snapshot)
        applied = carry_out(supervisor, directory, application)
    if applied.conflicts:
        raise ChangedMeanwhileError(
            f"{', '.join(applied.conflicts)} changed while it was being taken back", hint="run `extractord undo` again"
        )
    return Undone(application.row.id, full.row.id, tuple(file.path for file, _ in steps))


def _written(full: FullChangeset) -> Iterator[FileRow]:
    return (file for file in full.files if file.result is FileState.WRITTEN and file.undone_by is None)


def _step(row: ChangesetRow, file: FileRow, snapshot: Snapshot) -> Reverted:
    match revert(file, snapshot.text_of(file.path)):
        case Reverted() as step:
            return step
        case Blocked(reason):
            raise ChangedMeanwhileError(
                f"changeset {row.id} cannot be taken back: {file.path} in {row.memory_dir}: {reason}",
                hint=f"`extractord forget {file.path}` removes what it says now",
            )


def _application(
    supervisor: Supervisor, directory: MemoryDirectory, full: FullChangeset, steps: list[tuple[FileRow, Reverted]], snapshot: Snapshot
) -> Application:
    new = supervisor.ledger.new_id()
    now = supervisor.wall()
    writes = tuple(_write(new, number, file, step, snapshot) for number, (file, step) in enumerate(steps))
    burials = tuple(
        Burial(stone, write.path, new)
        for write in writes
        for stone in removed(write.path, write.before or "", write.after, now)
        if write.before is not None
    )
    restore = (
        IndexRestore(full.index.before, full.index.after, full.index.before_mtime_ns, full.index.changes, full.made_folders)
        if full.index
        else None
    )
    row = ChangesetRow(
        id=new,
        time=now,
        session=full.row.session,
        stretch_key=None,
        memory_dir=full.row.memory_dir,
        outcome=Outcome.SAVED,
        kind=Kind.UNDO,
        undoes=full.row.id,
        reason=f"takes back {full.row.id}",
    )
    prepared = directory.prepare(new, writes, (), snapshot, restore=restore)
    return Application(row, prepared, burials=burials)


def _write(changeset: str, number: int, file: FileRow, step: Reverted, snapshot: Snapshot) -> TopicWrite:
    today, mtime = snapshot.text_of(file.path), snapshot.mtime_of(file.path)
    whole = step.text == file.before
    return TopicWrite(file.path, today, step.text, mtime, file.before_mtime_ns if whole else mtime, spare_name(changeset, number))
