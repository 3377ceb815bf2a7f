"""A worker's model, seen from the supervisor: each ask becomes calls that were paid for beforehand.

Owns: the dialogue of one run, that money is put aside before each call and settled after it, and what follows from each stop
reason and fault. Leaves the budget to the ``Purse`` it is given, sending to ``model_line``, the form of things to ``wire``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, assert_never

import msgspec

from extractord.agent.child import NOTHING_WRITTEN
from extractord.agent.model_frames import Fault, FaultKind, FromModel, ModelAnswered
from extractord.agent.prices import MARKED_FROM, UNKNOWN, Habits, Rates
from extractord.agent.protocol import Decision, Reply, Stop, ToolAnswer, ToolCall, Usage
from extractord.agent.providers import FACTS
from extractord.agent.server import Server
from extractord.agent.wire import Dialogue, Heard, Request, StopReason, ToolResult, ToolUse
from extractord.config import Provider
from extractord.errors import PostponedError, StoppedError, WorkerError
from extractord.transcript.tokens import most_tokens

MAX_TOKENS = 4096
OVERHEAD_TOKENS = 600  # what a server adds to a request that has tools
TOKENIZER = 1.3  # how much more than ``most_tokens`` says the newest tokenizers count: 30 % more than those it was fitted to
REQUEST_BYTES = 2 << 20  # what no model's context takes is not sent
_CUT = "Your answer was cut off at its token limit. Nothing of this call was carried out: send it again, shorter."
_GO_ON = "Your answer was cut off at its token limit. Go on with the calls only, shorter."
_SHORTER = "Lower limits.digest_tokens."

Held = TypeVar("Held")


class Purse(Protocol[Held]):
    """What pays for calls."""

    def reserve(self, upper_usd: float) -> Held:
        """Put so much aside. Raises PostponedError over a cap, LedgerError where nobody can say: then nothing is sent."""

    def settle(self, held: Held, usage: Usage, cost_usd: float) -> None:
        """Replace what was put aside by what the call cost."""


class Line(Protocol):
    """What carries calls; ``ModelLine`` is one."""

    def ask(self, server: Server, request: Request, deadline: float) -> FromModel: ...


@dataclass(frozen=True, slots=True)
class Terms:
    """Which model, where, at what price, what is known of it, how many calls a run may take, and tokens of an answer's words."""

    model: str
    server: Server
    rates: Rates
    habits: Habits = UNKNOWN
    calls: int = 5
    max_tokens: int = MAX_TOKENS

    def request(self, dialogue: Dialogue) -> Request:
        """Return the next call of a conversation."""
        return dialogue.request(self.model, self.max_tokens + self.habits.room, MARKED_FROM)


class Relay(Generic[Held]):
    """The model of one agent run, for ``supervise.extract``; ``deadline`` is the run's (``time.monotonic``)."""

    def __init__(self, dialogue: Dialogue, terms: Terms, line: Line, purse: Purse[Held], deadline: float) -> None:
        self._dialogue = dialogue
        self._terms = terms
        self._line = line
        self._purse = purse
        self._deadline = deadline
        self._left = terms.calls
        self._answered: tuple[ToolUse, ...] = ()  # the calls the worker was given
        self._cut: tuple[ToolUse, ...] = ()  # a call after them that is not whole

    def answer(self, turn: int, answers: tuple[ToolAnswer, ...]) -> Reply:
        """Return the reply to the briefing (turn 0), or to the answers of all calls of the last reply, in their order.

        Raises PostponedError, StoppedError, WorkerError, and what the purse raises.
        """
        if turn:
            self._dialogue = self._dialogue.told((*self._results(answers), *map(_cut_off, self._cut)))
        usage = Usage()
        while self._left:
            heard = self._call()
            usage = usage.plus(heard.usage or Usage())
            reply = self._reply(heard)
            if reply is not None:
                return Reply(reply.text, reply.calls, reply.stop, usage)
        raise WorkerError(f"the model came to no end within {self._terms.calls} calls", hint=NOTHING_WRITTEN)

    def _results(self, answers: tuple[ToolAnswer, ...]) -> Iterable[ToolResult]:
        if len(answers) != len(self._answered):
            raise WorkerError("the worker did not answer every call", hint=NOTHING_WRITTEN)
        return [_result(call, answer) for call, answer in zip(self._answered, answers, strict=True)]

    def _reply(self, heard: Heard) -> Reply | None:
        """Note a reply in the dialogue and return what the worker is given of it; None: the model has to go on first."""
        self._dialogue = self._dialogue.heard(heard)
        self._answered, self._cut = heard.calls, ()
        match heard.stop:
            case StopReason.REFUSAL:
                raise WorkerError(
                    "the model refused to answer", hint="It is tried again a few times; `sessions` shows when it is given up."
                )
            case StopReason.CONTEXT:
                raise WorkerError("the session did not fit into the model's context", hint=_SHORTER)
            case StopReason.PAUSE_TURN:
                if not heard.blocks:
                    return _given(heard, Stop.END)
                return None if not heard.calls else _given(heard, Stop.TOOLS)
            case StopReason.MAX_TOKENS:
                return self._after_cut(heard)
            case StopReason.END_TURN | StopReason.STOP_SEQUENCE | StopReason.TOOL_USE | StopReason.UNKNOWN:
                return _given(heard, Stop.TOOLS if heard.calls else Stop.END)
            case _:
                assert_never(heard.stop)

    def _after_cut(self, heard: Heard) -> Reply | None:
        """Give the worker the calls that are whole; the last block is where the answer was cut."""
        if heard.blocks and isinstance(heard.blocks[-1], ToolUse):
            self._answered, self._cut = heard.calls[:-1], heard.calls[-1:]
        if self._answered:
            return Reply(heard.text, tuple(map(_tool_call, self._answered)), Stop.MAX_TOKENS)
        self._dialogue = self._dialogue.told(map(_cut_off, self._cut), "" if self._cut else _GO_ON)
        return None

    def _call(self) -> Heard:
        self._left -= 1
        terms = self._terms
        request = terms.request(self._dialogue)
        if request.size > REQUEST_BYTES:
            raise WorkerError(f"the conversation grew to {request.size} bytes and was ended", hint=NOTHING_WRITTEN)
        tokens = most_input(request)
        if terms.habits.dear_from is not None and tokens > terms.habits.dear_from:
            raise WorkerError(f"the conversation grew to {tokens:,} tokens, where the model costs more, and was ended", hint=_SHORTER)
        held = self._purse.reserve(terms.rates.upper_bound(tokens, request.max_tokens))
        return self._heard(held, self._line.ask(terms.server, request, self._deadline))

    def _heard(self, held: Held, said: FromModel) -> Heard:
        match said:
            case ModelAnswered(_, heard):
                # Where nothing was counted, what was put aside stays spent.
                if heard.usage is not None:
                    self._purse.settle(held, heard.usage, self._terms.rates.cost(heard.usage))
                elif self._terms.rates.free:
                    self._purse.settle(held, Usage(), 0.0)
                return heard
            case Fault(kind=kind):
                if kind.unbilled:
                    self._purse.settle(held, Usage(), 0.0)
                raise error_of(said, time.time(), self._terms.server.provider)
            case _:
                assert_never(said)


