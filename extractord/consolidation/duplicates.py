"""Topics that say the same: letter by letter, or but for words that tell nothing.

Owns: when two topics are one, and which of them stays. Pure; linear in the topics but for those that share rare words. Leaves
contradictions to models: two topics that differ in a word that tells something are two.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from extractord.consolidation.changes import Cited
from extractord.consolidation.drafts import Drafts
from extractord.consolidation.marks import without_mark
from extractord.consolidation.material import Item
from extractord.memory.overlap import DENIALS, told
from extractord.memory.passages import NOT_STATED, Part, is_subsequence, paragraphs, reason_in
from extractord.memory.words import share_of

SAME = 0.85  # share of the longer statement's words that the shorter one has, in the same order
LEAST_WORDS = 3
REASON = 0.8  # share of a reason's words that the topic that stays must have


@dataclass(frozen=True, slots=True)
class _Said:
    """What a topic says, for comparison."""

    item: Item
    words: tuple[str, ...]  # of its statements, in order, without those that tell nothing
    reasons: tuple[str, ...]

    @classmethod
    def of(cls, item: Item) -> _Said:
        passages = paragraphs(without_mark(item.topic.body))
        statements = " ".join(passage.text for passage in passages if passage.part is Part.STATEMENT)
        return cls(item, told(statements), tuple(filter(None, map(reason_in, passages))))


def merge_duplicates(drafts: Drafts) -> None:
    """Let of each group of topics that say the same one stay, with the reasons of all."""
    said = [one for item in drafts.items.values() if len((one := _Said.of(item)).words) >= LEAST_WORDS]
    for group in _groups(said):
        kept = max(group, key=_rank)
        for other in sorted((one for one in group if one is not kept), key=lambda one: one.item.file):
            _merge(drafts, kept, other)


def _merge(drafts: Drafts, kept: _Said, other: _Said) -> None:
    item = drafts.items[kept.item.file]
    missing = [reason for reason in other.reasons if share_of(told(reason), told(item.text)) < REASON]
    text = item.text
    for reason in missing:
        text = _with_reason(text, reason)
    if missing and text == item.text:
        return  # both have reasons of their own: they stay two topics
    if missing or other.item.time > item.time:
        quote = missing[0] if missing else _quote(other)
        drafts.put(item.file, text, other.item.time, f"says the same as {other.item.file}", (Cited(other.item.file, quote),))
    drafts.drop(other.item.file, f"says the same as {item.file}", (Cited(item.file, _quote(kept)),))


def _with_reason(text: str, reason: str) -> str:
    return text.replace(f"**Why:** {NOT_STATED}", f"**Why:** {reason}", 1)


def _quote(said: _Said) -> str:
    return next((passage.text for passage in paragraphs(said.item.topic.body)), said.item.topic.description)


def _rank(said: _Said) -> tuple[int, bool, float, int, str]:
    """Order topics by how much they say; then a person's stays, then the newest."""
    return len(said.words), bool(said.item.theirs), said.item.time, len(said.item.text), said.item.file


def _groups(said: Sequence[_Said]) -> Iterator[list[_Said]]:
    """Yield groups of two and more that say the same as their longest member."""
    taken: set[str] = set()
    near = _candidates(said)
    for one in sorted(said, key=lambda one: (-len(one.words), one.item.file)):
        if one.item.file in taken:
            continue
        group = [one, *(other for other in near[one.item.file] if other.item.file not in taken and _same(one, other))]
        if len(group) > 1:
            taken.update(member.item.file for member in group)
            yield group


def _same(longer: _Said, shorter: _Said) -> bool:
    """Whether the shorter statement is the longer one but for a few words, none of which turns it round."""
    if longer.item.topic.type != shorter.item.topic.type or len(shorter.words) < SAME * len(longer.words):
        return False
    extra = Counter(longer.words) - Counter(shorter.words)
    if any(word in DENIALS or any(c.isdigit() for c in word) for word in extra):
        return False
    return is_subsequence(shorter.words, longer.words)


def _candidates(said: Sequence[_Said]) -> Mapping[str, list[_Said]]:
    """Return for each topic those no longer than it that can say the same: they share one of its rarest words.

    Of n different words at least ``SAME`` · n have to be the same, so one of the n - ⌈SAME · n⌉ + 1 rarest is.
    """
    common = Counter(word for one in said for word in frozenset(one.words))
    holders: dict[str, list[_Said]] = defaultdict(list)
    for one in said:
        for word in frozenset(one.words):
            holders[word].append(one)
    found: dict[str, list[_Said]] = {}
    for one in said:
        found[one.item.file] = [*_sharing(one, _rarest(one.words, common), holders)]
    return found


def _sharing(one: _Said, rarest: Iterable[str], holders: Mapping[str, list[_Said]]) -> Iterator[_Said]:
    seen = {one.item.file}
    for word in rarest:
        for other in holders[word]:
            if other.item.file not in seen and len(other.words) <= len(one.words):
                seen.add(other.item.file)
                yield other


def _rarest(words: Iterable[str], common: Counter[str]) -> tuple[str, ...]:
    ordered = sorted(frozenset(words), key=lambda word: (common[word], word))
    return tuple(ordered[: len(ordered) - math.ceil(SAME * len(ordered)) + 1])
