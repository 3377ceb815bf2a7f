"""Promises about when memory is put in order: the gates, the client's lock as a clock, the battery, the night."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.applying import recover
from extractord.consolidation import remembered
from extractord.consolidation.due import Due, IndexSize, NotDue, Standing, due
from extractord.consolidation.power import on_battery
from extractord.consolidation.rounds import consolidate_due, homes, look
from extractord.errors import MemoryDirectoryError
from extractord.ledger import Ledger
from extractord.memory import consolidate_lock
from extractord.memory.consolidate_lock import LockSeen, give_back, is_held, keep, take
from extractord.memory.daily_log import path_of
from extractord.supervisor import Supervisor
from tests.command import extractord
from tests.daemons import QUICK, appending, daemon, lines_of, now_talking, outcomes, until
from tests.dreams import agreed, dreamt, lock_of, put_lock, rule, saved, working
from tests.homes import DAY, SAYINGS, Home, put
from tests.killed_once import Steps, run
from tests.memory_directories import in_child
from tests.needs import KernelFeature, Needs

NOW = 1_800_000_000.0
HOUR = 3600.0
LONG = IndexSize(141, 9_000)


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (Standing(None, 5, IndexSize(), IndexSize()), True),
        (Standing(None, 4, IndexSize(), IndexSize()), False),
        (Standing(NOW - 25 * HOUR, 5, IndexSize(), IndexSize()), True),
        (Standing(NOW - 23 * HOUR, 50, IndexSize(), IndexSize()), False),
        (Standing(NOW + 60, 50, IndexSize(), IndexSize()), False),
        (Standing(NOW + 30 * DAY, 50, IndexSize(), IndexSize()), True),  # by a clock that was wrong
        (Standing(NOW - HOUR, 0, LONG, IndexSize(100, 5_000)), True),
        (Standing(NOW - HOUR, 0, IndexSize(10, 17_001), IndexSize()), True),
        (Standing(NOW - HOUR, 0, IndexSize(140, 17_000), IndexSize()), False),
        (Standing(NOW - HOUR, 0, LONG, LONG), False),  # the last one could not make it shorter
        (Standing(None, 50, LONG, IndexSize(), waits=True), False),
    ],
)
def test_the_gates(standing: Standing, expected: bool) -> None:
    """A day and five sessions, or an index that grew long; never while the last one waits for a person."""
    assert isinstance(due(standing, NOW), Due) is expected


@given(st.floats(min_value=0, max_value=23.9), st.integers(min_value=0, max_value=999))
@settings(max_examples=30, deadline=None)
def test_within_a_day_only_the_index_counts(hours: float, sessions: int) -> None:
    """However many sessions there were."""
    assert isinstance(due(Standing(NOW - hours * HOUR, sessions, IndexSize(), IndexSize()), NOW), NotDue)


def test_the_index_is_measured_as_the_client_does() -> None:
    """Trimmed, in UTF-16 units."""
    assert IndexSize.of("\n\n- a\n- \U0001f600\n\n") == IndexSize(2, 8)
    assert IndexSize.of(None) == IndexSize(0, 0)


# --- the client's lock


def test_a_lock_is_taken_kept_and_given_back(tmp_path: Path) -> None:
    """Our pid while we hold it; after that the time of the last run, which is the old one where the run came to nothing."""
    now = time.time()
    before = take(tmp_path, now)
    assert before == LockSeen()
    assert (tmp_path / consolidate_lock.NAME).read_text() == str(os.getpid())
    give_back(tmp_path, before)
    assert lock_of(tmp_path) is None
    taken = take(tmp_path, now - 100)
    assert taken is not None
    keep(tmp_path, now - 100)
    again = take(tmp_path, now)
    assert again is not None
    assert again.last_run == pytest.approx(now - 100, abs=0.001)
    give_back(tmp_path, again)
    assert consolidate_lock.look(tmp_path).last_run == pytest.approx(now - 100, abs=0.001)


def test_who_holds_the_lock() -> None:
    """A living process for an hour; nobody, we ourselves, or a dead one do not."""
    dead = _dead_pid()
    for pid, seconds, held in ((1, 60, True), (1, 3700, False), (dead, 60, False), (os.getpid(), 60, False), (None, 60, False)):
        assert is_held(LockSeen(int((NOW - seconds) * 1e9), pid), NOW) is held, (pid, seconds)


def test_a_lock_that_is_a_link_is_left_alone(tmp_path: Path) -> None:
    """It is told, and nothing is written through it."""
    (tmp_path / "precious").write_text("mine")
    (tmp_path / consolidate_lock.NAME).symlink_to("precious")
    with pytest.raises(MemoryDirectoryError, match="is a link"):
        take(tmp_path, NOW)
    assert (tmp_path / "precious").read_text() == "mine"


def _dead_pid() -> int:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return child


# --- the round


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def lay_out(home: Home, sessions: int) -> None:
    """Two topics of ours that say the same, and so many sessions that were dealt with."""
    with working(home) as supervisor:
        home.project("shop")
        agreed(supervisor, home, "shop")
        same = rule("linter", "Always run the linter before every single commit.")
        saved(supervisor, home, "shop", {"feedback_a.md": (same, 9), "feedback_b.md": (same.replace("name: linter", "name: lint"), 5)})
    for number in range(sessions):
        home.talk("shop", f"why is part {number} slow?", days_ago=9 - number)


def test_a_run_puts_memory_in_order_between_sessions_once_it_is_due(home: Home) -> None:
    """``once`` does it after the fifth session, tells it on stderr and keeps its stdout to the contract."""
    lay_out(home, 7)
    answer = extractord(home, "once", "--json")
    assert [set(line) >= {"session"} or set(line) == {"summary"} for line in answer.lines] == [True] * 8
    assert "put in order" in answer.stderr
    assert [file.name for file in home.memory("shop").glob("feedback_*.md")] == ["feedback_b.md"]
    kinds = [line["kind"] for line in extractord(home, "log", "--json").lines]
    assert kinds.count("consolidation") == 2  # the first one was agreed to before


def test_too_few_sessions_or_a_recent_run_of_the_client_are_no_reason(home: Home) -> None:
    """Four sessions; or five, and the client consolidated an hour ago: its lock says so."""
    lay_out(home, 5)
    put_lock(home.memory("shop"), "", 2 * HOUR)
    answer = extractord(home, "once", "--json")
    assert "put in order" not in answer.stderr
    with working(home) as supervisor:
        [shop] = homes(supervisor)
        assert isinstance(look(supervisor, shop.directory), NotDue)
        put_lock(home.memory("shop"), "", 50 * HOUR)
        assert isinstance(look(supervisor, shop.directory), Due)
        [done] = consolidate_due(supervisor)
        assert done.changeset is not None
        assert isinstance(look(supervisor, shop.directory), NotDue)


def test_what_is_off_or_excluded_is_left_alone(home: Home) -> None:
    """By the client's settings, by ours, or by hand: told as wrong usage."""
    lay_out(home, 5)
    extractord(home, "once", "--json")
    put_lock(home.memory("shop"), "", 50 * HOUR)
    home.config("off = true\n")
    with working(home) as supervisor:
        assert homes(supervisor) == ()
    refused = extractord(home, "dream", "--cwd", str(home.project("shop")))
    assert (refused.status, "switched off" in refused.stderr) == (2, True)


