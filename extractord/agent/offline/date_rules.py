"""Which day the words of a date mean, from the day they were said on: one rule for each form.

Owns: what is the coming day of a name, the month's end, a day without its year. Leaves finding the words, and what looks back, to
``dates``, the words themselves to ``date_forms``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from extractord.agent.offline import date_forms as forms

KEPT_PAST_DAYS = 60  # a day without its year that lay back no longer than this is meant as past, an earlier one as next year's


@dataclass(frozen=True, slots=True)
class Moment:
    """When a date was said, in the speaker's zone, and how."""

    said: date
    past: bool  # the words around speak of something that was


Resolved = tuple[date, str, bool]  # as the last three of a ``SpokenDate``


def resolve(rule: forms.Rule, match: re.Match[str], when: Moment) -> Resolved | None:
    """Return the day that a match of ``rule`` means, or None if it is no day after all (31 April)."""
    try:
        return _RESOLVERS[rule](match.groupdict(), when)
    except (ValueError, OverflowError, KeyError):  # no such day, or a word that names none: not a date
        return None


def _day(day: date) -> Resolved:
    return day, day.isoformat(), True


def _month(first: date) -> Resolved:
    return _last_of_month(first), f"{first:%Y-%m}", False


def _week(monday: date) -> Resolved:
    return monday + timedelta(days=6), f"week of {monday.isoformat()}", False


def _last_of_month(day: date) -> date:
    return _months_on(day.replace(day=1), 1) - timedelta(days=1)