def most_input(request: Request) -> int:
    """Return the most tokens that a server can count for a request."""
    return math.ceil(most_tokens(msgspec.json.encode(request).decode("utf-8", "replace")) * TOKENIZER) + OVERHEAD_TOKENS


def error_of(fault: Fault, now: float, provider: Provider = Provider.ANTHROPIC) -> PostponedError | WorkerError:
    """Return what a fault means for the stretch, with the way out."""
    code = f" ({' '.join(filter(None, (str(fault.status or ''), fault.error)))})" if fault.status or fault.error else ""
    match fault.kind:
        case FaultKind.LOGIN:
            return StoppedError(
                f"the model's server accepts no login of ours{code}",
                hint=FACTS[provider].way_out,
            )
        case FaultKind.SPENDING:
            return StoppedError(
                f"the account has no money left or reached its own limit{code}", hint="raise it at the vendor, or wait until it is reset"
            )
        case FaultKind.BUSY:
            until = None if fault.retry_after is None else now + fault.retry_after
            return PostponedError(f"the model's server is overloaded{code}", hint="it is tried again by itself", until=until)
        case FaultKind.UNREACHABLE:
            return PostponedError("the model's server cannot be reached", hint="check the network, proxies and base_url")
        case FaultKind.REFUSED:
            return WorkerError(f"the model's server refused the request{code}", hint="check model and base_url in the configuration")
        case FaultKind.CUT:
            return WorkerError("the connection to the model was cut within its reply", hint=NOTHING_WRITTEN)
        case FaultKind.LATE:
            return WorkerError("the model did not answer in time", hint="it is tried again; limits.extraction_seconds is the time it has")
        case FaultKind.FLOOD:
            return WorkerError("the model's reply was too large and was dropped", hint=NOTHING_WRITTEN)
        case FaultKind.NO_REPLY:
            return WorkerError("what the model's server sent is no reply", hint="check base_url: it has to speak /v1/messages")
        case FaultKind.MISSING:
            extra = FACTS[provider].extra
            return StoppedError(f"what {FACTS[provider].title} needs is not installed", hint=f'install "extractord[{extra}]"')
        case FaultKind.BROKEN:
            return WorkerError(f"the call of the model failed{code}", hint=NOTHING_WRITTEN)
        case _:
            assert_never(fault.kind)


def _given(heard: Heard, stop: Stop) -> Reply:
    return Reply(heard.text, tuple(map(_tool_call, heard.calls)), stop)


def _tool_call(use: ToolUse) -> ToolCall:
    return ToolCall(use.id, use.name, use.input)


def _cut_off(use: ToolUse) -> ToolResult:
    return ToolResult(use.id, _CUT, is_error=True)


def _result(call: ToolUse, answer: ToolAnswer) -> ToolResult:
    ruling = answer.ruling
    if ruling.decision is Decision.DENIED:
        return ToolResult(call.id, f"denied: {ruling.reason}", is_error=True)
    return ToolResult(call.id, ruling.result or "(nothing)", is_error=ruling.failed)
