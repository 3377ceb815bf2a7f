"""What nearly every command opens first: surroundings, places, configuration, ledger.

Owns: reading them from the process, once. Leaves what they mean to the modules they come from.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click

from extractord.agent.model_line import ModelLine
from extractord.claude_home import Surroundings, canonical_root, memory_home
from extractord.config import Config, Locations, load
from extractord.config.edit import Switch, set_off
from extractord.errors import UsageError
from extractord.ledger import Ledger
from extractord.report.text import counted
from extractord.supervisor import Clock, Supervisor, WallClock
from extractord.system.windows_program import WSL


def surroundings() -> Surroundings:
    return Surroundings.of_process()


def locations() -> Locations:
    return Locations.of_process()


def config() -> Config:
    return load(locations().config_file, os.environ)


def file_config() -> Config:
    """Return what the file says, whatever the environment overrides."""
    return load(locations().config_file, {})


@contextmanager
def ledger() -> Iterator[Ledger]:
    """Open the ledger; one that does not exist yet is not made just to be looked at."""
    state = locations().state
    with Ledger.open(state) if Ledger.exists(state) else Ledger.in_memory() as opened:
        yield opened


@contextmanager
def supervisor(clock: Clock | None = None, configuration: Config | None = None) -> Iterator[Supervisor]:
    """Open the ledger, making it if it is missing, and hand out what a unit of work needs."""
    with Ledger.open(locations().state) as opened, closing(ModelLine()) as models:
        if opened.mended is not None:
            click.echo(f"{opened.mended.told}\n  → `extractord doctor` tells more", err=True)
        chosen = configuration or config()
        if sys.platform == "win32" and not chosen.all_offline:
            raise UsageError("only the offline backend works on Windows", hint=f"`--backend offline` once, or set it. {WSL}")
        yield Supervisor(opened, chosen, surroundings(), locations(), clock or WallClock(), models=models)


@contextmanager
def looking() -> Iterator[Supervisor]:
    """Hand out a supervisor for a command that only looks."""
    with ledger() as opened:
        yield Supervisor(opened, config(), surroundings(), locations())


def folder(named: str | None) -> str:
    """Return the folder that ``--cwd`` names, absolute, or the one we are in."""
    try:
        return str(Path(named or ".").absolute())
    except FileNotFoundError:
        raise UsageError("the folder we are in was removed", hint="go to another one, or name one with --cwd") from None


def switch(cwd: Path | None, to: Switch) -> str:
    """Switch extraction off or on for the project of ``cwd``, or for all; return what to tell the person."""
    root = None if cwd is None else canonical_root(str(cwd.absolute()), lambda _: None)
    set_off(locations().config_file, root, to)
    what = "all projects" if root is None else root
    told = f"extraction is {to.value} for {what}; memory that is there stays as it is"
    saved = _saved_for(str(cwd.absolute())) if cwd is not None and to is Switch.OFF else 0
    return f"{told}\n  → {_offer(saved, cwd)}" if saved else told


def _saved_for(cwd: str) -> int:
    """Return how many topics of a project are ours."""
    with ledger() as opened:
        return len(opened.own_topics(str(memory_home(cwd, surroundings(), seen=opened.root_seen).directory)))


def _offer(saved: int, cwd: Path | None) -> str:
    return f"`extractord forget --project {cwd}` removes what was saved for it ({counted(saved, 'topic')})"


def on_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()
