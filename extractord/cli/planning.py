"""What a run would do, told project by project before it does it.

Owns: these lines, and whether the configured money is enough for all of it. Leaves the forecast to ``extraction.survey``, its price
to ``extraction.estimate``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from extractord.claude_home import cleanup_period_days
from extractord.extraction.estimate import Estimate, estimate
from extractord.extraction.plan import Plan
from extractord.extraction.survey import Forecast, Survey, forecasts_of
from extractord.ledger import day_start, month_start
from extractord.report import text
from extractord.supervisor import Supervisor

CLIENTS_DAYS = 30  # after which the client removes transcripts by default (facts §4)
SOON = 7 * 86_400.0  # seconds before that in which it is time to say so
REASONS = 3  # told for a project; the rest is counted


@dataclass(frozen=True, slots=True)
class Prospect:
    """A survey with what it would cost, and the sessions whose transcripts the client will soon remove."""

    plan: Plan
    survey: Survey
    estimates: tuple[Estimate, ...]
    ending: frozenset[str]
    clients_days: int

    @property
    def cost_usd(self) -> float:
        return sum(one.cost_usd for one in self.estimates)

    @property
    def tokens(self) -> dict[str, int]:
        """What each session's first requests would have, by session."""
        return {one.session: one.input_tokens for one in self.estimates}


def prospect_of(supervisor: Supervisor, survey: Survey) -> Prospect:
    """Return what a run over a survey comes to. What the client will remove soon is first in it, if the money is not enough for all.

    Raises UsageError for a model of unknown price.
    """
    estimates = tuple(estimate(supervisor, survey))
    days = cleanup_period_days(supervisor.surroundings)
    days = CLIENTS_DAYS if days is None else days
    ending = frozenset(
        session.file.session
        for session in survey.plan.sessions
        if session.open and days and session.file.mtime_ns / 1e9 + days * 86_400 < supervisor.wall() + SOON
    )
    bounded = sum(one.cost_usd for one in estimates) > left_to_spend(supervisor)
    plan = replace(survey.plan, first=ending) if bounded else survey.plan
    return Prospect(plan, survey, estimates, ending, days)


def left_to_spend(supervisor: Supervisor) -> float:
    """Return the dollars that the caps leave for now."""
    ledger, budget, now = supervisor.spending or supervisor.ledger, supervisor.config.budget, supervisor.wall()
    today, month = ledger.spend(day_start(now)).cost_usd, ledger.spend(month_start(now)).cost_usd
    return max(0.0, min(budget.usd_per_day - today, budget.usd_per_month - month))


@dataclass(slots=True)
class _Sums:
    """Of one project."""

    sessions: int = 0
    headless: int = 0
    prompts: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, forecast: Forecast, price: Estimate) -> None:
        self.sessions += 1
        self.headless += forecast.headless
        self.prompts += forecast.prompts
        self.tokens += price.input_tokens
        self.cost_usd += price.cost_usd
        self.skipped.update(forecast.skipped)


def told_by_project(prospect: Prospect) -> Iterator[str]:
    """Yield what would be done, by project, the largest first, and what is to be known beforehand."""
    projects: dict[str, _Sums] = {}
    for forecast, price in zip(forecasts_of(prospect.survey), prospect.estimates, strict=True):
        projects.setdefault(forecast.project_root, _Sums()).add(forecast, price)
    for root, sums in sorted(projects.items(), key=lambda one: (-one[1].sessions, one[0])):
        yield text.on_terminal(_line(root, sums))
        yield from (text.on_terminal(f"{'':16}{line}") for line in _skipped(sums.skipped))
    if prospect.ending:
        yield (
            f"{text.counted(len(prospect.ending), 'session')} will be removed by Claude Code within {SOON / 86_400:.0f} days "
            f"(cleanupPeriodDays {prospect.clients_days})"
            + (": they come first, since the caps do not reach for all" if prospect.plan.first else "")
        )


def _line(root: str, sums: _Sums) -> str:
    headless = f" ({sums.headless} without a person)" if sums.headless else ""
    money = f"  ${sums.cost_usd:.4f}" if sums.cost_usd else ""
    return (
        f"  {text.counted(sums.sessions, 'session'):>14}{headless}  {text.counted(sums.prompts, 'prompt'):>14}"
        f"  {text.counted(sums.tokens, 'token'):>16}{money}  {root}"
    )


def _skipped(reasons: Counter[str]) -> Iterable[str]:
    for reason, count in reasons.most_common(REASONS):
        yield f"{text.counted(count, 'stretch', 'stretches')} skipped: {reason}"
    if len(reasons) > REASONS:
        yield f"and {sum(reasons.values()) - sum(count for _, count in reasons.most_common(REASONS))} more, for other reasons"
