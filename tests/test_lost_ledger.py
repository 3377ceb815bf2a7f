"""Promises about a ledger that is damaged: mended by itself, nothing extracted twice, nothing taken for new that was known."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.command import extractord
from tests.daemons import QUICK, daemon, until
from tests.homes import SAYINGS, Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.config(QUICK)
    home.talk("shop", SAYINGS[0], days_ago=9)
    home.talk("shop", "why is the build slow?", days_ago=8)
    assert extractord(home, "once", "--json").status == 0
    return home


def damage(home: Home) -> None:
    (home.state / "ledger.sqlite").write_bytes(b"no database at all, but long enough" * 400)


def test_a_run_after_damage_takes_the_copy_and_says_so(home: Home) -> None:
    """With the newest copy in place nothing is done again, and it is said where the damaged file lies."""
    extractord(home, "sessions")
    (copy,) = (home.state / "copies").glob("ledger-*.sqlite")
    damage(home)
    before = home.memories()
    answer = extractord(home, "once", "--json")
    assert (answer.status, answer.summary["unchanged"]) == (0, 2), answer.stderr
    assert str(copy) in answer.stderr
    assert len(list(home.state.glob("ledger.damaged-*.sqlite"))) == 1
    assert home.memories() == before
    assert "ledger.damaged" in extractord(home, "doctor").stdout


def test_without_a_copy_all_older_transcripts_count_as_seen(home: Home) -> None:
    """A run looks at none of them; `doctor` offers `--again`, which does; what is said later is extracted."""
    shutil.rmtree(home.state / "copies", ignore_errors=True)
    damage(home)
    before = home.memories()
    assert extractord(home, "once", "--json").summary["unchanged"] == 2
    assert "--again" in extractord(home, "doctor").stdout
    assert home.memories() == before
    talk = home.talk("shop", SAYINGS[0], days_ago=9)
    assert extractord(home, "once", "--json").summary["unchanged"] == 3
    assert extractord(home, "once", "--session", talk.session, "--again", "--json").summary["unchanged"] == 0
    later = home.talk("site", SAYINGS[2], days_ago=-1)
    answer = extractord(home, "once", "--session", later.session, "--now", "session", "--json")
    assert answer.summary["saved"] + answer.summary["postponed"] == 1


def test_a_daemon_mends_its_ledger_at_the_start(home: Home) -> None:
    """It starts, logs what happened, and leaves old sessions alone."""
    shutil.rmtree(home.state / "copies", ignore_errors=True)
    damage(home)
    before = home.memories()
    with daemon(home) as running:
        until(lambda: "ledger_mended" in running.log)
        assert running.process.poll() is None
    assert home.memories() == before
    assert extractord(home, "status", "--json").only["older_sessions"] == 2
