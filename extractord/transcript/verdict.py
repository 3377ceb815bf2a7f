"""What a verdict on a stretch is, and by what a typed message is known.

Owns: these records, which the digest needs as well and which need no settings. Leaves the rules to ``eligibility``.
"""

from __future__ import annotations

import enum
from collections.abc import Collection

import msgspec

from extractord.transcript.stretches import MemoryWrite, Stretch


class Decision(enum.Enum):
    """What becomes of a stretch."""

    EXTRACT = "extract"
    SKIP = "skip"


class Write(msgspec.Struct, frozen=True):
    """A memory write of the main agent that counts: the call, and the file below the memory directory."""

    call: MemoryWrite
    file: str

    @property
    def tool_use_id(self) -> str:
        return self.call.tool_use_id

    @property
    def tool(self) -> str:
        return self.call.tool

    @property
    def path(self) -> str:
        """The path as the call names it; of a shell command the file below the memory directory."""
        return self.call.path or self.file


class Verdict(msgspec.Struct, frozen=True):
    """Whether a stretch is extracted, and the reason people are shown; ``turns_left_out`` are not extracted."""

    decision: Decision
    reason: str
    turns_left_out: frozenset[int] = frozenset()
    writes: tuple[Write, ...] = ()


EVERYTHING = Verdict(Decision.EXTRACT, "everything is looked at")


def identity(session: str, uuid: str, start: int) -> str:
    """Return what identifies a message in the ledger: its uuid, or its place where it has none."""
    return uuid or f"{session}:{start}"


def turns_of(stretch: Stretch, identities: Collection[str]) -> frozenset[int]:
    """Return the turns of which everything typed is among ``identities``."""
    known: dict[int, bool] = {}
    for mark in stretch.typed:
        among = identity(stretch.session, mark.uuid, mark.start) in identities
        known[mark.turn] = known.get(mark.turn, True) and among
    return frozenset(turn for turn, among in known.items() if among)
