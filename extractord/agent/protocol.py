"""What models, loop and toolbox say to each other.

Owns: the neutral records of a conversation with a model and the two-method protocol behind which every model stands.
Leaves wire formats to the models, what a tool does to ``tools``, when to stop to ``loop``.
"""

from __future__ import annotations

import enum
from typing import Any, Protocol

import msgspec


class ToolCall(msgspec.Struct, frozen=True):
    """A model's call of a tool. ``input`` is what the model wrote: nothing about it is trusted."""

    id: str
    tool: str
    input: dict[str, Any]


class Decision(enum.Enum):
    ALLOWED = "allowed"
    DENIED = "denied"


class Ruling(msgspec.Struct, frozen=True):
    """Whether a call was allowed, the reason if it was not, and what the model is told.

    A call that is allowed but fails by itself (no such file, no match) is ALLOWED with the failure in ``result``.
    """

    decision: Decision
    reason: str = ""
    result: str = ""
    failed: bool = False  # allowed, but the result tells of a failure
    asks: bool = False  # allowed, but the result asks the model for something more


class ToolAnswer(msgspec.Struct, frozen=True):
    """The ruling on a call, as it goes back to the model."""

    id: str
    ruling: Ruling


class Stop(enum.Enum):
    """Why a model stopped."""

    END = "end"
    TOOLS = "tools"
    MAX_TOKENS = "max_tokens"
    REFUSAL = "refusal"
    OVERFLOW = "overflow"  # the context did not fit
    OTHER = "other"


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one call."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def plus(self, other: Usage) -> Usage:
        """Return the sum of both."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )


class Reply(msgspec.Struct, frozen=True):
    """A model's answer."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = Stop.END
    usage: Usage = Usage()


class Model(Protocol):
    """A model in one bounded conversation; the briefing (digest, manifest …) was given when it was made."""

    def open(self) -> Reply:
        """Return the first reply to the briefing."""

    def go_on(self, answers: tuple[ToolAnswer, ...]) -> Reply:
        """Return the reply to the answers of all calls of the last reply, in order."""
