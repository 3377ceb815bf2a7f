"""Promises of ``review`` on a real terminal: a person sees diff and quotes, and one key decides; nothing else does."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.command import extractord
from tests.homes import SAYINGS, Home, put, topic

LINTER = "feedback_linter_commit.md"
PATIENCE = 60.0  # seconds until a test gives up on what it waits for; nothing is measured


@dataclass(slots=True)
class Terminal:
    """A command on a pseudo-terminal of 24 rows."""

    child: subprocess.Popen[bytes]
    fd: int
    seen: str = ""
    ahead: str = ""  # came, and was not waited for yet

    def until(self, wanted: str) -> str:
        """Read until ``wanted`` appears in what was not waited for before, and return all up to it."""
        deadline, found = time.monotonic() + PATIENCE, self.ahead
        while wanted not in found:
            assert time.monotonic() < deadline, f"{wanted!r} never came: {self.seen + found!r}"
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    found += os.read(self.fd, 65536).decode("utf-8", "replace")
                except OSError:  # Linux: the other end is closed
                    break
        assert wanted in found, self.seen + found
        upto = found.index(wanted) + len(wanted)
        self.seen, self.ahead = self.seen + found[:upto], found[upto:]
        return found[:upto]

    def press(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def end(self) -> int:
        """Read to the end and return the exit status."""
        self.seen, self.ahead = self.seen + self.ahead, ""
        deadline = time.monotonic() + PATIENCE
        while self.child.poll() is None or select.select([self.fd], [], [], 0)[0]:
            assert time.monotonic() < deadline, f"it does not end: {self.seen!r}"
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    piece = os.read(self.fd, 65536)
                except OSError:
                    break
                if not piece:
                    break
                self.seen += piece.decode("utf-8", "replace")
        return self.child.wait(PATIENCE)


@pytest.fixture
def waiting(tmp_path: Path) -> Home:
    """Two sessions whose topics wait for review."""
    home = Home(tmp_path)
    home.config('memory.write = "review"\n')
    home.talk("shop", SAYINGS[0], days_ago=9)
    home.talk("shop", SAYINGS[2], days_ago=8)
    assert extractord(home, "once", "--json").summary["pending_review"] == 2
    return home


@pytest.fixture
def open_terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for one in opened:
        one.child.kill()
        one.child.wait()
        os.close(one.fd)


def _review(home: Home, opened: list[Terminal], **env: str) -> Terminal:
    main, other = pty.openpty()
    environ = {**os.environ, **home.env(), "TERM": "dumb", "LINES": "24", "COLUMNS": "100", **env}
    child = subprocess.Popen(
        [sys.executable, "-m", "extractord", "review"], stdin=other, stdout=other, stderr=other, env=environ, start_new_session=True
    )
    os.close(other)
    opened.append(Terminal(child, main))
    return opened[-1]


def test_one_key_saves_and_another_drops(waiting: Home, open_terminals: list[Terminal]) -> None:
    """``y`` writes the first with its evidence, ``n`` drops the second for good; both were shown with diff and quote before."""
    terminal = _review(waiting, open_terminals)
    first = terminal.until("y save")
    assert f"+{SAYINGS[0]}" in first.replace("\r\n", "\n")
    assert f"“{SAYINGS[0]}”" in first
    assert not waiting.memory("shop").exists()
    terminal.press("y")
    assert "INGEST" in terminal.until("[2 of 2]")
    terminal.press("n")
    assert terminal.end() == 0
    assert [path.name for path in waiting.memory("shop").glob("[!M]*.md")] == [LINTER]
    assert extractord(waiting, "review", "--json").lines == ()
    waiting.config("")
    waiting.talk("shop", SAYINGS[2], days_ago=7)
    assert extractord(waiting, "once", "--json").summary["saved"] == 0


def test_later_and_quit_leave_everything_waiting(waiting: Home, open_terminals: list[Terminal]) -> None:
    """``s`` passes over, ``q`` ends, other keys do nothing: no file is written and nothing waits less."""
    terminal = _review(waiting, open_terminals)
    terminal.until("y save")
    terminal.press("x")
    terminal.until("y save")
    terminal.press("s")
    terminal.until("[2 of 2]")
    terminal.press("q")
    assert terminal.end() == 0
    assert "2 changesets still waiting" in terminal.seen
    assert not waiting.memory("shop").exists()


def test_the_persons_editor_changes_what_is_saved(waiting: Home, open_terminals: list[Terminal]) -> None:
    """``e`` opens $EDITOR on the proposed topic; what it leaves is saved, and an editor that changes nothing decides nothing."""
    editor = waiting.root / "editor"
    editor.write_text("#!/bin/sh\n[ -e $HOME/idle ] || exec sed -i.bak 's/before you commit/before you push/' \"$1\"\n")
    editor.chmod(0o755)
    (waiting.root / "idle").touch()
    terminal = _review(waiting, open_terminals, EDITOR=str(editor), VISUAL="")
    terminal.until("y save")
    terminal.press("e")
    terminal.until("nothing was changed")
    (waiting.root / "idle").unlink()
    terminal.until("y save")
    terminal.press("e")
    terminal.until("saved:")
    terminal.until("[2 of 2]")
    terminal.press("q")
    assert terminal.end() == 0
    text = (waiting.memory("shop") / LINTER).read_text()
    assert ("before you push" in text, "before you commit" in text.partition("\n---\n")[2]) == (True, False)
    assert len(extractord(waiting, "review", "--json").lines) == 1


def test_a_refused_proposal_says_why_and_goes_on_waiting(waiting: Home, open_terminals: list[Terminal]) -> None:
    """Where somebody made the same file meanwhile, ``y`` writes nothing, tells, and asks again."""
    mine = put(waiting.memory("shop"), LINTER, topic("linter", "Mine."))
    before = mine.read_bytes()
    terminal = _review(waiting, open_terminals)
    terminal.until("y save")
    terminal.press("y")
    terminal.until("changed since")
    terminal.until("y save")
    terminal.press("q")
    terminal.end()
    assert mine.read_bytes() == before
    assert len(extractord(waiting, "review", "--json").lines) == 2


def test_a_long_proposal_comes_page_by_page(tmp_path: Path, open_terminals: list[Terminal]) -> None:
    """The first screen does not hold all of it, space shows the rest, and a key decides on any page."""
    home = Home(tmp_path)
    home.config('memory.write = "review"\n')
    home.talk("shop", *SAYINGS[:3], days_ago=9)
    extractord(home, "once", "--json")
    terminal = _review(home, open_terminals)
    first = terminal.until("q quit")
    assert "space more" in first
    assert "INGEST" not in first or "push to main" not in first
    for _ in range(9):
        terminal.press(" ")
        if "space more" not in terminal.until("q quit"):
            break
    assert all(f"“{said}”" in terminal.seen for said in SAYINGS[:3])
    terminal.press("y")
    assert terminal.end() == 0
    assert len([*home.memory("shop").glob("[!M]*.md")]) == 3


def test_what_a_terminal_would_obey_is_written_out(tmp_path: Path, open_terminals: list[Terminal]) -> None:
    """An escape sequence or a hidden character in a proposal shows as its code, so that nothing can hide in it."""
    from extractord.ledger import ChangesetRow, HeldChangeset, HeldFile, Kind, Ledger, Outcome

    home = Home(tmp_path)
    row = ChangesetRow("h1", 1.0, None, None, str(home.memory("shop")), Outcome.PENDING_REVIEW, Kind.EXTRACTION)
    with Ledger.open(home.state) as ledger:
        ledger.hold(HeldChangeset(row, (HeldFile("a.md", None, "evil \x1b[2J and \u202ereversed\roverwritten\n", "looks odd"),)))
    terminal = _review(home, open_terminals)
    shown = terminal.until("y save")
    assert "<U+001B>[2J" in shown
    assert "<U+202E>reversed" in shown
    assert "reversed\roverwritten" not in shown
    terminal.press("q")
    terminal.end()
