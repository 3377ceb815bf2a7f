"""What is remembered of a directory's last consolidation: how long the index was, how far the logs were distilled.

Owns: that record and its form in the ledger. Leaves what follows from it to ``due`` and ``material``.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from extractord.consolidation.due import IndexSize
from extractord.ledger import Ledger
from extractord.memory.consolidate_lock import LockSeen


class Remembered(msgspec.Struct, frozen=True):
    """As the last consolidation left things; ``distilled`` are characters by log."""

    index_lines: int = 0
    index_units: int = 0
    distilled: Mapping[str, int] = {}

    @property
    def index(self) -> IndexSize:
        return IndexSize(self.index_lines, self.index_units)


def recall(ledger: Ledger, memory_dir: str) -> tuple[float | None, Remembered]:
    """Return when we last consolidated a directory (None: never) and what was left."""
    mark = ledger.dream(memory_dir)
    return (None, Remembered()) if mark is None else (mark[0], msgspec.json.decode(mark[1], type=Remembered))


def note(ledger: Ledger, memory_dir: str, index: IndexSize, distilled: Mapping[str, int], began: float) -> None:
    """Remember a consolidation that came to its end."""
    left = Remembered(index.lines, index.units, dict(distilled))
    ledger.note_dream(memory_dir, msgspec.json.encode(left).decode(), began)


class _Lock(msgspec.Struct, frozen=True):
    mtime_ns: int | None


def note_taken(ledger: Ledger, memory_dir: str, before: LockSeen) -> None:
    """Remember what the client's lock was before we took it, for the case that we are killed."""
    ledger.note_dreaming(memory_dir, msgspec.json.encode(_Lock(before.mtime_ns)).decode())


def taken(ledger: Ledger, memory_dir: str) -> LockSeen | None:
    """Return what the client's lock was when a consolidation that was killed took it; None if there is no such one."""
    text = ledger.dreaming(memory_dir)
    return LockSeen(msgspec.json.decode(text, type=_Lock).mtime_ns) if text else None
