"""Promises of ``doctor --fix``: what an index and its files disagree about is shown, mended, and can be taken back."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

from extractord.memory.snapshot import read
from extractord.memory.upkeep import FaultKind, mended
from tests.command import Answer, extractord
from tests.homes import SAYINGS, Home, put, topic, without_index_times

LONG = "- [long](long.md) — " + "a very long hook that nobody wants to read whole " * 5
TOP = "# Mine\n\n- [gone](gone.md) — its file is no more\n- [there](there.md) — there\n"
INDEX = f"{TOP}{LONG}\n\nProse of mine.\n- [again](there.md) — once more\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with one untidy memory directory."""
    made = Home(tmp_path)
    made.talk("shop", "why does the build take so long?")
    memory = made.memory("shop")
    put(memory, "there.md", topic("there", "There."), days_ago=10)
    put(memory, "long.md", topic("long", "Long."), days_ago=20)
    put(memory, "new.md", topic("new", "New.", description="what is new"), days_ago=5)
    put(memory, "logs/2026/03/2026-03-01.md", "- 09:00 a log\n")
    put(memory, "MEMORY.md", INDEX)
    return made


def _finding(answer: Answer, check: str) -> dict[str, object]:
    return next(line for line in answer.lines if line["check"] == check)


def test_each_fault_is_told_and_nothing_is_changed(home: Home) -> None:
    """Lines without file, files without line, doubles, lines that are too long; logs need none."""
    before = home.memories()
    answer = extractord(home, "doctor", "--json")
    found = _finding(answer, "indexes")
    assert (answer.status, found["ok"]) == (1, False)
    for words in (
        "1 line without a file",
        "1 file without a line",
        "1 topic with several lines",
        "1 line that is too long",
        str(home.memory("shop")),
    ):
        assert words in str(found["detail"])
    assert home.memories() == before


def test_it_is_shown_mended_and_taken_back(home: Home) -> None:
    """A repair is a changeset like any other; headings and prose stay where they are."""
    before = home.memories()
    answer = extractord(home, "doctor", "--fix", "--json")
    assert "-- [gone](gone.md)" in answer.stderr
    assert "+- [new](new.md) — what is new" in answer.stderr
    assert _finding(answer, "indexes")["ok"]
    heading, blank, new, there, long, _, prose = (home.memory("shop") / "MEMORY.md").read_text("utf-8").splitlines()
    assert (heading, blank, prose) == ("# Mine", "", "Prose of mine.")
    assert (new, there) == ("- [new](new.md) — what is new", "- [there](there.md) — there")
    assert (len(long) <= 150, long.startswith("- [long](long.md) — a very long hook")) == (True, True)
    (entry,) = extractord(home, "log", "--json").lines
    assert (entry["kind"], entry["outcome"], entry["files"]) == ("repair", "saved", [])
    assert "+- [new](new.md)" in extractord(home, "show", entry["id"]).stdout
    undone = extractord(home, "undo", entry["id"])
    assert (undone.status, "MEMORY.md" in undone.stderr) == (0, True)
    assert without_index_times(home.memories()) == without_index_times(before)


def test_mended_twice_is_mended_once(home: Home) -> None:
    """The second run finds nothing, and makes no changeset."""
    extractord(home, "doctor", "--fix")
    after = home.memories()
    assert "mended" not in extractord(home, "doctor", "--fix").stderr
    assert home.memories() == after
    assert len(extractord(home, "log", "--json").lines) == 1


def test_a_repair_beside_a_line_of_a_person_is_taken_back_line_by_line(home: Home) -> None:
    """What was written since stays."""
    extractord(home, "doctor", "--fix")
    index = home.memory("shop") / "MEMORY.md"
    index.write_text(index.read_text("utf-8") + "- [mine](mine.md) — of mine\n", encoding="utf-8")
    put(home.memory("shop"), "mine.md", topic("mine", "Mine."))
    assert extractord(home, "undo", "--all").status == 0
    lines = index.read_text("utf-8").splitlines()
    assert "- [mine](mine.md) — of mine" in lines
    assert "- [gone](gone.md) — its file is no more" in lines
    assert not any("new.md" in line for line in lines)
    assert LONG.rstrip() in [line.rstrip() for line in lines]


def test_a_full_index_is_no_fault(tmp_path: Path) -> None:
    """Topics for which there is no room stay unlisted: no line of anybody leaves for them."""
    for number in range(203):
        put(tmp_path, f"t{number}.md", topic(f"t{number}", "x"), days_ago=number)
    lines = [f"- [t{number}](t{number}.md)" for number in range(3, 202)]
    put(tmp_path, "MEMORY.md", "\n".join(lines) + "\n")
    found = mended(read(tmp_path), lambda file: (tmp_path / file).exists())
    assert [(fault.file, fault.kind) for fault in found.faults] == [("t0.md", FaultKind.UNLISTED)]
    assert set(lines) < set(found.after.splitlines())


