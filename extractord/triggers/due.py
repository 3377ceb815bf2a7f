"""What is due, as pure functions of clocks that may jump.

Owns: periods, the nightly moment, and telling from two clocks that the machine slept. All wall times are seconds since the epoch,
so summer time moves nothing but the nightly moment. Leaves acting on it to ``clock``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

CLOCKS_APART = 120.0
"""Seconds by which a clock may be set right without anybody having slept or anything being due."""
SLEPT = 60.0
"""Seconds for which the machine must have been away before everything is looked at."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The two clocks, read together: the wall clock, and the one that stands still while the machine sleeps and is never set."""

    wall: float
    monotonic: float


def due(now: float, last: float, every: float) -> bool:
    """Whether something that is done each ``every`` seconds is to be done now.

    A ``last`` well after ``now`` means that the clock was set back: then it is due, since nobody knows for how long it was not done.
    """
    return now - last >= every or now < last - CLOCKS_APART


def slept(before: Moment, now: Moment, expected: float) -> bool:
    """Whether the machine, or this process, was away between two moments that should lie ``expected`` seconds apart at most.

    A clock that is set forward looks the same, and is treated the same: a look at everything does no harm.
    """
    passed = now.monotonic - before.monotonic
    jumped = (now.wall - before.wall) - passed
    return jumped > SLEPT or passed - expected > SLEPT


def night(now: float, at: int, zone: tzinfo | None = None) -> float:
    """Return the latest nightly moment that is not after ``now``: ``at`` minutes after midnight in ``zone`` (None: the machine's).

    Each day has one: where summer time skips the moment it comes as much later, where the hour is there twice the first one counts.
    """
    today = datetime.fromtimestamp(now, zone).date()
    moments = [_moment(today + timedelta(days=days), at, zone) for days in (1, 0, -1, -2)]
    return next(moment for moment in moments if moment <= now)


def night_is_due(now: float, last: float, at: int, zone: tzinfo | None = None) -> bool:
    """Whether a nightly moment has come since ``last``; several missed ones are one. A ``last`` after ``now`` means none has."""
    return last < night(now, at, zone)


def _moment(day: date, at: int, zone: tzinfo | None) -> float:
    return datetime.combine(day, time(at // 60 % 24, at % 60), tzinfo=zone).timestamp()


def until(now: float, moment: float, longest: float) -> float:
    """Return for how many seconds to sleep until ``moment``, at most ``longest``, and never not at all."""
    return min(longest, max(0.05, moment - now))
