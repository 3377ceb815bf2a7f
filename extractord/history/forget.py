"""Removing something from memory for good.

Owns: which topics and lines a person means, and the changeset that removes them, with tombstones. Leaves one topic's step
back to ``reverting``, carrying it out to ``applying``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from extractord.applying import LOCK_SECONDS, Application, carry_out
from extractord.errors import ChangedMeanwhileError, UsageError
from extractord.history import withdrawing
from extractord.history.places import refuse_elsewhere
from extractord.history.reverting import Reverted, revert, without_lines, without_lines_of
from extractord.history.topics_named import NamedTopic
from extractord.ledger import Burial, ChangesetRow, ChangesetState, FileRow, FileState, Kind, Outcome
from extractord.memory.directory import MemoryDirectory, Snapshot
from extractord.memory.prepared import IndexLine, TopicWrite, spare_name
from extractord.memory.removals import removed
from extractord.memory.topics import parse
from extractord.supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class Removal:
    """One topic as it stands and as it is to be (None: no file)."""

    memory_dir: Path
    path: str
    before: str
    after: str | None


def of_topic(supervisor: Supervisor, topic: NamedTopic) -> tuple[Removal, ...]:
    """Return the removal of a topic, or of one line of it."""
    text = _snapshot(supervisor, topic.memory_dir).text_of(topic.path)
    if text is None and withdrawing.of_topic(supervisor, topic):
        return ()
    if text is None:
        raise UsageError(f"{topic.path} is no topic in {topic.memory_dir}", hint="`extractord memory-dir` shows where memory lies")
    if topic.line is None:
        return (Removal(topic.memory_dir, topic.path, text, None),)
    lines = text.splitlines(keepends=True)
    if not 1 <= topic.line <= len(lines):
        raise UsageError(f"{topic.path} has no line {topic.line}")
    return (_shortened(topic.memory_dir, topic.path, text, "".join(lines[: topic.line - 1] + lines[topic.line :])),)


def of_text(supervisor: Supervisor, memory_dir: Path, wanted: str) -> tuple[Removal, ...]:
    """Return the removal of every line of a memory directory that holds ``wanted``."""
    found = []
    for path, text in _snapshot(supervisor, memory_dir).texts().items():
        kept = "".join(line for line in text.splitlines(keepends=True) if wanted not in line)
        if kept != text:
            found.append(_shortened(memory_dir, path, text, kept))
    return tuple(found)


def of_session(supervisor: Supervisor, session: str) -> tuple[Removal, ...]:
    """Return the removal of everything that was saved from a session."""
    return _of_changesets(supervisor, (e.row.id for e in supervisor.ledger.changesets() if e.row.session == session))


def of_project(supervisor: Supervisor, memory_dir: Path) -> tuple[Removal, ...]:
    """Return the removal of everything that was saved for a project."""
    return _of_changesets(supervisor, (e.row.id for e in supervisor.ledger.changesets() if Path(e.row.memory_dir) == memory_dir))


def carry_out_removals(supervisor: Supervisor, removals: tuple[Removal, ...], reason: str) -> tuple[str, ...]:
    """Carry removals out, one changeset per memory directory; return the ids."""
    return tuple(
        _remove(supervisor, memory_dir, [r for r in removals if r.memory_dir == memory_dir], reason)
        for memory_dir in dict.fromkeys(r.memory_dir for r in removals)
    )


def _snapshot(supervisor: Supervisor, memory_dir: Path) -> Snapshot:
    refuse_elsewhere(supervisor, str(memory_dir))
    return supervisor.directory(memory_dir).read()


def _shortened(memory_dir: Path, path: str, before: str, after: str) -> Removal:
    """Return the removal of some lines; a topic that says nothing any more goes whole."""
    return Removal(memory_dir, path, before, _unless_empty(after))


def _of_changesets(supervisor: Supervisor, ids: Iterable[str]) -> tuple[Removal, ...]:
    """Step back through changesets, newest first; where a topic changed since, the lines that were brought leave."""
    texts: dict[tuple[Path, str], tuple[str, str | None]] = {}
    for full in (supervisor.ledger.changeset(i) for i in ids):
        removed_by_person = full.row.kind is Kind.REVIEW and full.row.accepts is None  # taking that back would bring it back
        if full.row.state is not ChangesetState.APPLIED or full.row.kind in (Kind.UNDO, Kind.TEAM) or removed_by_person:
            continue
        memory_dir = Path(full.row.memory_dir)
        snapshot = _snapshot(supervisor, memory_dir)
        for file in full.files:
            there = snapshot.text_of(file.path)
            if file.result is not FileState.WRITTEN or file.undone_by is not None or there is None:
                continue
            before, today = texts.get((memory_dir, file.path), (there, there))
            texts[memory_dir, file.path] = (before, _without(supervisor, full.row.id, file, today))
    return tuple(Removal(d, path, before, after) for (d, path), (before, after) in texts.items() if before != after)


def _without(supervisor: Supervisor, changeset: str, file: FileRow, today: str | None) -> str | None:
    """Return a topic without what a changeset brought into it; None: no file."""
    if file.let_go:
        lines = supervisor.ledger.lines_brought(changeset, file.path)
        return today if today is None else _unless_empty(without_lines(today, lines))
    match revert(file, today):
        case Reverted(text):
            return text
        case _ if today is None:
            return None
        case _:
            return _unless_empty(without_lines_of(file, today))


def _unless_empty(text: str) -> str | None:
    """Return a text, None where it says nothing any more."""
    return text if parse(text).body.strip() else None


def _remove(supervisor: Supervisor, memory_dir: Path, removals: list[Removal], reason: str) -> str:
    directory = supervisor.directory(memory_dir)
    with directory.lock(LOCK_SECONDS):
        snapshot = directory.read()
        for removal in removals:
            if snapshot.text_of(removal.path) != removal.before:
                raise ChangedMeanwhileError(f"{removal.path} in {memory_dir} changed meanwhile", hint="run it again")
        application = _application(supervisor, directory, memory_dir, removals, snapshot, reason)
        carried = carry_out(supervisor, directory, application)
    if carried.conflicts:
        raise ChangedMeanwhileError(f"{', '.join(carried.conflicts)} in {memory_dir} changed meanwhile", hint="run it again")
    return application.row.id


def _application(
    supervisor: Supervisor, directory: MemoryDirectory, memory_dir: Path, removals: list[Removal], snapshot: Snapshot, reason: str
) -> Application:
    new, now = supervisor.ledger.new_id(), supervisor.wall()
    writes = tuple(
        TopicWrite(
            r.path,
            r.before,
            r.after,
            snapshot.mtime_of(r.path),
            snapshot.mtime_of(r.path) if r.after is not None else None,
            spare_name(new, n),
            snapshot.mode_of(r.path),
        )
        for n, r in enumerate(removals)
    )
    index = tuple(IndexLine(r.path, None) for r in removals if r.after is None)
    burials = tuple(Burial(stone, r.path, new) for r in removals for stone in removed(r.path, r.before, r.after, now))
    row = ChangesetRow(new, now, None, None, str(memory_dir), Outcome.SAVED, Kind.REVIEW, reason=reason)
    return Application(row, directory.prepare(new, writes, index, snapshot), burials=burials)
