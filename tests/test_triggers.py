"""Changes of a config home become wakeups: by events, by polling, and where events fail in all the ways they can."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from extractord.config import Config, Settle, Watch
from extractord.config.values import Seconds
from extractord.triggers import Periods, Reason, Triggers, Wakeup, WatchMode
from tests.at_rest import rest_of
from tests.needs import KernelFeature, Needs

PATIENCE = 20.0  # seconds until something that must come counts as missed
QUIET = Config(settle=Settle(exited=Seconds(3600)))
SOON = Config(settle=Settle(exited=Seconds(1)))
SELDOM = Periods()
OFTEN = Periods(sweep=3600.0, poll=0.2)


@contextmanager
def running(home: Path, config: Config = QUIET, periods: Periods = SELDOM, last_night: float | None = None) -> Iterator[Triggers]:
    """Start triggers, take the sweep they begin with, and stop them after."""
    triggers = Triggers(home, config, periods=periods, last_night=last_night)
    triggers.start()
    try:
        assert_reason(triggers.next(PATIENCE), Reason.SWEEP)
        yield triggers
    finally:
        triggers.stop()


def assert_reason(wakeup: Wakeup | None, reason: Reason) -> None:
    assert wakeup is not None, f"no wakeup, {reason} was expected"
    assert wakeup.reason is reason


def taken(triggers: Triggers, enough: Callable[[list[Wakeup]], bool]) -> list[Wakeup]:
    """Take wakeups until there are enough, or patience ends."""
    found: list[Wakeup] = []
    until = time.monotonic() + PATIENCE
    while not enough(found) and (left := until - time.monotonic()) > 0:
        if (wakeup := triggers.next(left)) is not None:
            found.append(wakeup)
    assert enough(found), found
    return found


def drained(triggers: Triggers, quiet: float = 1.0) -> list[Wakeup]:
    return list(iter(lambda: triggers.next(quiet), None))


def swept(found: list[Wakeup]) -> bool:
    return any(wakeup.reason is Reason.SWEEP for wakeup in found)


def home_of(place: Path, sessions: int = 0) -> Path:
    home = place / "claude"
    (home / "sessions").mkdir(parents=True)
    (home / "projects").mkdir()
    for number in range(sessions):
        write(home, f"-p{number}", str(uuid.uuid4()))
    return home


def write(home: Path, project: str, session: str) -> Path:
    """Append a record as the client does."""
    path = home / "projects" / project / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write('{"type":"user"}\n')
    return path


def client_file(home: Path, pid: int, session: str) -> Path:
    start = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    path = home / "sessions" / f"{pid}.json"
    fields = {"pid": pid, "sessionId": session, "status": "idle", "updatedAt": time.time() * 1000, "procStart": start}
    path.write_text(json.dumps(fields))
    return path


def test_an_append_wakes_at_once_and_again_when_it_is_quiet(tmp_path: Path) -> None:
    """The session's transcript and the places of both wakeups are the same; the second comes when it may be settled."""
    home = home_of(tmp_path, 3)
    with running(home, SOON) as triggers:
        path = write(home, "-new", "s-1")
        *events, last = taken(triggers, lambda found: bool(found) and found[-1].reason is Reason.SETTLED)
        assert {(wakeup.session, wakeup.path, wakeup.reason) for wakeup in events} == {("s-1", path, Reason.EVENT)}
        assert (last.session, last.path) == ("s-1", path)
        assert triggers.state().mode is WatchMode.EVENTS
        assert triggers.state().folders == triggers.state().watches


def test_what_is_no_transcript_does_not_wake(tmp_path: Path) -> None:
    """Memory, subagents, side files, conflict copies and removals are no reason to look."""
    home = home_of(tmp_path)
    session = str(uuid.uuid4())
    path = write(home, "-p", session)
    with running(home) as triggers:
        for below in ("memory/MEMORY.md", "memory/a.md", f"{session}/subagents/agent-1.jsonl", f"{session}.sync-conflict-1.jsonl", "x.txt"):
            place = home / "projects" / "-p" / below
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("{}\n")
        path.unlink()
        assert drained(triggers) == []


def test_a_transcript_that_is_moved_keeps_its_one_wakeup(tmp_path: Path) -> None:
    """Renamed into the folder of a worktree that is made at that moment, written on and renamed back: one wakeup of each kind."""
    home = home_of(tmp_path)
    path = write(home, "-p", "s-1")
    with running(home, SOON) as triggers:
        for number in range(5):
            write(home, "-p", "s-1")
            moved = home / "projects" / f"-p-worktree-{number}" / path.name
            moved.parent.mkdir()
            path.rename(moved)
            write(home, moved.parent.name, "s-1")
            moved.rename(path)
        final = home / "projects" / "-p-worktree" / path.name
        final.parent.mkdir()
        path.rename(final)
        found = taken(triggers, lambda found: bool(found) and found[-1].reason is Reason.SETTLED)
        found += drained(triggers, 2.0)
        assert {wakeup.session for wakeup in found} == {"s-1"}
        assert [wakeup.reason for wakeup in found].count(Reason.SETTLED) == 1
        assert found[-1].path == final


