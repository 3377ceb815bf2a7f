"""The index MEMORY.md: which of its lines tell of a topic, and the operations that bring it up to date.

Owns: where a new line goes, what leaves when a cap would be passed, and the inverse of all that. Pure: texts in, texts and
recorded changes out. Leaves the form of a line to ``entries``, files to ``directory``, headings and prose to whoever wrote them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from extractord.memory.entries import DEFAULT_LIMITS, Entry, IndexLimits, entries_of, files_of, lead_of, line_of, shortened
from extractord.memory.lines import Lines
from extractord.memory.loading import line_count, trimmed, units
from extractord.memory.prepared import IndexLine, LineChange, LineOperation

__all__ = ["DEFAULT_LIMITS", "Around", "Entry", "IndexLimits", "Merged", "entries_of", "files_of", "invert", "is_full", "line_of", "merge"]

GONE = "its file is gone"
COMPLETED = "its topic had no line"
DUPLICATE = "its topic has a line already"
TOO_LONG = "shortened to the size of a line"
SHORTENED = "shortened, the index was full"
LEFT_OUT = "left out, the index was full"
FULL_OF_PROSE = "the index is full of text that is no list of topics: nothing was made to leave it, the client may not load all of it"


@dataclass(frozen=True, slots=True)
class Merged:
    """An index after operations. ``text`` is None if there was none and there is nothing to say."""

    text: str | None
    changes: tuple[LineChange, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Around:
    """What is known round an index: the topics' times, which files are there, and whose lines are ours."""

    times: Mapping[str, float] = field(default_factory=dict)  # evidence time by file, seconds since the epoch
    existing: AbstractSet[str] | None = None  # None: not known, so nothing counts as gone
    ours: AbstractSet[str] = frozenset()  # files whose line the ledger wrote


def is_full(text: str, limits: IndexLimits = DEFAULT_LIMITS) -> bool:
    """Return whether a cap is passed, that is, whether the client would load only a part."""
    return any(over > 0 for over in _excess(Lines(text), limits))


def merge(text: str | None, operations: Iterable[IndexLine], around: Around, limits: IndexLimits = DEFAULT_LIMITS) -> Merged:
    """Carry out operations on the lines of topics, newest on top, and make room where a cap would be passed.

    A second merge of the result with the same operations changes nothing.
    """
    work = _Work(Lines(text or ""), around)
    before = _excess(work.lines, limits)
    put = {operation.file: operation.time for operation in operations if work.carried_out(operation, limits)}
    if any(after > max(before_, 0) for after, before_ in zip(_excess(work.lines, limits), before, strict=True)):
        _fit(work, put, limits)
    new = work.lines.text()
    return Merged(None if text is None and not new else new, tuple(work.changes), tuple(work.notes))


class _Work:
    """An index being changed, with the record of what was done."""

    def __init__(self, lines: Lines, around: Around) -> None:
        self.lines = lines
        self.around = around
        self.times = dict(around.times)
        self.changes: list[LineChange] = []
        self.notes: list[str] = []

    def entries(self, file: str | None = None) -> list[Entry]:
        return [entry for entry in entries_of(self.lines) if file in (None, entry.file)]

    def carried_out(self, operation: IndexLine, limits: IndexLimits) -> bool:
        """Carry an operation out; return whether it put a line that other lines are to make room for."""
        there = self.entries(operation.file)
        match operation.operation, operation.line:
            case LineOperation.PUT, None:
                for entry in reversed(there):
                    self.remove(entry, "")
            case LineOperation.PUT, str(line):
                self.put(operation, line, limits)
                return True
            case LineOperation.COMPLETE, line:
                self.times[operation.file] = operation.time
                if line is not None and not there:
                    self.insert(self._place(operation.time), operation.file, line, COMPLETED)
            case LineOperation.SINGLE, _:
                for entry in reversed(there[1:]):
                    self.remove(entry, DUPLICATE)
            case LineOperation.SHORTEN, _:
                for entry in there:
                    self._shorten(entry, limits)
        return False

    def _shorten(self, entry: Entry, limits: IndexLimits) -> None:
        line = self.lines[entry.position]
        if len(line) > limits.line_characters:
            short = shortened(line, entry, limits.line_characters)
            if short != line:
                self.replace(entry, short, TOO_LONG)

    def put(self, operation: IndexLine, line: str, limits: IndexLimits) -> None:
        self.times[operation.file] = operation.time
        there = self.entries(operation.file)
        if there:
            today = self.lines[there[0].position]
            kept = lead_of(today) + line.removeprefix("- ") if line.startswith("- ") else line
            if today not in (kept, _as_shortened(kept, limits)):
                self.replace(there[0], kept, "")
        else:
            self.insert(self._place(operation.time), operation.file, line, "")

    def _place(self, time: float) -> int:
        """Above the first line whose topic is older, else after the last line, else at the end."""
        there = self.entries()
        older = (entry.position for entry in there if self.times.get(entry.file, time) < time)
        return next(older, there[-1].position + 1 if there else len(self.lines))

    def insert(self, position: int, file: str, line: str, reason: str) -> None:
        self.lines.insert(position, line)
        self.changes.append(LineChange(file, None, line, position, reason))

    def replace(self, entry: Entry, line: str, reason: str) -> None:
        self.changes.append(LineChange(entry.file, self.lines[entry.position], line, entry.position, reason))
        self.lines.replace(entry.position, line)

    def remove(self, entry: Entry, reason: str) -> None:
        above = self.lines[entry.position - 1] if entry.position else None
        self.changes.append(LineChange(entry.file, self.lines[entry.position], None, entry.position, reason, above))
        self.lines.remove(entry.position)