@pytest.mark.parametrize("index", [None, "link", "- [a](a.md)\n", ""])
def test_what_is_in_order_or_not_ours_to_mend_is_left_alone(tmp_path: Path, index: str | None) -> None:
    """A missing index (the client makes it), one that is a link, one that is right, an empty one without topics."""
    if index:
        put(tmp_path, "a.md", topic("a", "x"))
    if index == "link":
        (tmp_path / "MEMORY.md").symlink_to("a.md")
    elif index is not None:
        put(tmp_path, "MEMORY.md", index)
    assert mended(read(tmp_path), lambda file: (tmp_path / file).exists()).faults == ()


def test_what_cannot_be_mended_is_told_and_the_rest_is(home: Home) -> None:
    """A ledger that cannot be opened keeps indexes from being changed, not from being examined."""
    before = home.memories()
    (home.state / "ledger.sqlite").mkdir(parents=True)
    answer = extractord(home, "doctor", "--fix", "--json")
    assert answer.status == 1
    assert "ledger" in answer.stderr
    assert not _finding(answer, "ledger")["ok"]
    assert home.memories() == before


# --- moved projects


@pytest.fixture
def moved(tmp_path: Path) -> Home:
    """A project with memory whose folder was moved elsewhere, where a session took place since."""
    made = Home(tmp_path)
    made.talk("shop", SAYINGS[0], days_ago=9)
    extractord(made, "once")
    put(made.memory("shop"), "mine.md", topic("mine", "Of mine.", description="in my words"), days_ago=30)
    extractord(made, "doctor", "--fix")
    (made.root / "work" / "new").mkdir()
    (made.root / "work" / "shop").rename(made.root / "work" / "new" / "shop")
    made.talk("new/shop", "why is it slow?", days_ago=1)
    return made


def _in_terminal(home: Home, answer: str, *argv: str) -> str:
    """Run a command on a terminal of its own, where ``answer`` is typed at each question; return all it printed."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "extractord", *argv]
    env = {**os.environ, **home.env(), "NO_COLOR": "1"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, cwd=home.root) as child:
        os.close(theirs)
        said = b""
        while True:
            if not select.select([ours], [], [], 60)[0]:
                child.kill()
                break
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the terminal's other end is closed
                break
            if not piece:
                break
            said += piece
            if piece.rstrip().endswith(b"[y/N]:"):
                os.write(ours, answer.encode() + b"\n")
    os.close(ours)
    return said.decode("utf-8", "replace")


def test_memory_of_a_moved_project_is_offered_and_not_taken_over_unasked(moved: Home) -> None:
    """It is no fault; without a terminal it is only said."""
    before = moved.memories()
    answer = extractord(moved, "doctor", "--fix", "--json")
    found = _finding(answer, "moved projects")
    assert found["ok"]
    assert str(moved.root / "work" / "new" / "shop") in str(found["detail"])
    assert "nothing was taken over" in answer.stderr
    assert moved.memories() == before


def test_who_says_yes_takes_it_over_with_times_and_lines_and_can_undo_it(moved: Home) -> None:
    """The old memory stays as it is, and is not offered again unless the adoption is undone."""
    before = moved.memories()
    said = _in_terminal(moved, "y", "doctor", "--fix")
    assert "taken over by" in said, said
    old, new = moved.memory("shop"), moved.memory("new/shop")
    assert {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in new.glob("*_*.md")} == {
        file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in old.glob("*_*.md")
    }
    assert (new / "MEMORY.md").read_text("utf-8").splitlines() == (old / "MEMORY.md").read_text("utf-8").splitlines()
    assert not any(line["check"] == "moved projects" for line in extractord(moved, "doctor", "--json").lines)
    adoption = extractord(moved, "log", "--json").lines[0]
    assert (adoption["kind"], {file["change"] for file in adoption["files"]}) == ("repair", {"create"})
    assert extractord(moved, "undo", adoption["id"]).status == 0
    assert moved.memories() == before
    assert _finding(extractord(moved, "doctor", "--json"), "moved projects")


def test_who_says_no_takes_nothing_over(moved: Home) -> None:
    """The answer that Enter gives, too."""
    before = moved.memories()
    assert "Copy that into the memory" in _in_terminal(moved, "", "doctor", "--fix")
    assert moved.memories() == before
