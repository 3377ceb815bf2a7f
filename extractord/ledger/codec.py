"""Between records and columns.

Owns: how a field of a record becomes a column and back. Leaves the columns' names to the records: they are the fields' names.
"""

from __future__ import annotations

import enum
import json
import sqlite3
from functools import cache
from typing import Any, TypeVar

import msgspec

from extractord.ledger.store import Value

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)


def to_json(value: Any) -> str:
    """Return a record, or a list of them, as JSON. Lone surrogates stay (as escapes), which msgspec's own writer refuses."""
    return json.dumps(msgspec.to_builtins(value), separators=(",", ":"))


def from_json(text: str, kind: type[T]) -> T:
    return msgspec.convert(json.loads(text), kind)


def to_params(record: msgspec.Struct) -> dict[str, Value]:
    """Return a record's fields as statement parameters; nested records are left to the caller."""
    return {name: _column(getattr(record, name)) for name in record.__struct_fields__}


def from_row(kind: type[S], row: sqlite3.Row, **more: Any) -> S:
    """Return the record that ``to_params`` was given; ``more`` are fields that have no column."""
    values = dict(row) | more
    tuples, flags = _special(kind)
    for name in tuples & values.keys() - more.keys():
        values[name] = json.loads(values[name])
    for name in flags & values.keys():
        values[name] = bool(values[name])
    return msgspec.convert(values, kind)


def _column(value: Any) -> Value:
    match value:
        case enum.Enum():
            return str(value.value)
        case bool():
            return int(value)
        case tuple():
            return to_json(value)
        case None | str() | bytes() | int() | float():
            return value
    raise TypeError(f"no column for {type(value).__name__}")


@cache
def _special(kind: type[msgspec.Struct]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of a record's fields that are tuples (JSON in their column) and flags (0 or 1)."""
    types = kind.__annotations__
    tuples = frozenset(name for name, written in types.items() if written.startswith("tuple["))
    return tuples, frozenset(name for name, written in types.items() if written == "bool")
