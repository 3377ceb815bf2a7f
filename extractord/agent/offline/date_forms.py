"""The words in which people name days: English, Chinese, German, Spanish, Japanese.

Owns: one table of patterns a language, and the numbers that the words in them stand for. Leaves what follows from a match to
``dates``. Patterns are matched against lower-cased text of the same length.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import cached_property


class Rule(enum.Enum):
    """How a match is turned into a day."""

    OFFSET = "offset"
    IN_SOME = "in some"
    WEEKDAY = "weekday"
    MONTH_DAY = "month and day"
    DAY_OF_MONTH = "day of month"
    ISO = "iso"
    END = "end"
    START = "start"
    END_OF_MONTH = "end of month"
    START_OF_MONTH = "start of month"
    WHOLE = "whole"
    QUARTER_END = "quarter end"
    FEAST = "feast"
    WEEKS_FROM = "some weeks from a weekday"
    WEEKDAY_IN = "a weekday of the week some weeks on"
    NTH_WEEKDAY = "the first, second or last weekday of a month"


@dataclass(frozen=True)
class DateForm:
    """One way to name a day; compiled when a text of its script first comes along."""

    rule: Rule
    source: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source)


def lowered(text: str) -> str:
    """Return ``text`` in lower case with exactly as many characters (some letters grow when lowered)."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _numbered(*words: str, first: int = 1) -> dict[str, int]:
    """Number words from ``first``; spellings of one are separated by a bar."""
    return {spelling: number for number, word in enumerate(words, first) for spelling in word.split("|")}


