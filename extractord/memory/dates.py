"""Dates in what people write: absolute ones, and words that mean another day tomorrow.

Owns: the forms in English, Chinese, German, Spanish and Japanese. Leaves turning relative dates into absolute ones to whoever
writes a topic, and the rules about them to ``checks``. Pure; tables of forms.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner enero ene",
            "february feb februar febrero",
            "march mar märz mär maerz marzo",
            "april apr abril abr",
            "may mai mayo",
            "june jun juni junio",
            "july jul juli julio",
            "august aug agosto ago",
            "september sep sept septiembre setiembre",
            "october oct oktober okt octubre",
            "november nov noviembre",
            "december dec dezember dez diciembre dic",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_CN = {"一": 1, "二": 2, "三": 3, "四": 4, "1": 1, "2": 2, "3": 3, "4": 4}

# Not within a path, an address or an identifier; a time of day may follow.
_ABSOLUTE = rf"""(?ix)(?<![\w/.-])(?P<iy>\d{{4}})(?P<s>[-/.])(?P<im>\d{{1,2}})(?P=s)(?P<id>\d{{1,2}})(?!\d|[/_-]\w|(?-i:[A-SU-Za-z]))
      | (?<![\w/.-])(?P<wy>\d{{4}})-W(?P<ww>\d\d)(?!\w)
      | (?<![\w/.-])(?P<my>\d{{4}})-(?P<mm>\d\d)(?![\w-])
      | (?<![\w/.-])(?P<dd>\d{{1,2}})(?P<t>[./])\s?(?P<dm>\d{{1,2}})(?P=t)\s?(?P<dy>\d{{4}})(?![\w/])
      | (?P<cy>\d{{4}})\s?年\s?(?P<cm>\d{{1,2}})\s?月(?:\s?(?P<cd>\d{{1,2}})\s?[日号號])?
      | (?P<cqy>\d{{4}})\s?年?\s?第?(?P<cq>[一二三四1-4])\s?(?:季度|四半期)
      | \b(?P<en_m>{_MONTH})\.?\s+(?P<en_d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<en_y>\d{{4}})\b
      | \b(?P<eu_d>\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:of\s+|de\s+)?(?P<eu_m>{_MONTH})\.?,?\s+(?:de[l]?\s+|of\s+)?(?P<eu_y>\d{{4}})\b
      | \b(?P<mo_m>{_MONTH})\.?,?\s+(?:de[l]?\s+|of\s+)?(?P<mo_y>\d{{4}})\b
      | \bQ(?P<q>[1-4])[\s/-]?(?P<qy>\d{{4}})\b | \b(?P<qy2>\d{{4}})[\s/-]?Q(?P<q2>[1-4])\b"""

_DAY_EN = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat"
_SPAN_EN = r"day|week|weekend|fortnight|month|quarter|year|sprint|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NUMBER_EN = r"\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|few|couple\s+of|several|a\s+few|a\s+couple(?:\s+of)?"
_DAY_DE = r"montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag"
_SPAN_DE = rf"woche|wochenende|monat|quartal|jahr|sprint|{_DAY_DE}"
_NUMBER_DE = r"\d{1,3}|ein(?:em|er)?|zwei|drei|vier|fünf|sechs|sieben|acht|zehn|ein\s+paar|wenigen"
_DAY_ES = r"lunes|martes|miércoles|jueves|viernes|sábado|domingo"
_SPAN_ES = rf"semana|mes|trimestre|año|sprint|{_DAY_ES}"
_NUMBER_ES = r"\d{1,3}|una?|dos|tres|cuatro|cinco|seis|siete|ocho|diez|unos|unas|pocos|pocas"
_DAY_CN = "一二三四五六日天"

_RELATIVE = "(?i)" + "|".join(
    (
        r"\b(?:the\s+)?day\s+(?:after\s+tomorrow|before\s+yesterday)\b|\btoday\b|\btonight\b|\btomorrow\b|\byesterday\b|\bovermorrow\b",
        rf"\b(?:next|this|last|coming|upcoming|following|past|previous)\s+(?:{_SPAN_EN}|(?:{_MONTH})\b)(?:s?\b|')",
        r"\b(?:this|tomorrow|yesterday)\s+(?:morning|afternoon|evening|night)\b",
        rf"\bin\s+(?:about\s+|the\s+next\s+)?(?:{_NUMBER_EN})\s+(?:days?|weeks?|months?|years?)\b",
        rf"\b(?:{_NUMBER_EN})\s+(?:days?|weeks?|months?|years?)\s+(?:ago|from\s+(?:now|today)|later)\b",
        rf"\b(?:by|until|till|before|after|since|from|due|starting|on|come)\s+(?:{_DAY_EN})\b",
        r"\b(?:by\s+|at\s+|before\s+|until\s+)?(?:the\s+)?end\s+of\s+(?:the\s+|this\s+|next\s+)?(?:day|week|month|quarter|year|sprint)\b|\beo[dwmq]\b",
        r"(?:今天|今晚|今早|今日|明天|明日|明晚|明早|后天|後天|大后天|昨天|昨日|昨晚|前天|去年|明年|今年|后年|前年)",
        rf"(?:下下|上上|下|上|这|這|本)(?:一)?(?:个|個)?(?:周|週|星期|礼拜|禮拜|月|季度|年|迭代)(?![报刊会期例])[{_DAY_CN}末]?",
        rf"(?:周|週|星期|礼拜|禮拜)[{_DAY_CN}末]",
        r"[\d一二两三四五六七八九十几]{1,3}\s?(?:天|周|週|个星期|個星期|个月|個月|年)\s?(?:之?后|之?後|之?前|以后|以前)",
        r"(?<![月\d])(?:月底|月初|月末|年底|年初|年末|季度末|周末|週末)",
        r"\b(?:heute|übermorgen|gestern|vorgestern)\b|(?<!guten )(?<!am )(?<!den )\bmorgen\b(?=\s|[,.;:!?)]|$)",
        rf"\b(?:nächst|kommend|dies|letzt|vorig|vergangen|folgend)e?[nrsm]?\s+(?:{_SPAN_DE})\w{{0,2}}\b",
        rf"\b(?:in|vor)\s+(?:{_NUMBER_DE})\s+(?:tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)\b",
        rf"\b(?:bis|ab|vor|seit|am)\s+(?:zum\s+)?(?:{_DAY_DE})\b",
        r"\bende\s+(?:der|des|dieser|dieses|nächster|nächsten)\s+(?:woche|monats|quartals|jahres|sprints)\b|\b(?:monats|wochen|jahres|quartals)ende\b",
        r"\bhoy\b|\bpasado\s+mañana\b|\banteayer\b|\bayer\b|(?<!por la )(?<!de la )(?<!la )\bmañana\b",
        rf"\b(?:próxim[oa]|siguiente|est[ea]|pasad[oa])\s+(?:{_SPAN_ES})\b|\b(?:{_SPAN_ES})\s+(?:que\s+viene|próxim[oa]|pasad[oa]|siguiente)\b",
        rf"\b(?:en|dentro\s+de|hace)\s+(?:{_NUMBER_ES})\s+(?:días?|semanas?|mes(?:es)?|años?)\b",
        rf"\b(?:hasta|desde|antes\s+del?|para)\s+(?:el\s+)?(?:{_DAY_ES})\b",
        r"\b(?:a\s+)?(?:fin(?:al(?:es)?)?)\s+de\s+(?:semana|mes|año|trimestre)\b",
        r"(?:本日|今夜|今朝|明後日|あさって|あした|明日|昨日|きのう|一昨日|おととい)",
        r"(?:再来|来|今|先|翌)(?:週|月|年|期)(?:の?[月火水木金土日]曜日?)?",
        r"[月火水木金土日]曜日?(?:まで|から|に|の)",
        r"[\d一二三四五六七八九十数]{1,3}\s?(?:日|週間|か月|ヶ月|ヵ月|カ月|年)(?:後|前)(?!半)",
    )
)
# What makes a weekday or an end a rule that holds each time, and "in 3 days" a length of time.
_EACH_TIME = re.compile(
    r"(?i)(?:\b(?:every|each|any|always|never|no\s+\w+|usually|weekly|daily|monthly|per|don'?t|jede[nrsm]?|immer|nie|nur|cada|todos\s+los|todas\s+las"
    r"|siempre|nunca|no)\b|毎[日週月年]?|每个?|每逢|逢|各)\W*(?:\w+\W+){0,4}$"
    r"|(?:不要|不能|不得|不可以?|不许|不准|别|勿|禁止|严禁|避免|从不|绝不|决不|永不|永远|总是|一律|通常|一般)[^，,。；;：:！!？?\n]{0,8}$"
)
_RECURRING = re.compile(
    r"(?i)(?:by|until|till|before|after|since|from|starting|on|bis|ab|vor|am|hasta|desde|antes|para|at)\s|(?:the\s+)?end\b|eo[dwmq]|fin|ende"
    r"|[周週月年季]|星期|礼拜|禮拜|[火水木金土日]曜"
)
# ... and so does a day that comes round in the same sentence ("every Thursday, and the branch is cut on Wednesday")
_COMES_ROUND = re.compile(
    rf"(?i)\b(?:every|each)\s+(?:\w+\s+)?(?:{_SPAN_EN})s?\b|\b(?:weekly|fortnightly)\b|\b(?:jede[nrsm]?|alle\s+\w+)\s+(?:{_SPAN_DE})\w{{0,2}}\b"
    rf"|\b(?:cada|todos\s+los|todas\s+las)\s+(?:{_SPAN_ES})s?\b|毎[週月]|每(?:个|個)?(?:周|週|星期|礼拜|禮拜|月)"
)
_SENTENCE_ENDS = re.compile(r"[.;!?]\s|[\n。；！？]")
_LENGTH = re.compile(r"(?i)(?:in|en)\s")
_LASTS = re.compile(r"(?i)expir|time\s?out|ttl|retention|retain|rotat|within|takes?\b|finish|valid|lasts?\b|läuft|ablauf|caduc|vence")
_SINCE_BEFORE = re.compile(
    r"(?i)(?:\bsince|\bas\s+of|\bfrom|\bstarting|\beffective|\bseit|\bab|\bdesde|\ba\s+partir\s+del?|自从?|从)\s*(?:the\s+|dem\s+|el\s+|on\s+)?[*_(]*$"
)
_SINCE_AFTER = re.compile(r"\s*(?:起|以来|以後|以降|から|开始)")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern compiled; not done at import, since most programs of ours look at no dates."""
    return re.compile(pattern)


