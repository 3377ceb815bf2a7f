"""Hooks as a command line: stdin in, one line out, and never in the way of the agent.

Owns: that a hook which fails ends with status 1, on which agents go on (2 would block the session or the prompt). Leaves the
answers to ``reading.hooks``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import click

from extractord.cli import opening
from extractord.errors import ExtractordError
from extractord.reading import hooks
from extractord.reading.hooks import Event, event_of, is_our_own
from extractord.supervisor import Supervisor

_Answer = Callable[[Supervisor, Event, str], str]


def session_start() -> int:
    """Answer on stdout; return the exit status."""
    return _answered(hooks.session_start)


def user_prompt() -> int:
    """Answer on stdout; return the exit status."""
    return _answered(_user_prompt)


def _user_prompt(supervisor: Supervisor, event: Event, cwd: str) -> str:
    answer, note = hooks.user_prompt(supervisor, event, cwd)
    if note:
        click.echo(f"extractord: {note}", err=True)
    return answer


def _answered(answer: _Answer) -> int:
    try:
        event = event_of(sys.stdin.buffer.read())
        if is_our_own(os.environ, event):
            click.echo(hooks.NOTHING)
            return 0
        with opening.supervisor() as supervisor:
            click.echo(answer(supervisor, event, opening.folder(event.cwd)))
    except ExtractordError as error:
        click.echo(f"extractord: {error.message}\n  → {error.hint}" if error.hint else f"extractord: {error.message}", err=True)
        return 1
    return 0
