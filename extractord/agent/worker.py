"""The worker process: toolbox and loop, over frames on its standard input and output.

Owns: how much of anything the process may take, and serving one run or one series of calls. It has no checks of its own and no
rights but reading; it asks its supervisor before it stages anything. Leaves starting and ending it to ``supervise``.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import assert_never

from extractord.agent.briefing import Briefing
from extractord.agent.child import begin, confined
from extractord.agent.confinement import confine_worker
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
    Done,
    EvidenceRule,
    NoMoreCalls,
    ShellOffer,
    StartCalls,
    StartRun,
    ToSupervisor,
    ToWorker,
    to_worker,
)
from extractord.agent.loop import converse
from extractord.agent.places import Places
from extractord.agent.protocol import Model, Reply, ToolAnswer
from extractord.agent.tools import Toolbox
from extractord.errors import WorkerError
from extractord.memory.changeset import Proposal
from extractord.sandbox.level import Level
from extractord.system.bounds import Bounds

Pipe = Channel[ToSupervisor, ToWorker]

_PACKAGE = Path(__file__).parent.parent
BOUNDS = Bounds(cpu_seconds=60, file_bytes=0, open_files=256, memory=2 << 30)


def main(supervisor_pid: int, told: str) -> None:
    """Serve the supervisor that started this process, then end; ``told`` says what it may reach (``confinement``)."""
    channel: Pipe = Channel(*begin(supervisor_pid, BOUNDS), to_worker)
    try:
        attained = confined(partial(confine_worker, told))
        channel.send(Confined(attained))
        last: ToSupervisor = _serve(channel, attained.level)
    except Exception as error:  # noqa: BLE001 - the boundary of the process: told to the supervisor, by kind and place only
        last = _broken(error)
    with contextlib.suppress(WorkerError):  # a supervisor that is gone needs no answer
        channel.send(last)


def _broken(error: BaseException) -> Broken:
    """Return kind and place of an error, the innermost of ours. Its text may quote what was worked on, so that stays here."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(_PACKAGE)]
    return Broken(type(error).__name__[:60], Path(ours[-1].filename).name, ours[-1].lineno or 0)


def _serve(channel: Pipe, level: Level) -> ToSupervisor:
    match channel.receive():
        case StartRun() as start:
            return _run(start, channel, _offer(start.shell, level))
        case StartCalls() as start:
            return _try_calls(start, channel, _offer(start.shell, level))
        case _:
            raise WorkerError("the first frame starts nothing")


def _offer(shell: ShellOffer, level: Level) -> ShellOffer:
    """Return whether Bash is there, whatever the model was told: not in a process that the kernel does not hold."""
    return shell if level.holds or level is Level.OFF else ShellOffer.NO_SANDBOX


def _run(start: StartRun, channel: Pipe, shell: ShellOffer) -> Done:
    briefed = [(topic.file, topic.body) for topic in start.briefing.manifest]
    toolbox = Toolbox(Places(start.roots), _checked_over(channel), EvidenceRule.ASKED, briefed, shell, start.briefing.pending)
    conversation = converse(_model(start.backend, start.briefing, channel), toolbox.rule, start.limits)
    return Done(toolbox.overlay.changeset(), conversation)


def _try_calls(start: StartCalls, channel: Pipe, shell: ShellOffer) -> Done:
    toolbox = Toolbox(Places(start.roots), _checked_over(channel), start.evidence, shell=shell)
    while True:
        match channel.receive():
            case Call(call):
                channel.send(Answered(ToolAnswer(call.id, toolbox.rule(call))))
            case NoMoreCalls() | None:
                return Done(toolbox.overlay.changeset())
            case _:
                raise WorkerError("a call was expected")


def _checked_over(channel: Pipe) -> Callable[[Proposal], CheckAnswer]:
    def check(proposal: Proposal) -> CheckAnswer:
        channel.send(Check(proposal))
        answer = channel.receive()
        if not isinstance(answer, CheckAnswer):
            raise WorkerError("the answer to a check was expected")
        return answer

    return check


def _model(backend: Backend, briefing: Briefing, channel: Pipe) -> Model:
    match backend:
        case Backend.OFFLINE:
            from extractord.agent import offline  # its tables cost start time that a relayed model does not need

            return offline.make(briefing)
        case Backend.RELAYED:
            return _RelayedModel(channel)
        case _:
            assert_never(backend)


class _RelayedModel:
    """A model somewhere else, asked through the supervisor."""

    def __init__(self, channel: Pipe) -> None:
        self._channel = channel
        self._turn = 0

    def open(self) -> Reply:
        return self.go_on(())

    def go_on(self, answers: tuple[ToolAnswer, ...]) -> Reply:
        self._channel.send(Ask(self._turn, answers))
        self._turn += 1
        answer = self._channel.receive()
        if not isinstance(answer, Answer):
            raise WorkerError("a model's reply was expected")
        return answer.reply
