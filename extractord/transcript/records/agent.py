"""What the main agent says and calls.

Owns: from an assistant record to an ``AgentPart``; half of all records are such, so there is a straight way for those of the usual
form. Leaves everything else to the modules beside it.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from extractord.transcript.messages import ToolCall
from extractord.transcript.records.envelope import EARLIEST, LATEST, envelope, tidy
from extractord.transcript.records.events import AgentPart, Answered, Key
from extractord.transcript.records.wire import AgentBlock, Block, Input, Line, Raw, decode_agent, loosely
from extractord.transcript.records.writes import MAY_WRITE, SHELL_TOOL, may_write_memory

NO_CONTENT = "(no content)"  # what the client writes for an empty answer
SYNTHETIC = "<synthetic>"
SUBJECT_CHARACTERS = 1000  # of a call's subject; a line of the digest shows 90 of them, redacted
_NO_INPUT = Input()

# What takes a part of the agent's message: uuid, parent, time, then the fields of an ``AgentPart``, and where its line begins and ends.
Taker = Callable[[str, str | None, float, Key | None, str, tuple[ToolCall, ...], tuple[str, ...], bool, int, int], None]


def hand_agent(line: bytes, session: str, cwd: str, take: Taker, start: int, end: int) -> bool:
    """Hand a line to ``take`` if it is an assistant record of the usual form in ``session``; if not it must be read in the general way.

    Half of all records come here, so what is read is handed on as it is, without a record in between.
    """
    try:
        record = decode_agent(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    message = record.message
    if record.sessionId != session or record.isSidechain or record.isMeta or record.isApiErrorMessage or message.model == SYNTHETIC:
        return False
    time = record.timestamp.timestamp()
    if not EARLIEST < time < LATEST:
        return False
    content = message.content
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    writes: tuple[str, ...] = ()
    if len(content) != 1:
        text, calls, writes = _said(content, cwd)
    elif (kind := (block := content[0]).type) == "tool_use":
        call, writes_memory = _called(block, cwd)
        calls = (call,)
        if writes_memory:
            writes = (call.id,)
    elif kind == "text":
        text = _spoken(block.text or "")
    key = (message.id, record.requestId) if message.id else None
    take(record.uuid, record.parentUuid, time, key, text, calls, writes, message.stop_reason == "tool_use", start, end)
    return True


def of_agent(line: Line, cwd: str) -> AgentPart | Answered | None:
    """Return what an assistant record of whatever form says."""
    message = line.message
    if message is None or line.isMeta:
        return None
    if message.model == SYNTHETIC or line.isApiErrorMessage:
        return Answered(*envelope(line))
    content = message.content
    text, calls, writes = (_spoken(content), (), ()) if isinstance(content, str) else _said(content or [], cwd)
    key = (message.id, line.requestId or "") if message.id else None
    return AgentPart(*envelope(line), key, text, calls, writes, message.stop_reason == "tool_use")


def _said(content: list[AgentBlock] | list[Block | str], cwd: str) -> tuple[str, tuple[ToolCall, ...], tuple[str, ...]]:
    """Return the text of a message's blocks, its calls, and the ids of those that may write memory."""
    text = ""
    calls: tuple[ToolCall, ...] = ()
    writes: tuple[str, ...] = ()
    for block in content:
        if isinstance(block, str):
            text = _with(text, block)
        elif block.type == "tool_use":
            call, writes_memory = _called(block, cwd)
            calls += (call,)
            if writes_memory:
                writes += (call.id,)
        elif block.type == "text":
            text = _with(text, block.text or "")
    return text, calls, writes


def _with(text: str, more: str) -> str:
    """Return ``text`` and what the next block says."""
    more = _spoken(more)
    return f"{text}\n\n{more}" if text and more else text or more


def _spoken(text: str) -> str:
    return "" if not text or text.isspace() or text == NO_CONTENT else tidy(text)


def _called(block: AgentBlock | Block, cwd: str) -> tuple[ToolCall, bool]:
    """Return a call and whether it may write memory."""
    arguments = block.input or _NO_INPUT
    name = block.name or "?"
    command, path = arguments.command, arguments.file_path or arguments.notebook_path
    told = (
        command
        or path
        or arguments.pattern
        or arguments.url
        or arguments.query
        or arguments.skill
        or arguments.description
        or arguments.path
        or _first_question(arguments.questions)
    )
    if len(told) > SUBJECT_CHARACTERS:
        told = told[:SUBJECT_CHARACTERS]
    if not told.isprintable():
        told = " ".join(told.split())
    writes = name in MAY_WRITE and may_write_memory(name, arguments, cwd)
    return ToolCall(block.id or "", name, told, path or arguments.path, command if writes and name == SHELL_TOOL else None), writes


def _first_question(questions: Raw) -> str:
    asked = loosely(questions)
    first = asked[0] if isinstance(asked, list) and asked else None
    question = first.get("question") if isinstance(first, dict) else None
    return question if isinstance(question, str) else ""
