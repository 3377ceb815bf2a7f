"""The offline extractor: a model that is no model. It finds what people said in so many words, by forms of speech.

Owns: the conversation behind the ``Model`` protocol. One pure pass: sentences → readings → findings → topics → calls. Leaves
the words of each language to the ``forms_*`` tables. It needs no network, no key and no chance: same briefing, same calls.
"""

from __future__ import annotations

from extractord.agent.briefing import Briefing
from extractord.agent.offline.proposals import steps_for
from extractord.agent.offline.revising import Step
from extractord.agent.protocol import Decision, Model, Reply, Ruling, Stop, ToolAnswer, ToolCall


def make(briefing: Briefing) -> Model:
    """Return a model that answers for ``briefing``."""
    return OfflineModel(briefing)


class OfflineModel:
    """All calls in the first reply; after that only other spellings of edits that did not apply, other names of refused topics."""

    def __init__(self, briefing: Briefing) -> None:
        self._briefing = briefing
        self._pending: dict[str, Step] = {}
        self._made = 0

    def open(self) -> Reply:
        return self._reply(steps_for(self._briefing))

    def go_on(self, answers: tuple[ToolAnswer, ...]) -> Reply:
        again = [step for a in answers if (step := self._pending.get(a.id)) and step.otherwise and _helps(step, a.ruling)]
        return self._reply(tuple(Step(step.tool, step.otherwise[0], step.otherwise[1:]) for step in again))

    def _reply(self, steps: tuple[Step, ...]) -> Reply:
        calls = []
        for step in steps:
            self._made += 1
            call = ToolCall(f"offline-{self._made}", step.tool, step.input)
            self._pending[call.id] = step
            calls.append(call)
        return Reply(calls=tuple(calls), stop=Stop.TOOLS if calls else Stop.END)


def _helps(step: Step, ruling: Ruling) -> bool:
    """Whether the same call in another spelling may do what this one did not: a name can be taken by what no manifest shows."""
    return ruling.failed or (step.tool == "Write" and ruling.decision is Decision.DENIED)
