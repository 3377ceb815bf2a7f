"""Whether a run may spend money: nothing is spent that nobody agreed to.

Owns: which projects of a plan cost something, the price shown beforehand, the question, the refusal where nobody can be asked.
Leaves the plan and its price to ``planning``, the caps to the ledger.
"""

from __future__ import annotations

import click

from extractord.agent.claude_code import OUTSIDE
from extractord.agent.claude_code.program import ClientTerms
from extractord.agent.prices import AS_OF
from extractord.agent.relay import Terms
from extractord.cli import opening
from extractord.cli.once_options import OnceOptions
from extractord.cli.planning import Prospect, prospect_of, told_by_project
from extractord.config import Backend, Config
from extractord.errors import UsageError
from extractord.extraction.plan import Plan
from extractord.extraction.survey import survey
from extractord.ledger import PAID
from extractord.report import text
from extractord.runs.asking import asked_for, needs_consent
from extractord.supervisor import Supervisor

FIRST_RUN = "first run"  # the consent that the plan was shown and agreed to


def paid_projects(supervisor: Supervisor, plan: Plan) -> frozenset[str]:
    """Return the projects with something open whose model costs something. Raises UsageError for a model that cannot be asked."""
    roots = {session.home.project_root for session in plan.sessions if session.open}
    return frozenset(root for root in roots if needs_consent(supervisor, root))


def agreed_to_pay(supervisor: Supervisor, plan: Plan, options: OnceOptions, prospect: Prospect | None) -> bool:
    """Return whether a run may spend what its plan costs; on a terminal a person is shown the price and asked once.

    ``prospect`` is what a person is told. Raises UsageError where nobody agreed and nobody can be asked.
    """
    paid = paid_projects(supervisor, plan)
    ledger = supervisor.spending or supervisor.ledger
    if not paid or (ledger.consent(PAID) is not None and not opening.on_terminal()):
        return True
    if options.consented:
        ledger.note_consent(PAID)
        return True
    if not opening.on_terminal():
        raise UsageError(
            f"this would spend {_what(supervisor.config)} ({text.counted(len(paid), 'project')}, {supervisor.config.model}), "
            "and nobody agreed to it",
            hint="`extractord once --estimate` shows the price; add --yes to agree, or use --backend offline",
        )
    return _asked(supervisor, prospect or prospect_of(supervisor, survey(supervisor, options.scope)), paid)


def _asked(supervisor: Supervisor, prospect: Prospect, paid: frozenset[str]) -> bool:
    for line in told_by_project(prospect):
        click.echo(line, err=True)
    sent = sum(one.runs > 0 for one in prospect.estimates)
    click.echo(f"{text.counted(sent, 'session')} would be sent, redacted, to {_servers(supervisor, paid)}.", err=True)
    click.echo(price_told(supervisor.config, prospect.cost_usd), err=True)
    if not click.confirm("Send them and spend that?", err=True):
        return False
    for kind in (PAID, FIRST_RUN):
        (supervisor.spending or supervisor.ledger).note_consent(kind)
    return True


def price_told(config: Config, cost: float) -> str:
    """Return what a run costs, in a sentence, with the caps that hold whatever it says."""
    budget = config.budget
    if config.backend is Backend.CLAUDE_CODE:
        return f"it counts against your own login; at most {budget.sessions_per_day} runs a day (budget.sessions_per_day). {OUTSIDE}"
    return (
        f"about ${cost:.4f} with {config.model} (prices of {AS_OF}); a model that looks things up first can take twice that. "
        f"Caps: ${budget.usd_per_stretch:.2f} a stretch, ${budget.usd_per_day:.2f} a day, ${budget.usd_per_month:.2f} a month"
    )


def _servers(supervisor: Supervisor, roots: frozenset[str]) -> str:
    asked = (asked_for(supervisor, root) for root in sorted(roots))
    return ", ".join(dict.fromkeys(_server(one) for one in asked if one is not None))


def _server(terms: Terms | ClientTerms) -> str:
    return "your own Claude Code" if isinstance(terms, ClientTerms) else terms.server.title


def _what(config: Config) -> str:
    return "what your own login allows" if config.backend is Backend.CLAUDE_CODE else "money"
