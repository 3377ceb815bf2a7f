"""Plumbing commands: what one transcript says, where memory lies, what a tool call would be allowed.

Owns: their options and output. Leaves the answers to the package's floors.
"""

from __future__ import annotations

from pathlib import Path

import click

from extractord.cli import reading
from extractord.cli.health import run


@click.command()
@click.argument("transcript", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--now", metavar="ISO", help="Judge whether it is settled at this time instead of now.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def inspect(transcript: Path, now: str | None, as_json: bool) -> None:
    """Show what is read from one transcript and what would be done with it.

    \b
    Example: extractord inspect ~/.claude/projects/-home-sam-shop/0c9f….jsonl
    """
    import time

    from extractord.cli import opening
    from extractord.cli.moments import moment_of
    from extractord.extraction.inspection import inspect_transcript
    from extractord.extraction.subject import own_folder
    from extractord.report import lines, text

    found = inspect_transcript(
        transcript, opening.config(), opening.surroundings(), moment_of(now) or time.time(), own_folder(opening.locations())
    )
    if as_json:
        click.echo(lines.encoded(found))
        return
    for line in text.inspection(found):
        click.echo(line)


@click.command("memory-dir")
@click.option("--cwd", type=click.Path(), help="The folder a session starts in (default: here). It need not exist.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def memory_dir(cwd: str | None, as_json: bool) -> None:
    """Show where the memory of a folder's project lies. Makes nothing.

    \b
    Example: extractord memory-dir --cwd ~/work/shop
    """
    from extractord.cli import opening
    from extractord.extraction.inspection import memory_place
    from extractord.report import lines

    place = memory_place(opening.folder(cwd), opening.surroundings())
    if as_json:
        click.echo(lines.encoded(place))
        return
    click.echo(place.memory_dir)
    if place.reason or not place.enabled:
        click.echo(f"memory is {'on' if place.enabled else 'off'}: {place.reason}", err=True)


@click.command("try-tool")
@click.option("--project", required=True, type=click.Path(), help="The project folder the calls may read.")
@click.option("--memory-dir", "memory", required=True, type=click.Path(), help="The memory directory the calls may propose topics for.")
@click.option("--transcript", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Ask for evidence from this transcript.")
def try_tool(project: str, memory: str, transcript: Path | None) -> None:
    """Try tool calls of the restricted agent: JSON lines in, rulings out. Nothing is applied.

    \b
    Example: echo '{"id":"1","tool":"Read","input":{"file_path":"README.md"}}' |
               extractord try-tool --project . --memory-dir /tmp/memory
    """
    import sys

    from extractord.cli import opening
    from extractord.extraction.trying import calls_of, trial_of, try_tools
    from extractord.report import lines

    with opening.ledger() as ledger:
        trial = trial_of(Path(project), Path(memory), transcript, opening.surroundings(), opening.config(), ledger)
    for line in try_tools(calls_of(sys.stdin.buffer), trial):
        click.echo(lines.encoded(line))


@click.command(hidden=True, context_settings={"ignore_unknown_options": True})
@click.option("--project", required=True, type=click.Path(exists=True))
@click.option("--memory-dir", "memory", required=True, type=click.Path())
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED)
def confined(project: str, memory: str, argv: tuple[str, ...]) -> None:
    """Run any program as a confined worker would, without the tools' policy. For tests."""
    import subprocess
    import sys

    from extractord.agent.confinement import worker_command
    from extractord.agent.supervise import Roots, Sandbox
    from extractord.cli import opening

    roots = Roots(str(Path(project).absolute()), str(Path(memory).absolute()), (str(opening.surroundings().config_home),))
    command = worker_command(Sandbox.REQUIRED, roots, "extractord.agent.any_program", str(Path(project).resolve()), *argv)
    sys.exit(subprocess.run(command, env={"PATH": "/usr/bin:/bin"}, cwd="/", check=False).returncode)


COMMANDS: list[click.Command] = [run, inspect, memory_dir, *reading.COMMANDS, try_tool, confined]
