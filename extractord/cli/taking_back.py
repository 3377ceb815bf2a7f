"""Commands that take back or decide: undo, forget, accept, reject.

Owns: showing what will happen, the question, and the words afterwards. Leaves the work to ``history``.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

import click

from extractord.applying import recover, settle_spares
from extractord.cli import opening
from extractord.cli.moments import moment_of
from extractord.errors import ChangedMeanwhileError
from extractord.history import forget as forgetting
from extractord.history import review as reviewing
from extractord.history import undo as undoing
from extractord.history import withdrawing
from extractord.history.topics_named import topic_named
from extractord.ledger import HeldChangeset
from extractord.memory.snapshot import INDEX
from extractord.report import text as words
from extractord.supervisor import Supervisor


class Asked(enum.Enum):
    """Whether a person is asked before something is removed."""

    YES = "yes"
    NO = "no"


def undo(changeset: str | None, since: str | None) -> int:
    """Take back one changeset, or all that stand (since a time); status 1 if one could not be taken back."""
    status = 0
    with opening.supervisor() as supervisor:
        recover(supervisor)
        ids = (changeset,) if changeset is not None else undoing.standing(supervisor, moment_of(since))
        for one in ids:
            if changeset is None and not undoing.still_stands(supervisor, one):
                continue
            try:
                undone = undoing.undo(supervisor, one)
            except ChangedMeanwhileError as error:
                status = 1
                click.echo(f"extractord: {error.message}\n  → {error.hint}" if error.hint else f"extractord: {error.message}", err=True)
                continue
            click.echo(f"{undone.undoes} taken back by {undone.id}: {', '.join(undone.files) or INDEX}", err=True)
        _settle(supervisor)
    if not ids:
        click.echo("there is nothing to take back", err=True)
    return status


def forget(*, file: str | None, text: str | None, session: str | None, project: str | None, cwd: str | None, ask: Asked) -> int:
    """Remove what the options name, after showing it; status 1 if the person says no."""
    with opening.supervisor() as supervisor:
        recover(supervisor)
        wish = _wish(supervisor, file, text, session, project, cwd)
        if not (wish.removals or wish.waiting):
            click.echo("nothing in memory matches that", err=True)
            return 0
        for shown in wish.shown():
            click.echo("\n".join(map(words.on_terminal, shown.split("\n"))), nl=False, err=True)
        if ask is Asked.YES and opening.on_terminal() and not click.confirm("Remove this for good?", err=True):
            return 1
        for held in wish.waiting:
            reviewing.reject(supervisor, held, "forgotten by a person")
            click.echo(f"{held.row.id} waits no more: {', '.join(one.path for one in held.files)}", err=True)
        for changeset in forgetting.carry_out_removals(supervisor, wish.removals, "forgotten by a person"):
            click.echo(f"removed by {changeset}; `extractord undo {changeset}` brings it back", err=True)
        _settle(supervisor)
    return 0


@dataclass(frozen=True, slots=True)
class _Wish:
    """What is to be forgotten: what stands, and what waits for review."""

    removals: tuple[forgetting.Removal, ...]
    waiting: tuple[HeldChangeset, ...]

    def shown(self) -> Iterator[str]:
        """Yield all that goes, as diffs."""
        yield from (words.diff(one.path, one.before, one.after) for one in self.removals)
        for held in self.waiting:
            yield f"{held.row.id} waits for review:\n"
            yield from (words.diff(one.path, one.before, one.after) for one in held.files)


def _settle(supervisor: Supervisor) -> None:
    for place in settle_spares(supervisor):
        click.echo(f"{place} is being written all the time; what came out there is looked at again the next time", err=True)


def accept(changeset: str) -> int:
    with opening.supervisor() as supervisor:
        recover(supervisor)
        accepted = reviewing.accept(supervisor, reviewing.find(supervisor, changeset))
        _settle(supervisor)
    click.echo(f"{accepted.accepts} written as {accepted.id}: {', '.join(accepted.files)}", err=True)
    return 0


def reject(changeset: str) -> int:
    with opening.supervisor() as supervisor:
        rejected = reviewing.reject(supervisor, reviewing.find(supervisor, changeset))
    click.echo(f"{rejected} rejected; it does not come back", err=True)
    return 0


def _wish(supervisor: Supervisor, file: str | None, said: str | None, session: str | None, project: str | None, cwd: str | None) -> _Wish:
    if file is not None:
        topic = topic_named(supervisor, file, opening.folder(cwd))
        return _Wish(forgetting.of_topic(supervisor, topic), withdrawing.of_topic(supervisor, topic))
    if said is not None:
        memory_dir = supervisor.home_of(opening.folder(cwd)).directory
        return _Wish(forgetting.of_text(supervisor, memory_dir, said), withdrawing.of_text(supervisor, memory_dir, said))
    if session is not None:
        return _Wish(forgetting.of_session(supervisor, session), withdrawing.of_session(supervisor, session))
    memory_dir = supervisor.home_of(opening.folder(project)).directory
    return _Wish(forgetting.of_project(supervisor, memory_dir), withdrawing.of_project(supervisor, memory_dir))
