"""Which sessions are to be looked at later, and when.

Owns: one moment of each session, the newest counts, and a bound on all of them. Leaves waiting for the moment to ``clock``.
"""

from __future__ import annotations

import math
import threading
from dataclasses import replace

from extractord.triggers.wakeups import LONGEST_QUEUE, Reason, Wakeup, newest


class Agenda:
    """Wakeups whose ``at`` is still to come. For several threads."""

    def __init__(self, longest: int = LONGEST_QUEUE) -> None:
        self._longest = longest
        self._coming: dict[str, Wakeup] = {}
        self._lock = threading.Lock()

    def put(self, wakeup: Wakeup) -> None:
        """Note a wakeup in place of the session's earlier one; where there would be too many, one sweep takes the place of all."""
        with self._lock:
            if wakeup.key not in self._coming and len(self._coming) >= self._longest:
                self._coming.clear()
                wakeup = Wakeup(None, None, Reason.SWEEP, wakeup.at)
            self._coming[wakeup.key] = newest(self._coming.get(wakeup.key), wakeup)

    def drop(self, session: str) -> None:
        """Forget a session's moment."""
        with self._lock:
            self._coming.pop(session, None)

    def take_due(self, now: float) -> tuple[Wakeup, ...]:
        """Return what is due at ``now`` (seconds since the epoch), earliest first, and forget it."""
        with self._lock:
            found = sorted((wakeup for wakeup in self._coming.values() if wakeup.at <= now), key=lambda wakeup: wakeup.at)
            for wakeup in found:
                del self._coming[wakeup.key]
        return tuple(found)

    def next_at(self) -> float:
        """Return the earliest moment; infinity if there is none."""
        with self._lock:
            return min((wakeup.at for wakeup in self._coming.values()), default=math.inf)

    def shift(self, seconds: float) -> None:
        """Move all moments: the clock was set back by so much, and the quiet that is waited for goes on all the same."""
        with self._lock:
            self._coming = {key: replace(wakeup, at=wakeup.at - seconds) for key, wakeup in self._coming.items()}

    def __len__(self) -> int:
        return len(self._coming)
