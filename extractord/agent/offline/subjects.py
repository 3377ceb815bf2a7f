"""What a text is about, as a set of folded words, and how much two texts share.

Owns: the folding of words (case, endings, function words; pairs of characters for Chinese and Japanese) and the figures that
decide whether two texts have the same subject. Leaves to ``updates`` and ``drafts`` what follows from it.
"""

from __future__ import annotations

import re
from functools import lru_cache

Words = frozenset[str]

_STOP = frozenset(
    re.findall(
        r"\S+",
        """
        a an the and or but so if then than that this these those it its it's i i'm i've me my mine we our us you your
        yours he she they them their is are was were be been being am do does did done don't doesn't didn't  dont have
        has had will would can could should shall may might must not no nor never always ever only just also too very
        really please pls ok okay yes yeah of in on at to for from by with without into onto out over under  up down off
        as about after before when where while until since because which who what how why there here all any each every
        some such same other another more most much many few one two use used using get gets got make  makes made go
        goes going keep let like want need now still again back new old good right thing things stuff way time times
        first next last btw hey oh well hm lot bit already instead rather remember note that's thats  don isn't aren't
        can't won't i'd i'll we're we've you're they're let's per via etc say says said mean means yet even maybe both
        either own know sure set put take give show see look run work works set  something everything anything nothing everywhere anywhere
        u ur im ive youre theyre thats lets didnt doesnt isnt arent wasnt wont cant pls plz
        someone everyone nobody anyone people today tomorrow rule  der die das den dem des ein eine einen einem einer
        und oder aber nicht kein keine ist sind war bin hab habe haben hat ich du er sie es wir ihr mir mich uns dich
        bitte mit auf für von zu zum zur im in am an bei aus als auch  nur noch schon mal immer nie wenn dass damit weil
        da so wie was wo hier jetzt dann bis ab um sich mach macht machen gibt wird werden wurde soll muss darf alle
        alles mehr sehr ja nein merk dir  el la los las un una unos unas y o de del al que no en por para con sin es son
        era está están se lo le les me te su sus mi mis tu más muy ya pero como si siempre nunca también esto eso este
        esta ese esa hay ser estar haz  usa hacer todo todos ahora
        """,
    )
)
_WORD = re.compile(r"[^\W_\u3040-\u30ff\u4e00-\u9fff](?:[\w.+#'/-]*[^\W\u3040-\u30ff\u4e00-\u9fff])?")
_JOINT = re.compile(r"[-/._#]+")
_HAN = re.compile(r"[\u4e00-\u9fff]+|[\u30a0-\u30ff]{2,}")
# characters that say how, not what; they also end a run from which pairs are taken
_EMPTY = re.compile(
    r"以后|今后|之后|以前|之前|上次|下次|每次|这次|必须|一律|可以|但是|因为|所以|如果|什么|怎么|怎样|而且|"
    r"[的了是在不要都和就也还有我你他她它这那个们别用把给从到去来说请会没很再先让被跟与及或但而且做写放改对于里着过吧吗呢啊哦嗯]"
)


@lru_cache(maxsize=4096)
def words_of(text: str) -> Words:
    """Return the folded content words of a text."""
    lowered = text.lower().replace("’", "'")
    found: set[str] = set()
    for match in _WORD.finditer(lowered):
        whole = match[0].strip(".'-/").removesuffix("'s")
        parts = [whole] if whole.isalnum() else [whole, *_JOINT.split(whole)]
        for part in parts:
            if part and part not in _STOP and (len(part) > 2 or any(c.isdigit() for c in part) or (len(part) == 2 and part.isascii())):
                found.add(_stem(part))
    for run in _HAN.findall(lowered):
        if run[0] >= "\u4e00":
            for piece in _EMPTY.split(run):
                found.update(piece[i : i + 2] for i in range(len(piece) - 1))
        else:
            found.add(run)
    return frozenset(found)


def _stem(word: str) -> str:
    """Return a word without the commonest endings, so that backfill and backfills meet."""
    if not word.isalpha() or len(word) < 5:
        return word[:-1] if len(word) == 4 and word.endswith("s") and word[-2] not in "su" else word
    for ending, rest in (("ies", "y"), ("ings", ""), ("ing", ""), ("ated", "at"), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            stem = word[: len(word) - len(ending)] + rest
            return stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] and ending in ("ing", "ed") else stem.rstrip("e")
    return word.rstrip("e")


def share(inner: Words, outer: Words) -> float:
    """Return the share of the words of ``inner`` that stand in ``outer`` too."""
    return len(inner & outer) / len(inner) if inner else 0.0


def kinship(one: Words, other: Words) -> float:
    """Return how much two texts are about the same: the common words by the smaller of the two."""
    least = min(len(one), len(other))
    return len(one & other) / least if least else 0.0
