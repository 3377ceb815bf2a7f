"""Commands for agents that do not load memory by themselves: the memory section, topics for a question, hooks.

Owns: their options and output. Leaves the answers to ``reading``.
"""

from __future__ import annotations

import click


@click.command()
@click.option("--cwd", type=click.Path(), help="The folder the session starts in (default: here).")
@click.option("--session", metavar="ID", help="The session it is for: built once, the same bytes on the next call.")
def prompt(cwd: str | None, session: str | None) -> None:
    """Print the memory section as a session would load it. Makes the memory directory.

    \b
    Example: extractord prompt --cwd ~/work/shop --session "$SESSION"
    """
    from extractord.cli import opening
    from extractord.reading.section import section_of

    with opening.looking() as supervisor:
        section = section_of(supervisor, opening.folder(cwd), session or None)
    click.echo(section.text, nl=False)
    if section.reason:
        click.echo(f"memory is off: {section.reason}", err=True)


@click.command()
@click.argument("query")
@click.option("--cwd", type=click.Path(), help="The project whose memory is meant (default: here).")
@click.option("--recent-tool", "tools", metavar="T", multiple=True, help="A tool in use: its documentation is left out, warnings stay.")
@click.option("--surfaced", metavar="F", multiple=True, help="A topic that the session has seen already.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per topic on stdout.")
def recall(query: str, cwd: str | None, tools: tuple[str, ...], surfaced: tuple[str, ...], as_json: bool) -> None:
    """Find the topics that a question clearly calls for, at most five.

    \b
    Example: extractord recall "how do we test the database?"
    """
    from extractord.cli import opening
    from extractord.reading.recalling import Question, recalled
    from extractord.report import lines

    with opening.looking() as supervisor:
        found = recalled(supervisor, Question(query, opening.folder(cwd), tools, surfaced))
    if found.note:
        click.echo(found.note, err=True)
    for topic in found.topics:
        head = topic.head
        line = lines.RecallLine(head.file, head.name, head.description, head.type, topic.age, topic.freshness)
        click.echo(lines.encoded(line) if as_json else lines.printable(f"{head.file}  ({topic.age})  {head.description}"))
    if not found.topics and not as_json:
        click.echo("nothing in memory clearly bears on that", err=True)


@click.group()
def hook() -> None:
    """Answer the hooks of Codex, Gemini CLI, Claude Code and others (README, "Other agents").

    \b
    Example: extractord hook session-start
    """


@hook.command("session-start")
def session_start() -> int:
    """Give a session that begins its memory section. Reads the hook's JSON on stdin.

    \b
    Example: extractord hook session-start
    """
    from extractord.cli import hooking

    return hooking.session_start()


@hook.command("user-prompt")
def user_prompt() -> int:
    """Give a prompt the topics it calls for. Reads the hook's JSON on stdin.

    \b
    Example: extractord hook user-prompt
    """
    from extractord.cli import hooking

    return hooking.user_prompt()


COMMANDS: list[click.Command] = [prompt, recall, hook]
