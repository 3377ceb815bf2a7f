"""`status`: how things stand, with and without a daemon."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import extractord
from tests.homes import Home

KEYS = [
    "running", "pid", "version", "config_home", "backend", "sandbox", "watching", "sessions_known", "backlog", "older_sessions",
    "parked", "pending_review", "spend_today_usd", "spend_month_usd", "budget", "last_outcome",
]  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.projects.mkdir(parents=True)
    return made


def test_without_anything_it_answers_and_makes_nothing(home: Home) -> None:
    """Status 0 with exactly the keys of CONTRACTS, also when nothing ever ran; asking leaves no trace."""
    answer = extractord(home, "status", "--json")
    assert answer.status == 0
    assert list(answer.only) == KEYS
    assert (answer.only["running"], answer.only["sessions_known"], answer.only["last_outcome"]) == (False, 0, None)
    assert not home.state.exists()


def test_sessions_that_no_run_looked_at_are_older_until_one_does(home: Home) -> None:
    """Before a first start all sessions are older; `once` takes them off and its last outcome is shown."""
    home.talk("shop", "Never push to main without asking me first.")
    home.talk("shop", "why is the sky blue?")
    assert extractord(home, "status", "--json").only["older_sessions"] == 2
    assert "2 older sessions not looked at: `extractord once --estimate`" in extractord(home, "status").stdout
    extractord(home, "once", "--json")
    told = extractord(home, "status", "--json").only
    assert (told["older_sessions"], told["backlog"], told["sessions_known"]) == (0, 0, 2)
    assert set(told["last_outcome"]) == {"session", "project", "outcome", "reason", "time"}


def test_switched_off_is_said(home: Home) -> None:
    """`off` shows in `status`."""
    extractord(home, "off")
    assert "switched off" in extractord(home, "status").stdout


def test_a_broken_configuration_is_said_and_the_rest_all_the_same(home: Home) -> None:
    """A config file that cannot be read does not keep `status` from answering."""
    home.config("wokers = 2\n")
    answer = extractord(home, "status")
    assert answer.status == 0
    assert "wokers" in answer.stdout
    assert "not running" in answer.stdout


@pytest.mark.parametrize("left", [b"", b"{", b'{"pid": "x"}', b"\xff\xfe"])
def test_a_damaged_or_stale_status_file_is_no_daemon(home: Home, left: bytes) -> None:
    """What a killed daemon left, or something else, is not taken for a running one."""
    home.state.mkdir()
    (home.state / "status.json").write_bytes(left)
    (home.state / "daemon.lock").write_text("1\n")
    assert extractord(home, "status", "--json").only["running"] is False


@pytest.mark.parametrize(("sandbox", "told"), [("auto", "none"), ("off", "off")])
def test_it_says_how_far_workers_are_confined(home: Home, sandbox: str, told: str) -> None:
    """`sandbox` is what there is, not what is wished for."""
    home.config(f'sandbox = "{sandbox}"\n')
    assert extractord(home, "status", "--json").only["sandbox"] in {told, "full", "partial", "seatbelt"}
