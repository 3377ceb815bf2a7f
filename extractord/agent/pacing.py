"""When a server may be asked, and how long a call has.

Owns: the deadline of each call, also against the SDK's own retries, and going slower where a server has too much to do. Leaves
asking, and what a fault means, to ``anthropic_model``.
"""

from __future__ import annotations

import math
import threading
import time

import httpx2

RETRIED = frozenset((408, 409, 429))  # by the SDK, as all from 500 on
_TOO_MUCH = frozenset((429, 529))
_CONNECT_SECONDS = 10.0


class LateError(Exception):
    """The time of the call is over."""


class Clock(threading.local):
    """The deadline of the call that this thread makes."""

    def __init__(self) -> None:
        self.deadline = math.inf

    def set(self, deadline: float) -> None:
        self.deadline = deadline

    @property
    def left(self) -> float:
        return max(0.1, self.deadline - time.monotonic())

    @property
    def timeout(self) -> httpx2.Timeout:
        """What the client is told of it."""
        return httpx2.Timeout(self.left, connect=min(self.left, _CONNECT_SECONDS))

    @property
    def late(self) -> bool:
        return time.monotonic() >= self.deadline

    def stop_if_late(self, request: httpx2.Request) -> None:  # noqa: ARG002 - the hook's signature
        if self.late:
            raise LateError

    def no_retry_if_too_late(self, response: httpx2.Response) -> None:
        """Tell the SDK, in the header it obeys, not to wait for longer than there is time."""
        if response.status_code in RETRIED or response.status_code >= 500:
            wait = retry_after(response.headers)
            if self.deadline - time.monotonic() <= (1.0 if wait is None else wait):
                response.headers["x-should-retry"] = "false"


class Pace:
    """How fast a server may be asked: one that says "too much" to one call is asked more slowly by all."""

    LEAST, MOST = 0.25, 8.0  # seconds between two calls once it said so

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0.0  # time.monotonic
        self._gap = 0.0

    @property
    def ahead(self) -> float:
        """Seconds until the next call may be made."""
        return max(0.0, self._next - time.monotonic())

    def turn(self) -> float:
        """Take a turn and return the seconds until it comes."""
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next)
            self._next = at + self._gap
            return at - now

    def heard(self, response: httpx2.Response) -> None:
        """Go slower where the server has too much to do, faster again where it answers."""
        with self._lock:
            if response.status_code not in _TOO_MUCH:
                self._gap = self._gap / 2 if self._gap > self.LEAST else 0.0
                return
            self._gap = min(max(self.LEAST, 2 * self._gap), self.MOST)
            self._next = max(self._next, time.monotonic() + (retry_after(response.headers) or self._gap))


def retry_after(headers: httpx2.Headers) -> float | None:
    """Return the seconds that a server asks to wait, None where it names none in figures."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds <= 1e9 else None