@dataclass(frozen=True, slots=True)
class DateSpan:
    """An absolute date as written: a day is a span of one, a month or quarter one of several."""

    first: date
    last: date
    text: str
    opens: bool = False  # "since …": what began then may go on


def absolute_dates(text: str) -> tuple[DateSpan, ...]:
    """Return the absolute dates with their year in ``text``, in order."""
    found = []
    for match in _compiled(_ABSOLUTE).finditer(text):
        for span in _span(match):
            opens = bool(_SINCE_BEFORE.search(text, max(0, match.start() - 24), match.start()) or _SINCE_AFTER.match(text, match.end()))
            found.append(DateSpan(*span, match.group(), opens))
    return tuple(found)


def relative_date(text: str) -> str:
    """Return the first expression in ``text`` that means another day when read later, "" if there is none."""
    for match in _compiled(_RELATIVE).finditer(text):
        said = match.group()
        if _RECURRING.match(said) and _holds_each_time(text, match.start()):
            continue
        if _LENGTH.match(said) and _LASTS.search(text):
            continue
        return said
    return ""


def _holds_each_time(text: str, position: int) -> bool:
    """Whether the day named at ``position`` is one that comes round, by the words before it or those of its sentence."""
    if _EACH_TIME.search(text[max(0, position - 40) : position]):
        return True
    first = max((m.end() for m in _SENTENCE_ENDS.finditer(text, 0, position)), default=0)
    end = _SENTENCE_ENDS.search(text, position)
    return _COMES_ROUND.search(text, first, end.start() if end else len(text)) is not None


