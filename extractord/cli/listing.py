"""Commands that list: sessions, changesets, evidence, what waits for review.

Owns: turning ledger rows into the lines of CONTRACTS. Leaves words to ``report.text``, keys to ``report.lines``.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Iterable

import click
from msgspec.structs import asdict

from extractord.cli import opening
from extractord.errors import UsageError
from extractord.history.explaining import explained, place_in_transcript
from extractord.history.topics_named import topic_named
from extractord.ledger import FactRow, HeldChangeset, Kind, LogEntry, Outcome, Period, SessionRow, day_start, month_start
from extractord.memory.snapshot import INDEX
from extractord.report import lines, text
from extractord.supervisor import Supervisor


class Form(enum.Enum):
    """How a listing is printed."""

    JSON = "json"
    TEXT = "text"


def form(*, as_json: bool) -> Form:
    """Return the form that a ``--json`` option asks for."""
    return Form.JSON if as_json else Form.TEXT


def sessions(outcome: str | None, shape: Form) -> None:
    with opening.ledger() as ledger:
        rows = [_session_line(row) for row in ledger.sessions(_outcome(outcome))]
    for row in rows:
        click.echo(lines.encoded(row) if shape is Form.JSON else text.session_line(row))
    if not rows and shape is Form.TEXT:
        click.echo("no session is known yet; `extractord once --dry-run` looks at them", err=True)


def log(shape: Form) -> None:
    with opening.ledger() as ledger:
        rows = [_log_line(entry) for entry in ledger.changesets()]
    for row in rows:
        if shape is Form.JSON:
            click.echo(lines.encoded(row))
        else:
            click.echo("\n".join(text.log_lines(row)))
    if not rows and shape is Form.TEXT:
        click.echo("nothing was written yet", err=True)
    if shape is Form.TEXT and (spent := _spent()):
        click.echo(spent, err=True)


def _spent() -> str:
    """Return what models cost today and this month, "" if they never cost anything."""
    with opening.ledger() as ledger:
        now = time.time()
        today, month = (ledger.spend(start(now)) for start in (day_start, month_start))
    return f"spent: ${today.cost_usd:.4f} today, ${month.cost_usd:.4f} this month (`extractord log --spend`)" if month.calls else ""


def spend(shape: Form) -> None:
    """List what was spent, first per day, then per month."""
    with opening.ledger() as ledger:
        rows = [lines.SpendLine(**asdict(row)) for period in (Period.DAY, Period.MONTH) for row in ledger.spend_by(period)]
    for row in rows:
        click.echo(lines.encoded(row) if shape is Form.JSON else text.spend_line(row))
    if not rows and shape is Form.TEXT:
        click.echo("nothing was spent yet", err=True)


def show(changeset: str) -> None:
    with opening.ledger() as ledger:
        full = ledger.changeset(changeset)
    click.echo(f"{full.row.id}  {text.short_time(full.row.time)}  {full.row.kind.value}  {full.row.memory_dir}")
    for file in full.files:
        if file.let_go:
            click.echo(f"{file.change.value} {text.on_terminal(file.path)}: its texts are kept no longer (history.keep)")
        for line in text.diff(file.path, file.before, file.after).split("\n")[:-1]:
            click.echo(text.on_terminal(line))
    if full.row.kind is Kind.REPAIR and full.index is not None:
        click.echo(text.diff(INDEX, full.index.before, full.index.after), nl=False)
    for line in text.facts(_fact_line(fact) for fact in full.facts):
        click.echo(line)


def why(file: str, cwd: str | None, shape: Form) -> None:
    with opening.looking() as supervisor:
        topic = topic_named(supervisor, file, opening.folder(cwd))
        parts = explained(supervisor, topic) if shape is Form.TEXT or topic.line is not None else ()
        every = supervisor.ledger.facts(str(topic.memory_dir), topic.path)
        facts = every if topic.line is None else tuple(fact for part in parts for fact in part.facts)
        if shape is Form.JSON:
            for fact in facts:
                click.echo(lines.encoded(_fact_line(fact)))
            return
        shown = {fact for part in parts for fact in part.facts}
        for part in parts:
            click.echo("\n".join(text.explained(part.lines, _told(supervisor, part.facts), part.changeset)))
        # What is in no line any more, or whose topic is gone.
        click.echo("\n".join(_told(supervisor, [fact for fact in facts if fact not in shown])), nl=bool(set(facts) - shown))
    if not facts and not (topic.memory_dir / topic.path).is_file():
        raise UsageError(f"{topic.path} is no topic in {topic.memory_dir}", hint="`extractord memory-dir` shows where memory lies")
    if not facts:
        click.echo(f"{topic.path}: nothing in it was written by extractord", err=True)


def _told(supervisor: Supervisor, facts: Iterable[FactRow]) -> tuple[str, ...]:
    return tuple(line for fact in facts for line in text.fact(_fact_line(fact), place_in_transcript(supervisor, fact)))


def pending(shape: Form) -> None:
    with opening.ledger() as ledger:
        waiting = ledger.held()
    rows = [(_pending_line(held), pending_page(held)) for held in waiting]
    for row, page in rows:
        if shape is Form.JSON:
            click.echo(lines.encoded(row))
        else:
            click.echo("\n".join(page))
    if not rows and shape is Form.TEXT:
        click.echo("nothing waits for review", err=True)


def pending_page(held: HeldChangeset) -> tuple[str, ...]:
    """Return what a person reads of a changeset that waits: why, the diff, the sentences it rests on."""
    row = _pending_line(held)
    shown = f"{row.diff}\n" + "\n".join(text.facts(_fact_line(fact) for fact in held.facts))
    head = f"{row.id}  {row.time[:16].replace('T', ' ')}  {row.memory_dir}"
    return (head, text.on_terminal(row.reason), *(text.on_terminal(line) for line in shown.split("\n")))


def _outcome(name: str | None) -> Outcome | None:
    try:
        return None if name is None else Outcome(name)
    except ValueError:
        raise UsageError(f"{name} is no outcome", hint=f"one of: {', '.join(o.value for o in Outcome)}") from None


def _session_line(row: SessionRow) -> lines.SessionLine:
    return lines.SessionLine(row.session, row.project, row.outcome.value, row.reason, text.local_time(row.time), row.cost_usd)


def _log_line(entry: LogEntry) -> lines.LogLine:
    files = tuple(lines.FileChange(file.path, file.change.value) for file in entry.files)
    row = entry.row
    return lines.LogLine(row.id, text.local_time(row.time), row.session, row.memory_dir, row.outcome.value, row.kind.value, files)


def _fact_line(fact: FactRow) -> lines.FactLine:
    return lines.FactLine(fact.file, fact.session, text.local_time(fact.time), fact.message, fact.quote, fact.changeset)


def _pending_line(held: HeldChangeset) -> lines.PendingLine:
    from extractord.memory.changeset import Proposal

    kinds = tuple(lines.FileChange(f.path, Proposal(f.path, f.before, f.after).kind.value) for f in held.files)
    diff = "".join(text.diff(file.path, file.before, file.after) for file in held.files)
    reason = "; ".join(dict.fromkeys(f"{file.path}: {file.reason}" for file in held.files))
    return lines.PendingLine(held.row.id, text.local_time(held.row.time), held.row.session, held.row.memory_dir, kinds, reason, diff)
