"""The yardstick of ``--help``: a click program with as many commands that do nothing."""

from __future__ import annotations

import sys

import click


@click.group()
def program() -> None:
    """A program of its size."""


def main(commands: int) -> None:
    """Show the help of a group of so many commands."""
    for number in range(commands):
        program.add_command(click.Command(f"command-{number}", help="Say in one line what this command does."))
    program(["--help"])


if __name__ == "__main__":
    main(int(sys.argv[1]))
