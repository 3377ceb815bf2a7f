"""Three-way merge of texts, line by line.

Owns: bringing a change that was based on one state onto another. Leaves what a conflict means to the caller: nothing here
ever writes a conflict marker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from extractord.memory.topics import split

_MODIFIED = re.compile(r"^[ \t]+modified:[ \t].*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Lines ``start:end`` of the base are replaced by ``lines``."""

    start: int
    end: int
    lines: tuple[str, ...]


def merge(base: str, theirs: str, today: str) -> str | None:
    """Return ``today`` with the change from ``base`` to ``theirs`` made to it, or None where both touched the same lines.

    Changes that touch (one ends where the other begins) count as the same lines, unless they are equal.
    """
    if today == base:
        return theirs
    if theirs in (base, today):
        return today
    lines = base.splitlines(keepends=True)
    wanted, made = _hunks(lines, theirs), _hunks(lines, today)
    extra = [hunk for hunk in wanted if hunk not in made]
    if any(_touch(a, b) for a in extra for b in made):
        return None
    return "".join(_rebuilt(lines, sorted([*made, *extra], key=lambda hunk: (hunk.start, hunk.end))))


def merge_topics(base: str, theirs: str, today: str) -> str | None:
    """Return ``merge`` of three texts of a topic. Stamps of the time of writing are nobody's words: where they differ, today's stays.

    Where nothing but that stamp would tell the result from ``theirs`` it is ``theirs``.
    """
    stamp = _modified(today)
    if stamp is None or stamp == _modified(base):
        return merge(base, theirs, today)
    merged = merge(_stamped(base, stamp), _stamped(theirs, stamp), today)
    return theirs if merged is not None and same_but_for_stamp(merged, theirs) else merged


def same_but_for_stamp(one: str, other: str) -> bool:
    """Whether two texts of a topic differ at most in the stamp of the time of writing."""
    stamp = _modified(one)
    return one == other or (stamp is not None and _stamped(other, stamp) == one)


def _modified(text: str) -> str | None:
    parts = split(text)
    found = _MODIFIED.search(parts.header) if parts else None
    return found.group() if found else None


def _stamped(text: str, stamp: str) -> str:
    """Return ``text`` with another line of ``modified:``, if it has one."""
    parts = split(text)
    if parts is None:
        return text
    header = _MODIFIED.sub(lambda _: stamp, parts.header, count=1)
    return f"{parts.opening}{header}{parts.closing}{parts.body}"


def _hunks(base: list[str], text: str) -> list[_Hunk]:
    new = text.splitlines(keepends=True)
    codes = SequenceMatcher(None, base, new, autojunk=False).get_opcodes()
    return [_Hunk(i1, i2, tuple(new[j1:j2])) for tag, i1, i2, j1, j2 in codes if tag != "equal"]


def _touch(a: _Hunk, b: _Hunk) -> bool:
    return a.start <= b.end and b.start <= a.end


def _rebuilt(base: list[str], hunks: list[_Hunk]) -> Iterator[str]:
    at = 0
    for hunk in hunks:
        yield from base[at : hunk.start]
        yield from hunk.lines
        at = hunk.end
    yield from base[at:]
