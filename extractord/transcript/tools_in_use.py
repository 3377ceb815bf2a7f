"""Which tools an agent has been using, from the end of its transcript.

Owns: how the records of Claude Code, Codex and Gemini (and programs that write like them) name a call, as far as that. Leaves
everything else in a transcript to ``records``. A line that is none of these says nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from extractord.system.files import O_NONBLOCK, open_path

TAIL = 256 << 10  # bytes
WHOLE = 8 << 20  # bytes of a transcript that is one JSON document
_CALLS = frozenset({"tool_use", "function_call", "custom_tool_call"})


class _Part(msgspec.Struct):
    type: str = ""
    name: str = ""


class _Said(msgspec.Struct):
    content: list[_Part] = []


class _Record(_Part):
    """Claude Code: ``message.content[]``; Codex: ``payload``, or flat; Gemini: ``toolCalls[]``."""

    message: _Said | None = None
    payload: _Part | None = None
    toolCalls: list[_Part] = []  # noqa: N815 - the program's word


class _Document(msgspec.Struct):
    """Gemini, before it wrote lines."""

    messages: list[_Record]


_record = msgspec.json.Decoder(_Record)
_document = msgspec.json.Decoder(_Document)


def tools_in_use(path: Path) -> tuple[str, ...]:
    """Return the names of the tools called near the end of a transcript, the newest last; none where it cannot be read."""
    try:
        tail, is_whole = _tail(path)
    except OSError:  # gone, or not ours: then nothing is known about tools
        return ()
    records = [record for line in tail.splitlines() if (record := _read(line)) is not None]
    if not any(map(_names, records)) and is_whole:
        records = _whole(tail)
    return tuple(dict.fromkeys(name for record in records for name in _names(record)))


def _tail(path: Path) -> tuple[bytes, bool]:
    fd = open_path(path, os.O_RDONLY | O_NONBLOCK)
    with os.fdopen(fd, "rb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return b"", False
        if file.read(1) == b"{" and status.st_size <= WHOLE and not path.name.endswith(".jsonl"):
            return b"{" + file.read(WHOLE), True
        file.seek(max(0, status.st_size - TAIL))
        return file.read(TAIL), False


def _read(line: bytes) -> _Record | None:
    try:
        return _record.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _whole(text: bytes) -> list[_Record]:
    try:
        return _document.decode(text).messages
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return []


def _names(record: _Record) -> list[str]:
    return list(_calls(record))


def _calls(record: _Record) -> Iterator[str]:
    parts = [record, *([record.payload] if record.payload else []), *(record.message.content if record.message else [])]
    yield from (part.name for part in parts if part.type in _CALLS and part.name)
    yield from (call.name for call in record.toolCalls if call.name)
