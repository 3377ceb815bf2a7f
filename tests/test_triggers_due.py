"""What is due, on clocks that jump; how wakeups queue; what counts as watched."""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.triggers import Reason, Wakeup
from extractord.triggers.agenda import Agenda
from extractord.triggers.clock import Clock
from extractord.triggers.due import Moment, due, night, night_is_due, slept
from extractord.triggers.wakeups import Wakeups
from extractord.triggers.watches import filesystem_of, folders_below, is_shared
from extractord.triggers.watching import transcript_at

HOUR, DAY = 3600.0, 86400.0
BERLIN = ZoneInfo("Europe/Berlin")


def _wakeup(session: str | None, at: float = 0.0, reason: Reason = Reason.EVENT, path: Path | None = None) -> Wakeup:
    return Wakeup(session, path, reason, at)


def _local(*moment: int) -> float:
    return datetime(*moment, tzinfo=BERLIN).timestamp()  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("passed", "is_due"),
    [(0.0, False), (HOUR - 1, False), (HOUR, True), (90 * DAY, True), (-60.0, False), (-10 * HOUR, True), (-50 * 365 * DAY, True)],
)
def test_a_period_is_over_in_time_or_when_the_clock_was_set_back(passed: float, is_due: bool) -> None:
    """A clock set right by a minute changes nothing; one set back by hours must not stop the sweep for hours."""
    assert due(1e9 + passed, 1e9, HOUR) is is_due


@pytest.mark.parametrize(
    ("wall", "monotonic", "was_away"),
    [
        (60.0, 60.0, False),
        (60.0 + 8 * HOUR, 60.0, True),  # asleep: the monotonic clock stood still
        (8 * HOUR, 8 * HOUR, True),  # stopped, or a virtual machine that was paused
        (90.0, 60.0, False),  # set right a little
        (-5 * HOUR, 60.0, False),  # set back: ``due`` sees to that
    ],
)
def test_a_machine_that_slept_is_told_by_two_clocks(wall: float, monotonic: float, was_away: bool) -> None:
    """Waking is seen within one look at the clock, whatever the time of day."""
    assert slept(Moment(1e9, 500.0), Moment(1e9 + wall, 500.0 + monotonic), expected=60.0) is was_away


@pytest.mark.parametrize(
    ("now", "latest"),
    [
        (_local(2026, 3, 9, 12, 0), _local(2026, 3, 9, 3, 0)),
        (_local(2026, 3, 9, 2, 59), _local(2026, 3, 8, 3, 0)),
        (_local(2026, 3, 9, 3, 0), _local(2026, 3, 9, 3, 0)),
    ],
)
def test_the_nightly_moment_is_the_latest_that_has_come(now: float, latest: float) -> None:
    """At three, today's; a minute before, yesterday's."""
    assert night(now, 180, BERLIN) == latest


@pytest.mark.parametrize("at", [0, 90, 120, 150, 179, 180, 1439])
def test_every_day_has_one_night_also_when_summer_time_begins_and_ends(at: int) -> None:
    """Asked each ten minutes over the days of both changes, the nightly work is due once a day."""
    for began, ended in ((_local(2026, 3, 26, 12), _local(2026, 3, 31, 12)), (_local(2026, 10, 22, 12), _local(2026, 10, 27, 12))):
        now = last = began
        nights = []
        while now < ended:
            if night_is_due(now, last, at, BERLIN):
                nights.append(night(now, at, BERLIN))
                last = now
            now += 600
        assert len({datetime.fromtimestamp(one, BERLIN).date() for one in nights}) == len(nights) == 5


def test_missed_nights_are_caught_up_once() -> None:
    """After a week without power one night is due, and then none until the next."""
    now = _local(2026, 3, 9, 12, 0)
    assert night_is_due(now, now - 7 * DAY, 180, BERLIN)
    assert not night_is_due(now, now, 180, BERLIN)


def test_one_wakeup_of_a_session_waits_the_newest_at_the_place_of_the_first() -> None:
    """A session that is written to again and again neither piles up nor loses its turn."""
    wakeups = Wakeups()
    for number, session in enumerate(["a", "b", "a", "a"]):
        wakeups.put(_wakeup(session, float(number), path=Path(session)))
    wakeups.put(_wakeup("b", 9.0, Reason.CLIENT_GONE))
    assert wakeups.take(0) == _wakeup("a", 3.0, path=Path("a"))
    assert wakeups.take(0) == _wakeup("b", 9.0, Reason.CLIENT_GONE, Path("b")), "the place is still known"
    assert wakeups.take(0) is None


def test_too_many_wakeups_become_one_sweep_and_the_night_stays() -> None:
    """The queue is bounded: ten thousand sessions are one look at everything."""
    wakeups = Wakeups(longest=100)
    wakeups.put(_wakeup(None, reason=Reason.NIGHTLY))
    for number in range(10_000):
        wakeups.put(_wakeup(str(number)))
        assert len(wakeups) <= 102
    found = [wakeup.reason for wakeup in iter(lambda: wakeups.take(0), None)]
    assert found.count(Reason.SWEEP) == found.count(Reason.NIGHTLY) == 1