def test_a_killed_run_gives_the_lock_back_at_the_next_look(home: Home) -> None:
    """Wherever it died, nothing is half and the lock's time is the old one until a run comes to its end."""
    lay_out(home, 0)
    memory = home.memory("shop")
    put_lock(memory, "", 50 * HOUR)
    for step in (2, 5, 9):

        def killed(step: int = step) -> None:
            with working(home, Steps(step)) as supervisor:
                dreamt(supervisor, home, "shop")

        assert os.waitstatus_to_exitcode(in_child(killed)) in (0, -signal.SIGKILL)
    with working(home) as supervisor:
        recover(supervisor)
        dreamt(supervisor, home, "shop")
        assert remembered.taken(supervisor.ledger, str(memory)) is None
    assert [file.name for file in memory.glob("feedback_*.md")] == ["feedback_b.md"]
    assert [path.name for path in memory.glob(".*")] == [consolidate_lock.NAME]
    lock = lock_of(memory)
    assert lock is not None
    assert lock[0] == ""


class At(Steps):
    """Kills the process at a step by its name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __call__(self, name: str) -> None:
        if name == self.name:
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("step", "before", "distilled"),
    [
        ("before prepare", agreed, False),
        ("after prepare", agreed, True),
        ("after applied", agreed, True),
        ("before hold", None, False),
        ("after hold", None, True),
    ],
)
def test_a_killed_run_counts_from_the_moment_its_changeset_is_in_the_ledger(
    home: Home, step: str, before: Callable[[Supervisor, Home, str], None] | None, distilled: bool
) -> None:
    """What it took from the logs is not taken once more, and the client counts from it; killed before, the next one takes it all."""
    home.project("shop")
    day = date.today() - timedelta(days=4)  # noqa: DTZ011
    log = put(home.memory("shop"), path_of(day), "- 11:00 [feedback] Never deploy on Fridays. **Why:** nobody is there.\n", days_ago=4)
    put_lock(home.memory("shop"), "", 50 * HOUR)
    with working(home) as supervisor:
        if before is not None:
            before(supervisor, home, "shop")

    def killed() -> None:
        with working(home, At(step)) as supervisor:
            dreamt(supervisor, home, "shop")

    assert os.waitstatus_to_exitcode(in_child(killed)) == -signal.SIGKILL
    memory_dir = str(home.memory("shop"))
    with working(home) as supervisor:
        recover(supervisor)
        read = {path_of(day): len(log.read_text())} if distilled else {}
        assert remembered.recall(supervisor.ledger, memory_dir)[1].distilled == read
        done = dreamt(supervisor, home, "shop")
        assert (done.changeset or done.held) is None if distilled else (done.changeset or done.held)
        assert remembered.recall(supervisor.ledger, memory_dir)[1].distilled == {path_of(day): len(log.read_text())}
    lock = lock_of(home.memory("shop"))
    assert lock is not None
    assert lock[1] < HOUR


# --- power


@pytest.mark.parametrize(
    ("supplies", "expected"),
    [
        ({}, False),
        ({"AC": {"type": "Mains", "online": "1"}, "BAT0": {"type": "Battery", "status": "Discharging"}}, False),
        ({"AC": {"type": "Mains", "online": "0"}, "BAT0": {"type": "Battery", "status": "Discharging"}}, True),
        ({"BAT0": {"type": "Battery", "status": "Full"}}, False),
        ({"mouse": {"type": "Battery", "status": "Discharging", "scope": "Device"}}, False),
    ],
)
def test_a_machine_on_its_battery_is_told(tmp_path: Path, supplies: dict[str, dict[str, str]], expected: bool) -> None:
    """A supply from outside counts; a mouse's battery and a desktop without any do not."""
    for name, files in supplies.items():
        for file, text in files.items():
            put(tmp_path, f"{name}/{file}", text + "\n")
    assert on_battery(tmp_path) is expected


