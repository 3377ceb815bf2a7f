"""Small edits of the config file that keep everything a person wrote.

Owns: setting one key, and switching projects off and on. The new text is read again before it is written, and must say exactly what was
wanted and nothing else that is new. Leaves the reading to ``load``.
"""

from __future__ import annotations

import copy
import enum
import json
import re
import tomllib
from pathlib import Path
from typing import Any

from extractord.config.globs import escape
from extractord.config.lines import KeyPath, lines_of
from extractord.config.load import parse, read_text
from extractord.config.locations import write_private
from extractord.errors import UsageError

Value = bool | int | float | str | tuple[str, ...]


class Switch(enum.Enum):
    """What ``extractord off`` and ``extractord on`` set."""

    OFF = "off"
    ON = "on"


def set_value(path: Path, key: str, value: Value) -> None:
    """Set the dotted ``key`` ("backend", "budget.usd_per_day") in the file at ``path``, which need not exist.

    Raises UsageError if the file, or the new value, is not understood, or if the key is written in a form that cannot be edited.
    """
    text = read_text(path)
    parse(text, path)
    _write(path, text, with_value(text, tuple(key.split(".")), value), _wanted(text, tuple(key.split(".")), value))


def set_off(path: Path, root: str | None, switch: Switch) -> None:
    """Switch extraction off or on for the project at ``root``, or for all (None); raises as ``set_value``.

    A project's switch is a ``[[project]]`` rule of its own. It is the last one, since of several rules the later decides.
    """
    off = switch is Switch.OFF
    if root is None:
        if off or "off" in tomllib.loads(read_text(path)):
            set_value(path, "off", off)
        return
    text = read_text(path)
    parse(text, path)
    tables = tomllib.loads(text)
    rules = tables.get("project", [])
    if not off and not any(rule.get("off") for rule in rules):
        return
    pattern = escape(root)
    if rules and rules[-1].get("match") == pattern:
        key: KeyPath = ("project", len(rules) - 1, "off")
        _write(path, text, with_value(text, key, off), _wanted(text, key, off))
        return
    rule = f"[[project]]\nmatch = {_toml(pattern)}\noff = {_toml(off)}\n"
    _write(path, text, _appended(text, rule), {**tables, "project": [*rules, {"match": pattern, "off": off}]})


def with_value(text: str, key: KeyPath, value: Value) -> str:
    """Return ``text`` with ``key`` set; its line's comment stays, and so does every other line."""
    if span := lines_of(text, key):
        return _replaced(text, span, value)
    *table, name = key
    line = f"{name} = {_toml(value)}"
    if not table:
        return _inserted(text, _end_of_opening_comment(text), line)
    if header := lines_of(text, tuple(table)):
        return _inserted(text, header[1], line)
    return _appended(text, f"[{'.'.join(str(part) for part in table)}]\n{line}\n")


def _write(path: Path, old: str, new: str, wanted: dict[str, Any]) -> None:
    if new == old:
        return
    try:
        understood = tomllib.loads(new) == wanted
    except tomllib.TOMLDecodeError:
        understood = False
    if not understood:
        raise UsageError(f"{path} is written in a form that cannot be changed for you", hint="Change the key in the file by hand.")
    parse(new, path)
    write_private(path, new)


def _wanted(text: str, key: KeyPath, value: Value) -> dict[str, Any]:
    tables: dict[str, Any] = copy.deepcopy(tomllib.loads(text))
    place: Any = tables
    for part in key[:-1]:
        place = place.setdefault(part, {}) if isinstance(place, dict) else place[part]
    place[key[-1]] = list(value) if isinstance(value, tuple) else value
    return tables


def _replaced(text: str, span: tuple[int, int], value: Value) -> str:
    lines = text.split("\n")
    first, last = span[0] - 1, span[1]
    left, _, _ = lines[first].partition("=")
    lines[first:last] = [f"{left.rstrip()} = {_toml(value)}{_comment(lines[first]) if last - first == 1 else ''}"]
    return "\n".join(lines)


def _comment(line: str) -> str:
    """Return the comment at the end of a line that holds a whole ``key = value``, with the blanks before it."""
    for found in re.finditer(r"\s*#", line):
        try:
            if tomllib.loads(line[: found.start()]):
                return line[found.start() :]
        except tomllib.TOMLDecodeError:
            continue  # this mark stands within a string
    return "\r" if line.endswith("\r") else ""


def _inserted(text: str, after: int, line: str) -> str:
    lines = text.split("\n")
    return "\n".join([*lines[:after], line, *lines[after:]])


def _appended(text: str, block: str) -> str:
    return f"{text.rstrip()}\n\n{block}" if text.strip() else block


def _end_of_opening_comment(text: str) -> int:
    """Return after how many lines a first key may stand: below the comment that a file opens with, above all tables."""
    lines = text.split("\n")
    return next((place for place, line in enumerate(lines) if not line.startswith("#")), len(lines))


def _toml(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON's escapes are TOML's
        case tuple():
            return f"[{', '.join(_toml(one) for one in value)}]"
        case _:
            return repr(value)
