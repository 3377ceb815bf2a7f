"""Commands that take back or decide: undo, forget, accept, reject.

Owns: showing what will happen, the question, and the words afterwards. Leaves the work to ``history``.
"""

from __future__ import annotations

import enum

import click

from extractord.applying import recover, settle_spares
from extractord.cli import opening
from extractord.cli.moments import moment_of
from extractord.errors import ChangedMeanwhileError
from extractord.history import forget as forgetting
from extractord.history import review as reviewing
from extractord.history import undo as undoing
from extractord.history.topics_named import topic_named
from extractord.report import text
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
            click.echo(f"{undone.undoes} taken back by {undone.id}: {', '.join(undone.files)}", err=True)
        settle_spares(supervisor)
    if not ids:
        click.echo("there is nothing to take back", err=True)
    return status


def forget(*, file: str | None, text: str | None, session: str | None, project: str | None, cwd: str | None, ask: Asked) -> int:
    """Remove what the options name, after showing it; status 1 if the person says no."""
    with opening.supervisor() as supervisor:
        recover(supervisor)
        removals = _removals(supervisor, file, text, session, project, cwd)
        if not removals:
            click.echo("nothing in memory matches that", err=True)
            return 0
        for removal in removals:
            click.echo(_shown(removal), nl=False, err=True)
        if ask is Asked.YES and opening.on_terminal() and not click.confirm("Remove this for good?", err=True):
            return 1
        for changeset in forgetting.carry_out_removals(supervisor, removals, "forgotten by a person"):
            click.echo(f"removed by {changeset}; `extractord undo {changeset}` brings it back", err=True)
        settle_spares(supervisor)
    return 0


def accept(changeset: str) -> int:
    with opening.supervisor() as supervisor:
        recover(supervisor)
        accepted = reviewing.accept(supervisor, changeset)
        settle_spares(supervisor)
    click.echo(f"{accepted.accepts} written as {accepted.id}: {', '.join(accepted.files)}", err=True)
    return 0


def reject(changeset: str) -> int:
    with opening.supervisor() as supervisor:
        rejected = reviewing.reject(supervisor, changeset)
    click.echo(f"{rejected} rejected; it does not come back", err=True)
    return 0


def _removals(
    supervisor: Supervisor, file: str | None, words: str | None, session: str | None, project: str | None, cwd: str | None
) -> tuple[forgetting.Removal, ...]:
    if file is not None:
        return forgetting.of_topic(supervisor, topic_named(supervisor, file, opening.folder(cwd)))
    if words is not None:
        return forgetting.of_text(supervisor, supervisor.home_of(opening.folder(cwd)).directory, words)
    if session is not None:
        return forgetting.of_session(supervisor, session)
    return forgetting.of_project(supervisor, supervisor.home_of(opening.folder(project)).directory)


def _shown(removal: forgetting.Removal) -> str:
    return text.diff(removal.path, removal.before, removal.after)