def _months_on(day: date, months: int) -> date:
    """Return the same day ``months`` later, or the month's last where it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, min(last, day.day))
        except ValueError:
            continue
    raise ValueError(day)


def _number(word: str) -> int:
    return int(word) if word.isdecimal() else forms.NUMBERS[word]


def _with_year(when: Moment, month: int, day: int, year: str | None) -> date:
    """Complete a day without its year: the coming one, unless the words look back or it has just been."""
    if year:
        return date(int(year) if len(year) == 4 else 2000 + int(year), month, day)
    same = date(when.said.year, month, day)
    if same > when.said and when.past:
        return date(when.said.year - 1, month, day)
    if same < when.said and not when.past and (when.said - same).days > KEPT_PAST_DAYS:
        return date(when.said.year + 1, month, day)
    return same


def _offset(groups: dict[str, str | None], when: Moment) -> Resolved:
    return _day(when.said + timedelta(days=forms.DAY_WORDS[groups["word"] or ""]))


def _in_some(groups: dict[str, str | None], when: Moment) -> Resolved:
    """Return the day ``count`` units from the day of speech ("in two weeks")."""
    count, unit = _number(groups["count"] or "1"), forms.UNITS[groups["unit"] or ""]
    sign = -1 if groups.get("ago") else 1
    match unit:
        case "day":
            return _day(when.said + timedelta(days=sign * count))
        case "week":
            return _day(when.said + timedelta(weeks=sign * count))
        case "fortnight":
            return _day(when.said + timedelta(weeks=2 * sign * count))
        case "half":
            return _day(when.said + timedelta(days=sign * 15))
        case _:
            return _day(_months_on(when.said, sign * count))


def _weekday(groups: dict[str, str | None], when: Moment) -> Resolved:
    """Return the day of a weekday with an optional word for its week."""
    target, said = forms.WEEKDAYS[groups["weekday"] or ""], when.said
    monday = said - timedelta(days=said.weekday())
    week = groups.get("week")
    if week:
        step = forms.WEEK_WORDS[re.sub(r"\s+", " ", week.strip())]
        if step is not None:
            day = monday + timedelta(days=7 * step + target)
            # "this Friday" said on Saturday is the coming one
            return _day(day + timedelta(days=7) if step == 0 and day < said and not when.past else day)
    ahead = (target - said.weekday()) % 7 or 7
    day = said + timedelta(days=ahead)
    day = day - timedelta(days=7) if when.past and not week else day
    return _day(day + timedelta(days=7) if groups.get("later") else day)


def _weeks(groups: dict[str, str | None]) -> timedelta:
    """Return how many weeks on ("two weeks from Monday"); one where no number is said ("Friday after next")."""
    count = _number(groups.get("count") or "1")
    return timedelta(weeks=2 * count if forms.UNITS.get(groups.get("unit") or "") == "fortnight" else count)


def _weeks_from(groups: dict[str, str | None], when: Moment) -> Resolved:
    """Return the day some weeks after the coming day of that name; today counts as one."""
    ahead = (forms.WEEKDAYS[groups["weekday"] or ""] - when.said.weekday()) % 7
    return _day(when.said + timedelta(days=ahead) + _weeks(groups))


def _weekday_in(groups: dict[str, str | None], when: Moment) -> Resolved:
    """Return the day of that name in the week that is some weeks on."""
    monday = when.said - timedelta(days=when.said.weekday())
    return _day(monday + _weeks(groups) + timedelta(days=forms.WEEKDAYS[groups["weekday"] or ""]))


def _nth_weekday(groups: dict[str, str | None], when: Moment) -> Resolved:
    """Return the first, second, third or last day of that name in a month."""
    nth, target = forms.NTH[groups["nth"] or ""], forms.WEEKDAYS[groups["weekday"] or ""]
    if month := groups.get("month"):
        first = _with_year(when, forms.MONTHS[month], 1, groups.get("year"))
        if first < when.said.replace(day=1) and not when.past and not groups.get("year"):
            first = first.replace(year=first.year + 1)
    else:
        first = _months_on(when.said.replace(day=1), forms.STEPS[(groups.get("which") or "").strip()])
    if nth < 0:
        last = _last_of_month(first)
        return _day(last - timedelta(days=(last.weekday() - target) % 7))
    return _day(first + timedelta(days=(target - first.weekday()) % 7, weeks=nth - 1))


def _month_day(groups: dict[str, str | None], when: Moment) -> Resolved:
    return _day(_with_year(when, forms.MONTHS[groups["month"] or ""], _number(groups["day"] or ""), groups.get("year")))


def _day_of_month(groups: dict[str, str | None], when: Moment) -> Resolved:
    """Return a day given by its number alone, or in this or the next month."""
    number, said = _number(groups["day"] or ""), when.said
    if (word := groups.get("which")) is not None and word.strip():
        return _day(_months_on(said.replace(day=1), forms.MONTH_WORDS[word.strip()]).replace(day=number))
    months = 0 if number >= said.day or when.past else 1
    return _day(_months_on(said.replace(day=1), months).replace(day=number))


def _iso(groups: dict[str, str | None], _when: Moment) -> Resolved:
    return _day(date(int(groups["year"] or 0), int(groups["month"] or 0), int(groups["day"] or 0)))


def _end(groups: dict[str, str | None], when: Moment) -> Resolved:
    """Return the last day of a week (Friday), month, quarter or year that is named by a unit."""
    step, said = forms.STEPS[(groups.get("which") or "").strip()], when.said
    match forms.UNITS[groups["unit"] or ""]:
        case "week":
            return _day(said - timedelta(days=said.weekday()) + timedelta(days=7 * step + 4))
        case "month":
            return _day(_last_of_month(_months_on(said.replace(day=1), step)))
        case "quarter":
            first = said.replace(month=(said.month - 1) // 3 * 3 + 1, day=1)
            return _day(_last_of_month(_months_on(first, 3 * step + 2)))
        case _:
            return _day(date(said.year + step, 12, 31))


def _start(groups: dict[str, str | None], when: Moment) -> Resolved:
    """Return the first day of the next week, month, quarter or year."""
    step, said = forms.STEPS[(groups.get("which") or "").strip()], when.said
    match forms.UNITS[groups["unit"] or ""]:
        case "week":
            return _day(said - timedelta(days=said.weekday()) + timedelta(days=7 * step))
        case "month":
            return _day(_months_on(said.replace(day=1), step))
        case "quarter":
            return _day(_months_on(said.replace(month=(said.month - 1) // 3 * 3 + 1, day=1), 3 * step))
        case _:
            return _day(date(said.year + step, 1, 1))


def _end_of_month(groups: dict[str, str | None], when: Moment) -> Resolved:
    month, year = forms.MONTHS[groups["month"] or ""], groups.get("year")
    last = _last_of_month(date(int(year) if year else when.said.year, month, 1))
    return _day(last if year else _with_year(when, month, last.day, None))


def _start_of_month(groups: dict[str, str | None], when: Moment) -> Resolved:
    return _day(_with_year(when, forms.MONTHS[groups["month"] or ""], 1, groups.get("year")))


def _whole(groups: dict[str, str | None], when: Moment) -> Resolved | None:
    """Return a whole week or month ("next week")."""
    step, said = forms.STEPS[(groups.get("which") or "").strip()], when.said
    match forms.UNITS[groups["unit"] or ""]:
        case "week":
            return _week(said - timedelta(days=said.weekday()) + timedelta(days=7 * step))
        case "month":
            return _month(_months_on(said.replace(day=1), step))
        case "year":
            return date(said.year + step, 12, 31), str(said.year + step), False
        case _:
            return None


def _quarter_end(groups: dict[str, str | None], when: Moment) -> Resolved:
    month = 3 * int(groups["quarter"] or 0)
    return _day(_with_year(when, month, _last_of_month(date(when.said.year, month, 1)).day, groups.get("year")))


def _feast(groups: dict[str, str | None], when: Moment) -> Resolved:
    month, day = forms.FEASTS[re.sub(r"\s+", " ", groups["feast"] or "")]
    return _day(_with_year(when, month, day, None))


_RESOLVERS = {
    forms.Rule.OFFSET: _offset,
    forms.Rule.IN_SOME: _in_some,
    forms.Rule.WEEKDAY: _weekday,
    forms.Rule.MONTH_DAY: _month_day,
    forms.Rule.DAY_OF_MONTH: _day_of_month,
    forms.Rule.ISO: _iso,
    forms.Rule.END: _end,
    forms.Rule.START: _start,
    forms.Rule.END_OF_MONTH: _end_of_month,
    forms.Rule.START_OF_MONTH: _start_of_month,
    forms.Rule.WHOLE: _whole,
    forms.Rule.QUARTER_END: _quarter_end,
    forms.Rule.FEAST: _feast,
    forms.Rule.WEEKS_FROM: _weeks_from,
    forms.Rule.WEEKDAY_IN: _weekday_in,
    forms.Rule.NTH_WEEKDAY: _nth_weekday,
}
