"""How far a process of ours is confined by the kernel.

Owns: the levels, and which of them hold a process that may run other programs. Leaves finding out which one it is to ``confining``.
"""

from __future__ import annotations

import enum

import msgspec


class Level(enum.Enum):
    """How far a process is confined (CONTRACTS, ``status``)."""

    FULL = "full"  # Landlock that handles truncation, and seccomp; the self-test passed
    PARTIAL = "partial"  # an older Landlock, or a machine without a table of system calls
    SEATBELT = "seatbelt"  # macOS
    NONE = "none"
    OFF = "off"  # typed by a person

    @property
    def holds(self) -> bool:
        """Whether it holds everything, also programs that the process runs."""
        return self in (Level.FULL, Level.SEATBELT)


_STRENGTH = (Level.OFF, Level.NONE, Level.PARTIAL, Level.SEATBELT, Level.FULL)


def weakest(*levels: Level) -> Level:
    """Return the level that holds least of several."""
    return min(levels, key=_STRENGTH.index)


class Attained(msgspec.Struct, frozen=True):
    """The level that a process came to; ``why`` says what is missing, "" where nothing is."""

    level: Level
    why: str = ""
