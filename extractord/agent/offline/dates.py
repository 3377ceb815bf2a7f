"""Dates as people say them: where they stand in a sentence, and which day is meant.

Owns: finding dates, whether the words around look back, and writing the absolute date beside the words. Leaves which day is meant
to ``date_rules``, the words themselves to ``date_forms``, and to ``findings`` whether a date makes a fact.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from extractord.agent.offline import date_forms as forms
from extractord.agent.offline.date_rules import Moment, resolve


@dataclass(frozen=True, slots=True)
class SpokenDate:
    """A date in a sentence: where it stands, the last day it may mean, and how it is written out."""

    start: int
    end: int
    day: date  # the day; of a week or month its last
    written: str  # 2026-05-21, 2026-05 for a month, "week of 2026-05-18" for a week
    exact: bool  # a day, not a week or month


class Recurring(enum.Enum):
    """What becomes of weekdays beside words such as "every week", which are no dates."""

    LEFT = "left alone"
    TAKEN = "taken as the next day of that name"


def dates_in(text: str, said: date, recurring: Recurring = Recurring.LEFT) -> tuple[SpokenDate, ...]:
    """Return the dates that ``text`` names, in order; ``said`` is the local day on which it was said."""
    lowered = forms.lowered(text)
    found: list[SpokenDate] = []
    comes_round = recurring is Recurring.LEFT and forms.RECURRING.search(lowered) is not None
    for form in forms.for_text(lowered):
        for match in form.pattern.finditer(lowered):
            if comes_round and form.rule is forms.Rule.WEEKDAY and not match.groupdict().get("week"):
                continue
            when = Moment(said, _looks_back(lowered, match.start(), match.end()))
            if (resolved := resolve(form.rule, match, when)) is not None:
                found.append(SpokenDate(match.start(), match.end(), *resolved))
    return _without_overlaps(found)


def written_out(text: str, said: date) -> str:
    """Return ``text`` with the absolute date written beside each date that is not complete by itself."""
    out, last = [], 0
    for spoken in dates_in(text, said):
        out.append(text[last : spoken.end])
        last = spoken.end
        if spoken.written not in text[spoken.start : spoken.end + len(spoken.written) + 3]:
            out.append(f" ({spoken.written})")
    return "".join([*out, text[last:]])


def _looks_back(text: str, start: int, end: int) -> bool:
    """Return whether the clause around a date tells of the past."""
    before = max((text.rfind(mark, 0, start) for mark in ",;.，。；、"), default=-1) + 1
    stops = [position for mark in ",;，。；" if (position := text.find(mark, end)) >= 0]
    if forms.AHEAD.search(text[max(before, start - 12) : start] + text[start:end][:4]):
        return False
    if forms.AHEAD_AFTER.search(text[end : end + 8]):
        return False
    clause = text[before:start] + " " + text[end : min(stops, default=len(text))]
    return forms.PAST.search(clause) is not None


def _without_overlaps(found: Iterable[SpokenDate]) -> tuple[SpokenDate, ...]:
    kept: list[SpokenDate] = []
    for spoken in sorted(found, key=lambda s: (s.start, -s.end)):
        if not kept or spoken.start >= kept[-1].end:
            kept.append(spoken)
    return tuple(kept)
