"""Lines that are not one clean JSON object: two records in one, half a record, broken characters, a line over the limit.

Owns: getting the objects out of such a line, as clean JSON. Time and memory are bounded: a fixed number of starts is tried.
Leaves what the objects mean to the modules beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from extractord.transcript.records.events import Fault
from extractord.transcript.records.wire import without_surrogates

STARTS = 32  # places in a line where a record may begin, tried at most
START_CHARACTERS = 16 << 20  # characters looked at in all those tries; a line of 8 MiB is looked at about twice
# How the client's records begin. One that follows half a record must also bear a session: nested messages do not.
_START = re.compile(r'\{\s*"(?:type|parentUuid|uuid|isSidechain|sessionId|message|timestamp|attachment)"\s*:')
_FILLERS = "\x00\ufeff \t\r\n"
_TAIL_FIELDS = {
    name: re.compile(rb'"%s"\s*:\s*("(?:[^"\\]|\\.){0,400}"|true|false)' % name.encode())
    for name in (
        "uuid",
        "timestamp",
        "sessionId",
        "cwd",
        "version",
        "entrypoint",
        "isMeta",
        "isCompactSummary",
        "isSidechain",
        "type",
        "promptSource",
    )
}
_TAIL_ORIGIN = re.compile(rb'"origin"\s*:\s*\{\s*"kind"\s*:\s*("(?:[^"\\]|\\.){0,80}")')
# A block of text that ends a record's message, behind a picture that was cut; in a text its quotes would be escaped.
_TAIL_TEXT = re.compile(rb'\{\s*"type"\s*:\s*"text"\s*,\s*"text"\s*:\s*("(?:[^"\\]|\\.)*")\s*\}(?=\s*[\],])')
_TAIL_RESULT = re.compile(rb'"(?:toolUseResult|sourceToolAssistantUUID)"\s*:')


@dataclass(frozen=True, slots=True)
class Repaired:
    """The objects of a line as clean JSON, and what was wrong with the rest."""

    objects: tuple[bytes, ...]
    faults: tuple[Fault, ...]


def repair(line: bytes) -> Repaired:
    """Return the objects in a line that is not one object."""
    text = line.decode("utf-8", "replace").strip(_FILLERS)
    if not text:
        return Repaired((), ())
    decoder = json.JSONDecoder(strict=False)
    objects: list[bytes] = []
    faults: list[Fault] = []
    at, budget, after_stub = 0, START_CHARACTERS, False
    for _ in range(STARTS):
        found, end = _object_at(decoder, text, at)
        clean = _clean(found) if found is not None and (not after_stub or isinstance(found.get("sessionId"), str)) else None
        if clean is not None:
            objects.append(clean)
            at = _past_fillers(text, end)
            if at >= len(text):
                return Repaired(tuple(objects), tuple(faults))
            after_stub = False
            continue
        if not after_stub:
            faults.append(Fault.CUT_OFF if text.startswith("{", at) else Fault.NOT_JSON)
        after_stub = True
        budget -= len(text) - at
        start = _START.search(text, at + 1)
        if start is None or budget < 0:
            break
        at = start.start()
    return Repaired(tuple(objects), tuple(faults))


def _object_at(decoder: json.JSONDecoder, text: str, at: int) -> tuple[dict[str, Any] | None, int]:
    try:
        found, end = decoder.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at
    return (found, end) if isinstance(found, dict) else (None, at)


def _past_fillers(text: str, at: int) -> int:
    while at < len(text) and text[at] in _FILLERS:
        at += 1
    return at


def _clean(found: dict[str, Any]) -> bytes | None:
    """Encode an object so that the strict decoder takes it: no halves of surrogate pairs, no NaN. None if it is nested too deeply."""
    try:
        try:
            text = json.dumps(found, ensure_ascii=False, allow_nan=False)
        except ValueError:
            text = json.dumps(_without_nan(found), ensure_ascii=False)
    except RecursionError:
        return None
    return without_surrogates(text).encode()


def _without_nan(value: Any) -> Any:
    match value:
        case dict():
            return {key: _without_nan(v) for key, v in value.items()}
        case list():
            return [_without_nan(v) for v in value]
        case float() if value != value or value in (float("inf"), float("-inf")):
            return None
    return value


def recovered_head(head: bytes, tail: bytes) -> bytes | None:
    """Return the part of a record over the limit that ends before it, as a whole object; None if there is no such part.

    ``head`` is the beginning of the line, ``tail`` its last bytes, where the client writes the fields of the envelope.
    """
    if _TAIL_RESULT.search(tail):
        return None  # a tool result: nothing in it was typed at the prompt
    closed = _closed(head)
    if closed is None:
        return None
    text = closed.decode("utf-8", "replace").strip(_FILLERS)
    found, _ = _object_at(json.JSONDecoder(strict=False), text, 0)
    if found is None:
        return None
    for name, pattern in _TAIL_FIELDS.items():
        if name not in found and (matches := pattern.findall(tail)):
            found[name] = json.loads(matches[-1].decode("utf-8", "replace"), strict=False)
    if "origin" not in found and (kinds := _TAIL_ORIGIN.findall(tail)):
        found["origin"] = {"kind": json.loads(kinds[-1].decode("utf-8", "replace"), strict=False)}
    if (blocks := _typed_blocks(found)) is not None:
        texts = (json.loads(text.decode("utf-8", "replace"), strict=False) for text in _TAIL_TEXT.findall(tail))
        blocks += [block for text in texts if (block := {"type": "text", "text": text}) not in blocks]
    return _clean(found)


def _typed_blocks(found: dict[str, Any]) -> list[Any] | None:
    """Return the blocks of what was typed, at the prompt or while the agent worked, None if they are none."""
    for holder, name in (("message", "content"), ("attachment", "prompt")):
        held = found.get(holder)
        if isinstance(held, dict) and isinstance(blocks := held.get(name), list):
            return blocks
    return None


def _closed(head: bytes) -> bytes | None:
    """Cut ``head`` after its last whole member and close what is open there. Linear in ``head``."""
    closers: list[int] = []
    safe, safe_closers = 0, b""
    for token, start, _ in _tokens(head):
        if token in b"{[":
            closers.append(ord("}") if token == b"{" else ord("]"))
            if len(closers) > 200:
                return None
        elif token in b"}]":
            if not closers or closers.pop() != token[0]:
                return None
        elif token == b",":
            safe, safe_closers = start, bytes(reversed(closers))
        if not closers:
            break
    return head[:safe] + safe_closers if safe_closers else None


def _tokens(head: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield brackets and commas outside of strings, up to where a string does not end."""
    at = 0
    while (found := _STRUCTURE.search(head, at)) is not None:
        at = found.end()
        if found[0] != b'"':
            yield found[0], found.start(), at
        elif (at := _end_of_string(head, at)) < 0:
            return


def _end_of_string(head: bytes, at: int) -> int:
    """Return the place after the quote that ends the string whose text begins at ``at``, or -1."""
    while (quote := head.find(b'"', at)) >= 0:
        before = quote
        while before > at and head[before - 1] == _BACKSLASH:
            before -= 1
        at = quote + 1
        if (quote - before) % 2 == 0:
            return at
    return -1


_STRUCTURE = re.compile(rb'["{}\[\],]')
_BACKSLASH = ord("\\")
