"""Commands for every day: run over old sessions, see what was saved and why, take it back.

Owns: their options, their output and the questions they ask. Leaves the work to ``extraction`` and ``history``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from extractord.cli.health import status


@click.command()
def demo() -> None:
    """Show the whole pipeline on sample sessions, in a temporary home, offline.

    \b
    Example: extractord demo
    """
    from extractord.demo import show

    for line in show():
        click.echo(line)


@click.command()
@click.option("--since", metavar="DATE", help="Only what was said since then (2026-11-01, or 30d).")
@click.option("--until", metavar="DATE", help="Only what was said before then.")
@click.option("--project", type=click.Path(path_type=Path), help="Only sessions of this project.")
@click.option("--session", metavar="ID", help="Only this session.")
@click.option("--again", is_flag=True, help="With --session: also what was dealt with or parked before.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many sessions.")
@click.option("--backend", type=click.Choice(["offline", "anthropic", "claude-code"]), help="Instead of the configured one.")
@click.option("--workers", type=click.IntRange(min=1, max=8), help="Sessions at once, one per memory directory.")
@click.option("--batch", is_flag=True, help="Ask by batches: half the price, answered within a day.")
@click.option("--skip-scope", type=click.Choice(["stretch", "turn"]), help="What a memory write of the agent itself leaves out.")
@click.option("--now", metavar="ISO|session", help="The clock for past dates and ages; `session`: each at its own end.")
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
@click.option("--estimate", is_flag=True, help="Say what it would cost; ask no model.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per session on stdout.")
def once(**options: object) -> int:
    """Run once over old sessions and save what the next ones should know.

    \b
    Examples: extractord once --dry-run
              extractord once --project ~/work/shop --since 30d
    """
    from extractord.cli.nothing_new import told_nothing_new

    if told_nothing_new(options):
        return 0
    from extractord.cli.once import run
    from extractord.cli.once_options import OnceOptions

    return run(OnceOptions.of(options))


@click.command()
@click.option("--outcome", help="Only sessions that ended so (saved, skipped, failed …).")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per session on stdout.")
def sessions(outcome: str | None, as_json: bool) -> None:
    """List each known session with its outcome and the reason.

    \b
    Example: extractord sessions --outcome skipped
    """
    from extractord.cli import listing

    listing.sessions(outcome, listing.form(as_json=as_json))


@click.command()
@click.option("--spend", is_flag=True, help="What models cost instead, per day and month.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per changeset (day, month) on stdout.")
def log(spend: bool, as_json: bool) -> None:
    """List what was written, newest first; or what was spent.

    \b
    Examples: extractord log
              extractord log --spend
    """
    from extractord.cli import listing

    form = listing.form(as_json=as_json)
    listing.spend(form) if spend else listing.log(form)


@click.command()
@click.argument("changeset", metavar="ID")
def show(changeset: str) -> None:
    """Show a changeset as a diff, with the sentences it rests on.

    \b
    Example: extractord show 3f9k2a
    """
    from extractord.cli import listing

    listing.show(changeset)


@click.command()
@click.argument("file", metavar="FILE[:LINE]")
@click.option("--cwd", type=click.Path(), help="The project whose memory is meant (default: here), for a bare file name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per fact on stdout.")
def why(file: str, cwd: str | None, as_json: bool) -> None:
    """Show line by line who wrote it, the sentence it came from, and where in its transcript that stands.

    \b
    Examples: extractord why feedback_testing.md
              extractord why feedback_testing.md:9
    """
    from extractord.cli import listing

    listing.why(file, cwd, listing.form(as_json=as_json))


@click.command()
@click.argument("changeset", metavar="[ID]", required=False)
@click.option("--since", metavar="DATE", help="Everything written since then.")
@click.option("--all", "everything", is_flag=True, help="Everything ever written.")
def undo(changeset: str | None, since: str | None, everything: bool) -> int:
    """Take a changeset back. Refused where its lines changed since (then `forget` helps).

    \b
    Examples: extractord undo 3f9k2a
              extractord undo --since 1d
    """
    from extractord.cli import taking_back

    if [changeset is not None, since is not None, everything].count(True) != 1:
        raise click.UsageError("name one of ID, --since, --all")
    return taking_back.undo(changeset, since)


@click.command()
@click.argument("file", metavar="[FILE[:LINE]]", required=False)
@click.option("--text", metavar="T", help="Every line of memory that holds this text.")
@click.option("--session", metavar="ID", help="Everything that was saved from this session.")
@click.option("--project", type=click.Path(), help="Everything that was saved for this project.")
@click.option("--cwd", type=click.Path(), help="The project whose memory is meant (default: here).")
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(file: str | None, text: str | None, session: str | None, project: str | None, cwd: str | None, yes: bool) -> int:
    """Remove something from memory for good: it does not come back from old sessions. Shown first.

    \b
    Examples: extractord forget feedback_testing.md
              extractord forget --text "old staging server"
    """
    from extractord.cli import taking_back

    if [file, text, session, project].count(None) != 3:
        raise click.UsageError("name one of FILE, --text, --session, --project")
    if not (file or text or session or project or "").strip():
        raise click.UsageError("what is to be forgotten is empty: that would be everything")
    asked = taking_back.Asked.NO if yes else taking_back.Asked.YES
    return taking_back.forget(file=file, text=text, session=session, project=project, cwd=cwd, ask=asked)


@click.command()
@click.option("--accept", metavar="ID", help="Write it.")
@click.option("--reject", metavar="ID", help="Drop it; it does not come back.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per pending changeset on stdout.")
def review(accept: str | None, reject: str | None, as_json: bool) -> int:
    """Go through what waits for your word (on a terminal), or list it; accept or reject it.

    \b
    Example: extractord review --accept 3f9k2a
    """
    from extractord.cli import listing, opening, taking_back

    if accept is not None and reject is not None:
        raise click.UsageError("--accept and --reject exclude each other")
    if accept is not None:
        return taking_back.accept(accept)
    if reject is not None:
        return taking_back.reject(reject)
    if not as_json and opening.on_terminal() and sys.stdout.isatty():
        from extractord.cli import deciding

        return deciding.walk()
    listing.pending(listing.form(as_json=as_json))
    return 0


@click.command()
@click.option("--cwd", type=click.Path(), help="The project whose memory is meant (default: here).")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
def dream(cwd: str | None, dry_run: bool) -> int:
    """Put a project's memory in order: merge what says the same, drop what is over, make topics of daily logs.

    By itself it happens at night. The first one of a project waits for your word; lines you wrote are only proposed.

    \b
    Example: extractord dream --dry-run
    """
    from extractord.cli import dreaming

    return dreaming.run(cwd, dreaming.Mode.DRY_RUN if dry_run else dreaming.Mode.APPLY)


@click.group()
def team() -> None:
    """Share a project's team memory by a git remote that you name.

    \b
    In the configuration: [[project]] with match = "~/work/shop" and team = "git@host:org/memory.git"
    Example: extractord team sync
    """


_CWD = click.option("--cwd", type=click.Path(), help="The project whose memory is meant (default: here).")


@team.command("status")
@_CWD
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def team_status(cwd: str | None, as_json: bool) -> int:
    """Show what the next sync would send, and what is never sent. Asks no remote.

    \b
    Example: extractord team status
    """
    from extractord.cli import listing, teaming

    return teaming.run_status(cwd, listing.form(as_json=as_json))


@team.command("sync")
@_CWD
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def team_sync(cwd: str | None, as_json: bool) -> int:
    """Send what is new below memory/team/, and bring here what teammates wrote or removed.

    \b
    Example: extractord team sync --cwd ~/work/shop
    """
    from extractord.cli import listing, teaming

    return teaming.run_sync(cwd, listing.form(as_json=as_json))


COMMANDS: list[click.Command] = [demo, once, status, sessions, log, show, why, undo, forget, review, dream, team]
