"""How old a memory is, in words: models are bad at dates.

Owns: the age of a topic or a daily log in whole days, and the warning that an old one deserves. Leaves what a topic's time
is to ``topics`` and ``directory``, showing it to ``recall`` and ``report``.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

DAY_SECONDS = 86_400
STALE_DAYS = 2  # "older than one day" in whole days (MEMORY-RULES §7)
_LOG = re.compile(r"(?:^|/)logs/(?:\d{4}/\d{2}/)?(\d{4})-(\d{2})-(\d{2})\.md$")


def age_days(then: float, now: float) -> int:
    """Return the whole days from ``then`` to ``now`` (seconds since the epoch), never negative."""
    return max(0, int((now - then) // DAY_SECONDS))


def age_text(then: float, now: float) -> str:
    """Return "today", "yesterday" or "N days ago" for a time in seconds since the epoch."""
    return days_text(age_days(then, now))


def days_text(days: int) -> str:
    """Return a number of days as an age in words."""
    match days:
        case 0:
            return "today"
        case 1:
            return "yesterday"
        case _:
            return f"{days} days ago"


def freshness(then: float, now: float) -> str:
    """Return the warning that goes with a memory of that age, "" for one of today or yesterday."""
    return _warning(age_days(then, now))


def log_date(file: str) -> date | None:
    """Return the day a daily log is about (``logs/YYYY/MM/YYYY-MM-DD.md``), or None if the file is none."""
    if found := _LOG.search(file):
        year, month, day = (int(part) for part in found.groups())
        try:
            return date(year, month, day)
        except ValueError:
            return None  # a name of that form that is no day
    return None


def log_days(day: date, today: date) -> int:
    """Return the calendar days from a log's day to ``today``, never negative."""
    return max(0, (today - day).days)


def log_age_text(day: date, today: date) -> str:
    """Return the age of a daily log in words; its own date counts, not the file's time."""
    return days_text(log_days(day, today))


def log_freshness(day: date, today: date) -> str:
    """Return the warning that goes with a daily log of that day."""
    return _warning(log_days(day, today))


def log_time(day: date) -> float:
    """Return the beginning of a log's day (UTC) in seconds since the epoch, for sorting beside topics."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def _warning(days: int) -> str:
    if days < STALE_DAYS:
        return ""
    return (
        f"Written {days} days ago: what was seen then, not how things are now. "
        "Look at the code again before you state what it does or point to a file and line."
    )
