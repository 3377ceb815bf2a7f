"""Bringing MEMORY.md up to date while others may write it, so that no line of theirs is lost.

Owns: the loop of read, merge and exchange, and the record of what was done. Leaves the operations on the text to ``index``,
what came out to ``settling``, single steps to ``exchange``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Protocol

from extractord.memory.exchange import FileExchange
from extractord.memory.found import Found, text_of
from extractord.memory.index import COMPLETED, Around, Merged, invert, merge
from extractord.memory.lines import Lines
from extractord.memory.prepared import IndexResult, IndexSeen, Prepared, WriteState

_ATTEMPTS = 64  # each is lost only to a write by somebody else in that very moment
_EMPTY_LOOKS, _EMPTY_SECONDS = 10, 0.02


class Change(Protocol):
    """What is to be done to an index, as a function of its text."""

    def of(self, text: str | None) -> Merged: ...
    def mtime_of(self, text: str | None) -> int | None: ...


@dataclass(frozen=True, slots=True)
class IndexChange:
    """What is to be done to the index, as a function of its text, so that it can be done again on a newer one."""

    prepared: Prepared
    conflicted: frozenset[str]  # topics that stay as they are: so do their lines
    around: Around

    def of(self, text: str | None) -> Merged:
        """Return the index as it is to be, given its text now. Done twice it changes nothing."""
        operations = [one for one in self.prepared.index if one.file not in self.conflicted]
        restore = self.prepared.restore
        if restore is None:
            return merge(text, operations, self.around)
        undone = invert((one for one in restore.changes if one.file not in self.conflicted), text)
        if text == restore.after and not self.conflicted:
            return replace(undone, text=restore.before)
        merged = merge(undone.text, operations, self.around)
        new = None if restore.before is None and not _left(merged.text, restore.made_lines) else merged.text
        return Merged(new, undone.changes + merged.changes, merged.notes)

    def mtime_of(self, text: str | None) -> int | None:
        """Return the time an index with this text is to have (None: the time of writing)."""
        restore = self.prepared.restore
        return restore.before_mtime_ns if restore is not None and text == restore.before else None


def _left(text: str | None, made: tuple[str, ...]) -> bool:
    """Whether an index says anything beyond the lines that we put when we made it."""
    return any(line.strip() and line not in made for line in Lines(text or ""))


@dataclass(frozen=True, slots=True)
class IndexOutcome:
    """What was done, and what is to be told of it."""

    result: IndexResult | None
    notes: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """The notes, with what was done to lines for a reason of the index itself."""
        changes = self.result.changes if self.result else ()
        made = sum(change.reason == COMPLETED for change in changes)
        added = (f"index: {made} line{'s' * (made > 1)} added for topics that had none",) if made else ()
        reasoned = [change for change in changes if change.reason and change.reason != COMPLETED]
        return (*self.notes, *added, *(f"index: the line of {one.file} {_verb(one.after)}: {one.reason}" for one in reasoned))


def _verb(after: str | None) -> str:
    return "left" if after is None else "changed"


def bring_up_to_date(exchange: FileExchange, change: Change, seen: IndexSeen | None) -> IndexOutcome:
    """Change the index, or finish what an interrupted run began; ``result`` is the same either way."""
    exchange.remove_part()
    for _ in range(_ATTEMPTS):
        found = _written(exchange, seen)
        text = text_of(found)
        if text is None and found.exists:
            return IndexOutcome(
                None, (f"{exchange.path} is no file of readable text (a link, a folder, not UTF-8 …): left alone, without the new lines",)
            )
        wanted = change.of(text)
        came = exchange.came_out()
        if wanted.text == text:
            return IndexOutcome(_done(change, came, seen, found), wanted.notes)
        if came.exists:
            exchange.move_aside()
        new = None if wanted.text is None else wanted.text.encode("utf-8")
        if exchange.change(found.data, new, change.mtime_of(wanted.text), None) is WriteState.WRITTEN:
            return IndexOutcome(IndexResult(text, wanted.text, found.mtime_ns, wanted.changes), wanted.notes)
    return IndexOutcome(None, (f"{exchange.path} is being written all the time: not brought up to date",))


def _written(exchange: FileExchange, seen: IndexSeen | None) -> Found:
    """Return the index, but not in the moment in which a program that writes in place has emptied it."""
    for _ in range(_EMPTY_LOOKS):
        found = exchange.file()
        if found.data != b"" or seen is None or not seen.text:
            return found
        time.sleep(_EMPTY_SECONDS)
    return exchange.file()


def _done(change: Change, came: Found, seen: IndexSeen | None, found: Found) -> IndexResult:
    """The index says it all: because an interrupted run said it (then what came out, or was seen, tells what it was), or anyway."""
    text = text_of(found)
    earlier = [(text_of(came), came.mtime_ns)] if came.data is not None else []
    earlier += [(seen.text, seen.mtime_ns)] if seen is not None else []
    for before, mtime_ns in earlier:
        merged = change.of(before)
        if before != text and merged.text == text:
            return IndexResult(before, text, mtime_ns, merged.changes)
    return IndexResult(text, text, found.mtime_ns, ())
