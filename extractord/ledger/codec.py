"""Between records and columns.

Owns: how a field of a record becomes a column and back. Leaves the columns' names to the records: they are the fields' names.
"""

from __future__ import annotations

import enum
import json
import sqlite3
from collections.abc import Hashable
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from extractord.ledger.store import Value

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


def to_json(value: Any) -> str:
    """Return a record, or a list of them, as JSON. Lone surrogates stay (as escapes), which msgspec's own writer refuses."""
    return json.dumps(msgspec.to_builtins(value), separators=(",", ":"))


def from_json(text: str, kind: type[T]) -> T:
    return msgspec.convert(json.loads(text), kind)


def to_params(record: DataclassInstance) -> dict[str, Value]:
    """Return a record's fields as statement parameters; nested records are left to the caller."""
    return {field.name: _column(getattr(record, field.name)) for field in fields(record)}


def from_row(kind: type[T], row: sqlite3.Row, **more: Any) -> T:
    """Return the record that ``to_params`` was given; ``more`` are fields that have no column."""
    values = dict(row) | more
    tuples, flags = _special(cast("Hashable", kind))
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
def _special(kind: Hashable) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of a record's fields that are tuples (JSON in their column) and flags (0 or 1)."""
    types = {field.name: str(field.type) for field in fields(cast("type[DataclassInstance]", kind))}
    tuples = frozenset(name for name, written in types.items() if written.startswith("tuple["))
    return tuples, frozenset(name for name, written in types.items() if written == "bool")
