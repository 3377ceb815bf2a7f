"""The commands by group, and how a command line is run.

Owns: the group, its help in three sections and the exit statuses of wrong usage. Leaves each command to ``every_day``,
``set_up`` and ``plumbing``.
"""

from __future__ import annotations

import click

from extractord import __version__
from extractord.cli import every_day, plumbing, set_up

SECTIONS = (("Every day", every_day.COMMANDS), ("Set up", set_up.COMMANDS), ("Plumbing", plumbing.COMMANDS))


class Sectioned(click.Group):
    """A group whose help lists its commands by section."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        for title, section in SECTIONS:
            with formatter.section(title):
                formatter.write_dl([(str(command.name), command.get_short_help_str(90)) for command in section if not command.hidden])


@click.group(cls=Sectioned, commands=[command for _, section in SECTIONS for command in section])
@click.version_option(__version__, prog_name="extractord")
def root() -> None:
    """Turn finished Claude Code sessions into auto memory: each fact with the sentence it came from, each write undoable.

    Nothing leaves this machine and nothing is spent until you choose a backend. Start with `extractord demo`.
    """


def main(argv: list[str]) -> int:
    """Run one command; errors of extractord are raised, wrong usage is told here."""
    try:
        status = root.main(argv, prog_name="extractord", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return 130
    return status if isinstance(status, int) else 0
