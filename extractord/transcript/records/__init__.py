"""The client's transcript format: the only package that knows it.

Owns: what a line of a transcript means. A line becomes a neutral ``Record`` (``events``), nothing (bookkeeping, subagents'
lines, what is not of the main conversation), or ``Mended`` where it was damaged. Nothing in a line makes it raise. Facts are those of the
clients 2.1.197 and 2.1.332. Leaves how records hang together to ``reading``.
"""

from __future__ import annotations

import re
from datetime import datetime

import msgspec

from extractord.transcript.messages import Origin, ToolCall
from extractord.transcript.records import dialogs, repair, signs
from extractord.transcript.records.events import (
    AgentPart,
    Answered,
    Aside,
    Boundary,
    Envelope,
    Fault,
    Interrupted,
    MemorySaved,
    Mended,
    Notified,
    Outcome,
    Prompt,
    Record,
    Results,
)
from extractord.transcript.records.wire import Attachment, Block, Input, Line, Raw, begins, decode, loosely
from extractord.transcript.records.writes import MAY_WRITE, SHELL_TOOL, may_write_memory

# How texts begin that the client wrote in a person's place.
CLIENT_TEXTS = (
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<system-reminder>",
    "<user-memory-input>",
)
INTERRUPTED = "[Request interrupted by user"
CLOSED_CALL = b'"[Tool call interrupted'  # the made-up result of a call that was open when the client was killed
NO_CONTENT = "(no content)"  # what the client writes for an empty answer
SYNTHETIC = "<synthetic>"
HEADLESS = "sdk-"
REPAIRED = 4 << 20  # bytes; a damaged line over this is not looked at further, which bounds memory
SUBJECT_CHARACTERS = 1000  # of a call's subject; a line of the digest shows 90 of them, redacted
_EARLIEST, _LATEST = 0.0, 7_258_118_400.0  # 1970 to 2200; other times are no times
_LAUNCHED = b'"async_launched"'
_NOTIFIED = re.compile(r"<(?:task-id|tool-use-id)>([^<>]{1,200})</")


def read(line: bytes, cwd: str = "") -> Record | Mended | None:
    """Read one line. ``cwd`` is where the session started, if known: files below it are no memory unless their name tells."""
    try:
        return _record(decode(line), cwd)
    except msgspec.DecodeError:
        pass
    if len(line) > REPAIRED:
        return Mended((), (Fault.NOT_JSON,))
    mended = repair.repair(line)
    records = tuple(r for r in (_record(decode(o), cwd) for o in mended.objects) if r is not None)
    return Mended(records, mended.faults) if records or mended.faults else None


def read_cut(head: bytes, tail: bytes, cwd: str = "") -> Mended:
    """Read what can be told of a line over the limit, of which only the beginning and the end are at hand: a typed prompt."""
    clean = repair.recovered_head(head, tail)
    record = _record(decode(clean), cwd) if clean is not None else None
    return Mended((record,) if isinstance(record, Prompt) and record.text.strip() else (), (Fault.TOO_LONG,))


def is_whole(line: bytes) -> bool:
    """Whether a line without its newline is a complete record all the same."""
    try:
        decode(line)
    except msgspec.DecodeError:
        return False
    return True


def _record(line: Line, cwd: str) -> Record | None:
    if line.isSidechain:
        return None
    kind = line.type
    record: Record | None = None
    if kind == "assistant":
        record = _agent(line, cwd)
    elif kind == "user":
        record = _user(line)
    elif kind == "attachment" and line.attachment is not None:
        record = _attachment(line.attachment, _at(line))
    elif kind == "system":
        record = _system(line)
    elif kind == "api-request-shape":
        record = signs.of_request_shape(line, _at(line))
    if record is None and not cwd and line.cwd and kind in _BEARERS:
        return Aside(*_at(line))
    return record


_BEARERS = frozenset({"user", "assistant", "system", "attachment"})


def _at(line: Line) -> Envelope:
    return (
        line.uuid or "",
        line.parentUuid,
        seconds(line.timestamp),
        line.sessionId or "",
        line.cwd or "",
        line.version or "",
        line.entrypoint or "",
    )


def seconds(timestamp: str | None) -> float:
    """Return an ISO time as seconds since the epoch, 0.0 where it is none or out of all range."""
    if timestamp is None:
        return 0.0
    try:
        moment = datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0
    return moment if _EARLIEST < moment < _LATEST else 0.0


