"""Commands that put the user service in place and take it away.

Owns: showing the steps, the question what becomes of memory that was written, and the words afterwards. Leaves the steps to
``service``, taking writes back to ``taking_back``.
"""

from __future__ import annotations

import enum
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from extractord import __version__
from extractord.claude_home import Surroundings
from extractord.cli import opening
from extractord.config import Locations, load
from extractord.errors import ExtractordError
from extractord.history.undo import standing
from extractord.report.status import read_state, running_pid
from extractord.report.text import counted
from extractord.service import (
    Found,
    Init,
    ServiceError,
    Wanted,
    as_invoked,
    carried_over,
    carry_out,
    install_plan,
    look,
    objection,
    purge,
    purge_plan,
    rendered,
    uninstall_plan,
)
from extractord.service.carrying_out import ended
from extractord.service.executable import INSTALL, PROGRAM

STOP_SECONDS = 25.0  # a daemon that is told to end does within 10


class Scope(enum.Enum):
    """What ``uninstall`` takes away."""

    SERVICE = "service"
    EVERYTHING = "everything but memory"


class Written(enum.Enum):
    """What becomes of memory that was written."""

    KEEP = "keep"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the service is set up, and for which program."""

    executable: Path
    prefix: Path  # the environment of Python that the program needs
    surroundings: Surroundings
    locations: Locations

    @classmethod
    def of_process(cls) -> Machine:
        surroundings = opening.surroundings()
        return cls(as_invoked(sys.argv[0], surroundings.environ), Path(sys.prefix), surroundings, opening.locations())

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.executable, carried_over(self.surroundings.environ), self.locations.state, __version__)

    @property
    def objection(self) -> str:
        return objection(self.executable, self.prefix, self.surroundings.environ, self.surroundings.home)


def print_unit(machine: Machine) -> int:
    """Print the unit or launch agent that ``install`` would write; nothing is done."""
    init = Init.LAUNCHD if machine.surroundings.platform == "darwin" else Init.SYSTEMD
    click.echo(rendered(init, machine.wanted), nl=False)
    if why := machine.objection:
        click.echo(f"`extractord install` would refuse this: {why}", err=True)
    return 0


def install(machine: Machine) -> int:
    """Install, enable and start the service, and wait until the daemon says that it is ready."""
    if why := machine.objection:
        raise ServiceError(f"a service cannot rely on this program: {why}", hint=f"Type `{INSTALL}`, then `{PROGRAM} install`.")
    load(machine.locations.config_file, machine.surroundings.environ)  # a wrong configuration is told here rather than in a journal
    found = _look(machine.surroundings)
    pid = running_pid(machine.locations.state)
    running = read_state(machine.locations.state) if pid is not None else None
    plan = install_plan(found, machine.wanted, running.version if running else None)
    if pid is not None and not found.active:
        raise ServiceError(
            f"a daemon runs already (pid {pid}), not started by the service", hint=f"`kill {pid}` ends it; then install again."
        )
    carry_out(plan, machine.surroundings.environ, _step)
    for remark in plan.remarks:
        click.echo(f"  note: {remark}", err=True)
    click.echo("installed and running; `extractord status` tells how it is, `extractord uninstall` takes it away", err=True)
    return 0


def uninstall(scope: Scope, surroundings: Surroundings, locations: Locations) -> int:
    """Stop and remove the service, whatever is left of it; with ``Scope.EVERYTHING`` our own files too."""
    found = _look(surroundings)
    carry_out(uninstall_plan(found), surroundings.environ, _step)
    stopped = not found.active or ended(locations.state, STOP_SECONDS)
    pid = running_pid(locations.state)
    click.echo("the service is removed" if found.installed else "no service was installed; what could be left of one is removed", err=True)
    if pid is not None:
        hint = f"`kill {pid}` ends it" + ("; then uninstall again to purge." if scope is Scope.EVERYTHING else ".")
        if scope is Scope.EVERYTHING:
            raise ServiceError(f"a daemon still runs (pid {pid}); nothing was purged", hint=hint)
        click.echo(f"a daemon still runs (pid {pid}){'' if stopped else ' and does not end'}: {hint}", err=True)
    if _asked() is Written.UNDO and (status := _undo_all()):
        return status
    return _purge(locations) if scope is Scope.EVERYTHING else 0


def _look(surroundings: Surroundings) -> Found:
    return look(surroundings.platform, surroundings.environ, surroundings.home)


def _step(text: str) -> None:
    click.echo(f"  {text}", err=True)


def _asked() -> Written:
    """Ask a person what becomes of what was written; where nobody can be asked, or nothing can be taken back, it is kept."""
    if not opening.on_terminal():
        return Written.KEEP
    try:
        with opening.looking() as supervisor:
            number = len(standing(supervisor, None))
    except ExtractordError as error:
        click.echo(f"what was written to memory stays: {error.message}", err=True)
        return Written.KEEP
    if not number:
        return Written.KEEP
    choices = click.Choice([word.value for word in Written])
    question = f"{counted(number, 'changeset')} of extractord stand in memory. Keep or undo them?"
    return Written(click.prompt(question, type=choices, default=Written.KEEP.value, err=True))


def _undo_all() -> int:
    from extractord.cli import taking_back

    status = taking_back.undo(None, None)
    if status:
        click.echo("not everything could be taken back; the record is kept, so that you can go on with `extractord undo`", err=True)
    return status


def _purge(locations: Locations) -> int:
    plan = purge_plan(locations)
    purge(plan, locations)
    for place in plan.removed:
        _step(f"removed {place}")
    for reason in plan.left:
        _step(f"left    {reason}")
    click.echo("memory itself was not touched", err=True)
    return 0
