"""When a transcript can be settled at the earliest, by its file's time and its client alone.

Owns: that one pure rule, which keeps the daemon from reading a session again and again while it grows. Leaves the real answer,
which takes the records, to ``transcript.settled``.
"""

from __future__ import annotations

from typing import assert_never

from extractord.claude_home import Presence, TranscriptFile
from extractord.config import Settle
from extractord.transcript.settled import CLOCKS_APART


def earliest(file: TranscriptFile, presence: Presence, settle: Settle, now: float) -> float:
    """Return the moment (seconds since the epoch) before which nothing in a transcript is looked at."""
    mtime = file.mtime_ns / 1e9
    if mtime > now + CLOCKS_APART:  # another clock's: only the records can tell
        return 0.0
    return mtime + min(_needed(presence, settle), settle.longest)


def shortest(settle: Settle) -> float:
    """Return for how many seconds every session has to be quiet."""
    return min(settle.exited, settle.idle, settle.pending, settle.longest)


def _needed(presence: Presence, settle: Settle) -> float:
    match presence:
        case Presence.GONE:
            return settle.exited
        case Presence.BUSY:
            return settle.longest
        case Presence.IDLE | Presence.UNKNOWN:
            return min(settle.idle, settle.pending)
        case _:
            assert_never(presence)
