"""Commands that set things up: the user service, stop and resume, the effective configuration.

Owns: their options and output. Leaves the service to ``installing``, the configuration's meaning to ``config``.
"""

from __future__ import annotations

from pathlib import Path

import click

from extractord.cli import examining


@click.command()
@click.option("--backend", type=click.Choice(["offline", "anthropic", "claude-code"]), help="The choice; without it you are asked.")
@click.option("--provider", type=click.Choice(["anthropic", "bedrock", "vertex", "foundry"]), help="Who serves the model.")
@click.option("--model", metavar="NAME", help="Another model than the default.")
@click.option("--base-url", metavar="URL", help="A gateway, or a server of this machine, that speaks /v1/messages.")
@click.option("--price", nargs=2, type=click.FloatRange(min=0), metavar="IN OUT", help="What the model costs, in $ per million tokens.")
@click.option("--claude", metavar="PATH", help="The program of your Claude Code, where it is not found.")
@click.option("--local", is_flag=True, help="Also ask the usual ports of this machine for model servers.")
@click.option("--keep-key", is_flag=True, help="Keep this shell's key in the credentials file, for the service.")
@click.option("--estimate", is_flag=True, help="Then show what old sessions would cost.")
@click.option("--install", "install_service", is_flag=True, help="Then install the service.")
@click.option("--yes", is_flag=True, help="Do not ask; agrees to what the choice costs.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per choice on stdout.")
def setup(**options: object) -> int:
    """Choose who extracts: what was found here, what each choice costs and sends; writes the configuration.

    \b
    Examples: extractord setup
              extractord setup --backend claude-code --yes
    """
    from extractord.cli import setting_up

    options["install"] = options.pop("install_service")
    return setting_up.run(setting_up.SetupOptions.of(options))


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
    from extractord.config.edit import Switch

    click.echo(opening.switch(cwd, Switch.OFF), err=True)


@click.command()
@click.option("--cwd", type=click.Path(path_type=Path), help="Only the project of this folder.")
def on(cwd: Path | None) -> None:
    """Resume extraction, of one project or of all.

    \b
    Example: extractord on --cwd ~/work/shop
    """
    from extractord.cli import opening
    from extractord.config.edit import Switch

    click.echo(opening.switch(cwd, Switch.ON), err=True)


@click.command()
@click.option("--show", is_flag=True, help="Each key, its value and where it comes from (the default).")
@click.option("--check", is_flag=True, help="Only say whether the file is right.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per key on stdout.")
def config(show: bool, check: bool, as_json: bool) -> None:
    """Show the effective configuration with its sources, models and prices, or check the file.

    \b
    Example: extractord config --check
    """
    from extractord.agent.claude_code import OUTSIDE
    from extractord.agent.prices import TABLE, told
    from extractord.cli import opening
    from extractord.config import Backend, sources
    from extractord.report import lines

    effective = opening.config()
    if check and not show:
        click.echo(f"{opening.locations().config_file}: all right", err=True)
        return
    shown = [lines.ConfigLine(entry.key, entry.value, entry.source) for entry in sources(effective)]
    shown += [
        lines.ConfigLine(f"prices.{model}", *told(model, effective.prices))
        for model in dict.fromkeys((effective.model, *TABLE))
        if model not in effective.prices  # else it stands there with the other keys
    ]
    for line in shown:
        click.echo(lines.encoded(line) if as_json else f"{line.key:<28} {line.value!s:<34} {line.source}")
    if not as_json and effective.backend is Backend.CLAUDE_CODE:
        click.echo(OUTSIDE, err=True)


COMMANDS: list[click.Command] = [setup, install, uninstall, *examining.COMMANDS, on, off, config]
