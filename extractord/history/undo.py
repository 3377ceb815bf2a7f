"""Taking changesets back.

Owns: planning the step back of a whole changeset, and which changesets stand to be taken back. Leaves one topic's step to
``reverting``, carrying it out to ``applying``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from extractord.applying import LOCK_SECONDS, Application, carry_out
from extractord.errors import ChangedMeanwhileError
from extractord.history.places import refuse_elsewhere
from extractord.history.reverting import Blocked, Reverted, revert
from extractord.ledger import Burial, ChangesetRow, ChangesetState, FileRow, FileState, FullChangeset, Kind, LogEntry, Outcome
from extractord.memory.changeset import ChangeKind
from extractord.memory.directory import MemoryDirectory, Snapshot
from extractord.memory.entries import entries_of
from extractord.memory.index import COMPLETED
from extractord.memory.lines import Lines
from extractord.memory.prepared import IndexRestore, LineChange, TopicWrite, spare_name
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
    # What teammates wrote is taken back by its id only: it would be taken from all of them with the next sync.
    entries = [e for e in supervisor.ledger.changesets() if e.row.state is ChangesetState.APPLIED and e.row.kind is not Kind.TEAM]
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
    refuse_elsewhere(supervisor, full.row.memory_dir)
    directory = supervisor.directory(Path(full.row.memory_dir))
    with directory.lock(LOCK_SECONDS):
        snapshot = directory.read()
        for file in _written(full):
            _refuse_if_let_go(full, file)
            _refuse_if_removed_by_us(supervisor, full, file, snapshot)
            _refuse_if_no_text(full, file, snapshot, directory.path)
            _refuse_if_line_reworded(supervisor, full, file, snapshot)
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


def _refuse_if_let_go(full: FullChangeset, file: FileRow) -> None:
    if file.let_go:
        raise ChangedMeanwhileError(
            f"changeset {full.row.id} cannot be taken back: its texts are kept no longer (history.keep in the configuration)",
            hint=f"`extractord forget {file.path}` removes what {file.path} says now",
        )


def _refuse_if_removed_by_us(supervisor: Supervisor, full: FullChangeset, file: FileRow, snapshot: Snapshot) -> None:
    """Refuse to take back what a later changeset of ours removed: undoing that one later would bring it back for good."""
    if file.after is None or snapshot.text_of(file.path) is not None:
        return
    for entry in supervisor.ledger.changesets(memory_dir=full.row.memory_dir):
        if entry.row.id == full.row.id:
            return
        removed_here = any(f.path == file.path and f.change is ChangeKind.DELETE and f.undone_by is None for f in entry.files)
        if entry.row.state is ChangesetState.APPLIED and entry.row.kind is not Kind.UNDO and removed_here:
            raise ChangedMeanwhileError(
                f"changeset {full.row.id} cannot be taken back: {file.path} in {full.row.memory_dir} was removed by {entry.row.id} since",
                hint=f"`extractord undo {entry.row.id}` first",
            )


def _refuse_if_no_text(full: FullChangeset, file: FileRow, snapshot: Snapshot, directory: Path) -> None:
    """Refuse where a link, a folder, a pipe or no text lies in the topic's place: that is somebody's, and is not even read."""
    place = directory / file.path
    linked = next((above for above in (place, *place.parents) if above.is_relative_to(directory) and above.is_symlink()), None)
    if snapshot.text_of(file.path) is None and (linked or os.path.lexists(place)):
        what = "lies behind a link" if linked and linked != place else "is a link" if linked else "is no file of readable text"
        raise ChangedMeanwhileError(
            f"changeset {full.row.id} cannot be taken back: {file.path} in {full.row.memory_dir} {what} since: left alone",
            hint="put a plain file, or nothing, in its place first",
        )


def _refuse_if_line_reworded(supervisor: Supervisor, full: FullChangeset, file: FileRow, snapshot: Snapshot) -> None:
    """Refuse to take away a topic whose line in the index somebody else worded: it would go with the topic."""
    if full.index is None or file.before is not None or snapshot.index is None:
        return
    today = {line for entry, line in _lines_about(snapshot.index) if entry == file.path}
    before = {line for entry, line in _lines_about(full.index.before or "") if entry == file.path}
    entries = supervisor.ledger.changesets(memory_dir=full.row.memory_dir) if today - before else ()
    indexes = (supervisor.ledger.changeset(entry.row.id).index for entry in entries)
    changes = (change for index in indexes if index for change in index.changes if change.file == file.path)
    ours = {line for change in changes for line in (change.before, change.after)}
    if today - before - ours:
        raise ChangedMeanwhileError(
            f"changeset {full.row.id} cannot be taken back: in {full.row.memory_dir} the index line of {file.path} was changed since",
            hint=f"`extractord forget {file.path}` removes topic and line",
        )


def _lines_about(index: str) -> Iterator[tuple[str, str]]:
    lines = Lines(index)
    return ((entry.file, lines[entry.position]) for entry in entries_of(lines))


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
    restore = _restore(supervisor, full, snapshot.index)
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


def _restore(supervisor: Supervisor, full: FullChangeset, today: str | None) -> IndexRestore | None:
    """Return what the index is to be again, given its text today, and which folders go if they are empty."""
    index = full.index
    if index is None:
        unchanged = IndexRestore(today, today, None, (), full.made_folders)
        return unchanged if full.made_folders else None
    changes = tuple(change for change in index.changes if not _for_others(full, change))
    if today == index.after:
        return IndexRestore(index.before, index.after, index.before_mtime_ns, changes, full.made_folders)
    # Taken back out of turn: an index or folder that an earlier changeset made, and its own undo had to leave, goes with the last.
    entries = supervisor.ledger.changesets(memory_dir=full.row.memory_dir)
    undone = [supervisor.ledger.changeset(e.row.id) for e in entries if e.row.state is ChangesetState.UNDONE]
    folders = tuple(dict.fromkeys(folder for one in (full, *undone) for folder in one.made_folders))
    if any(one.index is not None and one.index.before is None for one in (full, *undone)):
        lines = tuple(
            change.after
            for one in (full, *undone)
            if one.index
            for change in one.index.changes
            if _for_others(one, change) and change.after is not None
        )
        return IndexRestore(None, None, None, changes, folders, lines)
    return IndexRestore(index.before, index.after, index.before_mtime_ns, changes, folders)


def _for_others(full: FullChangeset, change: LineChange) -> bool:
    """Whether a line was put for a topic that was there when we made the index: it stays while anything else does."""
    return change.reason == COMPLETED and full.row.kind is not Kind.REPAIR


def _write(changeset: str, number: int, file: FileRow, step: Reverted, snapshot: Snapshot) -> TopicWrite:
    today, mtime = snapshot.text_of(file.path), snapshot.mtime_of(file.path)
    whole = step.text == file.before
    mode = file.mode if today is None else snapshot.mode_of(file.path)
    return TopicWrite(file.path, today, step.text, mtime, file.before_mtime_ns if whole else mtime, spare_name(changeset, number), mode)
