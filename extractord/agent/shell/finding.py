"""find: which of its tests and actions may be used, and that it stays out of what is never shown.

Owns: find's own grammar (starting points, then an expression) as tables, and the terms put before the expression. Leaves paths to
``judging``.
"""

from __future__ import annotations

from collections.abc import Sequence

from extractord.agent.policy import Kind, Located
from extractord.agent.secret_files import DIRECTORIES
from extractord.agent.shell.grammar import CommandRefusedError
from extractord.agent.shell.judging import Judge
from extractord.agent.shell.options import unlisted
from extractord.agent.shell.trees import barred_below


def _words(spec: str) -> frozenset[str]:
    return frozenset(spec.split())


_LEADING = _words("-maxdepth -mindepth -regextype")  # take a value, and count wherever they stand
_LEADING_ALONE = _words("-xdev -mount -daystart -warn -nowarn -noleaf")
_ALONE = _words("-empty -readable -writable -executable -true -false -nouser -nogroup ! -not -a -and -o -or -prune")
_TEXT = _words(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -size -mtime -ctime -atime -mmin -cmin -amin -perm -user "
    "-group -uid -gid -links -inum -lname -ilname -used -newermt -newerat -newerct"
)
_PATHS = _words("-newer -anewer -cnewer -samefile")
_PRINTING = _words("-print -print0 -ls")
_PRINTING_TEXT = frozenset({"-printf"})


def arguments(words: Sequence[str], judge: Judge) -> list[str]:
    """Return find's arguments for ``words``. Raises CommandRefusedError for what is not known to only look."""
    rest = [word for place, word in enumerate(words) if not (word == "-P" and place == 0)]
    starts: list[tuple[str, Located]] = []
    while rest and not (rest[0].startswith("-") or rest[0] in ("(", ")", "!", ",")):
        text = rest.pop(0)
        starts.append((text, judge.path(text)))
    leading, expression, prints = _expression(rest, judge)
    starts = starts or [(".", judge.path("."))]
    shown = [] if prints else ["-print"]
    wanted = ["(", *expression, ")", *shown] if expression else ["-print"]
    return [*(text for text, _ in starts), *leading, "(", *_hidden(starts, judge), ")", "-prune", "-o", *wanted]


def _expression(words: Sequence[str], judge: Judge) -> tuple[list[str], list[str], bool]:
    """Return what counts wherever it stands, the rest, and whether that rest prints."""
    leading: list[str] = []
    expression: list[str] = []
    rest, depth, prints = list(words), 0, False
    while rest:
        word = rest.pop(0)
        into = leading if word in _LEADING | _LEADING_ALONE else expression
        into.append(word)
        depth += (word == "(") - (word == ")")
        if word in _LEADING | _TEXT | _PATHS | _PRINTING_TEXT:
            if not rest:
                raise CommandRefusedError(f"find {word} needs a value")
            into.append(rest.pop(0))
            if word in _PATHS:
                judge.path(into[-1])
        elif word not in _LEADING_ALONE | _ALONE | _PRINTING | {"(", ")"}:
            raise unlisted("find", word[:80])
        if depth < 0:
            break
        prints = prints or word in _PRINTING | _PRINTING_TEXT
    if depth:
        raise CommandRefusedError("find: parentheses do not match")
    return leading, expression, prints


def _hidden(starts: Sequence[tuple[str, Located]], judge: Judge) -> list[str]:
    """Return the test for directories that find is to stay out of. It comes first, so no expression can undo it."""
    terms = [["-iname", name] for name in sorted(DIRECTORIES)]
    for text, place in starts:
        if place.kind is Kind.DIRECTORY:
            joint = "" if text.endswith("/") else "/"
            terms += [["-path", _literally(f"{text}{joint}{'/'.join(parts)}")] for parts in barred_below(judge, place)]
    return [word for number, term in enumerate(terms) for word in (["-o", *term] if number else term)]


def _literally(text: str) -> str:
    return "".join(f"\\{char}" if char in "*?[]\\" else char for char in text)
