"""``once``: the plan, the question, the progress, the result.

Owns: what a person sees of a run and when they are asked. Leaves the plan and the work to ``extraction``.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from extractord.applying import recover, settle_spares
from extractord.cli import opening
from extractord.cli.once_options import Mode, OnceOptions
from extractord.config import Config
from extractord.extraction.plan import OpenStretch, Plan, SessionPlan, by_hand, look
from extractord.history.retention import keep_house
from extractord.ledger import Ledger, Outcome
from extractord.report import lines, text
from extractord.supervisor import Supervisor, dry

if TYPE_CHECKING:  # what only some runs need is imported by those: a run that finds nothing new is over at once
    from extractord.cli.planning import Prospect
    from extractord.extraction.crew import Between
    from extractord.extraction.sweep import SessionResult

SESSION_TOKENS = 500  # what a session takes in time beside its tokens, for the bar


def run(options: OnceOptions) -> int:
    """Run over old sessions as asked; return the exit status."""
    config = options.over(opening.config())
    match options.mode:
        case Mode.APPLY:
            with opening.supervisor(options.clock, config) as supervisor:
                status = _extract(supervisor, options)
                keep_house(supervisor.ledger, supervisor.config, supervisor.surroundings, supervisor.wall())
                return status
        case Mode.DRY_RUN:
            with (
                spending_of(config) as spending,
                dry(opening.locations(), config, opening.surroundings(), options.clock, spending=spending) as supervisor,
            ):
                return _extract(supervisor, options)
        case Mode.ESTIMATE:
            with dry(opening.locations(), config, opening.surroundings(), options.clock) as supervisor:
                return _estimate(supervisor, options)


def _extract(supervisor: Supervisor, options: OnceOptions) -> int:
    began = time.monotonic()
    options = replace(options, scope=by_hand(supervisor, options.scope))
    prospect = _prospect(supervisor, options) if _is_told_beforehand(supervisor, options) else None
    plan = prospect.plan if prospect else look(supervisor, options.scope)
    _tell_where(supervisor, plan)
    if plan.has_open and not _agreed(supervisor, plan, options, prospect):
        return 1
    results = []
    between = partial(_dream_between, supervisor) if options.mode is Mode.APPLY else None
    with closing(_carried_out(supervisor, plan, options, between)) as found:  # what is at work ends with it, also when interrupted
        for result in _progress(found, prospect, options):
            results.append(result)
            line = _line(supervisor, result, options)
            click.echo(lines.encoded(line) if options.as_json else text.once_line(line))
            if isinstance(line, lines.DryLine) and not options.as_json:
                click.echo(line.diff, nl=False)
    totals = _totals(plan, results, time.monotonic() - began)
    if options.as_json:
        click.echo(lines.encoded(lines.OnceSummary(totals)))
    else:
        _tell_waiting(plan)
        _tell_skipped(results)
        _tell_filling(supervisor, results)
        click.echo(text.once_summary(totals), err=True)
    if (stop := supervisor.models.stopped) is not None:
        click.echo(f"stopped: {stop.message}\n  → {stop.hint}", err=True)
    return 1 if totals.failed or stop is not None else 0


def _prospect(supervisor: Supervisor, options: OnceOptions) -> Prospect:
    from extractord.cli.planning import prospect_of
    from extractord.extraction.survey import survey

    return prospect_of(supervisor, survey(supervisor, options.scope))


def _nothing(supervisor: Supervisor) -> Generator[SessionResult, None, None]:
    """Finish what killed runs left; there is nothing else to do."""
    recover(supervisor)
    settle_spares(supervisor)
    yield from ()


def _carried_out(supervisor: Supervisor, plan: Plan, options: OnceOptions, between: Between | None) -> Generator[SessionResult, None, None]:
    if not (plan.sessions or plan.unreadable):
        return _nothing(supervisor)
    if not options.batch:
        from extractord.extraction.crew import nothing_between
        from extractord.extraction.sweep import sweep

        return sweep(supervisor, options.scope, plan, between or nothing_between)
    from extractord.extraction.batching import by_batches

    return by_batches(supervisor, options.scope, plan, told_once(lambda line: click.echo(line, err=True)))


def told_once(tell: Callable[[str], None]) -> Callable[[str], None]:
    """Return what passes a line on unless it is the one before."""
    last = ""

    def told(line: str) -> None:
        nonlocal last
        if line != last:
            tell(line)
        last = line

    return told


def _is_told_beforehand(supervisor: Supervisor, options: OnceOptions) -> bool:
    """Whether it is worth knowing what a run will take: a person looks on, or it costs something."""
    return not supervisor.config.all_offline or (opening.on_terminal() and not options.as_json)


def _dream_between(supervisor: Supervisor, item: OpenStretch) -> None:
    """Put a project's memory in order between its sessions, where that is due; on its battery the machine leaves it for later."""
    from extractord.cli.dreaming import told
    from extractord.consolidation.power import on_battery
    from extractord.consolidation.rounds import consolidate_if_due

    if on_battery():
        return
    done = consolidate_if_due(supervisor, item.memory_dir)
    if done is not None and (done.error or done.changeset or done.held):
        for line in told(supervisor, done):
            click.echo(line, err=True)


