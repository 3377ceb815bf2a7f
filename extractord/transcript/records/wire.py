"""The client's JSON lines as typed structs: only the fields that are used, everything else is passed over.

Owns: field names and types, and decoding one clean line strictly, or field by field where a type is not the expected one.
Leaves damaged lines to ``repair`` and what a line means to the modules beside it.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Literal, TypeVar

import msgspec

Raw = msgspec.Raw
NOTHING = Raw(b"")
_SURROGATES = re.compile("[\ud800-\udfff]")
_T = TypeVar("_T", bound=msgspec.Struct)


class Input(msgspec.Struct, gc=False):
    """The few arguments of tool calls that are used."""

    file_path: str | None = None
    notebook_path: str | None = None
    path: str | None = None
    command: str | None = None
    pattern: str | None = None
    url: str | None = None
    query: str | None = None
    description: str | None = None
    skill: str | None = None
    questions: Raw = NOTHING


class Block(msgspec.Struct, gc=False):
    """One block of a message's content, of whatever type."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Input | None = None
    tool_use_id: str | None = None
    content: Raw = NOTHING
    is_error: bool | None = None


class Spoken(msgspec.Struct):
    """The ``message`` of a user or assistant record."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: list[Block | str] | str | None = None
    stop_reason: str | None = None


class Kinded(msgspec.Struct, gc=False):
    """Where a message came from."""

    kind: str | None = None


class Decision(msgspec.Struct, gc=False):
    """How a call was permitted."""

    decision: str | None = None
    source: str | None = None


class Attachment(msgspec.Struct):
    """What the client put beside the talk."""

    type: str | None = None
    prompt: Raw = NOTHING
    commandMode: str | None = None  # noqa: N815 - the client's name, as are those below
    origin: Kinded | None = None
    isMeta: bool | None = None  # noqa: N815
    date: str | None = None
    files: Raw = NOTHING
    removed: Raw = NOTHING
    systemPrompt: Raw = NOTHING  # noqa: N815
    sections: Raw = NOTHING


class Line(msgspec.Struct):
    """One record."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None  # noqa: N815
    timestamp: str | None = None
    sessionId: str | None = None  # noqa: N815
    session_id: str | None = None
    cwd: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    isSidechain: bool | None = None  # noqa: N815
    isMeta: bool | None = None  # noqa: N815
    isCompactSummary: bool | None = None  # noqa: N815
    isApiErrorMessage: bool | None = None  # noqa: N815
    origin: Kinded | None = None
    promptSource: str | None = None  # noqa: N815
    message: Spoken | None = None
    requestId: str | None = None  # noqa: N815
    toolUseResult: Raw = NOTHING  # noqa: N815
    userFeedback: str | None = None  # noqa: N815
    toolDenialKind: str | None = None  # noqa: N815
    permissionDecision: Decision | None = None  # noqa: N815
    attachment: Attachment | None = None
    writtenPaths: list[str] | None = None  # noqa: N815
    shape: Raw = NOTHING


class AgentBlock(msgspec.Struct, gc=False):
    """One block of what the agent says, in the usual form."""

    type: str
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Input | None = None


class AgentMessage(msgspec.Struct, gc=False, kw_only=True):
    """The ``message`` of an assistant record in the usual form; fields in the order of the client, which is decoded fastest."""

    model: str = ""
    id: str = ""
    content: list[AgentBlock]
    stop_reason: str | None = None


class AgentLine(msgspec.Struct, gc=False, kw_only=True):
    """An assistant record in the usual form: what does not fit is read as a ``Line``."""

    parentUuid: str | None = None  # noqa: N815
    isSidechain: bool = False  # noqa: N815
    sessionId: str  # noqa: N815
    message: AgentMessage
    requestId: str = ""  # noqa: N815
    type: Literal["assistant"]
    uuid: str
    timestamp: datetime
    isMeta: bool = False  # noqa: N815
    isApiErrorMessage: bool = False  # noqa: N815


class PersonMessage(msgspec.Struct, gc=False):
    """The ``message`` of a typed prompt in the usual form."""

    content: str
    role: str = "user"
    model: str | None = None


class PersonLine(msgspec.Struct, gc=False, kw_only=True):
    """A user record in the usual form of a typed prompt: what does not fit is read as a ``Line``."""

    parentUuid: str | None = None  # noqa: N815
    isSidechain: bool = False  # noqa: N815
    type: Literal["user"]
    message: PersonMessage
    uuid: str
    timestamp: datetime
    origin: Kinded | None = None
    promptSource: str | None = None  # noqa: N815
    sessionId: str  # noqa: N815
    isMeta: bool = False  # noqa: N815
    isCompactSummary: bool = False  # noqa: N815


_decode = msgspec.json.Decoder(Line).decode
decode_person = msgspec.json.Decoder(PersonLine).decode
decode_agent = msgspec.json.Decoder(AgentLine).decode


def decode(line: bytes) -> Line:
    """Decode one line; raise ``msgspec.DecodeError`` where it is no single JSON object."""
    try:
        try:
            return _decode(line)
        except msgspec.ValidationError:
            loose: Any = msgspec.json.decode(line)
        if not isinstance(loose, dict):
            raise msgspec.DecodeError("not an object")
        return _lenient(Line, loose)
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None


def _lenient(kind: type[_T], loose: dict[str, Any]) -> _T:
    """Build a struct of those fields of ``loose`` that fit it; what does not fit counts as absent."""
    struct = kind()
    for name in kind.__struct_fields__:
        if name not in loose:
            continue
        default, value = getattr(struct, name), loose[name]
        if default is NOTHING:
            setattr(struct, name, Raw(msgspec.json.encode(value)))
        elif (inner := _INNER.get(name)) is not None:
            if isinstance(value, dict):
                setattr(struct, name, _lenient(inner, value))
            elif name == "origin" and value is not None:
                setattr(struct, name, Kinded())  # an origin in a form of its own: not told that it is a person's
        elif name == "content":
            struct.content = _content(value)  # type: ignore[attr-defined]
        elif name == "writtenPaths":
            struct.writtenPaths = [v for v in value if isinstance(v, str)] if isinstance(value, list) else None  # type: ignore[attr-defined]
        elif isinstance(value, bool if name.startswith("is") else str):
            setattr(struct, name, value)
    return struct


_INNER: dict[str, type[msgspec.Struct]] = {
    "message": Spoken,
    "origin": Kinded,
    "permissionDecision": Decision,
    "attachment": Attachment,
    "input": Input,
}


def _content(value: Any) -> list[Block | str] | str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return [_lenient(Block, v) if isinstance(v, dict) else v for v in value if isinstance(v, (dict, str))]
    return None


def loosely(raw: Raw) -> Any:
    """Decode a field of no fixed type; None where it is absent."""
    if not raw:
        return None
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def begins(raw: Raw, start: bytes) -> bool:
    """Whether an undecoded field begins so."""
    return bytes(memoryview(raw)[: len(start)]) == start


def without_surrogates(text: str) -> str:
    """Return ``text`` with U+FFFD for each half of a surrogate pair."""
    return _SURROGATES.sub("\ufffd", text)
