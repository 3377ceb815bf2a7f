"""Values that TOML has no type for.

Owns: durations ("30m"), times of day ("03:00"), and how they are written. Leaves their meaning to ``options``.
"""

from __future__ import annotations

import math
import re

FOREVER = math.inf
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])")


class Seconds(float):
    """A duration in seconds, written with its unit: "90s", "30m", "6h", "180d", "2w"."""

    __slots__ = ()

    @classmethod
    def read(cls, written: object) -> Seconds:
        """Return what ``written`` means; raises ValueError with a sentence for people."""
        found = _DURATION.fullmatch(written.strip()) if isinstance(written, str) else None
        if not found:
            raise ValueError('expected a duration with its unit, such as "30m", "6h" or "180d"')
        return cls(float(found[1]) * _UNITS[found[2]])

    def __str__(self) -> str:
        """Write it in the largest unit that leaves no fraction."""
        if self == FOREVER:
            return "forever"
        unit, size = next(
            ((unit, size) for unit, size in reversed(_UNITS.items()) if unit != "w" and self >= size and self % size == 0), ("s", 1)
        )
        return f"{self / size:g}{unit}"


class Keep(Seconds):
    """How long something is kept: a duration, or "forever" (infinitely many seconds)."""

    __slots__ = ()

    @classmethod
    def read(cls, written: object) -> Keep:
        """Return what ``written`` means; raises ValueError with a sentence for people."""
        if written == "forever":
            return cls(FOREVER)
        try:
            return cls(super().read(written))
        except ValueError as error:
            raise ValueError(f'{error}, or "forever"') from None


class ClockTime(int):
    """A local time of day, written "03:00"; as a number the minutes since midnight."""

    __slots__ = ()

    @classmethod
    def read(cls, written: object) -> ClockTime:
        """Return what ``written`` means; raises ValueError with a sentence for people."""
        found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", written) if isinstance(written, str) else None
        if not found:
            raise ValueError('expected a time of day, such as "03:00"')
        return cls(int(found[1]) * 60 + int(found[2]))

    @property
    def hour(self) -> int:
        """0 to 23."""
        return self // 60

    @property
    def minute(self) -> int:
        """0 to 59."""
        return self % 60

    def __str__(self) -> str:
        """Write it as it is read."""
        return f"{self.hour:02}:{self.minute:02}"
