"""A conversation as the Messages API has it, in typed values: what is sent, what comes back.

Owns: the blocks, the append-only dialogue (blocks go back as they came, thinking included; all results of a reply in one
message, in front), cache breakpoints, reading a reply tolerantly and telling its stop reasons apart. Leaves sending to
``anthropic_model``, what follows from a reply to ``relay``.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from extractord.agent.protocol import Usage

BYTES_A_TOKEN = 4  # at least so many, by any tokenizer: what decides whether a beginning is long enough to be marked


class CacheControl(msgspec.Struct, frozen=True, tag="ephemeral", tag_field="type"):
    """A mark up to which a server that can may keep the prompt."""


Mark = CacheControl | UnsetType


class Text(msgspec.Struct, frozen=True, tag="text", tag_field="type", omit_defaults=True):
    text: str
    cache_control: Mark = UNSET


class Thinking(msgspec.Struct, frozen=True, tag="thinking", tag_field="type"):
    """The model's thoughts with the server's signature: they go back untouched or the server refuses the conversation."""

    thinking: str
    signature: str = ""


class RedactedThinking(msgspec.Struct, frozen=True, tag="redacted_thinking", tag_field="type"):
    data: str


class ToolUse(msgspec.Struct, frozen=True, tag="tool_use", tag_field="type"):
    name: str
    id: str = ""
    input: Any = None  # an object, if the server keeps to the form


class ToolResult(msgspec.Struct, frozen=True, tag="tool_result", tag_field="type", omit_defaults=True):
    tool_use_id: str
    content: str
    is_error: bool = False
    cache_control: Mark = UNSET


Said = Text | Thinking | RedactedThinking | ToolUse
Told = Text | ToolResult


class Message(msgspec.Struct, frozen=True):
    role: str  # user | assistant
    content: tuple[Said | ToolResult, ...]


class Tool(msgspec.Struct, frozen=True):
    """A tool as it is offered; ``input_schema`` is JSON Schema."""

    name: str
    description: str
    input_schema: dict[str, Any]


class Request(msgspec.Struct, frozen=True):
    """One call. Only what every ``/v1/messages`` server takes; cache marks can be left out."""

    model: str
    max_tokens: int
    system: tuple[Text, ...]
    tools: tuple[Tool, ...]
    messages: tuple[Message, ...]

    @property
    def size(self) -> int:
        """Bytes of the request as JSON."""
        return len(msgspec.json.encode(self))


class StopReason(enum.Enum):
    """Why the server says that the model stopped."""

    END_TURN = "end_turn"
    MAX_TOKENS = "max_tokens"
    STOP_SEQUENCE = "stop_sequence"
    TOOL_USE = "tool_use"
    PAUSE_TURN = "pause_turn"
    REFUSAL = "refusal"
    CONTEXT = "model_context_window_exceeded"
    UNKNOWN = "unknown"  # none, or one that is not known here


class Heard(msgspec.Struct, frozen=True):
    """A reply. ``usage`` is None where the server did not say what it counted."""

    blocks: tuple[Said, ...]
    stop: StopReason
    usage: Usage | None

    @property
    def calls(self) -> tuple[ToolUse, ...]:
        return tuple(block for block in self.blocks if isinstance(block, ToolUse))

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.blocks if isinstance(block, Text))


# --- the dialogue


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation so far. It only grows."""

    system: str
    tools: tuple[Tool, ...]
    messages: tuple[Message, ...]

    @classmethod
    def opened(cls, system: str, tools: tuple[Tool, ...], first: str) -> Dialogue:
        return cls(system, tools, (Message("user", (Text(first),)),))

    def heard(self, reply: Heard) -> Dialogue:
        """Return it with the model's reply; of an empty one nothing can stand in a conversation."""
        return replace(self, messages=(*self.messages, Message("assistant", reply.blocks))) if reply.blocks else self

    def told(self, results: Iterable[ToolResult], note: str = "") -> Dialogue:
        """Return it with the answers to all calls of the last reply in one message: results first, then ``note``."""
        content: tuple[Told, ...] = (*results, *((Text(note),) if note else ()))
        if self.messages[-1].role == "user":  # after an empty reply: roles have to alternate on some servers
            last = self.messages[-1]
            return replace(self, messages=(*self.messages[:-1], Message("user", (*last.content, *content))))
        return replace(self, messages=(*self.messages, Message("user", content)))

    @property
    def stable_size(self) -> int:
        """Bytes, as JSON, of what is the same in every run: the tools and the system prompt."""
        return len(msgspec.json.encode(self.tools)) + len(msgspec.json.encode(self.system))

    def request(self, model: str, max_tokens: int, marked_from: int | None) -> Request:
        """Return the next call. ``marked_from`` is the length in tokens from which on a beginning is marked; None: nothing is.

        Marked are the end of what is the same in every run and, once a run goes on, the newest message: most runs end after
        their first call, and writing a prompt costs more than sending it.
        """
        request = Request(model, max_tokens, (Text(self.system),), self.tools, self.messages)
        if marked_from is None:
            return request
        if self.stable_size >= marked_from * BYTES_A_TOKEN:
            request = msgspec.structs.replace(request, system=(Text(self.system, CacheControl()),))
        goes_on = len(self.messages) > 1 and self.messages[-1].role == "user"
        if goes_on and request.size >= marked_from * BYTES_A_TOKEN:
            request = msgspec.structs.replace(request, messages=(*self.messages[:-1], _marked(self.messages[-1])))
        return request


