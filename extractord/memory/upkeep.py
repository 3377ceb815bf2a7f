"""Where an index and the files beside it say different things, and the operations that bring them together.

Owns: the kinds of fault. Pure. Leaves carrying operations out to ``index``, showing and asking to ``history.repair`` and the command
line.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from extractord.memory.entries import DEFAULT_LIMITS, Entry, IndexLimits, entries_of, shortened
from extractord.memory.index import LEFT_OUT, SHORTENED, Around, merge
from extractord.memory.lines import Lines
from extractord.memory.prepared import IndexLine, LineOperation
from extractord.memory.snapshot import Place, Snapshot
from extractord.memory.writing import line_for


class FaultKind(enum.Enum):
    """What is wrong about a line, or the want of one."""

    GONE = "its line has no file"
    DUPLICATE = "it has several lines"
    TOO_LONG = "its line is too long"
    UNLISTED = "it has no line"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, with the operation that mends it."""

    file: str
    kind: FaultKind
    operation: IndexLine


@dataclass(frozen=True, slots=True)
class Mended:
    """An index as it is and as it is to be, with the faults that lie between."""

    before: str
    after: str
    faults: tuple[Fault, ...] = ()

    @property
    def operations(self) -> tuple[IndexLine, ...]:
        return tuple(fault.operation for fault in self.faults)


def mended(snapshot: Snapshot, exists: Callable[[str], bool], limits: IndexLimits = DEFAULT_LIMITS) -> Mended:
    """Return what is wrong with an index and what it would be without. ``exists`` says whether anything of that name lies there.

    An index that is missing is none of our business (the client builds it from the files), nor one that cannot be read. Topics for
    which a full index has no room stay unlisted: that is no fault.
    """
    text = snapshot.index
    if text is None:
        return Mended("", "")
    around = Around({file: there.time for file, there in snapshot.topics.items()})
    faults = list(_in_lines(Lines(text), exists, limits))
    merged = merge(text, [fault.operation for fault in faults], around, limits)
    for fault in _unlisted(snapshot):
        longer = merge(text, [one.operation for one in (*faults, fault)], around, limits)
        if not any(change.reason in (LEFT_OUT, SHORTENED) for change in longer.changes):
            faults.append(fault)
            merged = longer
    return Mended(text, merged.text or "", tuple(faults))


def _in_lines(lines: Lines, exists: Callable[[str], bool], limits: IndexLimits) -> Iterator[Fault]:
    by_file: dict[str, list[Entry]] = {}
    for entry in entries_of(lines):
        by_file.setdefault(entry.file, []).append(entry)
    for file, entries in by_file.items():
        if not exists(file):
            yield Fault(file, FaultKind.GONE, IndexLine(file, None))
            continue
        if len(entries) > 1:
            yield Fault(file, FaultKind.DUPLICATE, IndexLine(file, None, operation=LineOperation.SINGLE))
        first = lines[entries[0].position]
        if len(first) > limits.line_characters and shortened(first, entries[0], limits.line_characters) != first:
            yield Fault(file, FaultKind.TOO_LONG, IndexLine(file, None, operation=LineOperation.SHORTEN))


def _unlisted(snapshot: Snapshot) -> Iterator[Fault]:
    """Yield the topics without a line, newest first."""
    listed = {entry.file for entry in entries_of(Lines(snapshot.index or ""))}
    topics = (there for there in snapshot.topics.values() if there.place is Place.TOPIC and there.file not in listed)
    for there in sorted(topics, key=lambda there: -there.time):
        yield Fault(there.file, FaultKind.UNLISTED, line_for(there))
