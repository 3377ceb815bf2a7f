"""Globs on a project's root.

Owns: their grammar. ``*`` and ``?`` stay within a folder's name, ``**`` does not; ``~/`` is the home; a glob that begins with neither
``/`` nor ``~/`` may stand anywhere on the way. A folder that matches does so with all that lies below it.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from pathlib import Path, PurePosixPath

from extractord.system.paths import native, slashed

_MAGIC = re.compile(r"[*?\[]")
_ANY_FOLDERS, _ANYTHING, _WITHIN, _ONE = r"(?:[^/]+/)*", ".*", "[^/]*", "[^/]"


def matches(pattern: str, root: str, home: Path) -> bool:
    """Whether ``root`` or a folder it lies in matches ``pattern``."""
    path = PurePosixPath(unicodedata.normalize("NFC", slashed(root)))
    return any(_regex(glob).fullmatch(str(place)) for glob in _forms(pattern, home) for place in (path, *path.parents))


def escape(root: str) -> str:
    """Return the glob that matches ``root`` alone (with what lies below it)."""
    return _MAGIC.sub(lambda found: f"[{found[0]}]", slashed(root))


def _forms(pattern: str, home: Path) -> set[str]:
    """Return the glob with ``~`` put in, and the same with links in its plain beginning resolved: roots are real paths."""
    pattern = slashed(pattern)
    if pattern == "~" or pattern.startswith("~/"):
        pattern = f"{escape(str(home))}{pattern[1:]}"
    elif not pattern.startswith("/"):
        pattern = f"/**/{pattern}"
    pattern = pattern.rstrip("/") or "/"
    parts = pattern.split("/")
    plain = next((place for place, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
    forms = {pattern}
    if pattern.startswith("/") and plain > 1:
        try:
            beginning = slashed(str(Path(native("/".join(parts[:plain]))).resolve()))
        except (OSError, RuntimeError, ValueError):  # a loop or no path: the glob as written is all there is
            beginning = "/".join(parts[:plain])
        forms.add("/".join([escape(beginning), *parts[plain:]]))
    return {unicodedata.normalize("NFC", form) for form in forms}


@functools.lru_cache(maxsize=512)
def _regex(pattern: str) -> re.Pattern[str]:
    out, place = "", 0
    while place < len(pattern):
        piece, place = _piece(pattern, place)
        out += piece
    return re.compile(out, re.DOTALL)


def _piece(pattern: str, place: int) -> tuple[str, int]:
    """Return the expression for what stands at ``place``, and where to go on."""
    rest = pattern[place:]
    if rest.startswith("**/"):
        return _ANY_FOLDERS, place + 3
    if rest.startswith("**"):
        return _ANYTHING, place + 2
    if found := re.match(r"\[([!^]?)(\]?[^\]]*)\]", rest):
        negated = "^/" if found[1] else ""  # a negated set matches no slash
        return f"[{negated}{_set_members(found[2])}]", place + found.end()
    character = rest[0]
    return {"*": _WITHIN, "?": _ONE}.get(character, re.escape(character)), place + 1


def _set_members(members: str) -> str:
    """Return the members of a set for ``re``: ranges stay, everything else loses its meaning."""
    return re.sub(r"([\\\]\[^&~|])", r"\\\1", members)
