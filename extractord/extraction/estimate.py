"""What a run would cost, without asking any model.

Owns: from the sizes of first requests to tokens and dollars. Leaves the sizes to ``survey``, prices, and what is known of models,
to ``agent.prices``. Offline nothing is sent and nothing costs anything; the figures say what the configured model would be given.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from extractord.agent.prices import FREE, Habits, Rates, habits_of
from extractord.agent.protocol import Usage
from extractord.agent.relay import Terms
from extractord.agent.server import Server
from extractord.extraction.survey import Sizes, Survey, forecasts_of
from extractord.runs.asking import asked_for
from extractord.supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a session would take if each run needed one answer; looking things up adds."""

    session: str
    input_tokens: int
    output_tokens: int
    cost_usd: float
    runs: int = 0


def estimate(supervisor: Supervisor, survey: Survey) -> Iterator[Estimate]:
    """Yield the estimate of each session of a plan. Raises UsageError for a model of unknown price."""
    counted_by = functools.cache(functools.partial(_counted_by, supervisor))
    kept: set[Habits] = set()  # models whose server has seen what all runs share
    for forecast in forecasts_of(survey):
        rates, habits = counted_by(forecast.project_root)
        usages = []
        for sizes in forecast.chunks:
            usage = _usage(sizes, habits)
            usages.append(_read_again(usage) if habits in kept else usage)
            kept.add(habits)
        tokens = sum(one.input_tokens + one.cache_write_tokens + one.cache_read_tokens for one in usages)
        yield Estimate(forecast.session, tokens, sum(one.output_tokens for one in usages), sum(map(rates.cost, usages)), len(usages))


def _counted_by(supervisor: Supervisor, project_root: str) -> tuple[Rates, Habits]:
    match asked_for(supervisor, project_root):
        case Terms(rates=rates, habits=habits):
            return rates, habits
        case _:
            return FREE, habits_of(supervisor.config.model, Server())


def _usage(sizes: Sizes, habits: Habits) -> Usage:
    """Return what the first call of a run would be counted as, if no run came before it."""
    shared, rest = round(sizes.shared / habits.bytes_a_token) + habits.added, round(sizes.rest / habits.bytes_a_token)
    answer = habits.answer + habits.thoughts
    if habits.kept_from is None or shared < habits.kept_from:
        return Usage(shared + rest, answer)
    return Usage(rest, answer, cache_write_tokens=shared)


def _read_again(usage: Usage) -> Usage:
    """Return the same for a run that follows within minutes: the beginning is read as it was kept."""
    return Usage(usage.input_tokens, usage.output_tokens, cache_read_tokens=usage.cache_write_tokens)
