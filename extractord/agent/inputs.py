"""The inputs of the tools, typed: what a model wrote is one of these or it is refused.

Owns: names, types and bounds of the parameters (Claude Code's own names). Leaves what they mean to ``tools`` and ``search``.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec

from extractord.memory.changeset import Evidence

CONTENT_BYTES = 1 << 20  # of one text; a topic may have 25 KB, but that is the checks' to say
_QUOTE = 4_000  # characters
_ENTRIES = 32

Line = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Path = Annotated[str, msgspec.Meta(min_length=1, max_length=8192)]
Pattern = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
Text = Annotated[str, msgspec.Meta(max_length=CONTENT_BYTES)]


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of ``evidence`` as a model writes it."""

    message: Annotated[str, msgspec.Meta(max_length=100)]
    quote: Annotated[str, msgspec.Meta(max_length=_QUOTE)]
    accepted_by: Annotated[str, msgspec.Meta(max_length=100)] | None = None


Entries = Annotated[list[Said], msgspec.Meta(max_length=_ENTRIES)]


class ReadInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    file_path: Path
    offset: Line | None = None  # number of the first line, from 1
    limit: Line | None = None  # lines


class GrepInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pattern: Pattern
    path: Path | None = None
    glob: Pattern | None = None


class GlobInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pattern: Pattern
    path: Path | None = None


class BashInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    command: Annotated[str, msgspec.Meta(min_length=1, max_length=CONTENT_BYTES)]
    description: Text | None = None  # Claude Code's own; told to nobody here
    timeout: Line | None = None  # milliseconds; ours is fixed


class WriteInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    file_path: Path
    content: Text
    evidence: Entries | None = None


class EditInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    file_path: Path
    old_string: Text
    new_string: Text
    replace_all: bool = False
    evidence: Entries | None = None


class DeleteInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    file_path: Path
    evidence: Entries | None = None


Input = TypeVar("Input", bound=msgspec.Struct)


class MalformedInputError(ValueError):
    """What a model wrote is not the tool's input; the text says why, without quoting values."""


def parse(written: dict[str, object], into: type[Input]) -> Input:
    """Return ``written`` as an ``into``. Raises MalformedInputError for missing, additional or wrongly typed parameters."""
    try:
        parsed = msgspec.convert(written, into, strict=True)
    except (msgspec.ValidationError, RecursionError) as error:
        raise MalformedInputError(str(error)) from None
    if not _is_unicode(written):
        raise MalformedInputError("a text has lone surrogates")
    return parsed


def _is_unicode(value: object) -> bool:
    """Return whether every text in ``value`` can be written as UTF-8 (what JSON lets through need not)."""
    match value:
        case str():
            try:
                value.encode()
            except UnicodeEncodeError:
                return False
            return True
        case list():
            return all(map(_is_unicode, value))
        case dict():
            return all(map(_is_unicode, value.values()))
        case _:
            return True


def evidence_of(entries: list[Said] | None) -> tuple[Evidence, ...]:
    """Return the evidence given with a call."""
    return tuple(Evidence(said.message, said.quote, said.accepted_by) for said in entries or ())
