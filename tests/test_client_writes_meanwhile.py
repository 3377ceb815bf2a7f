"""Promises about memory that somebody else writes while ``once`` applies: none of their words is lost."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from extractord.applying import settle_spares
from tests.command import Place, extractord
from tests.homes import SAYINGS, Home, put, topic
from tests.killed_once import Steps, run, supervising

REASON = "The reason I said always use pnpm instead of npm in this repository: the lockfile of npm broke the release twice."


EDITS, SECONDS = 400, 0.01  # of each file, and between them; longer than it takes to apply


class Client(threading.Thread):
    """Edits a topic and the index as the client does: reads the file, adds a line of its own, writes the whole."""

    def __init__(self, memory: Path, write: Callable[[Path, str], None]) -> None:
        super().__init__()
        self._memory, self._write = memory, write
        self._over = threading.Event()
        self.words: dict[str, list[str]] = {}

    def run(self) -> None:
        for number in range(1, EDITS + 1):
            for name in ("feedback_pnpm.md", "MEMORY.md"):
                self._edit(self._memory / name, f"Word {number} of mine in {name}.")
            if self._over.wait(SECONDS):
                return

    def _edit(self, file: Path, words: str) -> None:
        text = file.read_text(encoding="utf-8")
        self._write(file, f"{text.rstrip()}\n{words}\n")
        self.words.setdefault(file.name, []).append(words)

    def end(self) -> None:
        self._over.set()
        self.join()


def in_place(file: Path, text: str) -> None:
    """Empty the file and fill it again."""
    file.write_text(text, encoding="utf-8")


def by_rename(file: Path, text: str) -> None:
    """Write a file beside and put it in the other's place."""
    beside = file.with_name(f"{file.name}.tmp.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.rename(file)


@pytest.mark.parametrize("write", [in_place, by_rename])
def test_none_of_the_clients_words_is_lost(tmp_path: Path, write: Callable[[Path, str], None]) -> None:
    """A client that writes all the time, into the very topic and index that ``once`` changes, finds every line of its own again."""
    home = Home(tmp_path)
    memory = home.memory("shop")
    put(
        memory,
        "feedback_pnpm.md",
        topic("pnpm", "Always use pnpm instead of npm in this repository.\n\n**Why:** not stated\n**How to apply:** here."),
    )
    put(memory, "MEMORY.md", "# Mine\n\n- [pnpm](feedback_pnpm.md) — pnpm\n\nWords of mine.\n")
    home.talk("shop", REASON, SAYINGS[2], days_ago=3)
    home.talk("shop", SAYINGS[0], SAYINGS[1], days_ago=2)
    client = Client(memory, write)
    client.start()
    try:
        answer = extractord(home, "once", "--json")
    finally:
        client.end()
    assert answer.status == 0, answer.stderr
    if "is being written all the time" in answer.stderr:  # it still was when the run ended: looked at again the next time
        assert extractord(home, "once", "--json").status == 0
    assert len(client.words["MEMORY.md"]) > 20
    _assert_kept(home, memory, client)
    assert [path.name for path in memory.iterdir() if path.name.startswith(".extractord")] == []


def _assert_kept(place: Place, memory: Path, client: Client) -> None:
    for name, words in client.words.items():
        there = (memory / name).read_text(encoding="utf-8")
        lost = [line for line in words if line not in there]
        assert not lost, f"{len(lost)} of {len(words)} lines lost from {name}: {lost[:5]}; kept: {_copies(place)}"


def _copies(place: Place) -> list[str]:
    return [str(path) for path in (place.state / "kept").rglob("*")]


class Stalled(Steps):
    """A client that has read the index and emptied it in place when we are about to change it, and fills it at a later step."""

    def __init__(self, index: Path, left: int, fills: str) -> None:
        super().__init__()
        self._index, self._left, self._fills = index, left, fills
        self._file: io.FileIO | None = None
        self._text = b""
        self._ours = b""

    def __call__(self, name: str) -> None:
        super().__call__(name)
        if name == "after prepare" and self._file is None:
            self._text = self._index.read_bytes() + b"A new line of mine.\n"
            self._file = io.FileIO(self._index, "r+")
            self._file.truncate(self._left)
        elif name == self._fills and self._file is not None and not self._file.closed:
            self._ours = self._index.read_bytes()
            self._file.write(self._text)
            self._file.close()
        elif name == "before applied" and self._ours:  # another one, that had read what we made of the emptied index
            self._index.write_bytes(self._ours.rstrip() + b"\nA last line of mine.\n")


@pytest.mark.parametrize("left", [0, 12])
@pytest.mark.parametrize("fills", ["look at what came out of MEMORY.md", "after applied"])
def test_a_client_that_stalls_between_emptying_and_filling_the_index_loses_nothing(tmp_path: Path, left: int, fills: str) -> None:
    """What it writes then goes into the file that we took away: all of it is brought back, not only what was new in it."""
    home = Home(tmp_path)
    index = put(home.memory("shop"), "MEMORY.md", "# Mine\n\nA word of mine.\nAnother word of mine.\n")
    home.talk("shop", SAYINGS[0], days_ago=3)
    run(home.root, Stalled(index, left, fills))
    with supervising(home.root, Steps()) as supervisor:
        settle_spares(supervisor)
    lines = index.read_text().splitlines()
    wanted = {"A word of mine.", "Another word of mine.", "A new line of mine."}
    last = {"A last line of mine."} if fills != "after applied" else set()
    assert {line for line in lines if "mine" in line} == wanted | last
    assert len(lines) == len(set(lines) - {""}) + lines.count("")
    assert "linter" in index.read_text()
    assert [file.name for file in index.parent.iterdir() if file.name.startswith(".")] == []


def test_no_line_is_lost_that_somebody_appends_while_three_sessions_are_saved(tmp_path: Path) -> None:
    """A program that opens the index for each line it adds, every 2 ms, from before the first save to after the last look."""
    home = Home(tmp_path)
    for number, said in enumerate((SAYINGS[0], SAYINGS[4], SAYINGS[2])):
        home.talk("shop", said, days_ago=5.0 - number)
    index = put(home.memory("shop"), "MEMORY.md", "# notes\n")
    over, lines = threading.Event(), list[str]()

    def append() -> None:
        while not over.wait(0.002):
            line = f"note {len(lines)} of mine"
            with index.open("a") as file:
                file.write(f"{line}\n")
            lines.append(line)

    writer = threading.Thread(target=append)
    writer.start()
    try:
        once = extractord(home, "once", "--json")
    finally:
        over.set()
        writer.join()
    extractord(home, "once", "--json")
    assert once.summary["saved"] == 3
    assert set(lines) - set(index.read_text().splitlines()) == set()
    assert [file.name for file in index.parent.iterdir() if file.name.startswith(".")] == []


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "latin"])
def test_an_index_that_cannot_be_written_is_told_in_the_outcome(tmp_path: Path, kind: str) -> None:
    """The topic is saved, the index stays as it is, and the reason of the outcome says so."""
    home = Home(tmp_path)
    home.talk("shop", SAYINGS[0])
    index = home.memory("shop") / "MEMORY.md"
    index.parent.mkdir(parents=True)
    match kind:
        case "link":
            index.symlink_to(put(tmp_path / "elsewhere", "precious.md", "mine\n"))
        case "folder":
            index.mkdir()
        case "pipe":
            os.mkfifo(index)
        case _:
            index.write_bytes(b"caf\xe9\n")
    (line, _) = extractord(home, "once", "--json").lines
    assert line["outcome"] == "saved"
    assert "MEMORY.md is no file of readable text" in line["reason"]


def test_an_index_full_of_prose_is_told_in_the_outcome(tmp_path: Path) -> None:
    """The line is added, nothing else leaves, and the reason says that the client may not load all of it."""
    home = Home(tmp_path)
    home.talk("shop", SAYINGS[0])
    prose = "".join(f"my own line of prose {number} that matters to me\n" for number in range(1_000))
    index = put(home.memory("shop"), "MEMORY.md", prose)
    (line, _) = extractord(home, "once", "--json").lines
    assert line["outcome"] == "saved"
    assert "full of text that is no list of topics" in line["reason"]
    assert set(prose.splitlines()) <= set(index.read_text().splitlines())