def _marked(message: Message) -> Message:
    *before, last = message.content
    if not isinstance(last, (Text, ToolResult)):
        return message
    return Message(message.role, (*before, msgspec.structs.replace(last, cache_control=CacheControl())))


def without_marks(request: Request) -> Request:
    """Return the request without cache marks, for servers that may not know them."""
    plain = [Message(m.role, tuple(map(_unmarked, m.content))) for m in request.messages]
    return msgspec.structs.replace(request, system=tuple(map(_unmarked_text, request.system)), messages=tuple(plain))


def _unmarked(block: Said | ToolResult) -> Said | ToolResult:
    return msgspec.structs.replace(block, cache_control=UNSET) if isinstance(block, (Text, ToolResult)) else block


def _unmarked_text(block: Text) -> Text:
    return Text(block.text)


# --- a reply

_Tokens = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class _Counted(msgspec.Struct, frozen=True):
    input_tokens: _Tokens | None = None
    output_tokens: _Tokens | None = None
    cache_read_input_tokens: _Tokens | None = None
    cache_creation_input_tokens: _Tokens | None = None


class _Body(msgspec.Struct, frozen=True):
    content: tuple[msgspec.Raw, ...] | None
    stop_reason: str | None = None
    usage: _Counted | None = None


class _Kind(msgspec.Struct, frozen=True):
    type: str


_body = msgspec.json.Decoder(_Body)
_kind = msgspec.json.Decoder(_Kind)
_said: msgspec.json.Decoder[Said] = msgspec.json.Decoder(Said)
_KNOWN = frozenset(("text", "thinking", "redacted_thinking", "tool_use"))


class NoReplyError(ValueError):
    """What a server sent is not a reply; the text says why without quoting it."""


def read_reply(body: bytes) -> Heard:
    """Read the body of a reply. Raises NoReplyError. Blocks of kinds that were not asked for are left out, empty texts too."""
    try:
        read = _body.decode(body)
        blocks = tuple(_distinct(_said.decode(raw) for raw in read.content or () if _kind.decode(raw).type in _KNOWN))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NoReplyError(type(error).__name__) from None
    return Heard(blocks, _stop(read.stop_reason), _usage(read.usage))


def _distinct(blocks: Iterable[Said]) -> Iterator[Said]:
    """Yield blocks that can be sent back: no empty text, every call with an id of its own and an object as its input."""
    taken: set[str] = set()
    for number, block in enumerate(blocks):
        match block:
            case Text(text) if not text.strip():
                continue
            case ToolUse(name, id_, given):
                if not id_ or id_ in taken or len(id_) > 200:
                    id_ = f"call_{number}"  # small servers leave ids out, or give each call the same
                taken.add(id_)
                yield ToolUse(name, id_, given if isinstance(given, dict) else {})
            case _:
                yield block


def _stop(written: str | None) -> StopReason:
    try:
        return StopReason(written)
    except ValueError:
        return StopReason.UNKNOWN


def _usage(counted: _Counted | None) -> Usage | None:
    if counted is None or counted.input_tokens is None or counted.output_tokens is None:
        return None
    return Usage(
        counted.input_tokens, counted.output_tokens, counted.cache_read_input_tokens or 0, counted.cache_creation_input_tokens or 0
    )
