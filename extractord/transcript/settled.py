"""Is a session over, as far as one can tell? Asked before anything else; not being settled is no outcome.

Owns: the rule, as a pure function of what was read, the clock and the client's state. Leaves finding out whether a client is
still there to ``claude_home`` and the triggers.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import assert_never

from extractord.transcript.stretches import Pending, Reading

CLOCKS_APART = 120.0  # seconds by which a file's time may be ahead of the clock that is asked and still mean "just now"


class ClientState(enum.Enum):
    """What is known of the client that writes the transcript."""

    GONE = "gone"
    IDLE = "open and idle"
    BUSY = "busy"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SettleLimits:
    """Seconds without a conversation record after which a session counts as settled (CONTRACTS, ``settle.*``)."""

    idle: float = 30 * 60  # client open and idle, or unknown
    exited: float = 60  # client gone
    pending: float = 60 * 60  # unanswered call or prompt
    longest: float = 6 * 60 * 60  # always enough


@dataclass(frozen=True, slots=True)
class Settled:
    """Whether a session is settled, why, and when it will be if nothing more comes (seconds since the epoch)."""

    ok: bool
    reason: str
    until: float


def settled(reading: Reading, now: float, client: ClientState, limits: SettleLimits = SettleLimits()) -> Settled:
    """Return whether more of a session is to be expected soon, at ``now`` (seconds since the epoch)."""
    last = _last_sign_of_life(reading, now)
    quiet = max(0.0, now - last)
    needed, waiting_for = _needed(reading.pending, client, limits)
    until = last + needed
    if quiet >= limits.longest:
        return Settled(ok=True, reason=f"quiet for {_span(quiet)}, longer than any session waits", until=until)
    if quiet >= needed:
        return Settled(ok=True, reason=f"quiet for {_span(quiet)}; {waiting_for}", until=until)
    return Settled(ok=False, reason=f"quiet for {_span(quiet)} of {_span(needed)}: {waiting_for}", until=until)


def _last_sign_of_life(reading: Reading, now: float) -> float:
    """Return the later of record time and file time; a file time after ``now`` tells nothing about then (a copy, another clock)."""
    mtime = reading.mtime if reading.mtime <= now + CLOCKS_APART else 0.0
    record = reading.last_record_time if reading.last_record_time <= now + CLOCKS_APART else 0.0
    return max(mtime, record) or min(now, reading.last_record_time or now)


def _needed(pending: Pending, client: ClientState, limits: SettleLimits) -> tuple[float, str]:
    match client:
        case ClientState.GONE:
            return limits.exited, "the client is gone"
        case ClientState.BUSY:
            return limits.longest, "the client is at work"
        case ClientState.IDLE | ClientState.UNKNOWN:
            if pending is not Pending.NOTHING:
                return limits.pending, pending.value
            return limits.idle, "nothing is pending"
        case _:
            assert_never(client)


def _span(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 1:
        return f"{int(seconds)} s"
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h"
