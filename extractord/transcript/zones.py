"""The time zone in which a session's words were said.

Owns: from a record's time (UTC) to the local time of the person. That is the machine's zone (``TZ`` is honoured, with its
rules of that day), unless the session itself shows another: the client tells its agent the date, and where that date is not the
machine's for that moment, the smallest change by whole hours is taken under which most of the told dates are right.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone

SHIFTS = (0, *(sign * hours for hours in range(1, 27) for sign in (1, -1)))  # hours, nearest first; zones lie 26 hours apart at most
_QUARTER = 900  # seconds; offsets change at full quarters of an hour only
_offsets: dict[int, int] = {}
_zones: dict[int, timezone] = {}


def local_time(moment: float, shift: int = 0) -> datetime:
    """Return seconds since the epoch as local time; ``shift`` is in hours, against the machine's zone."""
    offset = _offset(moment) + shift * 3600
    zone = _zones.get(offset)
    if zone is None:
        bounded = max(-86_340, min(86_340, offset))  # what datetime takes
        zone = _zones[offset] = timezone(timedelta(seconds=bounded))
    return datetime.fromtimestamp(moment, zone)


def _offset(moment: float) -> int:
    quarter = int(moment // _QUARTER)
    offset = _offsets.get(quarter)
    if offset is None:
        if len(_offsets) > 10_000:
            _offsets.clear()
        offset = _offsets[quarter] = time.localtime(moment).tm_gmtoff
    return offset


def shift_for(told: Sequence[tuple[float, str]]) -> int:
    """Return by how many hours the session's zone differs from the machine's, from (moment, date told) pairs."""
    dates = [(moment, day) for moment, text in told if (day := _date(text)) is not None]
    if not dates:
        return 0

    def agreeing(shift: int) -> int:
        return sum(local_time(moment, shift).date() == day for moment, day in dates)

    return max(SHIFTS, key=agreeing)  # the first, that is the nearest, of the best


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
