"""Mending indexes and taking over memory, for ``doctor --fix``: shown first, asked on a terminal.

Owns: what is shown, the questions and the words afterwards. Leaves the work to ``history.repair``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from extractord.applying import recover, settle_spares
from extractord.cli import opening
from extractord.doctor.memories import faults_told, orphan_told
from extractord.errors import ExtractordError
from extractord.history.repair import Orphan, Repair, adopt, orphans, repair, repairs
from extractord.memory.snapshot import INDEX
from extractord.report import lines, text
from extractord.supervisor import Supervisor


def mend() -> None:
    """Mend what can be mended; each change is a changeset that ``undo`` takes back. What cannot be is told: the examination goes on."""
    with _told():
        _mend_all()


def _mend_all() -> None:
    with opening.looking() as looking:
        if not any(repairs(looking)) and not any(orphans(looking, opening.folder(None))):
            return
    with opening.supervisor() as supervisor:
        recover(supervisor)
        for planned in repairs(supervisor):
            with _told():
                _mend(supervisor, planned)
        for orphan in orphans(supervisor, opening.folder(None)):
            with _told():
                _offer(supervisor, orphan)
        settle_spares(supervisor)


def _mend(supervisor: Supervisor, planned: Repair) -> None:
    _say(f"{planned.memory_dir}: {faults_told(planned)}")
    click.echo(text.diff(INDEX, planned.mended.before, planned.mended.after), nl=False, err=True)
    if opening.on_terminal() and not click.confirm("Change it so?", err=True):
        return
    changeset = repair(supervisor, planned)
    _say(f"mended by {changeset}; `extractord undo {changeset}` takes it back")


def _offer(supervisor: Supervisor, orphan: Orphan) -> None:
    """Take memory over only where a person says so: that two folders have one name does not make them one project."""
    _say(orphan_told(orphan))
    for file in orphan.files:
        _say(f"    {file}")
    if orphan.adopter is None:
        return
    if not opening.on_terminal():
        _say("nothing was taken over: run this in a terminal, where it is asked")
        return
    if click.confirm(f"Copy that into the memory of {orphan.adopter}?", err=True):
        changeset = adopt(supervisor, orphan)
        _say(f"taken over by {changeset}; `extractord undo {changeset}` takes it back")


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except ExtractordError as error:
        _say(f"extractord: {error.message}{f' → {error.hint}' if error.hint else ''}")


def _say(words: str) -> None:
    click.echo(lines.printable(words), err=True)
