"""Times as people write them on the command line.

Owns: reading ISO times and ages. Leaves what they bound to the commands.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from extractord.errors import UsageError

_AGO = re.compile(r"(\d{1,9})\s*([hdw])", re.ASCII)
_HOURS = {"h": 1, "d": 24, "w": 24 * 7}
_YEARS = range(1970, 9000)  # within which every zone, and some days before and after, can be reckoned


def datetime_of(text: str) -> datetime:
    """Return an ISO time as an aware one, in the machine's zone where none is named; raises UsageError."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no time", hint="write it as 2026-11-30 or 2026-11-30T18:00:00+01:00") from None
    if moment.year not in _YEARS:
        raise UsageError(f"{text!r} is no time that a session can have", hint="write a year from 1970 on")
    return moment if moment.tzinfo else moment.astimezone()


def moment_of(text: str | None) -> float | None:
    """Return seconds since the epoch for an ISO time or an age ("30d", "12h", "2w")."""
    if text is None:
        return None
    if ago := _AGO.fullmatch(text.strip()):
        try:
            return (datetime.now().astimezone() - timedelta(hours=int(ago[1]) * _HOURS[ago[2]])).timestamp()
        except OverflowError:
            raise UsageError(f"{text!r} is longer ago than there is time", hint="write a date instead, as 2026-11-30") from None
    return datetime_of(text).timestamp()
