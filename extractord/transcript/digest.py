"""What a model (and the offline extractor) reads of a stretch.

Owns: the digest's form and its cut into chunks. Leaves the choice of messages to ``span``, and making them entries, redacted,
cut and weighed, to ``entries``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from extractord.transcript.cuts import CUT
from extractord.transcript.entries import DigestLimits, Entry, Group, call_line, groups_of
from extractord.transcript.private import Reach, hidden, reach_of
from extractord.transcript.stretches import Stretch
from extractord.transcript.verdict import EVERYTHING, Verdict, turns_of

__all__ = ["CUT", "Digest", "DigestLimits", "Entry", "build", "call_line"]


_USUAL = DigestLimits()


class Digest(msgspec.Struct, frozen=True):
    """A stretch, or a chunk of one, as a model reads it."""

    session: str
    cwd: str
    entries: tuple[Entry, ...]
    tokens: int  # upper bound
    last_turn: int  # number of the stretch's last turn (nothing in it counts as accepted without objection)
    chunk: int = 0
    chunks: int = 1


def build(
    stretch: Stretch, verdict: Verdict = EVERYTHING, limits: DigestLimits = _USUAL, *, leave_out: Collection[str] = ()
) -> Collection[Digest]:
    """Return the digest of a stretch as chunks of at most ``limits.tokens`` each; none where nothing typed remains.

    Turns that the verdict leaves out, and those all of whose typed messages are among ``leave_out``, are left out, but for the
    agent's last words before a turn that stays: what a person accepts may stand there.
    A tuple, or made anew each time it is iterated where the stretch is too large to be held.
    """
    left_out = verdict.turns_left_out | (turns_of(stretch, leave_out) if leave_out else frozenset())
    if stretch.is_held:
        packs = list(_packs(stretch, reach_of(stretch.messages), left_out, limits))
        return tuple(_digest(stretch, pack, number, len(packs)) for number, pack in enumerate(packs))
    return _Streamed(stretch, left_out, limits)


def _digest(stretch: Stretch, pack: Group, number: int, count: int) -> Digest:
    entries, tokens = pack
    return Digest(
        session=stretch.session,
        cwd=stretch.cwd,
        entries=tuple(entries),
        tokens=tokens,
        last_turn=stretch.last_turn,
        chunk=number,
        chunks=count,
    )


class _Streamed(Collection[Digest]):
    """The chunks of a stretch that is not held: one at a time."""

    def __init__(self, stretch: Stretch, left_out: frozenset[int], limits: DigestLimits) -> None:
        self._stretch, self._left_out, self._limits = stretch, left_out, limits
        self._count: int | None = None
        self._reach: Reach | None = None

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(1 for _ in self._packed())
        return self._count

    def _packed(self) -> Iterator[Group]:
        if self._reach is None:
            self._reach = reach_of(self._stretch.messages)
        return _packs(self._stretch, self._reach, self._left_out, self._limits)

    def __contains__(self, digest: object) -> bool:
        return any(d == digest for d in self)

    def __iter__(self) -> Iterator[Digest]:
        count = len(self)
        for number, pack in enumerate(self._packed()):
            yield _digest(self._stretch, pack, number, count)


# --- chunks ---


def _packs(stretch: Stretch, reach: Reach, left_out: frozenset[int], limits: DigestLimits) -> Iterator[Group]:
    """Yield entries within the bound, turns kept together where they fit; a pack in which nothing is typed is left out."""
    pack: list[Entry] = []
    weight = 0
    for group, tokens in groups_of(hidden(stretch.messages, reach), left_out, limits):
        if pack and weight + tokens > limits.tokens:
            if _is_typed(pack):
                yield pack, weight
            pack, weight = [], 0
        pack += group
        weight += tokens
    if _is_typed(pack):
        yield pack, weight


def _is_typed(pack: list[Entry]) -> bool:
    return any(entry.origin.typed for entry in pack)
