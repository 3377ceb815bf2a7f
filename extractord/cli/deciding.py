"""``review`` on a terminal: each changeset that waits is shown, page by page, and a key decides.

Owns: the pages, the keys, the person's editor. Leaves what is shown to ``report``, what a decision does to ``history.review``.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from extractord.applying import recover, settle_spares
from extractord.cli import opening
from extractord.cli.keys import END, Keys, keys
from extractord.cli.listing import pending_page
from extractord.errors import ExtractordError
from extractord.history import review
from extractord.ledger import HeldChangeset
from extractord.report.text import counted
from extractord.supervisor import Supervisor

_KEYS = "y save · n drop · e edit · s later · q quit"
_ROWS, _COLUMNS = 24, 80  # of a terminal that does not tell
_LATER = "s"


def walk() -> int:
    """Go through all that waits, oldest first; status 1 if something could not be written. What is not decided goes on waiting."""
    with opening.supervisor() as supervisor, keys() as typed:
        recover(supervisor)
        waiting = supervisor.ledger.held()
        done: Counter[str] = Counter()
        for number, held in enumerate(waiting, 1):
            answer = _decide(supervisor, typed, held, f"{number} of {len(waiting)}")
            done[answer] += 1
            if answer == "q":
                break
        left = len(supervisor.ledger.held())
        settle_spares(supervisor)
    told = [f"{done[key]} {word}" for key, word in (("y", "saved"), ("n", "dropped")) if done[key]]
    told += [f"{counted(left, 'changeset')} still waiting"] if left or not waiting else []
    click.echo(", ".join(told) if waiting else "nothing waits for review", err=True)
    return 1 if done["failed"] else 0


def _decide(supervisor: Supervisor, typed: Keys, held: HeldChangeset, which: str) -> str:
    """Show one changeset and carry out what the person decides: y, n, s, q, or "failed" where y could not be done."""
    page = pending_page(held)
    while True:
        match _asked(typed, page, which):
            case "y":
                if _accepted(supervisor, held):
                    return "y"
                page = ()  # the reason stands there now, and the keys again
            case "n":
                click.echo(f"{review.reject(supervisor, held)} dropped; it does not come back")
                return "n"
            case "e":
                edited = _edited(supervisor, typed, held)
                if edited is None:
                    click.echo("nothing was changed")
                    page = ()
                    continue
                held = edited
                if _accepted(supervisor, held):
                    return "y"
                page = ()
            case "q":
                return "q"
            case _:
                return _LATER


def _accepted(supervisor: Supervisor, held: HeldChangeset) -> bool:
    try:
        accepted = review.accept(supervisor, held)
    except ExtractordError as error:
        click.echo(f"{error.message}\n  → {error.hint}" if error.hint else error.message)
        return False
    click.echo(f"saved: {', '.join(accepted.files)}; `extractord undo {accepted.id}` takes it back")
    return True


def _asked(typed: Keys, page: tuple[str, ...], which: str) -> str:
    """Show a page after the other until a key decides; the last one waits until one does."""
    screens = list(_screens(page)) or [()]
    for number, screen in enumerate(screens, 1):
        for line in screen:
            click.echo(_coloured(line))
        more = number < len(screens)
        while True:
            click.echo(f"[{which}] {'space more · ' if more else ''}{_KEYS} ", nl=False)
            key = typed.next()
            click.echo(key if key.isprintable() else "")
            if key in ("y", "n", "e", _LATER, "q"):
                return key
            if key == END:
                return "q"
            if more and key in " \r\n":
                break
    return _LATER


def _screens(page: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    size = shutil.get_terminal_size((_COLUMNS, _ROWS))
    screen: list[str] = []
    rows = 0
    for line in page:
        takes = 1 + max(0, len(line) - 1) // max(size.columns, 1)
        if screen and rows + takes > size.lines - 1:
            yield tuple(screen)
            screen, rows = [], 0
        screen.append(line)
        rows += takes
    if screen:
        yield tuple(screen)


def _coloured(line: str) -> str:
    """Colour a line of a diff; click leaves colours out where none are wanted."""
    match line[:1]:
        case "+":
            return click.style(line, fg="green")
        case "-":
            return click.style(line, fg="red")
        case "“":
            return click.style(line, bold=True)
        case _:
            return line


def _edited(supervisor: Supervisor, typed: Keys, held: HeldChangeset) -> HeldChangeset | None:
    """Let the person edit what is proposed, topic by topic, in $VISUAL or $EDITOR; None if they left it as it was, or empty."""
    texts: dict[str, review.Edited] = {}
    with tempfile.TemporaryDirectory(prefix="extractord-review-") as folder:
        for file in held.files:
            if file.after is None:
                continue
            given = review.on_today(supervisor, held, file)
            place = Path(folder) / file.path.replace("/", "-")
            place.write_bytes(given.text.encode("utf-8", "surrogatepass"))
            with typed.given_back():
                click.edit(filename=str(place))
            made = place.read_bytes().decode("utf-8", "replace")
            if made.strip() and made != given.text:
                texts[file.path] = review.Edited(given.based_on, made)
    return review.as_edited(held, texts) if texts else None