def undated_relative(text: str) -> str:
    """Return a relative date in the statement ``text`` that has no absolute one beside it, "" if there is none."""
    said = relative_date(text)
    return "" if said and absolute_dates(text) else said


def past_date(text: str, today: date) -> DateSpan | None:
    """Return the latest date in ``text`` if there are dates and all lie before ``today``; what began and may go on does not count."""
    spans = [span for span in absolute_dates(text) if not span.opens]
    latest = max(spans, key=lambda span: span.last, default=None)
    return latest if latest and latest.last < today else None


def _span(match: re.Match[str]) -> Iterator[tuple[date, date]]:
    """Yield the first and last day that a match means, nothing if there is no such day."""
    got = match.groupdict()
    try:
        if got["iy"]:
            yield from _day(got["iy"], got["im"], got["id"])
        elif got["wy"]:
            monday = date.fromisocalendar(int(got["wy"]), int(got["ww"]), 1)
            yield monday, monday + timedelta(days=6)
        elif got["my"]:
            yield _month(int(got["my"]), int(got["mm"]))
        elif got["dy"]:
            yield from _either_way(int(got["dd"]), int(got["dm"]), int(got["dy"]), dotted=got["t"] == ".")
        elif got["cy"] and got["cd"]:
            yield from _day(got["cy"], got["cm"], got["cd"])
        elif got["cy"]:
            yield _month(int(got["cy"]), int(got["cm"]))
        elif got["cqy"]:
            yield _quarter(int(got["cqy"]), _CN[got["cq"]])
        elif got["en_y"]:
            yield from _day(got["en_y"], _MONTHS[got["en_m"].lower()], got["en_d"])
        elif got["eu_y"]:
            yield from _day(got["eu_y"], _MONTHS[got["eu_m"].lower()], got["eu_d"])
        elif got["mo_y"]:
            yield _month(int(got["mo_y"]), _MONTHS[got["mo_m"].lower()])
        else:
            yield _quarter(int(got["qy"] or got["qy2"]), int(got["q"] or got["q2"]))
    except ValueError:
        return  # figures in the form of a date that are none: 2026-13-45


def _day(year: str | int, month: str | int, day: str | int) -> Iterator[tuple[date, date]]:
    found = date(int(year), int(month), int(day))
    yield found, found


def _either_way(first: int, second: int, year: int, *, dotted: bool) -> Iterator[tuple[date, date]]:
    """Yield day.month.year; with slashes the other order too where both are dates, as one span: nobody can tell."""
    days = [date(year, month, day) for day, month in ((first, second), (second, first)) if 1 <= month <= 12 and 1 <= day <= 31]
    days = days[:1] if dotted else days
    if days:
        yield min(days), max(days)


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def _quarter(year: int, quarter: int) -> tuple[date, date]:
    return date(year, 3 * quarter - 2, 1), _month(year, 3 * quarter)[1]
