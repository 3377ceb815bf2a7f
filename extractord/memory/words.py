"""The words of a text, folded so that two ways of writing the same thing are equal.

Owns: what counts as a word, and how much of one text another holds. Leaves what follows from that (tombstones, CLAUDE.md
overlap, near duplicates) to ``checks`` and the ledger.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# Written without spaces between words: Han, kana, Hangul (particles stick to the word there), Thai, Lao, Khmer, Myanmar.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_RUN = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}_])[\w\u0300-\u036f])+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_INSIDE_WORDS = re.compile("['\u2019\u02bc\u200b-\u200d\u2060\ufeff\u00ad]")


def folded_words(text: str) -> tuple[str, ...]:
    """Return the words of ``text`` in order, case and width folded (NFKC), without punctuation, markup and underscores.

    Text of scripts that put no spaces between words is cut into overlapping pairs of characters, a lone character is a word:
    "注释一律" gives 注释, 释一, 一律. "Don't" and "dont" are the same word; "no-mocked-db" is three.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words: list[str] = []
    for found in _RUN.finditer(_INSIDE_WORDS.sub("", folded)):
        run = found.group()
        if len(run) > 1 and _IS_UNSPACED.match(run):
            words += (run[at : at + 2] for at in range(len(run) - 1))
        else:
            words.append(run)
    return tuple(words)


def share_of(words: Iterable[str], others: Iterable[str]) -> float:
    """Return how many of the different ``words`` are among ``others``: 0.0 to 1.0, and 0.0 where there are no words."""
    wanted = frozenset(words)
    return len(wanted.intersection(others)) / len(wanted) if wanted else 0.0