@given(st.lists(st.one_of(st.none(), st.sampled_from("abcdefgh")), max_size=60), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_no_wakeup_is_lost(puts: list[str | None], longest: int) -> None:
    """Whatever order they come and go in, each session that was put is taken after that, by itself or with a sweep."""
    wakeups, owed = Wakeups(longest), set[str]()
    for session in [*puts, *[None] * (len(puts) + 2)]:
        if session is not None:
            wakeups.put(_wakeup(session))
            owed.add(session)
        elif (taken := wakeups.take(0)) is not None:
            owed = owed - {taken.session} if taken.session else set()
    assert owed == set()


def test_an_interrupt_ends_the_wait_of_now_or_the_next_one() -> None:
    """A signal that comes just before the wait is not slept through."""
    wakeups = Wakeups()
    wakeups.interrupt()
    assert wakeups.take() is None
    threading.Timer(0.05, wakeups.interrupt).start()
    assert wakeups.take() is None


def test_writers_on_many_threads_wake_the_reader() -> None:
    """Each of several threads' wakeups arrives."""
    wakeups = Wakeups()

    def write(name: str) -> None:
        for number in range(50):
            wakeups.put(_wakeup(f"{name}{number}"))

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    assert {wakeup.session for _ in range(200) if (wakeup := wakeups.take(5))} == {f"{name}{n}" for name in "abcd" for n in range(50)}


def test_the_agenda_keeps_the_newest_moment_of_each_session_and_is_bounded() -> None:
    """What is put again is moved; what is too much becomes one sweep at the time of the newest."""
    agenda = Agenda(longest=3)
    agenda.put(_wakeup("a", 10.0))
    agenda.put(_wakeup("a", 20.0))
    agenda.put(_wakeup("b", 15.0))
    assert agenda.next_at() == 15.0
    assert [wakeup.session for wakeup in agenda.take_due(20.0)] == ["b", "a"]
    assert agenda.take_due(1e12) == ()
    for number in range(4):
        agenda.put(_wakeup(str(number), float(number)))
    assert agenda.take_due(3.0) == (_wakeup(None, 3.0, Reason.SWEEP),)


def test_the_clock_goes_on_after_it_was_set_back() -> None:
    """A run that by the wall clock lies hours ahead comes when that time has passed on the monotonic one."""
    ran = threading.Semaphore(0)
    clock = Clock(ran.release, lambda: float("inf"), longest=0.1)
    clock.start()
    assert ran.acquire(timeout=10)
    job = clock._scheduler.get_job("due")
    job.modify(next_run_time=datetime.now(UTC) + timedelta(hours=5))
    while ran.acquire(blocking=False):
        pass
    assert ran.acquire(timeout=10)
    clock.stop()


def test_a_clock_that_was_decades_behind_is_no_reason_for_decades_of_runs() -> None:
    """A computer that wakes up in 1970 and then learns the time runs what is due once."""
    ran = []
    clock = Clock(lambda: ran.append(time.monotonic()), lambda: float("inf"), longest=600.0)
    clock.start()
    clock._scheduler.get_job("due").modify(next_run_time=datetime(1970, 1, 2, tzinfo=UTC))
    until = time.monotonic() + 10
    while not ran and time.monotonic() < until:
        time.sleep(0.01)
    clock.stop()
    assert len(ran) == 1


MOUNTS = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:25 / /home rw - nfs4 server:/home rw
31 30 0:26 / /home/dev/my\040work rw - fuse.sshfs host: rw
32 22 0:27 / /mnt/c rw - 9p drvfs rw
33 22 8:2 / /mnt/c rw - ext4 /dev/sdb rw
broken line
"""


@pytest.mark.parametrize(
    ("place", "kind", "shared"),
    [
        ("/var/lib", "ext4", False),
        ("/home/dev/.claude", "nfs4", True),
        ("/homes/dev", "ext4", False),
        ("/home/dev/my work/.claude", "fuse.sshfs", True),
        ("/mnt/c/x", "ext4", False),  # mounted over the other
    ],
)
def test_file_systems_that_others_write_to_are_known(place: str, kind: str, shared: bool) -> None:
    """The deepest mount decides, the later one where two are at the same place."""
    assert filesystem_of(Path(place), MOUNTS) == kind
    assert is_shared(kind) is shared


def test_folders_are_counted_as_watchdog_watches_them(tmp_path: Path) -> None:
    """All depths, links not followed; project folders behind a link are told apart."""
    (tmp_path / "p" / "a" / "s" / "subagents").mkdir(parents=True)
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    (tmp_path / "p" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "p" / "broken").symlink_to(tmp_path / "nothing")
    (tmp_path / "p" / "a" / "inner").symlink_to(tmp_path / "p")
    found = folders_below(tmp_path / "p")
    assert (found.count, found.linked) == (4, 1)


@pytest.mark.parametrize(
    ("below", "session"),
    [
        ("-p/5b0c1f4e-1111-4222-8333-944455556666.jsonl", "5b0c1f4e-1111-4222-8333-944455556666"),
        ("-p/5b0c1f4e-1111-4222-8333-944455556666 (1).jsonl", None),
        ("-p/agent-abc.jsonl", None),
        ("-p/s/subagents/x.jsonl", None),
        ("x.jsonl", None),
        ("-p/memory/MEMORY.md", None),
        ("-p/notes.txt", None),
    ],
)
def test_only_transcripts_two_levels_down_wake(below: str, session: str | None) -> None:
    """What lies elsewhere, our own writes to memory among it, is no reason to look."""
    found = transcript_at(f"/c/projects/{below}", "/c/projects")
    assert (found[0] if found else None) == session
    assert transcript_at(f"/c/projects-old{os.sep}{below}", "/c/projects") is None