def on_its_battery(folder: Path) -> tuple[str, ...]:
    """Return what to put before a command for which this machine is a laptop that is not plugged in."""
    put(folder, "power_supply/AC/type", "Mains\n")
    put(folder, "power_supply/AC/online", "0\n")
    put(folder, "power_supply/BAT0/type", "Battery\n")
    put(folder, "power_supply/BAT0/status", "Discharging\n")
    return ("unshare", "-Urm", "sh", "-c", f'mount --bind {folder} /sys/class && exec "$@"', "sh")


def test_on_its_battery_a_run_extracts_and_puts_nothing_in_order(home: Home, needs: Needs) -> None:
    """Every session has its outcome; what can wait is done by the next run that is plugged in."""
    needs.kernel(KernelFeature.USER_NAMESPACES)
    lay_out(home, 7)
    answer = extractord(home, "once", "--json", before=on_its_battery(home.root / "sys"))
    assert answer.status == 0, answer.stderr
    assert answer.summary["nothing_to_save"] + answer.summary["skipped"] == 7
    assert len([*home.memory("shop").glob("feedback_*.md")]) == 2
    for number in range(2):
        home.talk("shop", f"why is part {number} still slow?", days_ago=1)
    assert extractord(home, "once", "--json").status == 0
    assert [file.name for file in home.memory("shop").glob("feedback_*.md")] == ["feedback_b.md"]


def test_on_its_battery_the_daemon_extracts_and_puts_nothing_in_order(home: Home, needs: Needs) -> None:
    """A night that was missed is not caught up on; a session that ends is saved."""
    needs.kernel(KernelFeature.USER_NAMESPACES)
    lay_out(home, 5)
    run(home.root, Steps())
    with Ledger.open(home.state, lambda: time.time() - 3 * DAY) as ledger:
        ledger.note_night()
    with daemon(home, before=on_its_battery(home.root / "sys")) as running:
        home.config(f'watch = "events"\n{QUICK}')
        running.signal(signal.SIGHUP)  # its clock looks at once, instead of at the next minute
        until(lambda: _night(home) > time.time() - DAY, lambda: running.log)  # it came, and owes its work
        talk = now_talking(home, "shop", SAYINGS[4])
        assert appending(talk.path, lines_of(talk)).wait() == 0
        until(lambda: talk.session in outcomes(home), lambda: running.log)
        assert outcomes(home)[talk.session] == "saved"
        assert "consolidated" not in running.log
    assert len([*home.memory("shop").glob("feedback_[ab].md")]) == 2


def _night(home: Home) -> float:
    with Ledger.in_memory(home.state) as ledger:
        return ledger.last_night() or 0.0


# --- the night


def test_the_daemon_puts_memory_in_order_at_night(home: Home) -> None:
    """A night that was missed is caught up on at the start; the log tells it in one line without a word of memory."""
    lay_out(home, 5)
    run(home.root, Steps())
    with Ledger.open(home.state, lambda: time.time() - 3 * DAY) as ledger:
        ledger.note_night()
    with daemon(home) as running:
        home.config('watch = "events"\n')
        running.signal(signal.SIGHUP)  # its clock looks at once, instead of at the next minute
        until(lambda: "consolidated" in running.log, lambda: running.log)
    assert [file.name for file in home.memory("shop").glob("feedback_*.md")] == ["feedback_b.md"]
    [line] = [line for line in running.log.splitlines() if "event=consolidated" in line]
    assert "outcome=saved" in line
    assert "linter" not in line
