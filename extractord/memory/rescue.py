"""Bringing somebody's words back into a file that was written at the same moment.

Owns: what a program wrote into a topic or the index while we changed it is added to what stands there now, line by line.
Leaves noticing it to ``exchange`` and ``settling``.
"""

from __future__ import annotations

from collections.abc import Iterable

from extractord.memory.entries import entries_of
from extractord.memory.lines import Lines
from extractord.memory.topics import split


def rescue(known: Iterable[str | None], theirs: str, text: str) -> str:
    """Return the index ``text`` with the lines of ``theirs`` that stand in none of the ``known`` texts, so that no word is lost.

    Their line about a topic takes the place of the one that ``text`` has, all others go below the line they stood under.
    Nothing is taken away: a line missing in ``theirs`` may only not have been written yet.
    """
    lines = Lines(text)
    wanted = _new_lines((*known, text), theirs)
    entries = list(entries_of(lines))
    there = {entry.file: entry.position for entry in reversed(entries)}
    rows = _Rows(lines, entries[0].position if entries else len(lines))
    for line, above in wanted:
        # Each by itself: a fence that somebody left open hides nothing that they said.
        entry = next(entries_of([line]), None)
        if entry is None:
            rows.put(line, above, len(lines))
        elif entry.file in there:
            rows.replace(there[entry.file], line)
        else:
            rows.put_entry(entry.file, line, above)
    return rows.text()


def rescue_body(known: Iterable[str | None], theirs: str, text: str) -> str:
    """Do the same for a topic: what is new in its body; header lines are the writers' own stamps."""
    lines = Lines(text)
    rows = _Rows(lines, len(lines))
    for line, above in _new_lines((*known, text), _body(theirs)):
        rows.put(line, above, len(lines))
    return rows.text()


class _Rows:
    """New lines gathered by the line of the text that they go above; put in together, so that the cost is that of the texts' length."""

    def __init__(self, lines: Lines, first_entry: int) -> None:
        self._lines, self._first_entry = lines, first_entry
        self._row = {line: position for position, line in reversed(list(enumerate(lines)))}
        self._above: dict[int, list[str]] = {}
        self._placed: dict[str, int] = {}  # new lines, with the row they went above
        self._entries: dict[str, tuple[int, int]] = {}  # new lines about topics: row, and place among the lines above it

    def replace(self, row: int, line: str) -> None:
        self._lines.replace(row, line)
        self._row.setdefault(line, row)

    def put_entry(self, file: str, line: str, above: str) -> None:
        """Put a line about a topic that the text has none of; a later one about the same topic takes its place."""
        if file in self._entries:
            row, place = self._entries[file]
            self._above[row][place] = line
            self._placed.setdefault(line, row)
            return
        row = self.put(line, above, self._first_entry)
        self._entries[file] = (row, len(self._above[row]) - 1)

    def put(self, line: str, above: str, otherwise: int) -> int:
        """Put a line below the one that says ``above``, else above row ``otherwise``; return the row it went above."""
        row = self._row[above] + 1 if above.strip() and above in self._row else self._placed.get(above, otherwise)
        self._placed.setdefault(line, row)
        self._above.setdefault(row, []).append(line)
        return row

    def text(self) -> str:
        for row in sorted(self._above, reverse=True):
            self._lines.insert_all(row, self._above[row])
        return self._lines.text()


def _new_lines(known: Iterable[str | None], theirs: str) -> list[tuple[str, str]]:
    """Return the lines of ``theirs`` that no other text has, each with the line above it."""
    there = {line for text in known if text for line in Lines(text)}
    found, above = [], ""
    for line in Lines(theirs):
        if line.strip() and line not in there:
            found.append((line, above))
        above = line
    return found


def _body(text: str) -> str:
    parts = split(text)
    return text if parts is None else parts.body
