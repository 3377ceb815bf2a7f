"""Which topics a question calls for: filtered, chosen by whoever can, never more than five.

Owns: what is left out beforehand (already shown, documentation of tools in use), the bounds, and that nothing but what was offered
comes back. Pure but for the ``choose`` it is given. Leaves choosing by words to ``ranking``, by a model to ``agent.choosing``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from extractord.memory.manifest import TopicHead
from extractord.memory.ranking import rank
from extractord.memory.words import folded_words

MOST = 5  # MEMORY-RULES §7
HEADERS = 200  # that a model is shown, newest first (MEMORY-RULES §7); words are looked for in all
Choose = Callable[[str, tuple[TopicHead, ...]], Iterable[str]]
"""Given the question and the manifest, newest first, says which files it clearly needs, the most useful first."""

_DOCUMENTATION = re.compile(
    r"\b(?:docs?|documentation|reference|manual|guide|usage|how[ -]to|api|parameters?|arguments?|options|flags|syntax|commands?|"
    r"cheat ?sheet|examples?|schema)\b|文档|手册|用法|指南|参考|参数|命令|示例|接口",
    re.IGNORECASE,
)
_WARNING = re.compile(
    r"\b(?:warn\w*|gotchas?|known[ -](?:issues?|bugs?|problems?|limit\w*)|pitfalls?|caveats?|beware|careful\w*|caution|never|don'?t|do not|"
    r"avoid\w*|breaks?|broken|bugs?|fails?|failures?|workarounds?|quirks?|traps?|dangerous)\b|警告|注意|陷阱|已知|问题|坑|小心|不要|避免|故障",
    re.IGNORECASE,
)


def recall(query: str, heads: Iterable[TopicHead], choose: Choose) -> tuple[TopicHead, ...]:
    """Return the topics that ``choose`` finds, at most five, in its order. Nobody is asked where there is nothing to choose from."""
    offered = {head.file: head for head in sorted(heads, key=lambda head: -head.time)}
    if not offered or not query.strip():
        return ()
    chosen = dict.fromkeys(file for file in choose(query, tuple(offered.values())) if file in offered)
    return tuple(offered[file] for file in chosen)[:MOST]


def by_words(query: str, manifest: tuple[TopicHead, ...]) -> tuple[str, ...]:
    """Choose without a model."""
    return rank(query, manifest, MOST)


def worth_offering(heads: Iterable[TopicHead], surfaced: Collection[str], tools: Collection[str]) -> tuple[TopicHead, ...]:
    """Return the topics that a session may still need: not those it has seen, nor documentation of tools that it is using."""
    seen = frozenset(surfaced)
    names = [words for tool in tools for words in _names_of(tool)]
    return tuple(head for head in heads if head.file not in seen and not _documents_one_of(names, head))


def _documents_one_of(tools: list[frozenset[str]], head: TopicHead) -> bool:
    said = f"{head.name} {head.description}"
    about = frozenset(folded_words(f"{said} {head.file}"))
    if head.type not in ("reference", "") or not any(words <= about for words in tools):
        return False
    return bool(_DOCUMENTATION.search(said)) and not _WARNING.search(said)


def _names_of(tool: str) -> list[frozenset[str]]:
    """Return the names under which a topic may speak of a tool: as a whole, and server or tool alone for ``mcp__server__tool``."""
    parts = [tool, *tool.split("__")[1:]] if tool.startswith("mcp__") else [tool]
    return [words for part in parts if (words := frozenset(folded_words(part)))]
