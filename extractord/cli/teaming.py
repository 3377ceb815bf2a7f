"""``team status`` and ``team sync``: their words.

Owns: what a person is told of an exchange, and its ``--json`` lines. Leaves the exchange to ``sharing``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click
import msgspec

from extractord.applying import recover, settle_spares
from extractord.cli import opening
from extractord.cli.listing import Form
from extractord.memory.changeset import ChangeKind
from extractord.memory.team import beyond
from extractord.report import lines, text
from extractord.sharing.bringing import Brought
from extractord.sharing.sync import Standing, Synced, standing, sync

_VERBS = {ChangeKind.CREATE: "new", ChangeKind.UPDATE: "changed", ChangeKind.DELETE: "removed"}


class LeftLine(msgspec.Struct, frozen=True):
    """A file that was left where it is."""

    path: str
    reason: str


class BroughtLine(msgspec.Struct, frozen=True):
    """A topic that came from the remote."""

    path: str
    change: str
    changeset: str
    by: str
    waits: str


class SyncLine(msgspec.Struct, frozen=True):
    """What ``team sync --json`` says."""

    remote: str
    brought: tuple[BroughtLine, ...]
    sent: tuple[str, ...]
    withheld: tuple[LeftLine, ...]
    refused: tuple[LeftLine, ...]
    problem: str


class StatusLine(msgspec.Struct, frozen=True):
    """What ``team status --json`` says."""

    remote: str
    last: str | None
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unsent: bool
    withheld: tuple[LeftLine, ...]
    refused: tuple[LeftLine, ...]


def run_sync(cwd: str | None, form: Form) -> int:
    """Exchange team memory; return the exit status: 1 if the remote does not have all of it."""
    with opening.supervisor() as supervisor:
        recover(supervisor)
        settle_spares(supervisor)
        done = sync(supervisor, supervisor.home_of(opening.folder(cwd)))
        settle_spares(supervisor)
    if form is Form.JSON:
        brought = tuple(BroughtLine(one.path, one.change.value, one.changeset, one.by, one.waits) for one in done.brought)
        sent = tuple(map(beyond, done.sent))
        click.echo(lines.encoded(SyncLine(done.remote, brought, sent, _left(done.withheld), _left(done.refused), done.problem)))
    else:
        for line in _told(done):
            click.echo(text.on_terminal(line))
    if done.problem:
        click.echo(f"extractord: {done.problem}", err=True)
    return 1 if done.problem else 0


def run_status(cwd: str | None, form: Form) -> int:
    """Tell how team memory stands; the remote is not asked."""
    with opening.looking() as supervisor:
        now = standing(supervisor, supervisor.home_of(opening.folder(cwd)))
    if form is Form.JSON:
        last = None if now.last is None else text.local_time(now.last)
        added, changed, removed = (tuple(map(beyond, paths)) for paths in (now.added, now.changed, now.removed))
        told = StatusLine(now.remote, last, added, changed, removed, now.unsent, _left(now.withheld), _left(now.refused))
        click.echo(lines.encoded(told))
        return 0
    for line in _stands(now):
        click.echo(text.on_terminal(line))
    return 0


def _left(files: Mapping[str, str]) -> tuple[LeftLine, ...]:
    return tuple(LeftLine(beyond(path), reason) for path, reason in files.items())


def _told(done: Synced) -> Iterator[str]:
    for one in done.brought:
        yield _came(one)
    yield from (f"sent: {beyond(path)}" for path in done.sent)
    yield from _told_left(done.withheld, done.refused)
    if not (done.brought or done.sent or done.problem):
        yield f"in step with {done.remote}"


def _came(one: Brought) -> str:
    who = f" by {one.by}" if one.by else ""
    if one.waits:
        return f"waits: {one.path}{who}: {one.waits}; `extractord review --accept {one.changeset}` writes it"
    back = "brings it back" if one.change is ChangeKind.DELETE else "takes that back"
    return f"{_VERBS[one.change]}{who}: {one.path}; `extractord undo {one.changeset}` {back}"


def _told_left(withheld: Mapping[str, str], refused: Mapping[str, str]) -> Iterator[str]:
    yield from (f"not sent: {beyond(path)}: {reason}" for path, reason in withheld.items())
    yield from (f"not taken: {beyond(path)}: {reason}" for path, reason in refused.items())


def _stands(now: Standing) -> Iterator[str]:
    when = "never synced" if now.last is None else f"last change {text.short_time(now.last)}"
    yield f"{now.remote}: {when}"
    for word, paths in (("new here", now.added), ("changed here", now.changed), ("removed here", now.removed)):
        yield from (f"{word}: {beyond(path)}" for path in paths)
    if now.unsent:
        yield "some of it has not reached the remote yet"
    yield from _told_left(now.withheld, now.refused)
    if now.added or now.changed or now.removed or now.unsent:
        yield "`extractord team sync` exchanges it"
