"""The picture in README: real commands on a sample session, drawn by rich.

Owns: which commands are shown, and what is made the same in every run (ids, seconds, the temporary folder). ``python -m
tests.picture`` draws it anew; ``test_examples`` tells when that is due.
"""

from __future__ import annotations

import html
import io
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from extractord.demo import lay_out
from tests.command import Place, extractord

PICTURE = Path(__file__).parent.parent / "docs" / "session.svg"
WIDTH = 116
_PROJECT = "/home/sam/work/shop-api"
_FOLDER = "-home-sam-work-shop-api"
_TOPIC = "feedback_mock_database_tests_postgres.md"
_IDS = ("3f9k2a7c1m0x", "3f9k2d81q4vt")
_ID = re.compile(r"\b1[0-9a-z]{11}\b")
_SECONDS = re.compile(r"\d+\.\d s(?=\0|\n|$)")
_FONTS = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)  # a picture asks no server for its letters


@dataclass(frozen=True, slots=True)
class Shown:
    """A command as it was typed, and what it answered."""

    command: str
    answer: str


def recorded() -> tuple[Shown, ...]:
    """Run the commands in a temporary home and return what they said."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        _lay_out(place)
        shown = tuple(_run(place))
    text = "\0".join(part for one in shown for part in (one.command, one.answer))
    for found, name in zip(dict.fromkeys(_ID.findall(text)), _IDS, strict=True):
        text = text.replace(found, name)
    parts = _SECONDS.sub("0.4 s", text.replace(str(place.config_home), "~/.claude").replace("/home/sam/", "~/")).split("\0")
    return tuple(Shown(command, answer) for command, answer in zip(parts[::2], parts[1::2], strict=True))


def _lay_out(place: Place) -> None:
    lay_out(place.root / "samples")
    kept = place.root / "samples" / ".claude" / "projects" / _FOLDER
    shutil.copytree(kept, place.config_home / "projects" / _FOLDER)


def _run(place: Place) -> Iterator[Shown]:
    yield _one(place, "once")
    why = _one(place, "why", _TOPIC, "--cwd", _PROJECT)
    yield why
    (changeset,) = dict.fromkeys(_ID.findall(why.answer))
    yield _one(place, "undo", changeset)


def _one(place: Place, *argv: str) -> Shown:
    answer = extractord(place, *argv)
    assert answer.status == 0, answer.stderr
    return Shown(f"extractord {' '.join(argv)}", (answer.stdout + answer.stderr).rstrip("\n"))


def drawn(session: tuple[Shown, ...]) -> str:
    """Return the session as SVG; the same session gives the same bytes."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor", highlight=False)
    for number, one in enumerate(session):
        console.print(Text.assemble("\n" if number else "", ("$ ", "bold green"), (one.command, "bold")))
        console.print(Text(one.answer))
    return console.export_svg(title="extractord", code_format=_FONTS.sub("", CONSOLE_SVG_FORMAT), unique_id="session")


def words(svg: str) -> str:
    """Return what a picture says, without spaces and line ends: the same for every version of rich."""
    return "".join(html.unescape("".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))).split())


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(drawn(recorded()), encoding="utf-8")
