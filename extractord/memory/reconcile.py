"""Bringing two people's changes of one text together: where they differ both are kept.

Owns: the merge of whole texts by lines, and of a topic's header by its keys. Pure, and total: there is always a result, and never a
conflict marker in it. Leaves ``merge``, which gives up where both touched the same lines, to those who can ask a person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

from extractord.memory.topics import Parts, parse, split

_KEY = re.compile(r"^([ \t]*)([\w-]+)[ \t]*:[ \t]*(.*?)[ \t\r]*$")
_SAID = ("name", "description")  # what a header says in words; the rest are stamps


def both_kept(base: str, ours: str, theirs: str) -> str:
    """Return a text with every line that either side added, and without every line of ``base`` that either side took out.

    Where both put something in the same place, theirs stands first; a line that both put there stands once.
    """
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    old = _lines(base)
    added_here, gone_here = _changes(old, _lines(ours))
    added_there, gone_there = _changes(old, _lines(theirs))
    out: list[str] = []
    for at in range(len(old) + 1):
        there = added_there.get(at, [])
        out += there
        out += [line for line in added_here.get(at, []) if not line.strip() or line not in there]
        if at < len(old) and at not in gone_here and at not in gone_there:
            out.append(old[at])
    ending = "\n" if any(text.endswith("\n") for text in (ours, theirs)) else ""
    return "\n".join(out) + ending if out else ""


def reconciled(base: str | None, ours: str, theirs: str) -> str:
    """Return a topic with both sides' changes; ``base`` is None where both made it.

    A header has each key once: the side that was written later decides (theirs where that is the same), and what the other said as name
    or description goes below the body.
    """
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    mine, other, old = _parts(ours), _parts(theirs), _parts(base or "")
    first, second = (mine, other) if _time(ours) > _time(theirs) else (other, mine)
    if not first.opening:
        first, second = second, first
    header = "".join(_header(both_kept(old.header, second.header, first.header), first.header))
    body = both_kept(old.body, mine.body, other.body)
    body = "".join((body, *(_below(body, value) for value in _left_out(header, second.header))))
    whole = f"{first.opening}{header}{first.closing}{body}"
    if first.opening and parse(f"{first.opening}{first.header}{first.closing}").header_ok and not parse(whole).header_ok:
        return f"{first.opening}{first.header}{first.closing}{body}"
    return whole


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _changes(old: list[str], new: list[str]) -> tuple[dict[int, list[str]], set[int]]:
    """Return what was put before each line of ``old``, and which lines of it are gone."""
    added: dict[int, list[str]] = {}
    gone: set[int] = set()
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            gone.update(range(i1, i2))
            if j2 > j1:
                added.setdefault(i1, []).extend(new[j1:j2])
    return added, gone


def _parts(text: str) -> Parts:
    return split(text) or Parts("", "", "", text)


def _time(text: str) -> float:
    return parse(text).modified or 0.0


def _header(merged: str, first: str) -> Iterator[str]:
    """Yield the lines of a merged header, of those with the same key the one of the side that decides."""
    decided = {_key(line): line for line in _lines(first)}
    times = Counter(map(_key, _lines(merged)))
    seen: set[tuple[str, str]] = set()
    for line in _lines(merged):
        key = _key(line)
        if key is None or times[key] == 1:
            yield f"{line}\n"
        elif key not in seen:
            seen.add(key)
            yield f"{decided.get(key, line)}\n"


def _key(line: str) -> tuple[str, str] | None:
    found = _KEY.match(line)
    return (found[1], found[2]) if found else None


def _left_out(header: str, second: str) -> Iterator[str]:
    """Yield what the other side said in words and the header does not say."""
    there = _lines(header)
    for line in _lines(second):
        found = _KEY.match(line)
        if found and not found[1] and found[2] in _SAID and found[3] and line not in there:
            yield found[3]


def _below(body: str, value: str) -> str:
    """Return a line for the end of ``body``, "" if it says that already."""
    if value in body:
        return ""
    return ("" if not body or body.endswith("\n") else "\n") + f"\nAlso: {value}\n"