@contextmanager
def spending_of(config: Config) -> Iterator[Ledger | None]:
    """Open the ledger in which a dry run records what its models cost; None where it asks none."""
    if config.all_offline:
        yield None
        return
    with Ledger.open(opening.locations().state) as ledger:
        yield ledger


def _estimate(supervisor: Supervisor, options: OnceOptions) -> int:
    from extractord.cli.consent import paid_projects, price_told
    from extractord.cli.planning import told_by_project

    options = replace(options, scope=by_hand(supervisor, options.scope))
    prospect = _prospect(supervisor, options)
    plan, estimates = prospect.plan, prospect.estimates
    _tell_where(supervisor, plan)
    tokens = sum(one.input_tokens for one in estimates), sum(one.output_tokens for one in estimates)
    if options.as_json:
        for one in estimates:
            click.echo(lines.encoded(lines.EstimateLine(one.session, one.input_tokens, one.output_tokens, one.cost_usd)))
        click.echo(lines.encoded(lines.EstimateSummary(lines.EstimateTotals(plan.looked_at, plan.unchanged, *tokens, prospect.cost_usd))))
        return 0
    for line in told_by_project(prospect):
        click.echo(line)
    click.echo(f"{text.counted(len(estimates), 'session')} would be read: about {tokens[0]:,} tokens in, {tokens[1]:,} out")
    if not paid_projects(supervisor, plan):
        click.echo("with this backend nothing is spent" + (" and nothing is sent" if supervisor.config.backend.offline else ""))
        return 0
    click.echo(price_told(supervisor.config, prospect.cost_usd))
    return 0


def _tell_where(supervisor: Supervisor, plan: Plan) -> None:
    if not plan.looked_at:
        click.echo(f"no transcripts found in {supervisor.surroundings.config_home / 'projects'}", err=True)
        click.echo("  → Claude Code keeps its sessions there; set CLAUDE_CONFIG_DIR if yours lie elsewhere", err=True)


def _agreed(supervisor: Supervisor, plan: Plan, options: OnceOptions, prospect: Prospect | None) -> bool:
    """Show the plan and ask before what costs something, and before the first run on a terminal (CONTRACTS)."""
    from extractord.cli.consent import FIRST_RUN, agreed_to_pay
    from extractord.cli.planning import told_by_project

    if not agreed_to_pay(supervisor, plan, options, prospect):
        return False
    needless = options.consented or options.as_json or options.mode is not Mode.APPLY or not opening.on_terminal()
    if needless or supervisor.ledger.consent(FIRST_RUN) is not None or prospect is None:
        return True
    for line in told_by_project(prospect):
        click.echo(line, err=True)
    if not click.confirm("Save what these sessions say into memory? (each write can be undone)", err=True):
        return False
    supervisor.ledger.note_consent(FIRST_RUN)
    return True


