"""The command that examines: is everything as it should be, and what to do where it is not.

Owns: its options and output. Leaves the checks to ``doctor``.
"""

from __future__ import annotations

import click


@click.command()
@click.option("--online", is_flag=True, help="Also ask the backend whether it answers.")
@click.option("--fix", is_flag=True, help="Correct permissions and indexes; offer to take over memory of moved projects.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per check on stdout.")
def doctor(online: bool, fix: bool, as_json: bool) -> int:
    """Check everything that saving memory rests on; each fault comes with its fix.

    \b
    Example: extractord doctor --fix
    """
    from extractord.cli import opening
    from extractord.doctor import CHECKS, Visit, correct, examine, told
    from extractord.report import lines

    visit = Visit.of(opening.surroundings(), opening.locations())
    if fix:
        for done in correct(visit):
            click.echo(f"corrected: {lines.printable(done)}", err=True)
        from extractord.cli import repairing

        repairing.mend()
    status = 0
    checks = CHECKS
    if online:
        from extractord.doctor import online as asking

        checks += asking.CHECKS
    for finding in examine(visit, checks):
        status = status if finding.ok else 1
        if as_json:
            click.echo(lines.encoded(finding))
        else:
            click.echo(lines.printable("\n".join(told(finding))))
    return status


COMMANDS: list[click.Command] = [doctor]
