"""Promises about daily logs: bullets with their time, one file a local day, added to whoever else adds, never put in order."""

from __future__ import annotations

import re
import signal
import threading
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from extractord.memory.age import log_date
from extractord.memory.daily_log import Bullet, added, bullets_in, local
from extractord.memory.directory import MemoryDirectory
from extractord.memory.prepared import Prepared, TopicWrite, WriteState, spare_name
from tests.command import extractord
from tests.homes import SAYINGS, Home, put, tree
from tests.memory_directories import in_child

LOG = "logs/2026/03/2026-03-01.md"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.config('memory.style = "daily-log"\n')
    return home


def logs(memory: Path) -> dict[str, str]:
    return {str(path.relative_to(memory)): path.read_text() for path in sorted(memory.rglob("*.md"))}


def test_what_was_said_becomes_a_bullet_of_its_day(home: Home) -> None:
    """The local day and minute of the sentence, with its reason; no topic and no index; ``why`` shows the sentence."""
    talk = home.talk("shop", SAYINGS[1], days_ago=40)
    answer = extractord(home, "once", "--json")
    said = local(talk.now.timestamp() - 20)
    [(file, text)] = logs(home.memory("shop")).items()
    assert log_date(file) == said.date()
    assert text.startswith(f"- {said:%H:%M} [feedback] Never push to main")
    assert "**Why:**" in text
    assert answer.lines[0]["topics"] == [file]
    [fact] = extractord(home, "why", str(home.memory("shop") / file), "--json").lines
    assert "never push to main" in fact["quote"].lower()


def test_a_session_over_midnight_rolls_into_the_next_day(home: Home) -> None:
    """One run, two days, two files."""
    midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=5)
    talk = home.talk("shop", days_ago=6)
    talk.now = midnight.astimezone(UTC) - timedelta(minutes=12)
    talk.prompt(SAYINGS[0], minutes=2).prompt(SAYINGS[4], minutes=20).save()
    extractord(home, "once", "--json")
    days = [log_date(file) for file in logs(home.memory("shop"))]
    assert days == [midnight.date() - timedelta(days=1), midnight.date()]


def test_a_log_is_added_to_and_taken_back_line_by_line(home: Home) -> None:
    """What others wrote stays where and as it is, also below our bullet and after an undo."""
    day = datetime.now().astimezone() - timedelta(days=3)
    talk = home.talk("shop", SAYINGS[0], days_ago=3)
    file = Bullet(local(talk.now.timestamp() - 20), "", "x").file
    put(home.memory("shop"), file, "# mine\n- 00:01 zzz first\n- 00:00 not in order", days_ago=3)
    before = tree(home.memory("shop"))
    answer = extractord(home, "once", "--json")
    text = (home.memory("shop") / file).read_text()
    assert text.startswith("# mine\n- 00:01 zzz first\n- 00:00 not in order\n- ")
    (home.memory("shop") / file).write_text(text + "- 23:59 of the client\n")
    [entry] = extractord(home, "log", "--json").lines
    assert extractord(home, "undo", entry["id"]).status == 0
    assert (home.memory("shop") / file).read_text() == "# mine\n- 00:01 zzz first\n- 00:00 not in order\n- 23:59 of the client\n"
    assert answer.summary["saved"] == 1
    assert sorted(before) == sorted(tree(home.memory("shop"))), day


def test_the_same_is_not_logged_twice(home: Home) -> None:
    """A run again finds its bullet there."""
    talk = home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    before = tree(home.memory("shop"))
    extractord(home, "once", "--session", talk.session, "--again", "--json")
    assert tree(home.memory("shop")) == before


def prepared(directory: MemoryDirectory, id: str, line: str) -> Prepared:  # noqa: A002
    snapshot = directory.read()
    before = snapshot.text_of(LOG)
    write = TopicWrite(LOG, before, f"{before or ''}{line}\n", snapshot.mtime_of(LOG), None, spare_name(id, 0))
    return directory.prepare(id, (write,), (), snapshot)


