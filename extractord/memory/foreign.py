"""Lines that somebody else wrote: what an extraction may do to them.

Owns: which foreign lines a change removes or replaces, and whether the evidence revokes them. Leaves knowing whose a line is
to the ledger, the consequence to ``checks``.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from extractord.memory.passages import has_words, lines_of
from extractord.memory.words import folded_words

_LEAST_KEPT = 0.2  # share of the foreign words below which a topic counts as written anew
# How people take back what was said before: in so many words, or by saying what holds instead.
_REVOKES = re.compile(
    r"(?i)\b(?:no\s+longer|not\s+(?:\w+\s+){0,2}(?:any\s?more|needed|true|valid|used|current)|any\s?more|forget|drop|remove|delete|throw|discard|scrap|revoke|cancel\w*"
    r"|obsolete|outdated|out\s+of\s+date|stale|deprecated|wrong|incorrect|superseded|unlearn|never\s?mind|nicht\s+mehr|vergiss|streich\w*|lösch\w*|veraltet"
    r"|gilt\s+nicht|ya\s+no|olvid\w*|borr\w*|elimin\w*|obsolet[oa])\b"
    r"|不再|不用了|不需要|作废|过时|废弃|取消|撤销|忘掉|忘了|别再|删掉|删了|删除|去掉|已经不|もう|不要|忘れ|廃止|削除|やめ"
)
_REPLACES = re.compile(
    r"(?i)\b(?:instead|rather|switched|moved|replaced|migrated|gone|over|stopped|stop|shut|ended|changed|retired?|used\s+to|lifted|now|since|turned\s+off|kill|don'?t|not"
    r"|statt(?:dessen)?|jetzt|ab\s+sofort|seit|ahora|en\s+vez|cambi\w+|desde)\b|改成|改为|改用|换成|停用|下线|现在|推迟|提前|延期|変更|今は|ではなく|移行"
)


class ForeignChange(enum.Enum):
    """The gravest thing that a change does to foreign lines."""

    NONE = "none"
    CHANGED = "changed"  # lines with others in their place
    REMOVED = "removed"  # lines with nothing in their place
    OVERWRITTEN = "overwritten"  # next to nothing of them is left


@dataclass(frozen=True, slots=True)
class ForeignLoss:
    """What becomes of foreign lines, and the lines that go without another in their place."""

    change: ForeignChange
    removed: tuple[str, ...] = ()


def foreign_loss(before: str, after: str, foreign: frozenset[str]) -> ForeignLoss:
    """Compare two texts of a topic, line by line. ``foreign`` holds lines of ``before`` without their ends."""
    old, new = lines_of(before), lines_of(after)
    still = frozenset(new)
    gone: list[str] = []
    removed: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        if tag in ("equal", "insert"):
            continue
        theirs = [line for line in old[a:b] if line in foreign and has_words(line) and line not in still]
        gone += theirs
        kept = [line for line in new[c:d] if has_words(line)]
        removed += theirs[len(kept) :] if len(theirs) > len(kept) else []
    if not gone:
        return ForeignLoss(ForeignChange.NONE)
    if _written_anew(old, after, foreign, gone):
        return ForeignLoss(ForeignChange.OVERWRITTEN, tuple(gone))
    return ForeignLoss(ForeignChange.REMOVED, tuple(removed)) if removed else ForeignLoss(ForeignChange.CHANGED)


def is_revoked(lines: Iterable[str], quotes: Iterable[str]) -> bool:
    """Whether what was said takes ``lines`` back: in so many words, or by something else in a sentence that shares a word with them."""
    theirs = {word for line in lines for word in folded_words(line) if len(word) > 1}
    return any(
        _REVOKES.search(quote) or (_REPLACES.search(quote) and len(theirs.intersection(folded_words(quote))) >= 1) for quote in quotes
    )


def _written_anew(old: Iterable[str], after: str, foreign: frozenset[str], gone: list[str]) -> bool:
    theirs = [line for line in old if line in foreign and has_words(line)]
    if len(theirs) < 2 or len(gone) < len(theirs):
        return False
    words = {word for line in theirs for word in folded_words(line)}
    return len(words & set(folded_words(after))) < _LEAST_KEPT * len(words)