def _as_shortened(line: str, limits: IndexLimits) -> str:
    """Return what a put line becomes when room is made: it counts as put, else a second merge would undo and redo it."""
    entry = next(entries_of([line]), None)
    return line if entry is None else shortened(line, entry, limits.short_characters)


# --- room ----------------------------------------------------------------------------------------------------------------


def _fit(work: _Work, put: Mapping[str, float], limits: IndexLimits) -> None:
    """Make room: lines of vanished files, then long hooks, then the oldest lines; each time ours before others'."""
    prose = Lines(work.lines.text())
    for entry in reversed(work.entries()):
        prose.remove(entry.position)
    if any(over >= 0 for over in _excess(prose, limits)):
        work.notes.append(FULL_OF_PROSE)
        return
    existing = work.around.existing
    gone = [entry for entry in work.entries() if existing is not None and entry.file not in existing and entry.file not in put]
    _leave(work, list(reversed(gone)), GONE, limits)
    _shorten(work, put, limits)
    _leave(work, _by_age(work, put), LEFT_OUT, limits)


def _excess(lines: Lines, limits: IndexLimits) -> tuple[int, int]:
    """Return by how many lines and UTF-16 units the text, trimmed as the client trims it, is over its caps."""
    whole = trimmed(lines.text())
    return line_count(whole) - limits.lines, units(whole) - limits.units


def _leave(work: _Work, leaving: list[Entry], reason: str, limits: IndexLimits) -> None:
    """Take lines out, in this order, until the index fits. Counted in steps: an index can be long."""
    over_lines, over_units = _excess(work.lines, limits)
    chosen: list[Entry] = []
    for entry in leaving:
        if over_lines <= 0 and over_units <= 0:
            break
        chosen.append(entry)
        over_lines -= 1
        over_units -= units(work.lines[entry.position]) + 1
    for entry in sorted(chosen, key=lambda entry: entry.position, reverse=True):
        work.remove(entry, reason)


def _shorten(work: _Work, put: Mapping[str, float], limits: IndexLimits) -> None:
    _, over = _excess(work.lines, limits)
    for entry in _by_age(work, put):
        if over <= 0:
            return
        line = work.lines[entry.position]
        short = shortened(line, entry, limits.short_characters)
        if short != line:
            work.replace(entry, short, SHORTENED)
            over -= units(line) - units(short)


def _by_age(work: _Work, put: Mapping[str, float]) -> list[Entry]:
    """Return the lines in the order in which they leave: ours from the oldest, others' likewise, and what was put now last.

    A line put now that is older than all others is no exception: the top of the list is for what is new.
    """
    there = work.entries()
    oldest = min((work.times.get(entry.file, 0.0) for entry in there if entry.file not in put), default=None)

    def rank(entry: Entry) -> tuple[int, float, int]:
        time = work.times.get(entry.file, 0.0)
        if entry.file in put and (oldest is None or time > oldest):
            group = 2
        else:
            group = 0 if entry.file in put or entry.file in work.around.ours else 1
        return group, time, -entry.position

    return sorted(there, key=rank)


# --- undo ----------------------------------------------------------------------------------------------------------------


def invert(changes: Iterable[LineChange], text: str | None) -> Merged:
    """Undo recorded changes on today's index. A line that somebody changed since stays; a topic's own new line goes anyway."""
    work = _Work(Lines(text or ""), Around())
    there = frozenset(work.lines)
    for change in reversed(tuple(changes)):
        _invert_one(work, change, there)
    return Merged(None if text is None and not len(work.lines) else work.lines.text(), tuple(work.changes))


def _invert_one(work: _Work, change: LineChange, before_undo: AbstractSet[str]) -> None:
    there = work.entries(change.file)
    same = [entry for entry in there if work.lines[entry.position] == change.after]
    match change.before, change.after:
        case None, _:
            for entry in (same or there)[:1]:
                work.remove(entry, change.reason)
        case before, None:
            if before not in before_undo:  # else it is back already, by hand or by an undo that was interrupted
                work.insert(_place_again(work, change), change.file, before, change.reason)
        case before, _:
            for entry in same[:1]:
                work.replace(entry, before, change.reason)


def _place_again(work: _Work, change: LineChange) -> int:
    """Return where a dropped line goes: where it stood, else below the line it stood under, else to the list's end nearest to that."""
    lines, at = work.lines, change.position
    if at <= len(lines) and (lines[at - 1] if at else None) == change.above:
        return at
    under = [position + 1 for position, line in enumerate(lines) if line == change.above and line.strip()]
    there = [entry.position for entry in work.entries()]
    beside = under or sorted({*there, *(position + 1 for position in there)})
    return min(beside, key=lambda position: abs(position - at), default=min(at, len(lines)))
