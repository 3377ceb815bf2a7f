"""The words of a topic: what the person said, cleaned up and dated, in the form that each type has.

Owns: names, descriptions, frontmatter, bodies and quotes. Leaves which topics are written to ``drafts`` and ``updates``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from extractord.agent.offline.dates import written_out
from extractord.agent.offline.finding import Finding, Part
from extractord.agent.offline.readings import Kind, Reading
from extractord.agent.offline.sentences import Lang
from extractord.agent.offline.subjects import words_of

DESCRIPTION = 120  # characters
QUOTES = 4  # a topic
NOT_STATED = "not stated"
Evidence = dict[str, str]

_SPACELESS = (Lang.ZH, Lang.JA)


@dataclass(frozen=True, slots=True)
class Words:
    """What a topic is to say."""

    statement: str
    reason: str  # "" if none was given
    apply: str
    description: str


def worded(finding: Finding) -> Words:
    """Return what a finding says, in the person's own words."""
    statement = _joined(finding.rule)
    if finding.accepted:
        statement += f"\nWhat was confirmed: “{_folded(finding.accepted.quote)}”"
    return Words(statement, _joined(finding.reason), _joined(finding.apply) or _default_apply(finding), _shortened(statement))


def _default_apply(finding: Finding) -> str:
    if finding.kind is Kind.PROJECT:
        last = max(finding.days, default=None)
        return f"when planning work; after {last.isoformat()} check whether it still holds." if last else "when planning work."
    return "whenever this comes up in this project."


def body_of(kind: Kind, words: Words) -> str:
    """Return the body of a new topic."""
    if kind in (Kind.USER, Kind.REFERENCE):
        extra = [part for part in (words.reason,) if part]
        return "\n".join([words.statement, *extra]) + "\n"
    return f"{words.statement}\n\n**Why:** {words.reason or NOT_STATED}\n**How to apply:** {words.apply}\n"


def topic_text(kind: Kind, name: str, words: Words) -> str:
    """Return a whole new topic file."""
    head = f"---\nname: {yaml(name)}\ndescription: {yaml(words.description)}\nmetadata:\n  type: {kind.value}\n---\n\n"
    return head + body_of(kind, words)


_PLAIN_YAML = re.compile(r"[A-Za-z\u00c0-\uffff][^:#'\"\[\]{}&*!|>%@`\\]*")


def yaml(text: str) -> str:
    """Return a one-line text as a YAML scalar: as it is where that is safe, else in single quotes."""
    reserved = text.lower() in ("yes", "no", "on", "off", "true", "false", "null", "y", "n", "~")
    return text if _PLAIN_YAML.fullmatch(text) and not reserved and text == text.strip() else "'" + text.replace("'", "''") + "'"


# --- names ------------------------------------------------------------------------------------------------------------


# what is no part of a name: the head of an address, endings, dates
_NO_NAME = re.compile(r"https?://|'[a-z]+|\(\d{4}[^)]*\)")
_NAME = re.compile(r"(?<![A-Za-zÀ-ÿ])[A-Za-z][A-Za-z0-9]*(?![A-Za-zÀ-ÿ])")


def slug_of(finding: Finding) -> str:
    """Return a short name in kebab case: the first words with content, else the day on which it was said."""
    names: list[str] = []
    for word in _NAME.findall(_NO_NAME.sub(" ", _joined(finding.rule))):
        folded = word.lower()
        if (len(folded) > 2 or word.isupper()) and words_of(word) and folded not in names:
            names.append(folded)
    lead = "-".join(names[:4])[:40].strip("-")
    return lead or finding.entry.said[:10]


def file_of(finding: Finding, slug: str, taken: Iterable[str]) -> str:
    """Return a file name that is not taken."""
    stem = f"{finding.kind.value}_{slug.replace('-', '_')}"
    names = {name.casefold() for name in taken}
    number, name = 1, f"{stem}.md"
    while name.casefold() in names:
        number += 1
        name = f"{stem}_{number}.md"
    return name


# --- sentences --------------------------------------------------------------------------------------------------------


