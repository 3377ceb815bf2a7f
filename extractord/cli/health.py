"""Commands that say how the daemon is.

Owns: their options and output. Leaves what is told to ``report.status``.
"""

from __future__ import annotations

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def status(as_json: bool) -> None:
    """Show whether the daemon runs, what waits, and what was spent.

    \b
    Example: extractord status
    """
    from extractord.cli import opening
    from extractord.config import Config
    from extractord.errors import UsageError
    from extractord.report import lines
    from extractord.report import status as report

    places, problem = opening.locations(), ""
    try:
        config = opening.config()
    except UsageError as error:  # how things stand is told all the same
        config, problem = Config(), error.message
    with opening.ledger() as ledger:
        line = report.status(ledger, config, places.state, opening.surroundings().config_home)
    if as_json:
        click.echo(lines.encoded(line))
        return
    for text in report.status_text(line, report.read_state(places.state), config, problem):
        click.echo(lines.printable(text))


@click.command()
def run() -> int:
    """Run the daemon in the foreground (the service starts it so). Ctrl-C ends it.

    \b
    Example: extractord run
    """
    from extractord.daemon import run as run_daemon

    return run_daemon()
