"""When a memory directory is consolidated: the gates, as pure decisions.

Owns: the numbers and their order. Leaves the facts they are about to ``rounds``, the moment at which they are looked at to the
daemon's clock and to runs by hand.
"""

from __future__ import annotations

from dataclasses import dataclass

from extractord.memory.loading import line_count, trimmed, units

HOURS = 24.0
SESSIONS = 5  # dealt with since the last one (MEMORY-RULES §10)
INDEX_LINES, INDEX_UNITS = 140, 17_000  # from here on the index comes close to what the client loads
_HOUR = 3600.0
_CLOCKS_APART = 120.0


@dataclass(frozen=True, slots=True)
class IndexSize:
    """The size of an index as the client counts it: lines and UTF-16 units of the trimmed text."""

    lines: int = 0
    units: int = 0

    @classmethod
    def of(cls, text: str | None) -> IndexSize:
        whole = trimmed(text or "")
        return cls(line_count(whole), units(whole))

    @property
    def is_long(self) -> bool:
        return self.lines > INDEX_LINES or self.units > INDEX_UNITS


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a directory. Times are seconds since the epoch."""

    last: float | None  # when it was last consolidated, by whomever
    sessions: int  # dealt with since
    index: IndexSize
    left: IndexSize  # as the last consolidation of ours left the index
    waits: bool = False  # for review, with what the last one proposed


@dataclass(frozen=True, slots=True)
class Due:
    """It is to be consolidated now, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotDue:
    """It is not, and why."""

    reason: str


def due(standing: Standing, now: float) -> Due | NotDue:
    """Return whether a directory is to be consolidated at ``now``; a person's word counts without this."""
    if standing.waits:
        return NotDue("what the last one proposed waits for review")
    grew = standing.index.lines > standing.left.lines or standing.index.units > standing.left.units
    if standing.index.is_long and grew:
        return Due(f"the index has {standing.index.lines} lines and {standing.index.units:,} units")
    if standing.last is not None and standing.last <= now + _CLOCKS_APART and now - standing.last < HOURS * _HOUR:
        return NotDue(f"the last one was less than {HOURS:.0f} hours ago")
    if standing.sessions < SESSIONS:
        return NotDue(f"{standing.sessions} of {SESSIONS} sessions since the last one")
    return Due(f"{standing.sessions} sessions since the last one")
