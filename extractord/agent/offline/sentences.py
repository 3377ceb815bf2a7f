"""Sentences as a person typed them, without what was only pasted.

Owns: leaving out code, logs, tickets, mail and quotations, the cut into sentences, and the language of each. Every sentence is
a piece of its message, letter by letter, so that it can be quoted. Leaves what a sentence says to ``findings``.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from extractord.agent.offline.date_forms import lowered
from extractord.agent.offline.pasted_forms import (
    ANNOUNCEMENT,
    CHAT_LINE,
    FENCE,
    HANDED_OVER,
    HANDED_OVER_BELOW,
    LONG_QUOTE,
    MAIL_HEAD,
    PASTED_LINE,
)
from extractord.transcript.digest import Entry

LONGEST = 700  # characters of a sentence that are looked at; what is longer was hardly typed
MASK = "\u00a4"  # stands for each character of a quotation where forms are looked for


class Lang(enum.Enum):
    EN = "en"
    ZH = "zh"
    DE = "de"
    ES = "es"
    JA = "ja"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a typed message."""

    entry: Entry
    position: int  # of the entry in the digest
    start: int  # in the entry's text
    end: int
    text: str  # the entry's text from start to end
    plain: str  # the same in lower case, typographic apostrophes straightened, quotations masked: as long as ``text``
    lang: Lang
    paragraph: int

    @property
    def quotes(self) -> bool:
        """Whether it holds a quotation of some length."""
        return MASK in self.plain


def sentences_of(entry: Entry, position: int, lang: Lang) -> tuple[Sentence, ...]:
    """Return the sentences that the person wrote themselves in one message."""
    text = entry.text
    masked = _masked(lowered(text).translate(_STRAIGHT))
    found: list[Sentence] = []
    for paragraph, start, end in _typed_lines(text):
        for first, last in _cut(masked, start, end):
            if last - first <= LONGEST:
                found.append(Sentence(entry, position, first, last, text[first:last], masked[first:last], lang, paragraph))
    return tuple(found)


_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "`": " ", "＃": "#", "：": ":"})

# --- language ---------------------------------------------------------------------------------------------------------

_KANA = re.compile(r"[\u3041-\u30ff]")
_IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_MARKERS = {
    Lang.EN: (
        "the a an is are was it this that and or of to for with we you i my our not don't do does can will have has on "
        "at from by be please when if so but never always no in here use"
    ),
    Lang.DE: (
        "der die das den dem ein eine einen und oder nicht ist sind ich wir du bitte mit auf für von zu zum zur im kein "
        "keine immer nie niemals aber auch noch wenn dass hab habe kenn mach hör ab bin seit bei am mal dir mir uns "
        "alle nur vom wird werden darf bis nimm gilt in"
    ),
    Lang.ES: (
        "el la los las un una y o de del que no en por para con es son se lo al siempre nunca pero más como está soy mi "
        "te su hagas pongas vengo hay nada sin desde ya yo"
    ),
}
_WORDS = {
    word: frozenset(lang for lang, words in _MARKERS.items() if word in words.split())
    for words in _MARKERS.values()
    for word in words.split()
}


def language_of(text: str, fallback: Lang = Lang.EN) -> Lang:
    """Return the language a message is written in, by script and function words."""
    sample = text[:4000]
    letters = len(_LETTER.findall(sample)) or 1
    if len(_KANA.findall(sample)) >= 2:
        return Lang.JA
    if len(_IDEOGRAPH.findall(sample)) * 8 >= letters:
        return Lang.ZH
    counts = dict.fromkeys(_MARKERS, 0)
    for word in re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", lowered(sample).translate(_STRAIGHT)):
        for lang in _WORDS.get(word, ()):
            counts[lang] += 1
    best = max(counts.values())
    leading = [lang for lang, count in counts.items() if count == best]
    if not best or len(leading) == len(counts):
        return fallback
    return fallback if fallback in leading else leading[0]


# --- what was pasted --------------------------------------------------------------------------------------------------