def test_a_client_that_leaves_wakes_its_session(tmp_path: Path) -> None:
    """Its file vanishes; other files of the folder mean nothing."""
    home = home_of(tmp_path)
    with running(home, SOON) as triggers:
        path = client_file(home, os.getpid(), "s-1")
        (home / "sessions" / f"{os.getpid()}.0a.key").write_text("never")
        assert drained(triggers, 0.5) == []
        path.unlink()
        first, second = taken(triggers, lambda found: len(found) == 2)
        assert (first.session, first.reason) == ("s-1", Reason.CLIENT_GONE)
        assert (second.session, second.reason) == ("s-1", Reason.SETTLED)


def test_a_client_that_goes_on_with_another_session_leaves_the_old_one(tmp_path: Path) -> None:
    """After ``/clear`` the same file names the new session."""
    home = home_of(tmp_path)
    client_file(home, os.getpid(), "s-1")
    with running(home) as triggers:
        client_file(home, os.getpid(), "s-2")
        (found,) = taken(triggers, lambda found: len(found) == 1)
        assert (found.session, found.reason) == ("s-1", Reason.CLIENT_GONE)


def test_a_client_that_was_killed_is_noticed_by_its_process(tmp_path: Path) -> None:
    """Its file stays behind."""
    home = home_of(tmp_path)
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as process:
        path = client_file(home, process.pid, "s-1")
        with running(home, periods=OFTEN) as triggers:
            process.kill()
            (found,) = taken(triggers, lambda found: len(found) == 1)
            assert (found.session, found.reason) == ("s-1", Reason.CLIENT_GONE)
            assert path.exists()


@pytest.mark.parametrize("config", [QUIET, Config(settle=Settle(exited=Seconds(3600)), watch=Watch.POLL)], ids=["events", "poll"])
def test_a_config_home_may_appear_vanish_and_come_back(config: Config, tmp_path: Path) -> None:
    """Installed before the client, unmounted and mounted again: each time what was written is noticed."""
    home, away = tmp_path / "later" / "claude", tmp_path / "away"
    with running(home, config, OFTEN) as triggers:
        for _ in range(2):
            (home / "sessions").mkdir(parents=True, exist_ok=True)
            write(home, "-p", "s-1")
            taken(triggers, lambda found: swept(found) or any(wakeup.session == "s-1" for wakeup in found))
            drained(triggers)
            write(home, "-p", "s-2")
            taken(triggers, lambda found: any(wakeup.session == "s-2" for wakeup in found))
            home.rename(away)
            drained(triggers)
            away.rename(home)
            taken(triggers, lambda found: bool(found))
            drained(triggers)


def test_polling_notices_what_was_written_moved_and_who_left(tmp_path: Path) -> None:
    """Without a single event: new and changed transcripts wake, a moved one does not, a client that leaves does."""
    home = home_of(tmp_path)
    path = write(home, "-p", "s-1")
    gone = client_file(home, os.getpid(), "s-9")
    with running(home, Config(watch=Watch.POLL), OFTEN) as triggers:
        assert triggers.state().mode is WatchMode.POLLING
        (home / "projects" / "-w").mkdir()
        path.rename(home / "projects" / "-w" / path.name)
        assert drained(triggers) == []
        write(home, "-w", "s-1")
        write(home, "-p", "s-2")
        gone.unlink()
        found = taken(triggers, lambda found: len(found) == 3)
        assert {(wakeup.session, wakeup.reason) for wakeup in found} == {
            ("s-1", Reason.EVENT),
            ("s-2", Reason.EVENT),
            ("s-9", Reason.CLIENT_GONE),
        }


