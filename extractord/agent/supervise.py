"""The supervisor's side of a worker: start it, answer what it asks, hold it to its deadline, end it.

Owns: the worker's environment and deadline, and what a worker may say when. It believes nothing: changes that were not checked
here are not taken. Leaves starting and ending to ``child``, whether a change is right to the ``check`` it is given, a model's
replies to ``answer``.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from extractord.agent.briefing import Briefing
from extractord.agent.child import NOTHING_WRITTEN, Child
from extractord.agent.confinement import worker_command
from extractord.agent.frames import (
    Answer,
    Answered,
    Ask,
    Backend,
    Broken,
    Call,
    Channel,
    Check,
    CheckAnswer,
    Confined,
    DeadlineError,
    Done,
    EvidenceRule,
    FrameTooLongError,
    NoMoreCalls,
    ShellOffer,
    StartCalls,
    StartRun,
    ToSupervisor,
    ToWorker,
    encode,
    to_supervisor,
)
from extractord.agent.loop import AgentLimits, Ending, Ruled
from extractord.agent.policy import Roots, denied
from extractord.agent.protocol import Decision, Reply, Stop, ToolAnswer, ToolCall, Usage
from extractord.config import Sandbox
from extractord.errors import AbandonedError, ExtractordError, WorkerError
from extractord.memory.changeset import Changeset, Proposal
from extractord.sandbox.level import Attained, Level

__all__ = [
    "AgentLimits", "AgentResult", "Answering", "Backend", "CheckAnswer", "Checking", "Decision", "Ending", "EvidenceRule", "Roots", "Ruled",
    "Sandbox", "ShellOffer", "abandon_workers", "attained_with", "extract", "try_calls",
]  # fmt: skip

Checking = Callable[[Proposal], CheckAnswer]
Answering = Callable[[int, tuple[ToolAnswer, ...]], Reply]

CALL_SECONDS = 60.0  # for one tried call, checks included
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}


@dataclass(frozen=True, slots=True)
class AgentResult:
    """What an agent run came to; ``level`` is how far its worker was confined, ``seconds`` is wall-clock time."""

    changeset: Changeset
    ending: Ending
    stop: Stop
    turns: int
    usage: Usage
    rulings: tuple[Ruled, ...]
    seconds: float
    level: Level


def abandon_workers() -> None:
    """End all workers of this process that run now; who waits for one gets AbandonedError. For a supervisor that is to stop."""
    for worker in tuple(_running):
        worker.abandon()


def extract(
    briefing: Briefing,
    roots: Roots,
    check: Checking,
    *,
    limits: AgentLimits | None = None,
    backend: Backend = Backend.OFFLINE,
    shell: ShellOffer = ShellOffer.NO_SANDBOX,
    sandbox: Sandbox = Sandbox.AUTO,
    answer: Answering | None = None,
    command: Sequence[str] | None = None,
) -> AgentResult:
    """Return what an agent run over ``briefing`` proposes; every proposal in it passed ``check`` as it is.

    ``answer`` gives a model's reply, by turn and answers to its last calls; without one a worker that asks is refused.
    Raises WorkerError for a worker that dies, hangs past ``limits.seconds``, floods or lies, NotConfinedError for one that is not
    confined as ``sandbox`` asks, and whatever ``check`` raises.
    """
    limits = limits or AgentLimits()
    began = time.monotonic()
    with _Worker(command or worker_command(sandbox, roots), check, limits) as worker:
        worker.until(began + limits.seconds)
        level = worker.attained().level
        worker.send(StartRun(briefing, roots, limits, backend, shell))
        asked = 0
        while True:
            match worker.receive():
                case Ask(turn, answers) if answer is not None and turn == asked < limits.turns:
                    asked += 1
                    worker.send(Answer(answer(turn, answers)))
                case Ask():
                    raise WorkerError("the worker asked for a model's reply that this run does not give", hint=NOTHING_WRITTEN)
                case Done(changeset, conversation) if conversation is not None:
                    worker.believe(changeset)
                    c = conversation
                    return AgentResult(changeset, c.ending, c.stop, c.turns, c.usage, c.rulings, time.monotonic() - began, level)
                case _:
                    raise WorkerError("the worker said what it may not say now", hint=NOTHING_WRITTEN)


def try_calls(
    calls: Iterable[ToolCall],
    roots: Roots,
    check: Checking,
    *,
    evidence: EvidenceRule = EvidenceRule.NOT_ASKED,
    shell: ShellOffer = ShellOffer.NO_SANDBOX,
    sandbox: Sandbox = Sandbox.AUTO,
    command: Sequence[str] | None = None,
) -> Iterator[ToolAnswer | Changeset]:
    """Yield the answer to each call as soon as it is there, and at the end the changeset that they come to together.

    Raises WorkerError as ``extract`` does; the deadline is ``CALL_SECONDS`` for each call, however slowly calls come.
    """
    with _Worker(command or worker_command(sandbox, roots), check, AgentLimits()) as worker:
        worker.until(time.monotonic() + CALL_SECONDS)
        worker.attained()
        worker.send(StartCalls(roots, evidence, shell))
        for call in calls:
            worker.until(time.monotonic() + CALL_SECONDS)
            yield _tried(worker, call)
        worker.until(time.monotonic() + CALL_SECONDS)
        worker.send(NoMoreCalls())
        match worker.receive():
            case Done(changeset, None):
                worker.believe(changeset)
                yield changeset
            case _:
                raise WorkerError("the worker said what it may not say now", hint=NOTHING_WRITTEN)


def attained_with(sandbox: Sandbox) -> Attained:
    """Return how far workers are confined, and what is missing; found out once by starting one that has nothing to do."""
    if sandbox is Sandbox.OFF:
        return Attained(Level.OFF)
    try:
        return _attained_here()
    except ExtractordError as error:
        return Attained(Level.NONE, error.message)


@functools.cache
def _attained_here() -> Attained:
    with _Worker(worker_command(Sandbox.AUTO, None), lambda _: CheckAnswer(Decision.DENIED), AgentLimits()) as worker:
        worker.until(time.monotonic() + CALL_SECONDS)
        return worker.attained()


def _tried(worker: _Worker, call: ToolCall) -> ToolAnswer:
    try:
        data = encode(Call(call))
    except FrameTooLongError:
        return ToolAnswer(call.id, denied("malformed input: it is too large"))
    except (UnicodeEncodeError, RecursionError, TypeError, OverflowError):
        return ToolAnswer(call.id, denied("malformed input: it has lone surrogates or is nested too deeply"))
    worker.send_encoded(data)
    match worker.receive():
        case Answered(answer) if answer.id == call.id:
            return answer
        case _:
            raise WorkerError("the worker said what it may not say now", hint=NOTHING_WRITTEN)


class _Worker:
    """A running worker, from its start to its certain end."""

    def __init__(self, command: Sequence[str], check: Checking, limits: AgentLimits) -> None:
        self._command = command
        self._check = check
        # In one go: no more checks than an honest worker could ask for between two other frames.
        self._checks = limits.turns * limits.calls
        self._deadline = 0.0
        self._passed: dict[str, Proposal] = {}
        self._abandoned = False

    def __enter__(self) -> Self:
        self._child = Child("worker", self._command, _ENVIRONMENT)
        self._channel: Channel[ToWorker, ToSupervisor] = Channel(self._child.read_fd, self._child.write_fd, to_supervisor)
        _running.add(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _running.discard(self)
        self._child.bury()

    def abandon(self) -> None:
        """End it from another thread; it is not waited for here."""
        self._abandoned = True
        self._child.kill()

    def until(self, deadline: float) -> None:
        """Set the time (``time.monotonic``) by which the worker is to have answered."""
        self._deadline = deadline

    def send(self, frame: ToWorker) -> None:
        """Tell the worker. Raises WorkerError when it is gone or does not listen."""
        try:
            data = encode(frame)
        except (UnicodeEncodeError, RecursionError):
            raise WorkerError("what the worker was to be told cannot be written as JSON", hint=NOTHING_WRITTEN) from None
        self.send_encoded(data)

    def send_encoded(self, data: bytes) -> None:
        """Tell the worker what ``encode`` returned."""
        try:
            self._channel.send_encoded(data, self._deadline)
        except DeadlineError:
            raise WorkerError("the worker did not listen in time and was ended", hint=NOTHING_WRITTEN) from None
        except WorkerError:
            raise self._why_it_ended() from None

    def attained(self) -> Attained:
        """Return how far it is confined, which is the first thing it says."""
        match self.receive():
            case Confined(attained):
                return attained
            case _:
                raise WorkerError("the worker said what it may not say now", hint=NOTHING_WRITTEN)

    def receive(self) -> Confined | Ask | Answered | Done:
        """Return the next frame that is no check; checks are answered on the way."""
        for _ in range(self._checks + 1):
            match self._next():
                case Check(proposal):
                    self.send(self._checked(proposal))
                case Broken(kind, file, line):
                    raise WorkerError(f"the worker gave up: {kind} at {file}:{line}", hint=NOTHING_WRITTEN)
                case frame:
                    return frame
        raise WorkerError("the worker flooded its supervisor and was ended", hint=NOTHING_WRITTEN)

    def believe(self, changeset: Changeset) -> None:
        """Raise WorkerError unless every proposal in ``changeset`` is the one last checked for its topic."""
        paths = [proposal.path for proposal in changeset.proposals]
        if len(set(paths)) != len(paths) or any(self._passed.get(p.path) != p for p in changeset.proposals):
            raise WorkerError("the worker's changeset is not what was checked", hint=NOTHING_WRITTEN)

    def _checked(self, proposal: Proposal) -> CheckAnswer:
        answer = self._check(proposal)
        if answer.decision is Decision.ALLOWED:
            self._passed[proposal.path] = proposal
        return answer

    def _next(self) -> ToSupervisor:
        try:
            frame = self._channel.receive(self._deadline)
        except DeadlineError:
            raise WorkerError("the worker did not answer in time and was ended", hint=NOTHING_WRITTEN) from None
        except WorkerError as error:
            if self._abandoned:
                raise self._why_it_ended() from None
            raise WorkerError(f"the worker broke the rules of its pipe: {error.message}", hint=NOTHING_WRITTEN) from None
        if frame is None:
            raise self._why_it_ended()
        return frame

    def _why_it_ended(self) -> ExtractordError:
        if self._abandoned:
            return AbandonedError("the run was stopped", hint="Nothing was written. The session is tried again at the next start.")
        return self._child.why_it_ended()


_running: set[_Worker] = set()  # of this process, by whatever thread
