"""What a person typed at the prompt, and what else the client writes as a user record.

Owns: prompts, queued prompts, interruptions, notices, results of calls. Leaves words typed in dialogs to ``dialogs``.
"""

from __future__ import annotations

import re

import msgspec

from extractord.transcript.messages import Origin
from extractord.transcript.records import dialogs
from extractord.transcript.records.envelope import EARLIEST, LATEST, envelope, tidy
from extractord.transcript.records.events import Envelope, Interrupted, Notified, Outcome, Prompt, Record, Results
from extractord.transcript.records.wire import Attachment, Block, Line, begins, decode_person, loosely

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
    # other agents, channels and timers that speak in the same place
    "<teammate-message",
    "<cross-session-message",
    "<channel-message",
    "<channel source=",
    "<tick>",
    "<fork-boilerplate>",
    # what an editor adds to a prompt
    "<ide_opened_file>",
    "<ide_selection>",
    "<ide_diagnostics>",
)
INTERRUPTED = "[Request interrupted by user"
NOTICE = "<task-notification>"
SYNTHETIC = "<synthetic>"  # the model of what the client wrote itself
CLOSED_CALL = "[Tool call interrupted"  # how the made-up result of a call begins that was open when the client was killed
_CLOSED_CALL = f'"{CLOSED_CALL}'.encode()  # as it stands in a line
_LAUNCHED = b'"async_launched"'
_NOTIFIED = re.compile(r"<(?:task-id|tool-use-id)>([^<>]{1,200})</")


def read_prompt(line: bytes, session: str) -> Prompt | None:
    """Read a line if it is a typed prompt of the usual form in ``session``; None means that it must be read in the general way.

    The prompt names no cwd and client: those of the session are known.
    """
    try:
        record = decode_person(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    text, origin, time = record.message.content, record.origin, record.timestamp.timestamp()
    if (
        record.sessionId != session
        or record.isSidechain
        or record.isMeta
        or record.isCompactSummary
        or (origin is not None and origin.kind != "human")
        or record.message.role != "user"
        or record.message.model is not None
        or record.promptSource == "system"
        or not EARLIEST < time < LATEST
        or text[:1] in _UNUSUAL
        or text[:1].isspace()
    ):
        return None
    return Prompt(record.uuid, record.parentUuid, time, session, "", "", "", tidy(text), Origin.PROMPT)


def of_person(line: Line) -> Record | None:
    """Return what a user record says."""
    message = line.message
    if message is None or line.isMeta or line.isCompactSummary or message.role not in (None, "user") or message.model == SYNTHETIC:
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
        said = [(call or first, tidy(text)) for call, text in beside if text.strip() and not _is_client_text(text)]
        return _results(line, results, said)
    return _typed(line, texts, pictures)


def _typed(line: Line, texts: list[str], pictures: bool) -> Record | None:
    """Return a prompt, or what else the client writes as a user record."""
    begun = [_beginning(text) for text in texts]
    if any(start == "[" for start in begun) and any(text.startswith(INTERRUPTED) for text in texts):
        return Interrupted(*envelope(line))
    if line.origin is not None and line.origin.kind != "human":
        return _notified(envelope(line), texts) if line.origin.kind == "task-notification" else None
    if "<" in begun and any(text.startswith(NOTICE) for text in texts):
        return _notified(envelope(line), texts)
    if line.promptSource == "system":
        return None
    own = [text for text, start in zip(texts, begun, strict=True) if start not in _MARKS or not _is_client_text(text)]
    text = _joined(own)
    if not text or text.isspace():
        return Prompt(*envelope(line), "", Origin.PROMPT) if pictures and len(own) == len(texts) else None
    return Prompt(*envelope(line), tidy(text), Origin.PROMPT)


_MARKS = frozenset("<[")  # how what the client writes begins
_UNUSUAL = _MARKS | {""}


def _beginning(text: str) -> str:
    """Return the first character of a text that is no blank."""
    start = text[:1]
    return text.lstrip()[:1] if start.isspace() else start


def of_queue(attachment: Attachment, at: Envelope) -> Record | None:
    """Return what was typed while the agent worked, or another notice that waited in the same queue."""
    prompt = loosely(attachment.prompt)
    blocks = prompt if isinstance(prompt, list) else [prompt]
    texts = [b if isinstance(b, str) else b.get("text") for b in blocks if isinstance(b, (str, dict))]
    words = [t for t in texts if isinstance(t, str)]
    kind = attachment.origin.kind if attachment.origin is not None else None
    if kind == "task-notification" or any(w.startswith(NOTICE) for w in words):
        return _notified(at, words)
    if attachment.isMeta or (attachment.origin is not None and kind != "human") or attachment.commandMode not in (None, "prompt"):
        return None
    text = _joined([w for w in words if not _is_client_text(w)])
    return Prompt(*at, tidy(text), Origin.QUEUED) if text.strip() else None


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
    outcomes = tuple(Outcome(b.tool_use_id or "", bool(b.is_error) or _is_made_up(b), launched) for b in results)
    made_up = all(_is_made_up(b) for b in results)
    return Results(*envelope(line), outcomes, dialogs.typed_in(line, results, said), made_up)


def _is_made_up(result: Block) -> bool:
    """Whether the client wrote a result in place of one that never came; a string, or a list with one text."""
    if not begins(result.content, b"["):
        return begins(result.content, _CLOSED_CALL)
    if _CLOSED_CALL not in bytes(memoryview(result.content)[:200]):
        return False
    return dialogs.text_of(loosely(result.content)).startswith(CLOSED_CALL)
