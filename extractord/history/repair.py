"""Mending an index, and taking over the memory of a project that moved: planned, shown, then a changeset like any other.

Owns: which memory directories there are, which are orphans and who could adopt them, and the changesets. Leaves what is wrong with
an index to ``memory.upkeep``, asking to the command line, carrying out to ``applying``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from extractord.applying import LOCK_SECONDS, Application, carry_out
from extractord.claude_home import first_cwd, transcripts
from extractord.errors import ChangedMeanwhileError, MemoryDirectoryError
from extractord.ledger import ChangesetRow, ChangesetState, Kind, Outcome
from extractord.memory.age import log_date
from extractord.memory.directory import MemoryDirectory, Snapshot
from extractord.memory.entries import entries_of
from extractord.memory.lines import Lines
from extractord.memory.prepared import IndexLine, LineOperation, TopicWrite, spare_name
from extractord.memory.snapshot import Place
from extractord.memory.upkeep import Mended, mended
from extractord.memory.writing import line_for
from extractord.supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class Repair:
    """An index that is to be mended."""

    memory_dir: Path
    mended: Mended


@dataclass(frozen=True, slots=True)
class Orphan:
    """The memory of a project whose folder is gone, and the project of the same name that could take it over (None: nobody, or several)."""

    memory_dir: Path
    root: str
    adopter: str | None
    files: tuple[str, ...]  # what the adopter does not have


def memory_dirs(supervisor: Supervisor) -> tuple[Path, ...]:
    """Return the memory directories there are: those of the config home, and others that the ledger knows. Links are left alone."""
    found = sorted((supervisor.surroundings.config_home / "projects").glob("*/memory"))
    found += [Path(one) for one in supervisor.ledger.memory_dirs()]
    real = {os.path.realpath(place): place for place in reversed(found) if place.is_dir() and not place.is_symlink()}
    return tuple(sorted(real.values()))


def repairs(supervisor: Supervisor) -> Iterator[Repair]:
    """Yield what is to be mended, directory by directory; one that cannot be read is left out."""
    for memory_dir in memory_dirs(supervisor):
        try:
            found = mended_of(supervisor.directory(memory_dir))
        except MemoryDirectoryError:  # it has a finding of its own
            continue
        if found.faults:
            yield Repair(memory_dir, found)


def mended_of(directory: MemoryDirectory, snapshot: Snapshot | None = None) -> Mended:
    """Return what is wrong with a directory's index. Raises MemoryDirectoryError."""
    return mended(snapshot or directory.read(), lambda file: os.path.lexists(directory.path / file))


def repair(supervisor: Supervisor, planned: Repair) -> str:
    """Mend an index as it was shown; return the changeset. Raises ChangedMeanwhileError, MemoryDirectoryError, BusyError."""
    directory = supervisor.directory(planned.memory_dir)
    with directory.lock(LOCK_SECONDS):
        snapshot = directory.read()
        if mended_of(directory, snapshot).after != planned.mended.after:
            raise ChangedMeanwhileError(f"the index in {planned.memory_dir} changed meanwhile", hint="run it again")
        row = _row(supervisor, planned.memory_dir, f"{len(planned.mended.faults)} faults of the index mended")
        prepared = directory.prepare(row.id, (), planned.mended.operations, snapshot)
        carry_out(supervisor, directory, Application(row, prepared))
    return row.id


# --- projects that moved


def orphans(supervisor: Supervisor, here: str) -> Iterator[Orphan]:
    """Yield the memory of projects that are gone. Of several adopters the project of ``here`` (a folder) is the one."""
    roots = _roots(supervisor)
    here_root = supervisor.home_of(here).project_root
    alive = {root for root in (*roots.values(), here_root) if Path(root).is_dir()}
    for memory_dir in memory_dirs(supervisor):
        root = roots.get(memory_dir)
        if root is None or Path(root).exists():
            continue
        namesakes = sorted(one for one in alive if Path(one).name == Path(root).name)
        adopter = here_root if here_root in namesakes else namesakes[0] if len(namesakes) == 1 else None
        orphan = Orphan(memory_dir, root, adopter, _to_adopt(supervisor, memory_dir, adopter))
        if orphan.files and not _was_adopted(supervisor, memory_dir):
            yield orphan


def adopt(supervisor: Supervisor, orphan: Orphan) -> str:
    """Copy an orphan's topics into its adopter's memory, with their times; return the changeset. The orphan stays as it is.

    Raises ChangedMeanwhileError, MemoryDirectoryError, BusyError.
    """
    assert orphan.adopter is not None
    target = supervisor.home_of(orphan.adopter).directory
    source, directory = supervisor.directory(orphan.memory_dir).read(), supervisor.directory(target)
    with directory.lock(LOCK_SECONDS):
        snapshot = directory.read()
        files = [file for file in orphan.files if file in source.topics and snapshot.text_of(file) is None]
        row = _row(supervisor, target, _adopts(orphan.memory_dir))
        writes = tuple(
            TopicWrite(file, None, source.text_of(file), None, source.mtime_of(file), spare_name(row.id, number), source.mode_of(file))
            for number, file in enumerate(files)
        )
        carried = carry_out(supervisor, directory, Application(row, directory.prepare(row.id, writes, _lines(source, files), snapshot)))
    if carried.conflicts:
        raise ChangedMeanwhileError(f"{', '.join(carried.conflicts)} came into {target} meanwhile", hint="run it again")
    return row.id


def _roots(supervisor: Supervisor) -> dict[Path, str]:
    """Return the project root of each memory directory, as the sessions in the folders beside it say."""
    folders: dict[Path, Path] = {}
    for file in transcripts(supervisor.surroundings.config_home):
        folders.setdefault(file.path.parent, file.path)
    cwds = filter(None, map(first_cwd, folders.values()))
    homes = [supervisor.home_of(cwd) for cwd in cwds]
    return {home.directory: home.project_root for home in homes}


def _to_adopt(supervisor: Supervisor, memory_dir: Path, adopter: str | None) -> tuple[str, ...]:
    source = supervisor.directory(memory_dir).read()
    if adopter is None:
        return tuple(source.topics)
    home = supervisor.home_of(adopter)
    there = supervisor.directory(home.directory).read() if home.enabled else source
    return tuple(file for file in source.topics if file not in there.names)


def _lines(source: Snapshot, files: list[str]) -> tuple[IndexLine, ...]:
    """Return the lines of adopted topics, worded as in the index they come from."""
    lines = Lines(source.index or "")
    worded = {entry.file: lines[entry.position].strip() for entry in entries_of(lines)}
    topics = [source.topics[file] for file in files if source.topics[file].place is Place.TOPIC and log_date(file) is None]
    return tuple(
        IndexLine(there.file, worded.get(there.file) or line_for(there).line, there.time, LineOperation.COMPLETE) for there in topics
    )


def _was_adopted(supervisor: Supervisor, memory_dir: Path) -> bool:
    entries = supervisor.ledger.changesets()
    return any(e.row.reason == _adopts(memory_dir) and e.row.state is ChangesetState.APPLIED for e in entries)


def _adopts(memory_dir: Path) -> str:
    return f"takes over {memory_dir}"


def _row(supervisor: Supervisor, memory_dir: Path, reason: str) -> ChangesetRow:
    return ChangesetRow(
        id=supervisor.ledger.new_id(),
        time=supervisor.wall(),
        session=None,
        stretch_key=None,
        memory_dir=str(memory_dir),
        outcome=Outcome.SAVED,
        kind=Kind.REPAIR,
        reason=reason,
    )
