"""When something that failed is tried again.

Owns: the pure decision: growing delay, and parking after too many failures. Leaves acting on it to ``unit`` and the daemon.
"""

from __future__ import annotations

from dataclasses import dataclass

from extractord.config import Retry


@dataclass(frozen=True, slots=True)
class TryAgain:
    """At ``at`` (seconds since the epoch) it may be tried again."""

    at: float


@dataclass(frozen=True, slots=True)
class Park:
    """It failed too often: a person has to say so (`once --session ID --again`)."""

    attempts: int


def after_failure(attempts: int, limits: Retry, now: float) -> TryAgain | Park:
    """Return what follows the ``attempts``-th failure in a row (from 1): the delay doubles from ``first`` up to ``longest``."""
    if attempts >= limits.park_after:
        return Park(attempts)
    return TryAgain(now + min(limits.first * 2 ** (attempts - 1), limits.longest))


def after_postponement(times: int, limits: Retry, now: float) -> TryAgain:
    """Return what follows the ``times``-th postponement (from 1): never parked, the same growing delay."""
    return TryAgain(now + min(limits.first * 2 ** min(times - 1, 30), limits.longest))
