"""A topic's text in the pieces that the checks compare: lines, passages, words.

Owns: how a text is cut, what of it is new in another, and whether two say the same words. Leaves what follows to the checks.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from extractord.memory.topics import Topic, parse, split

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u3000-\u303f\uff00-\uff0f"
_WRAPPED = re.compile(rf"(?<=[{_UNSPACED}])\s+(?=[{_UNSPACED}])")  # a line broken between two such characters joins without a space
_STAMPS = re.compile(r"(?m)^[ \t]*(?:modified|originSessionId|node_type|metadata)[ \t]*:.*$")
_ITEM = re.compile(r"\s*(?:[-*+]\s|\d{1,3}[.)]\s|#{1,6}\s|\|)|\s*\*\*[^*\n]{1,40}[:：]?\*\*\s*[:：]?")
_EDGES = "\"'*_`“”‘’«»「」『』()[]{}<>,.;:!?，。；：！？、…"
_LABEL = r"(?im)^\s*(?:[-*+>]\s*)?[*_#\s]*(?:{})\s*[*_]*\s*[:：]"
_WHY = re.compile(
    _LABEL.format(
        "why|reason|rationale|because|原因|理由|为什么|為什麼|为何|warum|grund|begründung|motivo|razón|por\\s?qu[ée]|pourquoi|なぜ|背景"
    )
)
_HOW = re.compile(
    _LABEL.format(
        "how to apply|how|apply|applies|when|如何应用|怎么应用|怎么用|如何使用|适用|应用|用法|做法"
        "|anwendung|wie anwenden|wann|gilt(?: für)?|c[óo]mo aplicar(?:lo)?|aplicaci[óo]n|cu[áa]ndo|適用方法?|適用|使い方|いつ"
    )
)


NOT_STATED = "not stated"


class Part(enum.Enum):
    """What a passage is to its topic."""

    TITLE = "title"  # name or description
    STATEMENT = "statement"
    REASON = "reason"  # the Why or How line of a rule


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, list item or header line: what is read as one statement."""

    text: str  # on one line
    part: Part = Part.STATEMENT


def reason_in(passage: Passage) -> str:
    """Return what a passage says behind a Why label, "" if it has none, or nothing is stated."""
    return _behind(_WHY, passage)


def application_in(passage: Passage) -> str:
    """Return what a passage says behind a How label, as ``reason_in``."""
    return _behind(_HOW, passage)


def _behind(label: re.Pattern[str], passage: Passage) -> str:
    found = label.match(passage.text)
    said = passage.text[found.end() :].lstrip("*_ ").strip() if found else ""
    return "" if said.lower().rstrip(".") == NOT_STATED else said


def lines_of(text: str) -> tuple[str, ...]:
    """Return the lines of a text without their ends, as foreign lines are kept."""
    return tuple(line.removesuffix("\r") for line in text.split("\n"))


def has_words(line: str) -> bool:
    """Whether a line says anything."""
    return any(c.isalnum() for c in line)


def words_said(text: str | None) -> tuple[str, ...]:
    """Return the words of a topic in order, as written, without markup and without the stamps in its header.

    Two texts with equal words differ in wrapping, markup and punctuation only.
    """
    if text is None:
        return ()
    parts = split(text)
    said = _STAMPS.sub("", parts.header) + "\n" + parts.body if parts else text
    words = (word.strip(_EDGES) for word in _WRAPPED.sub("", said).split())
    return tuple(word for word in words if has_words(word))


def is_subsequence(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether all of ``words`` stand in ``others`` in the same order: others only adds."""
    rest = iter(others)
    return all(word in rest for word in words)


def passages(text: str | None) -> tuple[Passage, ...]:
    """Return the statements of a topic: name, description, then its paragraphs and list items."""
    if text is None:
        return ()
    topic = parse(text)
    head = (Passage(value, Part.TITLE) for value in (topic.name, topic.description) if value)
    return (*head, *paragraphs(topic.body))


def paragraphs(text: str) -> tuple[Passage, ...]:
    """Return the paragraphs, list items, headings and labelled lines of a Markdown text."""
    found: list[list[str]] = [[]]
    for line in lines_of(text):
        if not line.strip():
            found.append([])
        elif _ITEM.match(line):
            found.append([line])
        else:
            found[-1].append(line)
    joined = (_WRAPPED.sub("", " ".join(" ".join(lines).split())) for lines in found if lines)
    return tuple(Passage(one, Part.REASON if _WHY.match(one) or _HOW.match(one) else Part.STATEMENT) for one in joined if has_words(one))


def added_passages(before: str | None, after: str | None) -> tuple[Passage, ...]:
    """Return the statements of ``after`` that ``before`` does not have word for word."""
    known = {passage.text for passage in passages(before)}
    return tuple(passage for passage in passages(after) if passage.text not in known)


def missing_labels(topic: Topic) -> tuple[str, ...]:
    """Return which of the lines of a rule, ``**Why:**`` and ``**How to apply:**``, the topic lacks (in any language we know)."""
    lacking = (("**Why:**", _WHY), ("**How to apply:**", _HOW))
    return tuple(label for label, pattern in lacking if not pattern.search(topic.body))
