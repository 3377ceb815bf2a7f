"""Promises about memory that somebody else writes while ``once`` applies: none of their words is lost."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Place, extractord
from tests.homes import SAYINGS, Home, put, topic

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
