"""Memory directories for tests: made, looked at, and changed by prepared changesets."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from pathlib import Path

from extractord.memory.directory import MemoryDirectory, Snapshot
from extractord.memory.index import line_of
from extractord.memory.prepared import Applied, IndexLine, IndexRestore, Prepared, TopicWrite, WriteState, spare_name

NS = 1_000_000_000
OLD, NEW = 1_600_000_000, 1_700_000_000
LATER = 4_000_000_000.0  # a clock that makes every spare old enough


def topic(name: str, body: str) -> str:
    return f"---\nname: {name}\ndescription: about {name}\ntype: user\n---\n\n{body}\n"


def put_file(directory: Path, file: str, text: str, time: int = OLD) -> None:
    place = directory / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())
    os.utime(place, ns=(time * NS, time * NS))


def contents(directory: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below with its bytes and mtime (0 for the index, whose time is that of writing), folders with no bytes."""
    found = {}
    for place in sorted(directory.rglob("*")):
        name = str(place.relative_to(directory))
        if place.is_dir():
            found[name] = (b"", 0)
        else:
            found[name] = (place.read_bytes(), 0 if name == "MEMORY.md" else place.stat().st_mtime_ns)
    return found


def write(snapshot: Snapshot, id: str, file: str, after: str | None, time: int = NEW) -> TopicWrite:  # noqa: A002
    """A write of one topic based on what a snapshot shows."""
    mtime_ns = None if after is None else time * NS
    return TopicWrite(file, snapshot.text_of(file), after, snapshot.mtime_of(file), mtime_ns, spare_name(id, file.replace("/", "-")))


def line(file: str, hook: str | None = "hook", time: int = NEW) -> IndexLine:
    return IndexLine(file, None if hook is None else line_of(file, Path(file).stem, hook), float(time))


def prepared(directory: MemoryDirectory, id: str, *changes: tuple[str, str | None]) -> Prepared:  # noqa: A002
    """A changeset that brings each file to a text (None: no file), with index lines to match."""
    return prepared_on(directory.read(), directory, id, *changes)


def prepared_on(snapshot: Snapshot, directory: MemoryDirectory, id: str, *changes: tuple[str, str | None]) -> Prepared:  # noqa: A002
    """The same, based on a snapshot taken before."""
    writes = tuple(write(snapshot, id, file, after) for file, after in changes)
    index = tuple(line(file, None if after is None else "hook") for file, after in changes)
    return directory.prepare(id, writes, index, snapshot)


def undo_of(directory: MemoryDirectory, done: Prepared, applied: Applied, id: str) -> Prepared:  # noqa: A002
    """The changeset that takes another back."""
    written = {file.path for file in applied.files if file.state is WriteState.WRITTEN}
    writes = tuple(
        TopicWrite(one.path, one.after, one.before, one.after_mtime_ns, one.before_mtime_ns, spare_name(id, number))
        for number, one in enumerate(done.writes)
        if one.path in written
    )
    index = applied.index
    assert index is not None
    restore = IndexRestore(index.before, index.after, index.before_mtime_ns, index.changes, applied.made_folders)
    return directory.prepare(id, writes, (), directory.read(), restore=restore)


def in_child(work: Callable[[], object]) -> int:
    """Run ``work`` in a process of its own and return its wait status (0: it came to its end)."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001 - nothing may unwind into the parent's tests
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]
