"""Tombstones for what was taken out of a topic.

Owns: the pure comparison of what stood there with what stands there now. Leaves keeping tombstones to the ledger, matching
against them to ``checks``.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from extractord.memory.manifest import Tombstone
from extractord.memory.topics import parse
from extractord.memory.words import folded_words

LINE_WORDS = 3  # a removed line of fewer words says too little to be recognised again


def removed(path: str, before: str, today: str | None, now: float) -> tuple[Tombstone, ...]:
    """Return tombstones for what stood in ``before`` and stands no more in ``today`` (None: the topic is gone)."""
    old = parse(before)
    if today is None:
        return (Tombstone(PurePosixPath(path).stem, folded_words(f"{old.name} {old.body}"), now),)
    left = {line.strip() for line in today.splitlines()}
    words = [folded_words(line) for line in old.body.splitlines() if line.strip() and line.strip() not in left]
    return tuple(Tombstone("", folded, now) for folded in words if len(folded) >= LINE_WORDS)
