"""The whole agent loop: a bounded conversation in which a model's calls are answered.

Owns: when to go on and when to stop, and the record of what happened. Leaves what a call does to the toolbox, what a model
is to the protocol, spending limits to the supervisor.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

import msgspec

from extractord.agent.policy import denied, is_plain
from extractord.agent.protocol import Decision, Model, Reply, Ruling, Stop, ToolAnswer, ToolCall, Usage
from extractord.redact import redact

WRITING = frozenset({"Write", "Edit", "Delete"})
_SUBJECT = 200  # characters kept of what a call was about


class AgentLimits(msgspec.Struct, frozen=True):
    """What one agent run may take. ``seconds`` is wall-clock time from the worker's start to its last frame."""

    turns: int = 5
    calls: int = 100  # carried out per reply; the rest is refused
    seconds: float = 120.0


class Ending(enum.Enum):
    """Why a conversation ended."""

    SETTLED = "settled"  # all writes of the last reply were accepted, and it asked for nothing else
    SILENT = "silent"  # the last reply had no calls
    TURNS = "turns"  # the turns were used up


class Ruled(msgspec.Struct, frozen=True):
    """A line of the record: one call and the ruling on it, without what it showed."""

    turn: int
    tool: str
    subject: str  # the path, pattern or command; redacted, one line
    decision: Decision
    reason: str = ""
    failed: bool = False


class Conversation(msgspec.Struct, frozen=True):
    """The record of an agent run: ``stop`` is the last reply's, ``rulings`` are in order."""

    ending: Ending
    stop: Stop
    turns: int
    usage: Usage
    rulings: tuple[Ruled, ...] = ()


def converse(model: Model, answer: Callable[[ToolCall], Ruling], limits: AgentLimits) -> Conversation:
    """Talk to ``model`` until it is done or a limit is reached; every call of a reply is answered, in order, in one go."""
    usage, rulings, reply = Usage(), list[Ruled](), Reply()
    answers: tuple[ToolAnswer, ...] = ()
    for turn in range(limits.turns):
        reply = model.go_on(answers) if turn else model.open()
        usage = usage.plus(reply.usage)
        if not reply.calls:
            return Conversation(Ending.SILENT, reply.stop, turn + 1, usage, tuple(rulings))
        answers = tuple(ToolAnswer(call.id, _rule(call, place, answer, limits)) for place, call in enumerate(reply.calls))
        # Of a flood of calls only the first refused one is recorded: the rest tells nothing more.
        rulings += [_ruled(turn, *pair) for pair in zip(reply.calls[: limits.calls + 1], answers, strict=False)]
        if _settled(reply, answers):
            return Conversation(Ending.SETTLED, reply.stop, turn + 1, usage, tuple(rulings))
    return Conversation(Ending.TURNS, reply.stop, limits.turns, usage, tuple(rulings))


def _rule(call: ToolCall, place: int, answer: Callable[[ToolCall], Ruling], limits: AgentLimits) -> Ruling:
    if place >= limits.calls:
        return denied(f"too many calls in one reply: the first {limits.calls} were carried out")
    return answer(call)


def _settled(reply: Reply, answers: tuple[ToolAnswer, ...]) -> bool:
    """Return whether nothing is left to say: not cut off, only writes, all accepted, nothing asked back."""
    return (
        reply.stop is not Stop.MAX_TOKENS
        and all(call.tool in WRITING for call in reply.calls)
        and all(a.ruling.decision is Decision.ALLOWED and not a.ruling.failed and not a.ruling.asks for a in answers)
    )


def _ruled(turn: int, call: ToolCall, answer: ToolAnswer) -> Ruled:
    ruling = answer.ruling
    return Ruled(turn, _one_line(call.tool), subject_of(call), ruling.decision, ruling.reason, ruling.failed)


def subject_of(call: ToolCall) -> str:
    """Return what a call is about, in one redacted line of at most 200 characters; "" if it does not say."""
    for key in ("file_path", "pattern", "command", "path"):
        if isinstance(value := call.input.get(key), str):
            return _one_line(value)
    return ""


def _one_line(text: str) -> str:
    shown = "".join(c if is_plain(c) else "\N{REPLACEMENT CHARACTER}" for c in text[: 4 * _SUBJECT])
    return redact(shown).text[:_SUBJECT]
