"""The client's words about its own limits: that one was reached, and when it is reset.

Owns: reading such a sentence. Both forms seen: "You've hit your weekly limit · resets Dec 5, 6:10am (Europe/Berlin)" (clients 2.1.197
to 2.1.332, "session", "5-hour" and others in its place) and the older "usage limit reached|<seconds since the epoch>". Pure.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

_REACHED = re.compile(
    r"\bhit your\b.{0,60}\blimit\b|\blimit reached\b|\bout of\b.{0,30}\busage\b|\blimit\b.{0,10}\bresets\b", re.IGNORECASE
)
_EPOCH = re.compile(r"limit reached\|(\d{9,11})\b", re.IGNORECASE)
_CLOCK = re.compile(
    r"resets?\s+(?:(?P<month>[A-Z][a-z]{2})[a-z]*\s+(?P<day>\d{1,2}),?\s+(?:(?P<year>\d{4}),?\s+)?(?:at\s+)?)?"
    r"(?:at\s+)?(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s*(?P<half>am|pm)(?:\s+\((?P<zone>[\w/+-]+)\))?",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SLACK = timedelta(minutes=2)  # a reset of this minute is one that has just passed, not tomorrow's


def is_limit(said: str) -> bool:
    """Whether the client says that its login has reached a limit of its own."""
    return _REACHED.search(said) is not None


def reset_of(said: str, now: float) -> float | None:
    """Return when the limit is reset (seconds since the epoch), None where the sentence names no time that can be read."""
    if epoch := _EPOCH.search(said):
        return float(epoch[1])
    clock = _CLOCK.search(said)
    if clock is None or not 1 <= int(clock["hour"]) <= 12:
        return None
    today = datetime.fromtimestamp(now, UTC).astimezone(_zone(clock["zone"]))
    hour = int(clock["hour"]) % 12 + (12 if clock["half"].lower() == "pm" else 0)
    try:
        return _next(clock, today, today.replace(hour=hour, minute=int(clock["minute"] or 0), second=0, microsecond=0)).timestamp()
    except ValueError:  # no such day
        return None


def _next(clock: re.Match[str], now: datetime, moment: datetime) -> datetime:
    """Return the next time that the clock shows what the sentence says."""
    if clock["month"] is None:
        return moment if moment >= now - _SLACK else moment + timedelta(days=1)
    month = _MONTHS.index(clock["month"].lower()) + 1
    dated = moment.replace(year=int(clock["year"] or now.year), month=month, day=int(clock["day"]))
    return dated if clock["year"] or dated >= now - _SLACK else dated.replace(year=now.year + 1)


def _zone(name: str | None) -> tzinfo | None:
    """Return the zone that a sentence names, None (the machine's own) where it names none that is known."""
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        return None