WEEKDAYS = {
    **_numbered("monday|mon", "tuesday|tue|tues", "wednesday|wed", "thursday|thu|thur|thurs", "friday|fri", "saturday|sat", "sunday|sun", first=0),
    **_numbered("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend", "sonntag", first=0),
    **_numbered("lunes", "martes", "miércoles|miercoles", "jueves", "viernes", "sábado|sabado", "domingo", first=0),
    **_numbered("一", "二", "三", "四", "五", "六", "日|天", first=0),
    **_numbered("月", "火", "水", "木", "金", "土", first=0),
}  # fmt: skip
MONTHS = {
    **_numbered("january|jan", "february|feb", "march|mar", "april|apr", "may", "june|jun", "july|jul", "august|aug", "september|sep|sept",
                "october|oct", "november|nov", "december|dec"),
    **_numbered("januar|jänner", "februar", "märz|maerz", "april", "mai", "juni", "juli", "august", "september", "oktober|okt", "november", "dezember|dez"),
    **_numbered("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre|setiembre", "octubre", "noviembre", "diciembre"),
    **{str(n): n for n in range(1, 13)}, **{f"0{n}": n for n in range(1, 10)},
    **_numbered("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"),
}  # fmt: skip
_HAN = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
NUMBERS = {
    **_numbered("a|an|one", "two|a couple of", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    **_numbered("einem|einer|ein|eine", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"),
    **_numbered("un|una", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"),
    "quince": 15,
    **_HAN, "十": 10, "二十": 20, "三十": 30,
    **{f"十{h}": 10 + n for h, n in _HAN.items()}, **{f"二十{h}": 20 + n for h, n in _HAN.items()}, "三十一": 31, "半": 1,
}  # fmt: skip
UNITS = {
    **dict.fromkeys(("day", "days", "tag", "tagen", "tage", "día", "días", "dia", "dias", "天", "日", "日間"), "day"),
    **dict.fromkeys(("week", "weeks", "woche", "wochen", "semana", "semanas", "周", "个星期", "星期", "个礼拜", "週", "週間"), "week"),
    **dict.fromkeys(("fortnight",), "week"),
    **dict.fromkeys(("month", "months", "monat", "monats", "monate", "monaten", "mes", "meses", "月", "个月", "ヶ月", "か月", "カ月"), "month"),
    **dict.fromkeys(("quarter", "quartal", "quartals", "trimestre", "季度", "季", "四半期"), "quarter"),
    **dict.fromkeys(("eow",), "week"), **dict.fromkeys(("eom", "monatsende"), "month"), **dict.fromkeys(("eoq", "quartalsende"), "quarter"),
    **dict.fromkeys(("eoy", "jahresende"), "year"), **dict.fromkeys(("fortnight", "fortnights"), "fortnight"),
    **dict.fromkeys(("year", "jahr", "jahres", "año", "年"), "year"),
    "个半月": "half", "个月半": "half", "半个月": "half",
}  # fmt: skip
DAY_WORDS = {
    "today": 0, "tonight": 0, "this afternoon": 0, "this evening": 0, "tomorrow": 1, "day after tomorrow": 2, "yesterday": -1,
    "tomorrow in a week": 8, "a week from tomorrow": 8, "a week from today": 7, "today in a week": 7,
    "今天": 0, "今晚": 0, "今日": 0, "明天": 1, "明晚": 1, "明早": 1, "明日": 1, "后天": 2, "大后天": 3, "昨天": -1, "昨晚": -1, "前天": -2,
    "heute": 0, "morgen": 1, "übermorgen": 2, "gestern": -1, "vorgestern": -2, "heute in einer woche": 7,
    "hoy": 0, "mañana": 1, "pasado mañana": 2, "ayer": -1, "anteayer": -2,
    "あした": 1, "明後日": 2, "あさって": 2, "昨日": -1,
}  # fmt: skip
# how many weeks on; None: the next day of that name
WEEK_WORDS: dict[str, int | None] = {
    "this": 0, "next": 1, "coming": None, "this coming": None, "last": -1, "next week": 1, "next week on": 1, "of next week": 1,
    "diesen": 0, "diese woche": 0, "nächsten": 1, "nächster": 1, "kommenden": None, "letzten": -1, "nächste woche": 1, "nächste woche am": 1, "kommende woche": 1, "kommende woche am": 1, "übernächste woche": 2, "übernächste woche am": 2,
    "nächster woche": 1, "kommender woche": 1, "übernächster woche": 2, "in der nächsten woche": 1, "in der kommenden woche": 1, "in der übernächsten woche": 2,
    "the week after next on": 2, "the week after next": 2, "of the week after next": 2, "in the week after next": 2,
    "este": 0, "próximo": None, "proximo": None, "el próximo": None, "pasado": -1, "de la próxima semana": 1, "de la semana que viene": 1,
    "这周": 0, "本周": 0, "这个周": 0, "这星期": 0, "这礼拜": 0, "下周": 1, "下个周": 1, "下星期": 1, "下个星期": 1, "下礼拜": 1, "下个礼拜": 1,
    "下下周": 2, "下下个周": 2, "下下星期": 2, "下下个星期": 2, "下下礼拜": 2, "下下个礼拜": 2,
    "上周": -1, "上个周": -1, "上星期": -1, "今週": 0, "今週の": 0, "来週": 1, "来週の": 1, "再来週": 2, "再来週の": 2, "先週": -1, "先週の": -1,
}  # fmt: skip
STEPS = {
    "": 0, "the": 0, "this": 0, "the current": 0, "next": 1, "the next": 1, "following": 1, "the following": 1, "after next": 2, "last": -1,
    "des": 0, "der": 0, "dieser": 0, "dieses": 0, "diese": 0, "diesen": 0, "nächster": 1, "nächsten": 1, "nächste": 1, "nächstes": 1,
    "übernächste": 2, "übernächsten": 2, "übernächster": 2, "übernächstes": 2, "下下": 2, "下下个": 2, "del que viene": 1,
    "kommende": 1, "kommenden": 1, "kommender": 1, "letzte": -1, "letzten": -1, "del": 0, "de": 0, "este": 0, "esta": 0, "próximo": 1, "próxima": 1,
    "que viene": 1, "本": 0, "这个": 0, "这": 0, "下": 1, "下个": 1, "上": -1, "上个": -1, "今": 0, "来": 1, "先": -1, "再来": 2,
}  # fmt: skip
MONTH_WORDS = {
    "this month": 0, "of this month": 0, "next month": 1, "of next month": 1, "本月": 0, "这个月": 0, "下月": 1, "下个月": 1, "今月": 0, "来月": 1,
    "今月の": 0, "来月の": 1, "del próximo mes": 1, "del mes que viene": 1, "nächsten monats": 1,
}  # fmt: skip
# which of a month's days of one name; -1 the last
NTH = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1, "ersten": 1, "erster": 1, "zweiten": 2, "dritten": 3, "vierten": 4,
    "letzten": -1, "第一": 1, "第二": 2, "第三": 3, "第四": 4, "最后一": -1, "primer": 1, "segundo": 2, "tercer": 3, "último": -1,
}  # fmt: skip
FEASTS = {
    "christmas": (12, 25), "christmas eve": (12, 24), "new year": (1, 1), "new year's eve": (12, 31), "halloween": (10, 31), "国庆": (10, 1),
    "元旦": (1, 1), "五一": (5, 1), "双十一": (11, 11), "双11": (11, 11), "双十二": (12, 12), "618": (6, 18), "weihnachten": (12, 25),
    "silvester": (12, 31), "navidad": (12, 25), "クリスマス": (12, 25),
}  # fmt: skip

PAST = re.compile(
    r"\b(?:ago|was|were|had|did|got|went|came|broke|lost|since|happened|back in|took|shipped|last|used to|failed|crashed|burned|missed|joined|started|began|became|concluded|wrapped up|(?<!gets )(?<!get )(?<!be )(?<!is )(?<!are )(?<!being )(?:ended|finished|completed|launched|landed|passed|expired|lifted)|"
    r"war|waren|endete|endeten|lief|liefen|ging|kam|startete|begann|wurde|wurden|hatte|hatten|seit|gab|fue|fueron|hubo|desde|rompimos|perdimos|hizo)\b"
    r"|(?:已经|早就|已)[^，。,]{0,6}(?:结束|完成|解除|解封|上线|下线|发完|切完|迁完|搬完|做完|办完|过去)|(?:过|以来|之前就|就已|那天|挂了|炸了|崩了|出了|上线的)|(?:でした|だった|ました|以来|から失敗)"
)  # fmt: skip

# words right before a date that make it one to come, whatever the tense around: "got moved to June 1st"
AHEAD = re.compile(r"(?:\b(?:to|until|till|by|bis|bis zum|auf den|hasta|para|al)\b[^,.]{0,6}|[到至])\s?[^\s]{0,4}$")
AHEAD_AFTER = re.compile(r"^\s?(?:に|へ)?(?:延期|変更|ずれ|前倒し|移動|リスケ)")

# days that come round: beside them the name of a weekday is no date
RECURRING = re.compile(
    r"\b(?:every|each)(?: (?:other|second|third|two|three|single))? (?:day|week|weeks|month|sprint|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\b(?:weekly|biweekly|fortnightly|on \w+days)\b"
    r"|\b(?:jeden|jede|jeder|alle zwei) (?:tag|woche|wochen|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)\b|\b(?:montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|wöchentlich)\b"
    r"|\b(?:cada|todos los) (?:semana|lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bados?|domingos?)\b|每(?:周|星期|个?礼拜|隔)|毎週|隔週"
)

_EN_DAY = r"monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_EN_SHORT = r"mon|tues?|wed|thu(?:rs?)?|fri|sat|sun"
_EN_MONTH = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_DE_MONTH = r"januar|jänner|februar|märz|maerz|april|mai|juni|juli|august|september|oktober|okt|november|dezember|dez"
_ES_MONTH = r"enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre"
_DE_DAY = r"montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag"
_ES_DAY = r"lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo"
_COUNT = r"\d{1,2}|a|an|one|two|a couple of|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_AFTER_ORDINAL = (
    r"(?=\s*(?:[,.;:!?)]|$|(?:and|or|so|because|for|then|we|with|at|when|since|but|is|are|the|it|nobody|no|as|after|until|from|on|in|by|to|"
    r"everything|everyone|they|i|of (?:this|next) month)\b))"
)


def _form(rule: Rule, pattern: str) -> DateForm:
    return DateForm(rule, pattern)


_EVERYWHERE = (_form(Rule.ISO, r"(?<![\d-])(?P<year>20\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?![\d-])"),)

_ENGLISH = (
    _form(Rule.OFFSET, r"\b(?P<word>tomorrow in a week|a week from tomorrow|a week from today|today in a week|day after tomorrow|tomorrow|today|tonight|this afternoon|this evening|yesterday)\b(?!'s)"),
    _form(Rule.WEEKS_FROM, rf"\b(?P<count>{_COUNT}) (?P<unit>weeks?|fortnights?) (?:from|after|on) (?:next |this |this coming )?(?P<weekday>{_EN_DAY})\b(?!'s)"),
    _form(Rule.WEEKS_FROM, rf"\b(?:the )?(?P<weekday>{_EN_DAY}) after next\b"),
    _form(Rule.WEEKDAY_IN, rf"\b(?:on )?(?P<weekday>{_EN_DAY}) in (?P<count>{_COUNT}) (?P<unit>weeks?|fortnights?)\b"),
    _form(Rule.WEEKDAY_IN, rf"\bin (?P<count>{_COUNT}) (?P<unit>weeks?|fortnights?),? on (?P<weekday>{_EN_DAY})\b"),
    _form(Rule.NTH_WEEKDAY, rf"\b(?:the )?(?P<nth>first|1st|second|2nd|third|3rd|fourth|4th|last) (?P<weekday>{_EN_DAY}) (?:of|in) (?:(?P<which>the|this|next|the next) month|(?P<month>{_EN_MONTH})(?: (?P<year>20\d\d))?)\b"),
    _form(Rule.IN_SOME, rf"\b(?:in|within)(?: the next)? (?P<count>{_COUNT}) (?P<unit>days?|weeks?|fortnights?|months?)\b(?! (?:of|ago))"),
    _form(Rule.IN_SOME, rf"\b(?P<count>{_COUNT}) (?P<unit>days?|weeks?|fortnights?|months?) (?:from (?:now|today)|(?P<ago>ago))\b"),
    _form(Rule.WEEKDAY, rf"\b(?<!every )(?<!each )(?<!any )(?<!black )(?<!\ba )(?:(?P<week>this coming|coming|this|next|last) )?(?P<weekday>{_EN_DAY})\b(?!'s)(?P<later> week\b)?(?! next week)"),
    _form(Rule.WEEKDAY, rf"\b(?P<weekday>{_EN_DAY}) (?P<week>(?:of )?next week)\b"),
    _form(Rule.WEEKDAY, rf"\b(?P<week>next week(?: on)?|the week after next(?: on)?) (?P<weekday>{_EN_DAY})\b"),
    _form(Rule.WEEKDAY, rf"\b(?P<weekday>{_EN_DAY}) (?P<week>(?:of |in )?the week after next)\b"),
    _form(Rule.WEEKDAY, rf"\b(?:(?:on|by|until|till|til|from|before|after) (?:(?P<week>next|this|coming) )?|(?P<week2>next|this) )(?P<weekday>{_EN_SHORT})\b(?!['\w-])"),
    _form(Rule.MONTH_DAY, rf"\b(?P<month>{_EN_MONTH})\.? (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d)(?:,? (?P<year>20\d\d))?"),
    _form(Rule.MONTH_DAY, rf"(?<![\d.:])\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?(?: of)? (?P<month>{_EN_MONTH})\b(?:,? (?P<year>20\d\d))?(?! \d)"),
    _form(Rule.DAY_OF_MONTH, rf"\b(?:on|by|until|till|from|before|to|starting|starts?|is|after) the (?P<day>\d{{1,2}})(?:st|nd|rd|th)(?: (?P<which>of (?:this|next) month))?{_AFTER_ORDINAL}"),
    _form(Rule.DAY_OF_MONTH, rf"\b(?:{_EN_DAY}|{_EN_SHORT}),? (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)\b"),
    _form(Rule.WHOLE, r"\b(?:the )?(?P<unit>week|month) (?P<which>after next)\b"),
    _form(Rule.DAY_OF_MONTH, r"\bthe (?P<day>\d{1,2})(?:st|nd|rd|th) (?P<which>of (?:this|next) month)"),
    _form(Rule.END_OF_MONTH, rf"\b(?:the )?(?:end of|late) (?P<month>{_EN_MONTH})\b(?: (?P<year>20\d\d))?"),
    _form(Rule.START_OF_MONTH, rf"\b(?:the )?(?:beginning|start) of (?P<month>{_EN_MONTH})\b(?: (?P<year>20\d\d))?"),
    _form(Rule.END, r"\b(?:the )?end of (?P<which>the current|the next|the following|the|this|next|last)? ?(?P<unit>week|month|quarter|year)\b"),
    _form(Rule.END, r"\b(?P<unit>month|quarter|year)[- ]end\b"),
    _form(Rule.END, r"\b(?:the )?end of the (?P<unit>week|month) (?P<which>after next)\b"),
    _form(Rule.END, r"\b(?:the )?last day of (?P<which>the current|the next|the|this|next) (?P<unit>month|quarter|year)\b"),
    _form(Rule.END, r"\b(?P<unit>eow|eom|eoq|eoy)\b"),
    _form(Rule.START, r"\b(?:the )?(?:beginning|start|first) of (?P<which>the next|next|the following) (?P<unit>week|month|quarter|year)\b"),
    _form(Rule.QUARTER_END, r"\b(?:end of|by) q(?P<quarter>[1-4])(?: (?P<year>20\d\d))?\b"),
    _form(Rule.WHOLE, r"\b(?P<which>next|this|last|the following) (?P<unit>week|month|year)\b(?! on\b)"),
    _form(Rule.FEAST, r"\b(?P<feast>christmas eve|christmas|new year's eve|new year|halloween)\b"),
)  # fmt: skip

_GERMAN = (
    _form(Rule.OFFSET, r"(?<!guten )(?<!am )(?<!jeden )\b(?P<word>heute in einer woche|heute|übermorgen|vorgestern|gestern|morgen)\b"),
    _form(Rule.IN_SOME, r"\bin (?P<count>\d{1,2}|einem|einer|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn) (?P<unit>tag|tagen|woche|wochen|monat|monaten)\b"),
    _form(Rule.IN_SOME, r"\b(?P<ago>vor) (?P<count>\d{1,2}|einem|einer|zwei|drei|vier|fünf|sechs) (?P<unit>tag|tagen|woche|wochen|monat|monaten)\b"),
    _form(Rule.WEEKDAY, rf"(?<!jeden )\b(?:(?P<week>diesen|nächsten|nächster|kommenden|letzten|(?:über)?nächste woche(?: am)?|kommende woche(?: am)?|diese woche) )?(?P<weekday>{_DE_DAY})\b"),
    _form(Rule.WEEKDAY, rf"\b(?P<weekday>{_DE_DAY}) (?P<week>(?:in der )?(?:(?:über)?nächste[rn]?|kommende[rn]?) woche)\b"),
    _form(Rule.WEEKS_FROM, rf"\bübernächsten (?P<weekday>{_DE_DAY})\b"),
    _form(Rule.WEEKDAY_IN, rf"\b(?P<weekday>{_DE_DAY}) in (?P<count>einer|zwei|drei|vier|\d) (?P<unit>wochen?)\b"),
    _form(Rule.NTH_WEEKDAY, rf"\b(?P<nth>ersten|zweiten|dritten|vierten|letzten) (?P<weekday>{_DE_DAY}) (?:(?P<which>des|nächsten) monats|im (?P<month>{_DE_MONTH})(?: (?P<year>20\d\d))?)\b"),
    _form(Rule.MONTH_DAY, rf"(?<!\d)(?P<day>\d{{1,2}})\. ?(?P<month>{_DE_MONTH})\b(?: (?P<year>20\d\d))?"),
    _form(Rule.MONTH_DAY, r"(?<![\d.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20\d\d|\d\d)?(?!\d)"),
    _form(Rule.DAY_OF_MONTH, r"\b(?:am|zum|ab dem|bis zum|vor dem) (?P<day>\d{1,2})\.(?=\s*(?:[,;)]|$|(?:ist|wird|und|geht|kommt|nächsten)\b))"),
    _form(Rule.END_OF_MONTH, rf"\bende (?P<month>{_DE_MONTH})\b(?: (?P<year>20\d\d))?"),
    _form(Rule.START_OF_MONTH, rf"\banfang (?P<month>{_DE_MONTH})\b(?: (?P<year>20\d\d))?"),
    _form(Rule.END, r"\bende (?P<which>des|der|dieser|dieses|(?:über)?nächste[rns]|kommende[rns]) ?(?P<unit>woche|monats|quartals|jahres)\b"),
    _form(Rule.END, r"\b(?P<unit>monatsende|quartalsende|jahresende)\b"),
    _form(Rule.WHOLE, r"\b(?P<which>(?:über)?nächste|(?:über)?nächsten|nächstes|kommende|kommenden|diese|diesen|dieses|letzte|letzten) (?P<unit>woche|monat|jahr)\b(?! (?:am )?(?:mo|di|do|fr|sa|so))"),
    _form(Rule.FEAST, r"\b(?P<feast>weihnachten|silvester)\b"),
)  # fmt: skip

_SPANISH = (
    _form(Rule.OFFSET, r"(?<!la )(?<!esta )\b(?P<word>pasado mañana|hoy|mañana|ayer|anteayer)\b"),
    _form(Rule.IN_SOME, r"\b(?:en|dentro de) (?P<count>\d{1,2}|un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|quince) (?P<unit>d[íi]as?|semanas?|mes(?:es)?)\b"),
    _form(Rule.IN_SOME, r"\b(?P<ago>hace) (?P<count>\d{1,2}|un|una|dos|tres|cuatro|cinco|seis) (?P<unit>d[íi]as?|semanas?|mes(?:es)?)\b"),
    _form(Rule.WEEKDAY, rf"\b(?:el|del|al) (?:(?P<week>pr[óo]ximo|pasado) )?(?P<weekday>{_ES_DAY})\b(?: que viene| pr[óo]ximo)?"),
    _form(Rule.WEEKDAY, rf"\b(?P<week>este) (?P<weekday>{_ES_DAY})\b"),
    _form(Rule.WEEKDAY, rf"\bel (?P<weekday>{_ES_DAY}) (?P<week>de la (?:próxima semana|semana que viene))"),
    _form(Rule.MONTH_DAY, rf"(?<!\d)\b(?P<day>\d{{1,2}}) de (?P<month>{_ES_MONTH})\b(?: (?:de|del) (?P<year>20\d\d))?"),
    _form(Rule.DAY_OF_MONTH, r"\bel (?:d[íi]a )?(?P<day>\d{1,2})(?: (?P<which>del (?:próximo mes|mes que viene)))?(?=\s*(?:[,.;)]|$|(?:y|se|es|hay|no|por|para|tenemos)\b))"),
    _form(Rule.DAY_OF_MONTH, r"\bel d[íi]a (?P<day>\d{1,2})\b(?! de\b)"),
    _form(Rule.END_OF_MONTH, rf"\b(?:a )?(?:fin(?:al(?:es)?)?|finales) de (?P<month>{_ES_MONTH})\b(?: de (?P<year>20\d\d))?"),
    _form(Rule.START_OF_MONTH, rf"\b(?:a )?(?:principios?|comienzos?) de (?P<month>{_ES_MONTH})\b(?: de (?P<year>20\d\d))?"),
    _form(Rule.END, r"\b(?:a )?(?:fin(?:al(?:es)?)?|finales) (?P<which>de|del) (?P<unit>semana|mes|trimestre|año)\b(?! que viene)"),
    _form(Rule.END, r"\b(?:a )?(?:fin(?:al(?:es)?)?|finales) del? (?:la )?(?P<unit>semana|mes|trimestre|año) (?P<which>que viene)\b"),
    _form(Rule.WHOLE, r"\b(?:la |el )?(?P<which>pr[óo]xim[oa]) (?P<unit>semana|mes|año)\b"),
    _form(Rule.WHOLE, r"\b(?:la |el )(?P<unit>semana|mes|año) (?P<which>que viene)\b"),
    _form(Rule.FEAST, r"\b(?P<feast>navidad)\b"),
)  # fmt: skip

_HAN_NUMBER = r"三十一|三十|二十[一二三四五六七八九]|二十|十[一二三四五六七八九]|[一二三四五六七八九十]"
_CHINESE = (
    _form(Rule.OFFSET, r"(?P<word>大后天|今天|今晚|今日|明天|明晚|明早|明日|后天|昨天|昨晚|前天)"),
    _form(Rule.IN_SOME, rf"(?:过)?(?P<count>\d{{1,2}}|{_HAN_NUMBER}|两) ?(?P<unit>天|周|个星期|个礼拜|个月)(?:之后|以后|后|内|之内)"),
    _form(Rule.IN_SOME, r"(?<![一二两三个])(?P<unit>半个月)(?:之后|以后|后)"),
    _form(Rule.IN_SOME, rf"(?<!不)再过(?P<count>\d{{1,2}}|{_HAN_NUMBER}|两) ?(?P<unit>天|周|个星期|个礼拜|个月)(?!年)"),
    _form(Rule.WEEKDAY_IN, rf"(?P<count>\d{{1,2}}|{_HAN_NUMBER}|两) ?(?P<unit>周|个星期|个礼拜)(?:之后|以后|后)的?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])"),
    _form(Rule.NTH_WEEKDAY, r"(?:(?P<which>这个|本|下个?)月|(?P<month>1[0-2]|[1-9]|十[一二]|[一二三四五六七八九十]) ?月)的?(?P<nth>第[一二三四]|最后一)个?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])"),
    _form(Rule.END, r"(?P<which>下下个|下个|下|这个|本)(?P<unit>月|季度|年)的?最后一天"),
    _form(Rule.IN_SOME, rf"(?P<count>\d{{1,2}}|{_HAN_NUMBER}|两) ?(?P<unit>天|周|个星期|个礼拜|个月)(?P<ago>之前|以前|前)"),
    _form(Rule.WEEKDAY, r"(?P<week>下下周|下下个?(?:周|星期|礼拜)|下个礼拜|下周|下个周|下个星期|下星期|下礼拜|这个周|这周|这星期|这礼拜|本周|上周|上个周|上星期)(?P<weekday>[一二三四五六日天])"),
    _form(Rule.WEEKDAY, r"(?<![一两三四五六七八九十每双单几\d下这本上个半])(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])(?![次天个年])"),
    _form(Rule.MONTH_DAY, r"(?:(?P<year>20\d\d) ?年 ?)?(?<!\d)(?P<month>1[0-2]|0?[1-9]) ?月 ?(?P<day>[12]\d|3[01]|0?[1-9]) ?(?:日|号|號)?(?!\d)"),
    _form(Rule.MONTH_DAY, rf"(?P<month>十[一二]|[一二三四五六七八九十])月(?P<day>{_HAN_NUMBER})(?:日|号)"),
    _form(Rule.DAY_OF_MONTH, rf"(?P<which>下个月|下月|这个月|本月) ?(?P<day>\d{{1,2}}|{_HAN_NUMBER}) ?(?:日|号)"),
    _form(Rule.DAY_OF_MONTH, r"(?<![\d月.])(?<!月 )(?P<day>[12]\d|3[01]|[1-9]) ?号(?![线楼机位库店仓表节点码])"),
    _form(Rule.END_OF_MONTH, r"(?:(?P<year>20\d\d) ?年 ?)?(?<!\d)(?P<month>1[0-2]|[1-9]|十[一二]|[一二三四五六七八九十]) ?月(?:底|末)"),
    _form(Rule.START_OF_MONTH, r"(?:(?P<year>20\d\d) ?年 ?)?(?<!\d)(?P<month>1[0-2]|[1-9]|十[一二]|[一二三四五六七八九十]) ?月初"),
    _form(Rule.END, r"(?P<which>下下个|下下|下个|下|这个|本|上个|上)?(?<![\d一二三四五六七八九十 ])(?P<unit>月|季度|年)(?:底|末)"),
    _form(Rule.START, r"(?P<which>下下个|下下|下个|下)(?P<unit>月|季度)初"),
    _form(Rule.WHOLE, r"(?P<which>下下个|下下|下个|下|这个|这|本|上个|上)(?P<unit>周|星期|月)(?![一二三四五六日天\d底末初]|个月)"),
    _form(Rule.FEAST, r"(?P<feast>国庆|元旦|五一|双十一|双11|双十二|(?<!\d)618(?!\d))"),
)  # fmt: skip

_JAPANESE = (
    _form(Rule.OFFSET, r"(?P<word>今日|明後日|明日|あさって|あした|昨日)"),
    _form(Rule.IN_SOME, r"(?P<count>\d{1,2}|[一二三四五六七八九十]) ?(?P<unit>日|週間|ヶ月|か月|カ月)後"),
    _form(Rule.WEEKDAY, r"(?P<week>今週の?|再来週の?|来週の?|先週の?)(?P<weekday>[月火水木金土日])曜?日?"),
    _form(Rule.WEEKDAY, r"(?<!毎週)(?<!週の)(?P<weekday>[月火水木金土日])曜日?"),
    _form(Rule.MONTH_DAY, r"(?:(?P<year>20\d\d) ?年 ?)?(?<!\d)(?P<month>1[0-2]|0?[1-9]) ?月 ?(?P<day>[12]\d|3[01]|0?[1-9]) ?日"),
    _form(Rule.DAY_OF_MONTH, r"(?P<which>来月の?|今月の?) ?(?P<day>\d{1,2}) ?日"),
    _form(Rule.DAY_OF_MONTH, r"(?<![\d月.])(?P<day>[12]\d|3[01]|[1-9]) ?日(?=に|から|まで|以降|が|は)"),
    _form(Rule.END_OF_MONTH, r"(?:(?P<year>20\d\d) ?年 ?)?(?<!\d)(?P<month>1[0-2]|[1-9]) ?月末"),
    _form(Rule.END, r"(?P<which>来|今)?(?<!\d)(?P<unit>月|年)末"),
    _form(Rule.WHOLE, r"(?P<which>再来|来|今|先)(?P<unit>週|月)(?!の?[月火水木金土日\d]|末)"),
)  # fmt: skip

_KANA = re.compile(r"[\u3041-\u30ff]")
_IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")


def for_text(text: str) -> tuple[DateForm, ...]:
    """Return the forms that may occur in a text, by its script."""
    if _KANA.search(text):
        return (*_EVERYWHERE, *_JAPANESE, *_ENGLISH)
    if _IDEOGRAPH.search(text):
        return (*_EVERYWHERE, *_CHINESE, *_ENGLISH)
    return (*_EVERYWHERE, *_ENGLISH, *_GERMAN, *_SPANISH)
