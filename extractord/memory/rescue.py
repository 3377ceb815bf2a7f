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
    for line, above in _new_lines((*known, text), theirs):
        _bring(lines, line, above)
    return lines.text()


def rescue_body(known: Iterable[str | None], theirs: str, text: str) -> str:
    """Do the same for a topic: what is new in its body; header lines are the writers' own stamps."""
    lines = Lines(text)
    for line, above in _new_lines((*known, text), _body(theirs)):
        lines.insert(_below(lines, above, len(lines)), line)
    return lines.text()


def _new_lines(known: Iterable[str | None], theirs: str) -> list[tuple[str, str]]:
    """Return the lines of ``theirs`` that no other text has, each with the line above it."""
    there = {line for text in known if text for line in Lines(text)}
    found, above = [], ""
    for line in Lines(theirs):
        if line.strip() and line not in there:
            found.append((line, above))
        above = line
    return found


def _bring(lines: Lines, line: str, above: str) -> None:
    entry = next(entries_of([line]), None)
    same = [one for one in entries_of(lines) if entry and one.file == entry.file]
    if same:
        lines.replace(same[0].position, line)
        return
    first = next((one.position for one in entries_of(lines)), len(lines))
    lines.insert(_below(lines, above, first if entry else len(lines)), line)


def _below(lines: Lines, above: str, otherwise: int) -> int:
    under = [position for position, one in enumerate(lines) if above.strip() and one == above]
    return under[0] + 1 if under else otherwise


def _body(text: str) -> str:
    parts = split(text)
    return text if parts is None else parts.body
