"""Is it known already, or taken back? Comparisons of a topic's statements with CLAUDE.md and with tombstones.

Owns: what counts as the same thing said in other words (a share of folded words). Leaves the consequence to ``checks``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from extractord.memory.facts import CheckLimits
from extractord.memory.manifest import Tombstone
from extractord.memory.passages import Part, Passage, paragraphs
from extractord.memory.words import folded_words, share_of

# Words that any two sentences share; of Chinese and Japanese the pairs that carry grammar only.
_COMMON = frozenset(
    word
    for words in (
        "a an the and or but if of to in on at by for from with as is are was were be been it its this that these those they them we",
        "our us you your i my me he she does do did should shall will would can could may must only all any each every there here",
        "when where what which who how so than then into also has have had always user project",
        "der die das und oder ist sind ein eine immer el la los las un una y o es son siempre de del que",
        "我们 用户 这个 那个 需要 一个 可以 必须 使用 应该",
    )
    for word in words.split()
)
DENIALS = frozenset(
    word
    for words in (
        "not no never dont doesnt wont cant cannot without nicht kein keine nie niemals nunca jamás sin",
        "不要 不能 不得 禁止 不用 别用 しな ない",
    )
    for word in words.split()
)


_LEAST_WORDS = 3  # telling words below which a statement is a title


def already_in(norms: tuple[str, ...], fact: str, limits: CheckLimits) -> str:
    """Return the paragraph of CLAUDE.md or AGENTS.md that says what ``fact`` says, "" if none does."""
    words = telling(fact)
    if len(words) < _LEAST_WORDS:
        return ""
    least = _least_share(words, limits)
    denies = bool(words & DENIALS)
    for said, its in (pair for text in norms for pair in _paragraphs(text)):
        if share_of(words - DENIALS, its) >= least and bool(its & DENIALS) == denies:
            return said  # the same words with "not" would be the opposite
    return ""


def buried(
    tombstones: Iterable[Tombstone], path: str | None, statements: Iterable[str], time: float, limits: CheckLimits
) -> Tombstone | None:
    """Return a tombstone that what is new matches and that is newer than ``time``, the newest evidence; None if there is none.

    ``path`` is that of a new topic (its slug counts then), None for a change of an old one.
    """
    each = [frozenset(folded_words(statement)) for statement in statements]
    together = frozenset().union(*each)
    slug = path.rpartition("/")[2].removesuffix(".md") if path else None
    for stone in tombstones:
        if stone.time <= time:
            continue
        if stone.slug and stone.slug in (slug, path.removesuffix(".md") if path else None):
            return stone
        compared = (together, *each) if path else each
        least = _least_share(frozenset(stone.words), limits)
        if any(share_of(stone.words, words) >= least for words in compared):
            return stone
    return None


def facts_of(added: tuple[Passage, ...]) -> tuple[str, ...]:
    """Return the statements that are facts; titles, reasons and ways of applying go with them."""
    return tuple(passage.text for passage in added if passage.part is Part.STATEMENT)


def _least_share(words: frozenset[str], limits: CheckLimits) -> float:
    """Return the share of words that makes two statements the same: all of them where there are few, which say too little."""
    return limits.overlap if len(words) >= limits.overlap_words else 1.0


def telling(text: str) -> frozenset[str]:
    """Return the words of a text that tell two statements apart."""
    return frozenset(folded_words(text)) - _COMMON


def told(text: str) -> tuple[str, ...]:
    """Return the same in order, and more than once where they stand more than once."""
    return tuple(word for word in folded_words(text) if word not in _COMMON)


@lru_cache(maxsize=64)
def _paragraphs(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((passage.text, frozenset(folded_words(passage.text))) for passage in paragraphs(text))
