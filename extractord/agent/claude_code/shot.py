"""A worker's model that is the user's own client: one run, one answer, all its changes at once.

Owns: the order of a shot: leave to start, the run, its result, what it used. Leaves the leave to the ``Permit`` it is given, the
words of the prompt to ``prompting``, and each change to the worker's toolbox.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from typing import Protocol

from extractord.agent.briefing import Briefing
from extractord.agent.claude_code.changes import calls_of
from extractord.agent.claude_code.faults import error_of, read
from extractord.agent.claude_code.program import ClientTerms
from extractord.agent.claude_code.run import run
from extractord.agent.prompting import first_message, system_prompt
from extractord.agent.protocol import Reply, Stop, ToolAnswer, Usage
from extractord.errors import StoppedError
from extractord.transcript.eligibility import OWN_RUN

_CLOSING = 'Answer with the JSON object alone; {"changes": []} if nothing is to be saved.'
ASK_AGAIN = 300.0  # seconds until a login that was refused is tried again
_RESERVE = 2.0  # seconds of a run's time that are left for carrying its changes out


class Permit(Protocol):
    """What lets runs of the client start, and is told of them."""

    def begin(self, session: str) -> None:
        """Note a run by its session id, before it starts. Raises PostponedError where none may start now."""

    def used(self, usage: Usage) -> None:
        """Note what a run used."""

    def limited(self, until: float, reason: str) -> None:
        """Note that nothing may start before ``until`` (seconds since the epoch), and why."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a run of the client is asked."""

    system: str
    prompt: str

    @classmethod
    def of(cls, briefing: Briefing) -> Question:
        """Return the question about a briefing that ``narrowed`` returned. Its beginning tells it apart as a run of ours."""
        return cls(system_prompt("one_shot.md"), f"{OWN_RUN}\n\n{first_message(briefing, _CLOSING)}")

    @property
    def size(self) -> int:
        """Bytes of both texts."""
        return len(self.system.encode()) + len(self.prompt.encode("utf-8", "surrogatepass"))


class Shot:
    """For ``supervise.extract``; ``deadline`` is the run's (``time.monotonic``)."""

    def __init__(self, question: Question, terms: ClientTerms, permit: Permit, deadline: float) -> None:
        self._question = question
        self._terms = terms
        self._permit = permit
        self._deadline = deadline

    def answer(self, turn: int, answers: tuple[ToolAnswer, ...]) -> Reply:  # noqa: ARG002 - a refused change is not asked for again
        """Return all changes at turn 0 and nothing after. Raises PostponedError, StoppedError, WorkerError, AbandonedError."""
        if turn:
            return Reply()
        session, terms = str(uuid.uuid4()), self._terms
        self._permit.begin(session)
        prompt = self._question.prompt.encode("utf-8", "replace")
        output = run(terms.command(session, self._question.system), terms.environment, terms.folder, prompt, self._deadline - _RESERVE)
        result = read(output)
        self._permit.used(result.usage)
        error = error_of(result, time.time())
        if isinstance(error, StoppedError):  # none of the sessions that wait is to run into the same
            self._permit.limited(time.time() + ASK_AGAIN if error.until is None else error.until, error.message)
        if error is not None:
            raise error
        calls = calls_of(result.result)
        return Reply(calls=calls, stop=Stop.TOOLS if calls else Stop.END, usage=result.usage)
