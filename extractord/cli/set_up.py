"""Commands that set things up: the user service, stop and resume, the effective configuration.

Owns: their options and output. Leaves the service to ``installing``, the configuration's meaning to ``config``.
"""

from __future__ import annotations

from pathlib import Path

import click

from extractord.cli import examining


@click.command()
@click.option("--print", "only_print", is_flag=True, help="Only print the unit that would be written.")
def install(only_print: bool) -> int:
    """Install and start the daemon as a service of yours: from then on it runs by itself.

    \b
    Example: extractord install
    """
    from extractord.cli import installing

    machine = installing.Machine.of_process()
    return installing.print_unit(machine) if only_print else installing.install(machine)


@click.command()
@click.option("--purge", is_flag=True, help="Also remove the state folder, configuration and credentials; never memory.")
def uninstall(purge: bool) -> int:
    """Stop and remove the service, also where only parts of it are left. Asks what becomes of what was written.

    \b
    Example: extractord uninstall
    """
    from extractord.cli import installing, opening

    scope = installing.Scope.EVERYTHING if purge else installing.Scope.SERVICE
    return installing.uninstall(scope, opening.surroundings(), opening.locations())


@click.command()
@click.option("--cwd", type=click.Path(path_type=Path), help="Only the project of this folder.")
def off(cwd: Path | None) -> None:
    """Stop extraction, of one project or of all. What is in memory stays.

    \b
    Example: extractord off --cwd ~/work/secret-project
    """
    from extractord.cli import opening
    from extractord.config import Switch

    click.echo(opening.switch(cwd, Switch.OFF), err=True)


@click.command()
@click.option("--cwd", type=click.Path(path_type=Path), help="Only the project of this folder.")
def on(cwd: Path | None) -> None:
    """Resume extraction, of one project or of all.

    \b
    Example: extractord on --cwd ~/work/shop
    """
    from extractord.cli import opening
    from extractord.config import Switch

    click.echo(opening.switch(cwd, Switch.ON), err=True)


@click.command()
@click.option("--show", is_flag=True, help="Each key, its value and where it comes from (the default).")
@click.option("--check", is_flag=True, help="Only say whether the file is right.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per key on stdout.")
def config(show: bool, check: bool, as_json: bool) -> None:
    """Show the effective configuration with its sources, or check the file.

    \b
    Example: extractord config --check
    """
    from extractord.agent.prices import told
    from extractord.cli import opening
    from extractord.config import sources
    from extractord.report import lines

    effective = opening.config()
    if check and not show:
        click.echo(f"{opening.locations().config_file}: all right", err=True)
        return
    shown = [lines.ConfigLine(entry.key, entry.value, entry.source) for entry in sources(effective)]
    if effective.model not in effective.prices:  # else it stands there with the other keys
        shown.append(lines.ConfigLine(f"prices.{effective.model}", *told(effective.model, effective.prices)))
    for line in shown:
        click.echo(lines.encoded(line) if as_json else f"{line.key:<28} {line.value!s:<34} {line.source}")


COMMANDS: list[click.Command] = [install, uninstall, *examining.COMMANDS, on, off, config]
