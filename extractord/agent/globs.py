"""File patterns: from ``**/*.py`` to an expression that matches relative paths in linear time.

Owns: the pattern language (``*``, ``?``, ``[…]``, ``{a,b}``, ``**`` across directories) and where a pattern's fixed part ends.
Leaves walking to ``places``. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import re2

_MAGIC = frozenset("*?[{")


class BadPatternError(ValueError):
    """A pattern cannot be used; the text says why."""


def expression(pattern: str) -> re2._Regexp:
    """Return ``pattern`` (of a model's own making) compiled by RE2, for bytes. Raises BadPatternError."""
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        return re2.compile(pattern.encode(), options)
    except re2.error as error:
        said = error.args[0] if error.args else b""
        raise BadPatternError(said.decode(errors="replace") if isinstance(said, bytes) else str(said)) from None


def split_fixed(pattern: str) -> tuple[str, str]:
    """Return the directory that a pattern names outright ("" if none) and the rest, which holds at least one component."""
    parts = pattern.split("/")
    fixed = 0
    while fixed < len(parts) - 1 and not _MAGIC & set(parts[fixed]):
        fixed += 1
    directory = "/".join(parts[:fixed])
    return (directory or "/" if pattern.startswith("/") else directory), "/".join(parts[fixed:])


def climbs(pattern: str) -> bool:
    """Return whether ``pattern`` has a ``..`` component, also one among the choices of braces."""
    return ".." in re.split(r"[/{},]", pattern)


def matcher(pattern: str) -> Callable[[str], bool]:
    """Return the test whether a relative path is meant by ``pattern``. Raises BadPatternError."""
    wanted = expression(_translate(pattern))
    return lambda path: wanted.fullmatch(path.encode()) is not None


def chooser(glob: str) -> Callable[[str], bool]:
    """Return the test for a search's ``glob``: without a slash it is about the name alone, with ``!`` before it about the rest."""
    wanted = glob.removeprefix("!")
    test = matcher(wanted if "/" in wanted else f"**/{wanted}")
    return (lambda path: not test(path)) if glob.startswith("!") else test


def _translate(pattern: str) -> str:
    out, place, open_braces = [], 0, 0
    while place < len(pattern):
        char, rest = pattern[place], pattern[place:]
        starts_part = place == 0 or pattern[place - 1] in "/{,"
        if starts_part and rest.startswith("**/"):
            out.append("(?:[^/]+/)*")
            place += 3
        elif starts_part and (rest == "**" or rest[:3] in ("**,", "**}")):
            out.append(".*")
            place += 2
        elif char == "[" and (end := pattern.find("]", place + 2)) > 0:
            out.append(_class(pattern[place + 1 : end]))
            place = end + 1
        else:
            opens = char == "{" and "}" in rest
            closes = char == "}" and open_braces > 0
            open_braces += int(opens) - int(closes)
            out.append(_single(char, opens=opens, inside=open_braces > 0 or closes))
            place += 1
    return "(?s)" + "".join(out)


def _single(char: str, *, opens: bool, inside: bool) -> str:
    match char:
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case "{" if opens:
            return "(?:"
        case "}" if inside:
            return ")"
        case "," if inside:
            return "|"
        case _:
            return str(re2.escape(char))


def _class(body: str) -> str:
    negated = body[0] in "!^"
    chosen = (body[1:] if negated else body).replace("\\", "\\\\").replace("[", "\\[")
    return f"[{'^/' if negated else ''}{chosen}]"