def _progress(results: Iterator[SessionResult], prospect: Prospect | None, options: OnceOptions) -> Iterator[SessionResult]:
    """Pass results through, with a bar of tokens, the time left and the money on a terminal."""
    if prospect is None or options.as_json or not sys.stderr.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    weights = {session: tokens + SESSION_TOKENS for session, tokens in prospect.tokens.items()}
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[spent]}"),
        TimeRemainingColumn(),
    )
    spent = 0.0
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        total = sum(weights.values())
        shown = bar.add_task(f"{total:,} tokens", total=total, spent=_spent(spent, prospect))
        for result in results:
            spent += sum(row.cost_usd for row in result.rows)
            bar.update(shown, advance=weights.get(result.plan.file.session, 0), spent=_spent(spent, prospect))
            yield result


def _spent(usd: float, prospect: Prospect) -> str:
    return f"${usd:.4f} of about ${prospect.cost_usd:.4f}" if prospect.cost_usd or usd else ""


def _line(supervisor: Supervisor, result: SessionResult, options: OnceOptions) -> lines.OnceLine:
    rows = result.rows
    home = result.plan.home if isinstance(result.plan, SessionPlan) else None
    line = lines.OnceLine(
        session=result.plan.file.session,
        transcript=str(result.plan.file.path),
        memory_dir=str(home.directory) if home else "",
        outcome=result.outcome.value,
        reason=result.reason,
        topics=tuple(dict.fromkeys(topic for row in rows for topic in row.topics)),
        input_tokens=sum(row.input_tokens for row in rows),
        output_tokens=sum(row.output_tokens for row in rows),
        cost_usd=sum(row.cost_usd for row in rows),
        seconds=round(sum(row.seconds for row in rows), 3),
        stretches=max(1, len(rows)),
    )
    if options.mode is not Mode.DRY_RUN:
        return line
    changes = [supervisor.ledger.changeset(row.changeset) for row in rows if row.changeset]
    diff = "".join(text.diff(file.path, file.before, file.after) for change in changes for file in change.files)
    return lines.DryLine(**msgspec.structs.asdict(line), diff=diff)


def _totals(plan: Plan, results: list[SessionResult], seconds: float) -> lines.OnceTotals:
    counts = Counter(result.outcome for result in results)
    elsewhere = len(plan.sessions) + len(plan.unreadable) - len(results)  # dealt with by another process meanwhile
    return lines.OnceTotals(
        sessions=plan.looked_at,
        unchanged=plan.unchanged + elsewhere,
        **{outcome.value: counts[outcome] for outcome in Outcome},
        cost_usd=sum(row.cost_usd for result in results for row in result.rows),
        seconds=round(seconds, 3),
    )


def _tell_waiting(plan: Plan) -> None:
    """Say how many sessions are not settled, and until when the last of them waits."""
    waiting = [session.waiting for session in plan.sessions if session.waiting is not None]
    if waiting:
        until = text.short_time(max(state.until for state in waiting))
        click.echo(f"{text.counted(len(waiting), 'session')} not settled yet: left for later, the last until {until}", err=True)


def _tell_filling(supervisor: Supervisor, results: list[SessionResult]) -> None:
    """Say how full the memory of each project is that a run dealt with."""
    from extractord.report.filling import filling

    places = {row.memory_dir: row.project for result in results for row in result.rows if row.project}
    for place, root in sorted(places.items(), key=lambda one: one[1]):
        if (snapshot := supervisor.directory(Path(place)).read()).topics:
            click.echo(text.on_terminal(filling(root, snapshot)), err=True)


def _tell_skipped(results: list[SessionResult]) -> None:
    """Sum up what was skipped since the main agent wrote memory itself, and what --skip-scope turn would look at."""
    wrote = [
        row for result in results for row in result.rows if row.outcome is Outcome.SKIPPED and row.reason.startswith("the main agent wrote")
    ]
    if wrote:
        click.echo(
            f"{text.counted(len(wrote), 'stretch', 'stretches')} skipped since the agent wrote memory itself; "
            "`--skip-scope turn` would look at their other turns",
            err=True,
        )