def _joined(parts: Iterable[Part]) -> str:
    out = ""
    for part in parts:
        text = cleaned(part)
        if text and text not in out:
            out += ("" if not out or part.reading.sentence.lang in _SPACELESS else " ") + text
    return out


def cleaned(part: Part) -> str:
    """Return a part without what only leads up to it, dated, and closed with a full stop."""
    reading, start = part.reading, part.start
    plain = reading.sentence.plain
    start = _after_lead_in(reading, start, part.end)
    text = _folded(reading.sentence.text[start : part.end]).strip(" ,;:，；：、–—-")
    text = _balanced(text)
    if not text:
        return ""
    text = written_out(text, reading.said.date())
    if start != 0 or plain[:1].isalpha():
        text = _capital(text)
    full_stop = "。" if reading.sentence.lang in _SPACELESS else "."
    return text if text[-1] in ".!?。！？…" else text + full_stop


def _after_lead_in(reading: Reading, start: int, end: int) -> int:
    """Return where a part begins once "ok. btw, please remember this for next time too:" is cut off."""
    plain = reading.sentence.plain
    if match := reading.speech.lead_in.match(plain[start:end]):
        start += match.end()
    colon = re.match(r"[^:，,。]{0,90}(?:[,，][^:，,]{0,30})?:\s*(?=\S)", plain[start:end])
    if colon and end - start - colon.end() > 12 and any(f.search(colon[0]) for f in (*reading.speech.remember, *reading.speech.inform)):
        start += colon.end()
    return start


def _balanced(text: str) -> str:
    for opening, closing in ("()", "（）", "「」", "“”"):
        if text.count(opening) != text.count(closing):
            text = text.strip(opening + closing) if text[:1] == opening or text[-1:] == closing else text
    return text.strip()


def _capital(text: str) -> str:
    word = re.match(r"[a-zäöüáéíóúñ']+(?=[\s,.!?]|$)", text)
    return text[0].upper() + text[1:] if word else text


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _shortened(statement: str) -> str:
    """Return the first sentence or two as a description of one line."""
    line = _folded(statement.split("\n", 1)[0])
    if len(line) <= DESCRIPTION:
        return line.rstrip(".。")
    cut = line[: DESCRIPTION - 1]
    stop = max(cut.rfind(mark) for mark in (". ", "。", "; ", "；", ", ", "，"))
    if stop >= DESCRIPTION // 2:
        return cut[:stop].rstrip(" ,.;。，；")
    return cut.rsplit(" ", 1)[0].rstrip(" ,.;") + "…" if " " in cut[60:] else cut + "…"


# --- evidence ---------------------------------------------------------------------------------------------------------


def evidence_of(finding: Finding) -> list[Evidence]:
    """Return the quotes that bear a finding out, each a piece of its message letter by letter."""
    quotes = [quote_of(reading) for reading in finding.readings[:QUOTES]]
    if finding.accepted:
        accepted = finding.accepted
        quotes.append({"message": accepted.agent.id, "quote": accepted.quote, "accepted_by": accepted.by.id})
    return quotes


def quote_of(reading: Reading) -> Evidence:
    """Return one sentence as evidence; too short a one is quoted with its surroundings, at most the whole message."""
    sentence, whole = reading.sentence, reading.sentence.entry.text
    start, end = sentence.start, sentence.end
    while not _long_enough(whole[start:end]) and (start > 0 or end < len(whole)):
        start, end = _whole_words(whole, max(0, start - 16), min(len(whole), end + 16))
    return {"message": sentence.entry.id, "quote": whole[start:end].strip()}


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a span until it cuts no word in two: a quote is compared word by word."""
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return start, end


def _long_enough(quote: str) -> bool:
    folded = _folded(quote)
    ideographs = len(re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]", folded))
    return len(folded.split()) >= 3 or len(folded) >= 12 or ideographs >= 6


def call_input(path: str, evidence: list[Evidence], **rest: str) -> dict[str, Any]:
    """Return the input of a Write, Edit or Delete."""
    return {"file_path": path, **rest, "evidence": evidence}
