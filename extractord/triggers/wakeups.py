"""Reasons to look, and the queue they wait in.

Owns: what a wakeup is, one of each session at most, a bound on all of them. A wakeup says "look", never what is there: the file may
have moved or changed again by the time somebody looks.
"""

from __future__ import annotations

import enum
import queue
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

LONGEST_QUEUE = 2_000  # sessions; beyond that one sweep is cheaper than looking at each


class Reason(enum.Enum):
    """Why there is something to look at."""

    EVENT = "event"  # the transcript changed
    CLIENT_GONE = "client gone"
    SETTLED = "settled"  # quiet for as long as was waited for
    RETRY = "retry"
    SWEEP = "sweep"  # look at everything
    WAKE = "wake"  # look at everything: the machine slept, or the clock was moved
    NIGHTLY = "nightly"  # no look: the nightly work is due


@dataclass(frozen=True, slots=True)
class Wakeup:
    """A reason to look at a session, or at everything if ``session`` is None. ``path`` is where its transcript was last seen."""

    session: str | None
    path: Path | None
    reason: Reason
    at: float  # seconds since the epoch

    @property
    def key(self) -> str:
        """What another wakeup shares that takes this one's place: no session's id holds a blank."""
        if self.session is not None:
            return self.session
        return " nightly" if self.reason is Reason.NIGHTLY else " sweep"


def newest(before: Wakeup | None, wakeup: Wakeup) -> Wakeup:
    """Return the newest of two of one session; where it knows no place of the transcript, the older one's is kept."""
    if before is None or wakeup.path is not None or before.path is None:
        return wakeup
    return replace(wakeup, path=before.path)


class Wakeups:
    """A queue for many writers and one reader: of each session one wakeup waits, the newest, at the place of the first."""

    def __init__(self, longest: int = LONGEST_QUEUE) -> None:
        self._longest = longest
        self._waiting: dict[str, Wakeup] = {}
        self._lock = threading.Lock()
        # Rings when the queue stops being empty. A SimpleQueue, since a signal handler may ring it while its thread waits on it.
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._interrupted = False

    def put(self, wakeup: Wakeup) -> None:
        """Add a wakeup; one of the same session is replaced. Where there would be too many, one sweep takes the place of all."""
        with self._lock:
            was_empty = not self._waiting
            if wakeup.session is not None and wakeup.key not in self._waiting and len(self._waiting) >= self._longest:
                self._waiting = {key: kept for key, kept in self._waiting.items() if kept.session is None}
                wakeup = Wakeup(None, None, Reason.SWEEP, wakeup.at)
            self._waiting[wakeup.key] = newest(self._waiting.get(wakeup.key), wakeup)
            if was_empty and self._bell.empty():
                self._bell.put(None)

    def take(self, timeout: float | None = None) -> Wakeup | None:
        """Return the wakeup that waits longest; None after ``timeout`` seconds (None: never) or after ``interrupt``."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            with self._lock:
                if self._interrupted:
                    self._interrupted = False
                    return None
                if self._waiting:
                    return self._waiting.pop(next(iter(self._waiting)))
            left = None if until is None else max(0.0, until - time.monotonic())
            try:
                self._bell.get(timeout=left)
            except queue.Empty:
                return None

    def interrupt(self) -> None:
        """Let the reader return at once, the one that waits or the next; may be called in a signal handler."""
        self._interrupted = True
        self._bell.put(None)

    def __len__(self) -> int:
        return len(self._waiting)