def _typed_lines(text: str) -> list[tuple[int, int, int]]:
    """Return (paragraph, start, end) of the runs of lines that were typed; wrapped lines are one run."""
    runs: list[tuple[int, int, int]] = []
    fenced, paragraph, position = False, 0, 0
    for line in text.split("\n"):
        start, end = position, position + len(line)
        position = end + 1
        if FENCE.match(line):
            fenced = not fenced
        if not line.strip():
            paragraph += 1
        if fenced or not line.strip() or FENCE.match(line) or (PASTED_LINE.match(line) and not _IDEOGRAPH.search(line)):
            continue
        if CHAT_LINE.match(line):
            continue
        if MAIL_HEAD.match(line):
            break
        if handed := HANDED_OVER.match(line):
            runs.append((paragraph, start, start + handed.end()))
            break
        if runs and runs[-1][0] == paragraph and runs[-1][2] == start - 1 and _goes_on(text[runs[-1][1] : runs[-1][2]], line):
            runs[-1] = (paragraph, runs[-1][1], end)
        else:
            runs.append((paragraph, start, end))
        if ANNOUNCEMENT.search(line) or (HANDED_OVER_BELOW.match(line) and re.match(r"\n[ \t\r]*\n", text[end:])):
            break  # all that follows is somebody else's
    return runs


def _goes_on(before: str, line: str) -> bool:
    """Return whether ``line`` is the rest of a long line that was wrapped."""
    last = before.rsplit("\n", 1)[-1].rstrip()
    return len(last) > 60 and last[-1:] not in ".!?。！？:;" and line[:1].islower()


def _masked(plain: str) -> str:
    """Return the text with each quotation of a sentence (not a name in quotes) blotted out."""
    return LONG_QUOTE.sub(lambda match: MASK * len(match[0]), plain)


# --- the cut ----------------------------------------------------------------------------------------------------------

_BOUNDARY = re.compile(r"[。！？；…]+[”」』\")）]*|[!?]+[”」』\")）]*(?![A-Za-z0-9/=&#._-])|\.+[\")”]*(?=\s|$)|(?:;|\s--?|\s[—–])(?=\s)|\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|no|nr|ca|bzw|z\.b|d\.h|u\.a|dr|mr|mrs|p\.ej|cf|incl|resp|max|min)|(?<![\w'])[a-z])$"
)
_ORDINAL = re.compile(r"(?<![\w.])\d{1,2}\.\s?(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b")


def _cut(plain: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of the sentences between two places of a text."""
    spans, first = [], start
    for match in _BOUNDARY.finditer(plain, start, end):
        mark = match[0]
        if (
            mark.startswith(".")
            and match.end() < end
            and (_is_inside(plain, first, match.start()) or _numbers(plain, first, match.start()))
        ):
            continue
        stop = match.start() if mark[0] in "\n;—–-" or mark.isspace() or mark.lstrip()[:1] in "-—–" else match.end()
        spans.append((first, stop))
        first = match.end()
    spans.append((first, end))
    trimmed = (_trim(plain, a, b) for a, b in spans)
    return [(a, b) for a, b in trimmed if b > a]


def _is_inside(plain: str, first: int, dot: int) -> bool:
    """Whether the full stop at ``dot`` closes an abbreviation or an ordinal, not a sentence."""
    before = max(first, dot - 8)
    return _ABBREVIATION.search(plain[before:dot]) is not None or any(
        m.start() < dot < m.end() for m in _ORDINAL.finditer(plain, before, dot + 12)
    )


def _numbers(plain: str, first: int, dot: int) -> bool:
    """Whether the full stop at ``dot`` belongs to the number that opens a line of a list."""
    return plain[max(0, first - 1) : first] in ("", "\n") and re.fullmatch(r"\s*\d{1,2}", plain[first:dot]) is not None


_NUMBER = re.compile(r"\s*\d{1,2}[.)]\s+(?=\S)")


def _trim(plain: str, start: int, end: int) -> tuple[int, int]:
    if start == 0 or plain[start - 1] == "\n":
        number = _NUMBER.match(plain, start, end)
        start = number.end() if number else start
    while start < end and (plain[start].isspace() or (plain[start] in '*•-–—)”"' and plain[start] != MASK)):
        start += 1
    while end > start and plain[end - 1].isspace():
        end -= 1
    return start, end
