"""``dream``: one project's memory put in order now, or shown how it would be.

Owns: whether a paid model may be asked, and the words for what came of it. Leaves the work to ``consolidation``.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator

import click

from extractord.agent.relay import Terms
from extractord.applying import recover, settle_spares
from extractord.cli import opening
from extractord.cli.once import spending_of
from extractord.consolidation.dream import TIDY, Dream, dream, dreaming
from extractord.consolidation.rounds import why_not
from extractord.errors import UsageError
from extractord.ledger import PAID, Outcome
from extractord.report import text
from extractord.runs.asking import asked_for
from extractord.supervisor import Supervisor, WallClock, dry


class Mode(enum.Enum):
    """What a run is for."""

    APPLY = "apply"
    DRY_RUN = "dry run"


def run(cwd: str | None, mode: Mode) -> int:
    """Consolidate the memory of a folder's project; return the exit status."""
    match mode:
        case Mode.APPLY:
            with opening.supervisor() as supervisor:
                recover(supervisor)
                status = _run(supervisor, cwd, mode)
                settle_spares(supervisor)
                return status
        case Mode.DRY_RUN:
            config = opening.config()
            with (
                spending_of(config) as spending,
                dry(opening.locations(), config, opening.surroundings(), WallClock(), spending=spending) as supervisor,
            ):
                return _run(supervisor, cwd, mode)


def _run(supervisor: Supervisor, cwd: str | None, mode: Mode) -> int:
    home = supervisor.home_of(opening.folder(cwd))
    if reason := why_not(supervisor, home):
        raise UsageError(f"the memory of {home.project_root} is left alone: {reason}")
    if not _agreed_to_pay(supervisor, home.project_root):
        return 1
    done = dream(supervisor, home)
    for line in told(supervisor, done, mode):
        click.echo(line, err=mode is Mode.APPLY)
    return 1 if done.error is not None or done.outcome in (Outcome.FAILED, Outcome.POSTPONED) else 0


def told(supervisor: Supervisor, done: Dream, mode: Mode = Mode.APPLY) -> Iterator[str]:
    """Yield the lines that tell what consolidating a directory came to; a dry run shows it whole."""
    if done.error is not None:
        yield f"extractord: {done.error.message}" + (f"\n  → {done.error.hint}" if done.error.hint else "")
        return
    if mode is Mode.DRY_RUN:
        for changeset in filter(None, (done.changeset, done.held)):
            full = supervisor.ledger.changeset(changeset)
            yield from (text.diff(file.path, file.before, file.after).rstrip("\n") for file in full.files)
    cost = f", ${done.cost_usd:.4f}" if done.cost_usd else ""
    match done:
        case Dream(outcome=Outcome.POSTPONED | Outcome.NOTHING_TO_SAVE):
            yield f"{done.memory_dir}: {done.reason or TIDY}{cost}"
        case Dream(changeset=None, held=str(held)):
            yield f"{done.memory_dir}: {done.reason}{cost}"
            yield f"  {', '.join(done.files)}" + ("" if mode is Mode.DRY_RUN else f"; `extractord review --accept {held}` writes it")
        case Dream(changeset=str(changeset)):
            files = ", ".join(done.files) or "the index"
            yield f"{done.memory_dir}: {files} put in order{cost}" + (
                "" if mode is Mode.DRY_RUN else f"; `extractord undo {changeset}` takes it back"
            )
            if done.held is not None:
                yield f"  some of it waits: {done.reason}" + ("" if mode is Mode.DRY_RUN else f"; `extractord review --accept {done.held}`")
        case _:
            yield f"{done.memory_dir}: {done.reason or TIDY}{cost}"


def _agreed_to_pay(supervisor: Supervisor, project_root: str) -> bool:
    """Return whether this may spend: a server of this machine may, others once a person agreed to pay on this state folder."""
    asking = dreaming(supervisor)
    terms = asked_for(asking, project_root)
    ledger = supervisor.spending or supervisor.ledger
    free = terms is None or (isinstance(terms, Terms) and (terms.rates.free or terms.server.local))
    if free or ledger.consent(PAID) is not None:
        return True
    if not opening.on_terminal():
        raise UsageError(
            "this would spend money, or what your client's login allows, and nobody agreed to it",
            hint="run it on a terminal once, or set dream.backend to offline",
        )
    budget = supervisor.config.budget
    click.echo(f"at most ${budget.usd_per_stretch:.2f} with {supervisor.config.model}, within the caps of day and month", err=True)
    if not click.confirm("Send this project's memory, redacted, to the model?", err=True):
        return False
    ledger.note_consent(PAID)
    return True
