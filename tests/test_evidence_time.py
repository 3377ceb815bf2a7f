"""Promises about time: a fact is as old as the sentence it came from, and older evidence never changes a newer statement."""

from __future__ import annotations

import itertools
import time
from datetime import datetime
from pathlib import Path

import pytest

from extractord.memory.age import age_text
from extractord.memory.topics import parse
from tests.command import extractord
from tests.homes import DAY, SAYINGS, Home, put, topic

TUESDAYS = "From now on always deploy the shop service on Tuesdays, because support is fully staffed then."
THURSDAYS = "From now on always deploy the shop service on Thursdays instead of Tuesdays, because support is fully staffed then."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_session_of_half_a_year_ago_makes_memory_of_half_a_year_ago(home: Home) -> None:
    """``modified``, mtime and the age in words are those of the sentence, not of the run."""
    talk = home.talk("shop", "fix the total", SAYINGS[0], days_ago=180.5)
    answer = extractord(home, "once", "--json")
    [name] = answer.lines[0]["topics"]
    file = home.memory("shop") / name
    said = talk.now.timestamp() - 20  # the agent's answer came after it
    assert file.stat().st_mtime == pytest.approx(said, abs=0.001)
    assert datetime.fromisoformat(_modified(file)).timestamp() == pytest.approx(said, abs=0.001)
    assert age_text(file.stat().st_mtime, time.time()) == "180 days ago"
    [fact] = extractord(home, "why", str(file), "--json").lines
    assert datetime.fromisoformat(fact["time"]).timestamp() == pytest.approx(said, abs=1)


def test_a_topic_is_as_old_as_its_newest_evidence(home: Home) -> None:
    """A reason given later makes the topic younger; the one line that changed is the reason's."""
    home.talk("shop", SAYINGS[4], days_ago=100)
    extractord(home, "once", "--json")
    [file] = home.memory("shop").glob("[!M]*.md")
    before = file.read_text()
    later = home.talk(
        "shop", "The reason I said always use pnpm instead of npm in this repository: the lockfile of npm broke twice.", days_ago=50
    )
    extractord(home, "once", "--json")
    assert file.read_text() != before
    assert file.stat().st_mtime == pytest.approx(later.now.timestamp() - 20, abs=0.001)
    assert list(home.memory("shop").glob("[!M]*.md")) == [file]


def test_older_evidence_does_not_change_a_topic_of_a_person(home: Home) -> None:
    """A topic that was written after the session took place stays as it is, whatever the session says to the contrary."""
    home.talk("shop", THURSDAYS, "Forget the rule about deploying the shop service, that is no longer true.", days_ago=60)
    put(
        home.memory("shop"),
        "feedback_deploy.md",
        topic("deploy", f"{TUESDAYS}\n\n**Why:** support is there.\n**How to apply:** always."),
        days_ago=10,
    )
    before = (home.memory("shop") / "feedback_deploy.md").read_bytes()
    assert extractord(home, "once", "--json").status == 0
    file = home.memory("shop") / "feedback_deploy.md"
    assert (file.read_bytes(), age_text(file.stat().st_mtime, time.time())) == (before, "10 days ago")


@pytest.mark.parametrize("order", list(itertools.permutations(("old", "new"))), ids="-then-".join)
def test_the_newer_statement_stands_in_whatever_order_sessions_come(home: Home, order: tuple[str, str]) -> None:
    """Two sessions that contradict each other, found one after the other: both orders leave the newer statement standing."""
    said = {"old": (TUESDAYS, 60.5), "new": (THURSDAYS, 20.5)}
    for which in order:
        words, days = said[which]
        home.talk("shop", words, days_ago=days)
        assert extractord(home, "once", "--json").status == 0
    files = {file: parse(file.read_text()).body for file in home.memory("shop").glob("[!M]*.md")}
    newest = max(files, key=lambda file: file.stat().st_mtime)
    assert "on Thursdays" in files[newest]
    assert age_text(newest.stat().st_mtime, time.time()) == "20 days ago"
    for file, body in files.items():
        if file.stat().st_mtime > time.time() - 30 * DAY:
            assert "deploy the shop service on Tuesdays," not in body


def test_within_one_run_the_oldest_session_comes_first(home: Home) -> None:
    """Sessions found together are dealt with in the order of time, whatever their names."""
    home.talk("shop", THURSDAYS, days_ago=20, session="00000000-0000-4000-8000-000000000000")
    home.talk("shop", TUESDAYS, days_ago=60, session="ffffffff-0000-4000-8000-000000000000")
    answer = extractord(home, "once", "--json")
    assert [line["session"][0] for line in answer.lines if "session" in line] == ["f", "0"]


def test_a_date_that_is_past_makes_no_new_topic(home: Home) -> None:
    """A freeze that was over before today is not saved; judged at its own end it is."""
    home.talk("shop", "We freeze all merges until tomorrow because mobile cuts a release branch.", days_ago=90)
    assert extractord(home, "once", "--dry-run", "--json").summary["saved"] == 0
    assert extractord(home, "once", "--dry-run", "--json", "--now", "session").summary["saved"] == 1


def _modified(file: Path) -> str:
    [line] = [line for line in file.read_text().splitlines() if line.strip().startswith("modified:")]
    return line.partition(":")[2].strip()