def test_nobody_who_appends_at_once_loses_a_line(tmp_path: Path) -> None:
    """A program that adds lines all the time and a hundred changesets of ours: every line is there once."""
    memory, over, theirs = tmp_path / "memory", threading.Event(), list[str]()
    put(memory, LOG, "# log\n")
    directory = MemoryDirectory(memory, tmp_path / "state")

    def append() -> None:
        while not over.wait(0.0005):
            with (memory / LOG).open("a") as file:
                file.write(f"- 10:00 theirs {len(theirs)}\n")
            theirs.append(f"- 10:00 theirs {len(theirs)}")

    writer = threading.Thread(target=append)
    writer.start()
    try:
        for number in range(100):
            applied = directory.apply(prepared(directory, f"c{number}", f"- 11:00 ours {number}"))
            assert applied.files[0].state is WriteState.WRITTEN
    finally:
        over.set()
        writer.join()
    lines = (memory / LOG).read_text().splitlines()
    assert sorted(lines) == sorted(["# log", *theirs, *(f"- 11:00 ours {number}" for number in range(100))])


@pytest.mark.parametrize("there", [True, False])
def test_an_addition_that_was_killed_is_finished_and_never_made_twice(tmp_path: Path, there: bool) -> None:
    """Whatever step it died at."""
    for at in range(1, 9):
        root = tmp_path / str(at)
        if there:
            put(root / "memory", LOG, "- 09:00 first\n")
        (root / "memory").mkdir(exist_ok=True, parents=True)
        steps: list[str] = []

        def step(name: str, steps: list[str] = steps, at: int = at) -> None:
            steps.append(name)
            if len(steps) == at:
                signal.raise_signal(signal.SIGKILL)

        calm = MemoryDirectory(root / "memory", root / "state")
        change = prepared(calm, "c1", "- 10:00 ours")
        in_child(lambda root=root, step=step, change=change: MemoryDirectory(root / "memory", root / "state", step=step).apply(change))  # type: ignore[misc]
        with (root / "memory" / LOG).open("a") if (root / "memory" / LOG).exists() else (root / "other").open("w") as file:
            file.write("- 11:00 theirs\n")
        calm.apply(change)
        calm.settle_spares(change, clock=lambda: time.time() + 10)
        text = (root / "memory" / LOG).read_text()
        assert text.count("- 10:00 ours\n") == 1
        assert text.startswith("- 09:00 first\n") is there
        assert [path.name for path in (root / "memory").rglob(".*")] == []


def test_bullets_of_other_programs_are_read() -> None:
    """Times in brackets or bold or none at all, wrapped lines; headings and prose are no bullets."""
    text = (
        "# Sunday\n\nSome prose.\n- 09:05 looked at the importer\n* [9:30] second\n  goes on\n- **10:15** — third\n- no time\n"
        "- 11:00 [feedback] Run it. **Why:** it broke. **How to apply:** always.\n"
    )
    bullets = list(bullets_in(text, date(2026, 3, 1)))
    assert [(f"{one.said:%H:%M}", one.statement) for one in bullets] == [
        ("09:05", "looked at the importer"),
        ("09:30", "second goes on"),
        ("10:15", "third"),
        ("00:00", "no time"),
        ("11:00", "Run it."),
    ]
    assert (bullets[-1].type, bullets[-1].reason, bullets[-1].apply) == ("feedback", "it broke.", "always.")
    assert list(bullets_in(bullets[-1].line, date(2026, 3, 1))) == [bullets[-1]]
    assert all(re.match(r"- \d\d:\d\d ", one.line) for one in bullets)


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [(None, "a\n", "a\n"), ("a\n", "a\nb\n", "b\n"), ("a", "a\nb\n", "b\n"), ("a\n", "b\n", None), ("a", "a", None)],
)
def test_what_was_only_added_is_told_from_other_changes(before: str | None, after: str, lines: str | None) -> None:
    """Anything else than whole lines at the end is no addition."""
    assert added(before, after) == lines
