"""What is remembered of a directory's last consolidation: how long the index was, how far the logs were distilled.

Owns: that record and its form in the ledger, also of a consolidation in hand: what is to be remembered once its changeset is in the
ledger and carried out, so that a kill in between loses none of it. Leaves what follows from it to ``due`` and ``material``.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from extractord.consolidation.due import IndexSize
from extractord.ledger import ChangesetState, Ledger, Outcome
from extractord.memory.consolidate_lock import LockSeen


class Remembered(msgspec.Struct, frozen=True):
    """As the last consolidation left things; ``distilled`` are characters by log."""

    index_lines: int = 0
    index_units: int = 0
    distilled: Mapping[str, int] = {}

    @classmethod
    def of(cls, index: str | None, distilled: Mapping[str, int]) -> Remembered:
        """Return how a directory with this index is remembered."""
        size = IndexSize.of(index)
        return cls(size.lines, size.units, dict(distilled))

    @property
    def index(self) -> IndexSize:
        return IndexSize(self.index_lines, self.index_units)


class _InHand(msgspec.Struct, frozen=True):
    """A consolidation at work: the client's lock as it was before, and from ``changeset`` on how it is to be remembered."""

    mtime_ns: int | None
    began: float = 0.0  # seconds since the epoch
    changeset: str = ""
    left: Remembered = Remembered()


def recall(ledger: Ledger, memory_dir: str) -> tuple[float | None, Remembered]:
    """Return when we last consolidated a directory (None: never) and what was left."""
    if ended := carried_out(ledger, memory_dir):
        return ended
    mark = ledger.dream(memory_dir)
    return (None, Remembered()) if mark is None else (mark[0], msgspec.json.decode(mark[1], type=Remembered))


def note(ledger: Ledger, memory_dir: str, left: Remembered, began: float) -> None:
    """Remember a consolidation that came to its end."""
    ledger.note_dream(memory_dir, msgspec.json.encode(left).decode(), began)


def note_taken(ledger: Ledger, memory_dir: str, before: LockSeen) -> None:
    """Remember what the client's lock was before we took it, for the case that we are killed."""
    _note_in_hand(ledger, memory_dir, _InHand(before.mtime_ns))


def note_changeset(ledger: Ledger, memory_dir: str, changeset: str, left: Remembered, began: float) -> None:
    """Remember, before a changeset is given to the ledger, what holds once it is carried out: ``recall`` tells it if we are killed."""
    in_hand = _in_hand(ledger, memory_dir)
    if in_hand is not None:
        _note_in_hand(ledger, memory_dir, _InHand(in_hand.mtime_ns, began, changeset, left))


def taken(ledger: Ledger, memory_dir: str) -> LockSeen | None:
    """Return what the client's lock was when a consolidation that was killed took it; None if there is no such one."""
    in_hand = _in_hand(ledger, memory_dir)
    return None if in_hand is None else LockSeen(in_hand.mtime_ns)


def carried_out(ledger: Ledger, memory_dir: str) -> tuple[float, Remembered] | None:
    """Return when a consolidation that was killed began and what it left, if its changeset is in the ledger and carried out, or waits.

    Where a topic conflicted that is not so: what it was to take up is still to come.
    """
    in_hand = _in_hand(ledger, memory_dir)
    if in_hand is None or not in_hand.changeset:
        return None
    rows = (entry.row for entry in ledger.changesets(memory_dir=memory_dir) if entry.row.id == in_hand.changeset)
    done = any(row.state is not ChangesetState.PREPARED and row.outcome is not Outcome.CONFLICTED for row in rows)
    return (in_hand.began, in_hand.left) if done else None


def _note_in_hand(ledger: Ledger, memory_dir: str, in_hand: _InHand) -> None:
    ledger.note_dreaming(memory_dir, msgspec.json.encode(in_hand).decode())


def _in_hand(ledger: Ledger, memory_dir: str) -> _InHand | None:
    text = ledger.dreaming(memory_dir)
    return msgspec.json.decode(text, type=_InHand) if text else None
