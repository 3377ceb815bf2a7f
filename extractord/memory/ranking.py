"""Which topics share words with a question: BM25 over name, description and body, in English and in scripts without spaces.

Owns: the weights, the words that tell nothing, and from when on a likeness is worth a look. Pure, no model, no network. Leaves
what a word is to ``words``, filtering topics to ``recall``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from extractord.memory.manifest import TopicHead
from extractord.memory.words import folded_words

_K1, _B = 1.2, 0.75  # the usual ones of BM25 (Robertson and Zaragoza 2009)
_NAME, _DESCRIPTION = 3, 2  # how often a word of these counts, a word of the body once
_LEAST = 0.4  # of the best score; what is further behind is not clearly meant
_ENOUGH = 2  # words that must agree where the question has more than that
_ENGLISH = """
a an the and or but not no of in on at to for from by with about as into over after before is are was were be been being am do does did
done have has had having can could will would shall should may might must i me my we us our you your he she it its they them their this
that these those there here what which who whom whose when where why how if then else than so such just only also very more most some
any all each every other own same too again now please let lets need want like make get got give go know see say tell use used using
still yet one thing way work new don dont doesnt isnt im ive id hi hello thanks ok yes
"""
_CHINESE = """
我 你 他 她 它 的 了 是 在 和 与 或 吗 呢 吧 啊 把 被 就 都 也 很 请 我们 你们 他们 这个 那个 这些 那些 什么 怎么 为什 么样 怎样 哪里
一个 一下
可以 能不 不能 应该 需要 帮我 现在 然后 还有 已经 没有 是不 不是 如何 请问
"""
_COMMON = frozenset(f"{_ENGLISH} {_CHINESE}".split())
_ENDINGS = ("ings", "ing", "edly", "ed", "ies", "es", "s")


@dataclass(frozen=True, slots=True)
class _Document:
    file: str
    counts: Counter[str]
    name: frozenset[str]  # of the name and the file's

    @property
    def length(self) -> int:
        return self.counts.total()


def rank(query: str, heads: Sequence[TopicHead], most: int) -> tuple[str, ...]:
    """Return the files of the topics that the question is clearly about, the likeliest first; none when unsure."""
    wanted = frozenset(_terms(query))
    documents = [_document(head) for head in heads]
    if not wanted or not documents:
        return ()
    spread = Counter(term for document in documents for term in wanted & document.counts.keys())
    average = sum(document.length for document in documents) / len(documents) or 1.0
    scored = [
        (_score(document, wanted, spread, len(documents), average), document) for document in documents if _is_about(document, wanted)
    ]
    best = max((score for score, _ in scored), default=0.0)
    close = sorted((pair for pair in scored if pair[0] >= _LEAST * best), key=lambda pair: -pair[0])  # stable: newest first among equals
    return tuple(document.file for _, document in close[:most])


def _is_about(document: _Document, wanted: frozenset[str]) -> bool:
    shared = wanted & document.counts.keys()
    return len(shared) >= min(_ENOUGH, len(wanted)) or (bool(shared & document.name) and len(wanted) <= 2 * _ENOUGH)


def _score(document: _Document, wanted: frozenset[str], spread: Counter[str], number: int, average: float) -> float:
    total = 0.0
    for term in wanted & document.counts.keys():
        rarity = math.log(1 + (number - spread[term] + 0.5) / (spread[term] + 0.5))
        often = document.counts[term]
        total += rarity * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * document.length / average))
    return total


def _document(head: TopicHead) -> _Document:
    name = [*_terms(head.name), *_terms(head.file.rpartition("/")[2].removesuffix(".md").replace("_", " "))]
    description = list(_terms(head.description))
    counts = Counter(_terms(head.body))
    for words, weight in ((set(name), _NAME), (set(description), _DESCRIPTION)):
        counts.update(dict.fromkeys(words, weight))
    return _Document(head.file, counts, frozenset(name))


def _terms(text: str) -> Iterable[str]:
    return (_stem(word) for word in folded_words(text) if word not in _COMMON)


def _stem(word: str) -> str:
    """Return an English word without what its forms differ in: tests, tested, testing are one."""
    if not word.isascii() or len(word) < 5:
        return word.removesuffix("s") if word.isascii() and len(word) == 4 and not word.endswith("ss") else word
    ending = next((ending for ending in _ENDINGS if word.endswith(ending)), "")
    if word.endswith("ss") or len(word) - len(ending) < 3:
        return word
    stem = word.removesuffix(ending) if ending else word
    stem = f"{stem}y" if ending == "ies" else stem
    return stem.removesuffix("e") if len(stem) > 4 else stem
