"""Looking again at what came out of an exchange, once nobody can be writing into it any more.

Owns: deciding what a spare is by then, bringing somebody's words to their place, removing spares and copies. Leaves when it
is time to ``directory``, single steps to ``exchange``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import msgspec

from extractord.memory.entries import entries_of, files_of
from extractord.memory.exchange import FileExchange
from extractord.memory.found import Found, text_of
from extractord.memory.index_file import Change
from extractord.memory.lines import Lines
from extractord.memory.prepared import IndexSeen
from extractord.memory.rescue import rescue, rescue_body

_ATTEMPTS = 64
_EXCHANGES = 4  # that may come to nothing because somebody writes all the time, until lines are appended instead


def settle_topic(exchange: FileExchange, before: str | None, after: str | None) -> bool:
    """Settle the spare of a topic; return whether somebody's words were found, so that the topic counts as conflicted.

    A spare may be left, when the words had to be exchanged in: it is settled in its turn.
    """
    exchange.remove_part()
    conflicted = bool(exchange.kept.places())
    for aside in reversed(exchange.asides()):
        aside.kept.keep(aside.came_out().data)
        aside.remove_spare()
    came = exchange.came_out()
    if came.exists and (_holds(came, before) or _holds(came, after)):
        conflicted |= _holds(came, after) and not _holds(exchange.file(), after)
        exchange.remove_spare()
    elif came.exists:
        conflicted = True
        exchange.put_back(_data(after), came)
        left = exchange.came_out()
        if left.exists and (_holds(left, after) or left.data is None):
            return True  # it is back, what came out now is looked at once more
        if left.exists:
            exchange.remove_spare()  # a newer text stands there: the copy is brought into it
    _bring_in(exchange, lambda theirs, text: rescue_body((before, after), theirs, text))
    return conflicted


def settle_index(exchange: FileExchange, change: Change, seen: IndexSeen | None) -> bool:
    """Settle the spares of the index. Its operations are not done again: by now later changesets may have said otherwise.

    Return False: an index conflicts with nobody.
    """
    exchange.remove_part()
    known = _Known.of(change, seen.text) if seen else _Known()
    for spare in (*reversed(exchange.asides()), exchange):
        came = spare.came_out()
        untouched = seen is not None and seen.text is not None and _holds(came, seen.text)
        if not untouched and _may_hold_more(came, spare.file(), change, known):
            spare.kept.keep(came.data)
        if came.exists:
            spare.remove_spare()
    if seen is not None:  # else nobody knows which lines are new: the copies stay
        _bring_in(exchange, lambda theirs, text: rescue((known.beside(text),), theirs, text))
    return False


class _Known(msgspec.Struct, frozen=True):
    """What is no news where it came out. All else that is missing today was lost and not deleted: a program that fills the index anew had
    emptied it when we read it, or had read what we made of that.
    """

    changed: frozenset[str] = frozenset()  # lines that the change took away or put
    entries: tuple[tuple[str, str], ...] = ()  # lines about topics that it left alone, each with its topic

    @classmethod
    def of(cls, change: Change, text: str | None) -> Self:
        before, after = frozenset(Lines(text or "")), frozenset(Lines(change.of(text).text or ""))
        left = sorted(before & after)
        return cls(before ^ after, tuple((line, entry.file) for line in left for entry in entries_of([line])))

    def beside(self, text: str) -> str:
        """Return the lines that are no news to an index that says ``text``: of a topic that it has a line for, theirs is older."""
        files = files_of(text)
        return "\n".join((*self.changed, *(line for line, file in self.entries if file in files)))


def _may_hold_more(came: Found, now: Found, change: Change, known: _Known) -> bool:
    """Whether what came out has lines that the index lacks today, other than those that the change itself took away.

    Also an index that says all we wanted may have come out with somebody's line below, appended in the moment it stood there.
    """
    out, text = text_of(came), text_of(now)
    if out is None or text is None:
        return True
    return change.of(out).text != text and rescue((known.beside(text),), out, text) != text


def _bring_in(exchange: FileExchange, rescued: Callable[[str, str], str]) -> None:
    """Bring the words of the kept copies into the file and drop the copies; those that cannot be brought in stay."""
    for attempt in range(_ATTEMPTS):
        texts = exchange.kept.texts()
        found = exchange.file()
        text = text_of(found)
        if not texts or text is None:
            return
        wanted = text
        for theirs in texts:
            wanted = rescued(theirs.decode("utf-8", "replace"), wanted)
        if wanted == text:
            exchange.kept.drop()
            return
        if attempt >= _EXCHANGES:
            exchange.append(_missing(wanted, text))
            continue
        if exchange.came_out().exists:
            exchange.move_aside()
        exchange.change(found.data, wanted.encode("utf-8"), None, None)


def _missing(wanted: str, text: str) -> bytes:
    """Return the lines of ``wanted`` that ``text`` lacks, as they are to be written behind it."""
    there = frozenset(Lines(text))
    lines = "".join(f"{line}\n" for line in Lines(wanted) if line not in there)
    return ("" if text.endswith("\n") or not text else "\n").encode() + lines.encode("utf-8", "surrogatepass")


def _holds(found: Found, text: str | None) -> bool:
    return text is not None and found.holds(_data(text))


def _data(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogatepass")