def test_a_project_folder_behind_a_link_is_polled_and_said(tmp_path: Path) -> None:
    """Links give no events; the state tells, and nothing is missed."""
    home = home_of(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (home / "projects" / "-linked").symlink_to(tmp_path / "elsewhere")
    with running(home, periods=OFTEN) as triggers:
        assert triggers.state().mode is WatchMode.DEGRADED
        assert "links" in triggers.state().detail
        write(home, "-linked", "s-1")
        taken(triggers, lambda found: any(wakeup.session == "s-1" for wakeup in found))


def test_a_config_home_behind_a_link_is_watched_under_its_own_name(tmp_path: Path) -> None:
    """People keep their dot files elsewhere: the wakeup's place is the one they know."""
    home_of(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "claude")
    with running(link) as triggers:
        path = write(link, "-p", "s-1")
        assert taken(triggers, lambda found: len(found) == 1)[0].path == path
        assert triggers.state().mode is WatchMode.EVENTS


def test_a_burst_of_appends_is_a_bounded_queue_and_nothing_is_missed(tmp_path: Path) -> None:
    """Ten thousand appends to as many sessions: each is named, or one sweep looks at all."""
    home = home_of(tmp_path)
    (home / "projects" / "-p").mkdir()
    with running(home) as triggers:
        sessions = {write(home, "-p", f"s-{number}").stem for number in range(10_000)}
        found: list[Wakeup] = []
        while more := drained(triggers):
            assert len(more) <= 10_000
            found += more
        assert swept(found) or {wakeup.session for wakeup in found} >= sessions
        assert len(triggers._wakeups) == 0
        assert len(triggers._agenda) <= 2_000


def test_an_asked_for_check_comes_at_its_time_and_only_the_newest(tmp_path: Path) -> None:
    """Put off, it comes once; taken back, never."""
    with running(home_of(tmp_path)) as triggers:
        now = time.time()
        triggers.check("s-1", Path("/x"), now + 3600)
        triggers.check("s-1", Path("/x"), now + 0.3, Reason.RETRY)
        triggers.check("s-2", Path("/y"), now + 0.3)
        triggers.drop("s-2")
        (found,) = taken(triggers, lambda found: len(found) == 1)
        assert (found.session, found.reason, found.path) == ("s-1", Reason.RETRY, Path("/x"))
        assert drained(triggers) == []


def test_everything_is_looked_at_each_period_and_after_the_machine_slept(tmp_path: Path) -> None:
    """Sweeps come by the clock; when the wall clock ran on without the other one, at once."""
    slept = [0.0]
    triggers = Triggers(home_of(tmp_path), QUIET, periods=OFTEN, wall=lambda: time.time() + slept[0])
    triggers.start()
    assert_reason(triggers.next(PATIENCE), Reason.SWEEP)
    slept[0] = 600.0
    assert_reason(triggers.next(PATIENCE), Reason.WAKE)
    slept[0] = 600.0 - 7200.0
    assert_reason(triggers.next(PATIENCE), Reason.SWEEP)
    triggers.stop()
    with running(home_of(tmp_path / "other"), periods=Periods(sweep=0.3, poll=60.0)) as triggers:
        taken(triggers, lambda found: len(found) == 3 and swept(found))


def test_a_missed_night_is_caught_up_at_start_and_a_first_start_has_none(tmp_path: Path) -> None:
    """The nightly work was last done three days ago: one wakeup; never: none."""
    with running(home_of(tmp_path), periods=OFTEN, last_night=time.time() - 3 * 86400) as triggers:
        (found,) = drained(triggers)
        assert (found.session, found.reason) == (None, Reason.NIGHTLY)


def test_another_configuration_is_taken_over_while_it_runs(tmp_path: Path) -> None:
    """``watch`` may be changed: events end, polling begins, and back."""
    home = home_of(tmp_path, 2)
    with running(home, periods=OFTEN) as triggers:
        for config, mode in ((Config(watch=Watch.POLL), WatchMode.POLLING), (Config(watch=Watch.EVENTS), WatchMode.EVENTS)):
            triggers.reload(config)
            taken(triggers, swept)
            assert triggers.state().mode is mode
            session = str(uuid.uuid4())
            write(home, "-p", session)
            taken(triggers, lambda found, session=session: any(wakeup.session == session for wakeup in found))  # type: ignore[misc]


def test_an_observer_that_died_is_replaced(tmp_path: Path) -> None:
    """A thread of the observer ends for whatever reason: it is noticed, begun anew and everything is looked at."""
    home = home_of(tmp_path, 2)
    with running(home, periods=OFTEN) as triggers:
        observer = triggers._watching._observer
        assert observer is not None
        observer.unschedule_all()
        for emitter in observer.emitters:
            emitter.stop()
        taken(triggers, swept)
        write(home, "-p", "s-1")
        taken(triggers, lambda found: any(wakeup.session == "s-1" for wakeup in found))


LIMITED = """
import json, sys, time
from pathlib import Path
from extractord.config import Config
from extractord.triggers import Periods, Triggers
home, poll = Path(sys.argv[1]), float(sys.argv[2])
triggers = Triggers(home, Config(), periods=Periods(sweep=2.0, poll=poll))
triggers.start()
state = triggers.state()
time.sleep(0.1)
while triggers.next(0.5) is not None:
    pass
print(json.dumps([state.mode.value, state.watches, state.folders, state.detail]), flush=True)
sys.stdin.readline()
found, until = set(), time.monotonic() + 20
while len(found) < 1000 and (left := until - time.monotonic()) > 0:
    wakeup = triggers.next(left)
    if wakeup is not None and wakeup.session:
        found.add(wakeup.session)
print(len(found), flush=True)
triggers.stop()
"""


REMOUNTED = """
import subprocess, sys
from pathlib import Path
from extractord.config import Config
from extractord.triggers import Periods, Triggers
home = Path(sys.argv[1])
triggers = Triggers(home, Config(), periods=Periods(sweep=3600.0, poll=5.0))
triggers.start()
while triggers.next(2.0) is not None:
    pass
subprocess.run(["sh", "-c", "umount $1 && mount -t tmpfs tmpfs $1 && mkdir -p $1/projects/-p $1/sessions", "sh", home], check=True)
woken = triggers.next(20.0)
print(woken and woken.reason.value)
while triggers.next(2.0) is not None:
    pass
(home / "projects" / "-p" / "s-1.jsonl").write_text("{}")
woken = triggers.next(20.0)
print(woken and woken.session)
triggers.stop()
"""


def test_a_disk_that_was_away_for_a_moment_is_watched_anew(tmp_path: Path, needs: Needs) -> None:
    """The kernel takes all watches back without a word, and the disk that is mounted then has the numbers of the one before."""
    needs.kernel(KernelFeature.USER_NAMESPACES)
    mount = 'mount -t tmpfs tmpfs "$4" && mkdir -p "$4/projects/-p" "$4/sessions" && exec "$@"'
    argv = ["unshare", "-Urm", "sh", "-c", mount, "sh", sys.executable, "-c", REMOUNTED, str(home_of(tmp_path, 1))]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["sweep", "s-1"]


def test_with_too_few_watches_everything_is_noticed_and_the_state_says_degraded(tmp_path: Path, needs: Needs) -> None:
    """The kernel grants 300 watches for a thousand folders, and watchdog does not say so: counting does, and polling helps."""
    needs.kernel(KernelFeature.USER_NAMESPACES)
    home = home_of(tmp_path, 1_000)
    limit = 'echo 300 > /proc/sys/user/max_inotify_watches && exec "$@"'
    argv = ["unshare", "-Ur", "sh", "-c", limit, "sh", sys.executable, "-c", LIMITED, str(home), "1.0"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        mode, watches, folders, detail = json.loads(process.stdout.readline())
        assert (mode, watches, folders) == ("degraded", 300, 1_002)
        assert "702 of 1,002 folders are not watched" in detail
        for path in home.glob("projects/*/*.jsonl"):
            write(home, path.parent.name, path.stem)
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "1000\n"


def test_without_a_single_watch_polling_takes_over(tmp_path: Path, needs: Needs) -> None:
    """The limit is zero or inotify instances ran out: the start does not fail."""
    needs.kernel(KernelFeature.USER_NAMESPACES)
    home = home_of(tmp_path, 1)
    for file in ("max_inotify_watches", "max_inotify_instances"):
        limit = f'echo 0 > /proc/sys/user/{file} && exec "$@"'
        argv = ["unshare", "-Ur", "sh", "-c", limit, "sh", sys.executable, "-c", LIMITED.replace("1000", "1"), str(home), "0.2"]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert json.loads(process.stdout.readline())[0] == "degraded"
            for path in home.glob("projects/*/*.jsonl"):
                write(home, path.parent.name, path.stem)
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "1\n"


def test_at_rest_nothing_wakes_also_while_another_program_lists_the_tree(tmp_path: Path) -> None:
    """Twenty listings, and no thread of the process woke for them."""
    home = home_of(tmp_path, 100)
    argv = [sys.executable, "-m", "tests.bench.programs.idle_triggers", str(home)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(1)
        began = rest_of(process.pid)
        for _ in range(20):
            assert len(list(os.walk(home))) > 100
            for path in home.glob("projects/*/*.jsonl"):
                path.read_text()
            time.sleep(0.1)
        assert rest_of(process.pid).since(began).wake_ups <= 2
        process.stdin.close()
    assert process.returncode == 0


def test_all_threads_end(tmp_path: Path) -> None:
    """After ``stop`` nothing runs, however often it was begun."""
    code = f"""
import threading
from pathlib import Path
from extractord.config import Config
from extractord.triggers import Triggers
for _ in range(3):
    triggers = Triggers(Path({str(home_of(tmp_path, 3))!r}), Config())
    triggers.start(); triggers.next(5); triggers.stop()
print(threading.active_count())
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "1\n"
