"""Promises about sessions that a program drove: what repeats itself is nobody's preference."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.command import extractord
from tests.homes import SAYINGS, Home

RULES = ("Never push to main without asking me first.", "Always run the linter before you commit.", "Always use pnpm instead of npm here.")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def driven(home: Home, project: str, *said: str, days_ago: float) -> None:
    """Lay out a session that a program typed."""
    talk = home.talk(project, *said, days_ago=days_ago)
    talk.path.write_text(talk.path.read_text().replace('"entrypoint": "cli"', '"entrypoint": "sdk-cli"'))
    os.utime(talk.path, (talk.now.timestamp(), talk.now.timestamp()))


def outcomes(home: Home) -> list[str]:
    answer = extractord(home, "once", "--json")
    assert answer.status == 0, answer.stderr
    return [line["outcome"] for line in answer.lines[:-1]]


def test_rules_wait_for_review_from_the_third_session_that_opens_alike(home: Home) -> None:
    """Facts about a person or how to work wait; a pointer does not; another project counts for itself; nothing typed is kept for it."""
    opening = "You are the nightly reviewer, zanthoxylous as ever. " + "Look at everything. " * 20
    for number, rule in enumerate(RULES):
        driven(home, "shop", opening + str(number), rule, days_ago=9 - number)
    driven(home, "shop", opening + "3", SAYINGS[2], days_ago=5)
    driven(home, "site", opening, RULES[0], days_ago=4)
    assert outcomes(home) == ["saved", "saved", "pending_review", "saved", "saved"]
    assert "open with the same words" in extractord(home, "review").stdout
    assert all(b"zanthoxylous" not in path.read_bytes() for path in home.state.rglob("*") if path.is_file())


def test_a_person_may_open_alike(home: Home) -> None:
    """Only sessions that a program drove are counted."""
    for number, rule in enumerate(RULES):
        home.talk("shop", "good morning", rule, days_ago=9 - number)
    assert outcomes(home) == ["saved"] * 3


@pytest.mark.parametrize(("value", "outcome"), [("extract", "saved"), ("review", "pending_review"), ("skip", "skipped")])
def test_the_key_decides(home: Home, value: str, outcome: str) -> None:
    """``headless`` is extract, review or skip."""
    home.config(f'headless = "{value}"\n')
    driven(home, "shop", RULES[1], days_ago=5)
    assert outcomes(home) == [outcome]
