"""On which lines of a TOML text a key stands.

Owns: that answer, got by asking the real parser about the text's beginnings, since it does not keep places itself. Used for errors and
for small edits; a config file has few lines.
"""

from __future__ import annotations

from typing import Any

KeyPath = tuple[str | int, ...]  # an int is a place in a list


def line_of(text: str, key: KeyPath) -> int:
    """Return the line (from 1) that ``key`` begins on; 1 if it stands nowhere."""
    span = lines_of(text, key)
    return span[0] if span else 1


def lines_of(text: str, key: KeyPath) -> tuple[int, int] | None:
    """Return the first and last line (from 1) of ``key`` with its value; of a table only its header. None if it is not there."""
    lines = text.replace("\r\n", "\n").split("\n")
    last_without = 0
    for count in range(1, len(lines) + 1):
        tables = _tables("\n".join(lines[:count]))
        if tables is None:
            continue  # within a value of several lines
        if _holds(tables, key):
            return last_without + 1, count
        last_without = count
    return None


def _tables(text: str) -> dict[str, Any] | None:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _holds(tables: Any, key: KeyPath) -> bool:
    for part in key:
        try:
            tables = tables[part]
        except (KeyError, IndexError, TypeError):
            return False
    return True
