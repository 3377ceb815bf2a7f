"""Globs, resolved here: from a word to the words that a shell would have made of it, inside the allowed roots.

Owns: which entries a pattern means, the order of the results and their number. Leaves whether each may be read to whoever
takes it as a path: a result is judged like a word that was written out. No link is followed below the fixed part of a pattern.
"""

from __future__ import annotations

import os

from extractord.agent.globs import BadPatternError, matcher
from extractord.agent.places import Parts, Places, Root
from extractord.agent.policy import is_plain
from extractord.agent.protocol import Decision
from extractord.agent.search import may_read
from extractord.agent.shell.grammar import CommandRefusedError, Word
from extractord.system.files import O_DIRECTORY, O_NOFOLLOW
from extractord.system.folders import listing, open_beneath

RESULTS = 1_000
_ENTRIES = 50_000


def expand(word: Word, places: Places) -> list[str]:
    """Return what ``word`` stands for: itself if it globs nothing or nothing matches, as a shell does.

    Results are sorted; one that would read as an option gets ``./`` before it. Raises CommandRefusedError where the pattern
    leads out of the roots or means too much.
    """
    if not word.magic:
        return [word.text]
    fixed, patterns = _split(word)
    resolved = places.for_reading(fixed or places.default)
    if (ruling := may_read(resolved)).decision is Decision.DENIED:
        raise CommandRefusedError(f"the glob {word.text}: {ruling.reason}")
    root = places.root_of(resolved.place.area)
    tail = "/" if word.text.endswith("/") else ""
    found = _matches(root, resolved.place.parts, patterns, directories_only=bool(tail))
    joint = "" if not fixed or fixed.endswith("/") else "/"
    return [_unlike_option(f"{fixed}{joint}{'/'.join(parts)}{tail}") for parts in found] or [word.text]


def _unlike_option(text: str) -> str:
    return f"./{text}" if text.startswith("-") else text


def _split(word: Word) -> tuple[str, list[str]]:
    """Return the directory that is written out, and a pattern for each component after it."""
    components: list[tuple[str, bool]] = []
    start = 0
    for end in [*(i for i, char in enumerate(word.text) if char == "/"), len(word.text)]:
        components.append((_pattern(word, start, end), any(start <= place < end for place in word.magic)))
        start = end + 1
    first = next(i for i, (_, magic) in enumerate(components) if magic)
    fixed = "/".join(word.text.split("/")[:first])
    patterns = [pattern for pattern, _ in components[first:] if pattern]
    if ".." in patterns:
        raise CommandRefusedError("a glob with '..' after its first pattern")
    return (fixed or "/" if word.text.startswith("/") else fixed), patterns


def _pattern(word: Word, start: int, end: int) -> str:
    """Return a component in the pattern language of ``globs``, where what was quoted stands for itself."""
    return "".join(
        f"[{char}]" if char in "*?[{" and place not in word.magic else char for place, char in enumerate(word.text[start:end], start)
    )


def _matches(root: Root, start: Parts, patterns: list[str], *, directories_only: bool) -> list[Parts]:
    found: list[Parts] = [()]
    for place, pattern in enumerate(patterns):
        try:
            wanted = matcher(pattern)
        except BadPatternError:
            raise CommandRefusedError("a glob that cannot be read") from None
        deeper = directories_only or place < len(patterns) - 1
        dotted = pattern.startswith(".")
        found = [
            (*here, name)
            for here in found
            for name in _names(root, (*start, *here), directories_only=deeper)
            if (dotted or not name.startswith(".")) and wanted(name)
        ]
        if len(found) > RESULTS:
            raise CommandRefusedError(f"a glob that means more than {RESULTS} files: narrow it, or use Glob")
    return sorted(found)


def _names(root: Root, parts: Parts, *, directories_only: bool) -> list[str]:
    """Return the names in a directory, none where there is no directory; never through a link."""
    if root.fd is None:
        return []
    try:
        fd = open_beneath(root.fd, "/".join(parts) or ".", os.O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    except OSError:
        return []
    try:
        with listing(fd) as entries:
            found = zip(range(_ENTRIES), entries, strict=False)
            return [e.name for _, e in found if is_plain(e.name) and (not directories_only or e.is_dir(follow_symlinks=False))]
    finally:
        os.close(fd)