def _tidy(text: str) -> str:
    """Return a text with plain line ends and without NUL."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\x00", "\ufffd") if "\x00" in text else text


# --- the agent ---


def _agent(line: Line, cwd: str) -> Record | None:
    message = line.message
    if message is None or line.isMeta:
        return None
    if message.model == SYNTHETIC or line.isApiErrorMessage:
        return Answered(*_at(line))
    content = message.content
    key = (message.id, line.requestId or "") if message.id else ("", "")
    if isinstance(content, str):
        return AgentPart(*_at(line), key, _spoken(content))
    text = ""
    calls: tuple[ToolCall, ...] = ()
    writes: tuple[str, ...] = ()
    for block in content or ():
        if isinstance(block, str):
            text = _with(text, block)
        elif block.type == "text":
            text = _with(text, block.text or "")
        elif block.type == "tool_use":
            arguments = block.input or _NO_INPUT
            name = block.name or "?"
            may_write = name in MAY_WRITE and may_write_memory(name, arguments, cwd)
            path = arguments.file_path or arguments.notebook_path or arguments.path
            command = arguments.command if may_write and name == SHELL_TOOL else None
            calls += (ToolCall(block.id or "", name, _subject(arguments), path, command),)
            if may_write:
                writes += (block.id or "",)
    return AgentPart(
        line.uuid or "",
        line.parentUuid,
        seconds(line.timestamp),
        line.sessionId or "",
        line.cwd or "",
        line.version or "",
        line.entrypoint or "",
        key,
        text,
        calls,
        writes,
        message.stop_reason == "tool_use",
    )


def _with(text: str, more: str) -> str:
    """Return ``text`` and what the next block says."""
    more = _spoken(more)
    return f"{text}\n\n{more}" if text and more else text or more


_NO_INPUT = Input()


def _spoken(text: str) -> str:
    return "" if text == NO_CONTENT or not text.strip() else _tidy(text)


def _subject(arguments: Input) -> str:
    """Return in one line what a call is about."""
    told = (
        arguments.command
        or arguments.file_path
        or arguments.notebook_path
        or arguments.pattern
        or arguments.url
        or arguments.query
        or arguments.skill
        or arguments.description
        or arguments.path
        or _first_question(arguments.questions)
    )
    return told[:SUBJECT_CHARACTERS] if told.isprintable() else " ".join(told[:SUBJECT_CHARACTERS].split())


def _first_question(questions: Raw) -> str:
    asked = loosely(questions)
    first = asked[0] if isinstance(asked, list) and asked else None
    question = first.get("question") if isinstance(first, dict) else None
    return question if isinstance(question, str) else ""


# --- the person ---


def _user(line: Line) -> Record | None:
    message = line.message
    if message is None or line.isMeta or line.isCompactSummary:
        return None
    content = message.content
    if isinstance(content, str):
        return _typed(line, [content], pictures=False)
    texts: list[str] = []
    beside: list[tuple[str, str]] = []
    results: list[Block] = []
    pictures = False
    for block in content or ():
        if isinstance(block, str):
            texts.append(block)
        elif block.type == "tool_result":
            results.append(block)
        elif block.type == "text" and block.text is not None:
            texts.append(block.text)
            beside.append((results[-1].tool_use_id or "" if results else "", block.text))
        elif block.type in ("image", "document"):
            pictures = True
    if results:
        first = results[0].tool_use_id or ""
        said = [(call or first, _tidy(text)) for call, text in beside if text.strip() and not _is_client_text(text)]
        return _results(line, results, said)
    return _typed(line, texts, pictures)


def _typed(line: Line, texts: list[str], pictures: bool) -> Record | None:
    """Return a prompt, or what else the client writes as a user record."""
    if any(text.startswith(INTERRUPTED) for text in texts):
        return Interrupted(*_at(line))
    if line.origin is not None and line.origin.kind not in (None, "human"):
        return _notified(_at(line), texts) if line.origin.kind == "task-notification" else None
    if any(text.startswith("<task-notification>") for text in texts):
        return _notified(_at(line), texts)
    if line.promptSource == "system":
        return None
    own = [text for text in texts if not _is_client_text(text)]
    text = _joined(own)
    if not text.strip():
        return Prompt(*_at(line), "", Origin.PROMPT) if pictures and len(own) == len(texts) else None
    return Prompt(*_at(line), _tidy(text), Origin.PROMPT)


def _notified(at: Envelope, texts: list[str]) -> Notified:
    return Notified(*at, tuple(_NOTIFIED.findall("\n".join(texts)[:4000])))


def _is_client_text(text: str) -> bool:
    start = text.lstrip()
    return start.startswith(CLIENT_TEXTS) or start.startswith(INTERRUPTED)


def _joined(texts: list[str]) -> str:
    """Join the blocks of one message; a block that does not end in a blank ends a line."""
    if len(texts) == 1:
        return texts[0]
    return "".join(text if text[-1:].isspace() else text + "\n" for text in texts).removesuffix("\n")


def _results(line: Line, results: list[Block], said: list[tuple[str, str]]) -> Record:
    launched = None
    if len(results) == 1 and _LAUNCHED in bytes(memoryview(line.toolUseResult)[:400]):
        told = loosely(line.toolUseResult)
        if isinstance(told, dict) and told.get("status") == "async_launched":
            launched = str(told.get("agentId") or "")
    outcomes = tuple(Outcome(b.tool_use_id or "", bool(b.is_error) or begins(b.content, CLOSED_CALL), launched) for b in results)
    made_up = all(begins(b.content, CLOSED_CALL) for b in results)
    return Results(*_at(line), outcomes, dialogs.typed_in(line, results, said), made_up)


# --- beside the talk ---


def _system(line: Line) -> Record | None:
    if line.subtype == "compact_boundary":
        return Boundary(*_at(line))
    if line.subtype == "memory_saved":
        return MemorySaved(*_at(line), tuple(line.writtenPaths or ()))
    return None


def _attachment(attachment: Attachment, at: Envelope) -> Record | None:
    if attachment.type == "queued_command":
        return _queued(attachment, at)
    return signs.of_attachment(attachment, at)


def _queued(attachment: Attachment, at: Envelope) -> Record | None:
    """Return what was typed while the agent worked, or another notice that waited in the same queue."""
    prompt = loosely(attachment.prompt)
    blocks = prompt if isinstance(prompt, list) else [prompt]
    texts = [b if isinstance(b, str) else b.get("text") for b in blocks if isinstance(b, (str, dict))]
    words = [t for t in texts if isinstance(t, str)]
    kind = attachment.origin.kind if attachment.origin is not None else None
    if kind == "task-notification" or any(w.startswith("<task-notification>") for w in words):
        return _notified(at, words)
    if attachment.isMeta or kind not in (None, "human") or attachment.commandMode not in (None, "prompt"):
        return None
    text = _joined([w for w in words if not _is_client_text(w)])
    return Prompt(*at, _tidy(text), Origin.QUEUED) if text.strip() else None
