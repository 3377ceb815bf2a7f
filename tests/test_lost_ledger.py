"""Promises about a ledger that is damaged: mended by itself, nothing extracted twice, nothing taken for new that was known."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from extractord.ledger import Caps, Ledger, Refused, Reservation
from tests.command import extractord
from tests.daemons import QUICK, daemon, until
from tests.homes import DAY, SAYINGS, Home
from tests.ledger_rows import sighting
from tests.model_runs import NOTHING, model_env, once
from tests.scripted_server import serving

CAPS = Caps(stretch=1.0, day=0.25, month=3.0)
STRETCH = ("s", "k")
# Opens the ledger of a folder and kills itself before the n-th change of a name, or opening of a database, there.
_KILLED_WHILE_MENDING = """
import os, signal, sys
left = int(sys.argv[2])
def step(event, args):
    global left
    if event in ("os.rename", "os.remove", "sqlite3.connect") and sys.argv[1] in str(args[0]):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
from extractord.ledger import Ledger
sys.addaudithook(step)
Ledger.open(__import__("pathlib").Path(sys.argv[1])).close()
"""


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


@pytest.mark.parametrize("copied", [True, False])
def test_a_kill_at_any_step_of_mending_loses_neither_the_copy_nor_the_word(tmp_path: Path, copied: bool) -> None:
    """The next one goes on: the copy is in place, or all counts as seen until the damage; the damaged file lies aside, once."""
    for step in range(1, 40):
        state = tmp_path / str(step)
        with Ledger.open(state) as ledger:
            ledger.note_sighting(sighting("s"))
            if copied:
                ledger.copy_daily()
        garbage = b"no database at all, but long enough" * 400
        (state / "ledger.sqlite").write_bytes(garbage)
        child = subprocess.run([sys.executable, "-c", _KILLED_WHILE_MENDING, str(state), str(step)], capture_output=True, check=False)
        assert child.returncode in (0, -signal.SIGKILL), child.stderr
        for _ in range(2):
            with Ledger.open(state) as ledger:
                assert set(ledger.sightings()) == ({"s"} if copied else set())
                assert (ledger.seen_until() is None) is copied
                assert ledger.lost_days(0.0) >= 1
        (aside,) = state.glob("ledger.damaged-*.sqlite")
        assert aside.read_bytes() == garbage
        assert not (state / "ledger.doubt").exists()
        if child.returncode == 0:
            break
    assert child.returncode == 0
    assert step > 5


def test_what_was_spent_before_the_damage_counts_as_the_most_that_may_be(tmp_path: Path) -> None:
    """Nothing more on that day; of the month each day until then counts whole, which a higher cap for the month outweighs."""
    now = datetime.fromisoformat("2026-12-04T10:00").timestamp()
    (tmp_path / "ledger.sqlite").write_bytes(b"no database at all, but long enough" * 400)
    moment = [now]
    with Ledger.open(tmp_path, lambda: moment[0]) as ledger:
        refused = ledger.reserve(0.01, CAPS, STRETCH)
        assert isinstance(refused, Refused)
        assert "damaged" in refused.reason
        assert isinstance(ledger.reserve(0.0, CAPS, STRETCH), Reservation)  # a server of this machine
        moment[0] += DAY
        assert isinstance(ledger.reserve(0.01, CAPS, STRETCH), Reservation)
        assert isinstance(ledger.reserve(0.01, Caps(1.0, 0.25, 1.0), STRETCH), Refused)
        assert isinstance(ledger.reserve(0.01, Caps(1.0, 0.25, 1.5), STRETCH), Reservation)
        moment[0] += 30 * DAY
        assert isinstance(ledger.reserve(0.01, Caps(1.0, 0.25, 0.25), STRETCH), Reservation)


def test_with_a_copy_only_the_days_since_then_count(tmp_path: Path) -> None:
    """What the copy knows is known."""
    moment = [datetime.fromisoformat("2026-12-02T10:00").timestamp()]
    with Ledger.open(tmp_path, lambda: moment[0]) as ledger:
        ledger.note_sighting(sighting("s"))
        ledger.copy_daily()
    (tmp_path / "ledger.sqlite").write_bytes(b"no database at all, but long enough" * 400)
    moment[0] += 2 * DAY
    with Ledger.open(tmp_path, lambda: moment[0]) as ledger:
        assert ledger.lost_days(0.0) == 3
        moment[0] += DAY
        assert isinstance(ledger.reserve(0.2, Caps(1.0, 0.25, 0.96), STRETCH), Reservation)
        assert isinstance(ledger.reserve(0.02, Caps(1.0, 0.25, 0.96), STRETCH), Refused)


def test_after_damage_nothing_is_sent_that_costs_and_it_is_told(home: Home) -> None:
    """A run with a model is postponed with the reason until tomorrow; `status` and `doctor` say why, and what can be done."""
    damage(home)
    talk = home.talk("site", SAYINGS[2], days_ago=9)
    with serving(NOTHING) as server:
        answer = once(home, server, "--session", talk.session, "--again")
        assert not server.asked
        assert answer.summary["postponed"] == 1, answer.stdout
        assert "damaged" in answer.lines[0]["reason"]
        env = model_env(server)
        assert "counts as the most of a day" in extractord(home, "status", env=env).stdout
        assert extractord(home, "status", "--json", env=env).only["lost_days"] >= 1
        assert "budget.usd_per_month" in extractord(home, "doctor", env=env).stdout
