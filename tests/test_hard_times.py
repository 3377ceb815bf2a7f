"""Promises about disks, folders and clocks that fail: nothing is lost or half written, and when all is well again it goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from extractord.triggers.due import Moment, due, slept
from tests.command import Answer, extractord
from tests.daemons import PATIENCE, QUICK, RULE, appending, daemon, lines_of, now_talking, outcomes, until
from tests.homes import SAYINGS, Home, put, topic
from tests.needs import KernelFeature, Needs

ROOT = 'mount -t tmpfs -o size={size}k tmpfs {place} && cp -a {kept}/. {place}/ && {then} exec "$@"'


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def on_small_disk(place: Path, kept: Path, size: int, then: str = "") -> tuple[str, ...]:
    """Return what to put before a command for which ``place`` is a disk of so many KiB with the content of ``kept``."""
    script = ROOT.format(size=size, place=place, kept=kept, then=then)
    return ("unshare", "-Urm", "sh", "-c", script, "sh")


def moved(folder: Path) -> Path:
    """Put what is in a folder beside it, for a disk that is mounted there."""
    kept = folder.with_name(folder.name + "-kept")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(folder, kept, symlinks=True)
    return kept


@pytest.mark.parametrize("what", ["memory", "state"])
def test_a_full_disk_fails_with_the_reason_and_the_next_run_goes_on(home: Home, needs: Needs, what: str) -> None:
    """Whether memory or the ledger finds no room: status 1, memory as it was, and saved as soon as there is room."""
    needs.kernel(KernelFeature.USER_NAMESPACES)
    memory = home.memory("shop")
    put(memory, "feedback_squash.md", topic("squash", "Squash merge feature branches."))
    home.talk("shop", SAYINGS[0])
    before = home.memories()
    place = memory if what == "memory" else home.state
    kept = moved(place)
    fill = f"dd if=/dev/zero of={place}/.full bs=1k status=none 2>/dev/null;"
    full = extractord(home, "once", "--json", before=on_small_disk(place, kept, 64, fill))
    assert full.status == 1, full.stdout + full.stderr
    assert "No space left" in full.stdout + full.stderr or "full" in full.stdout + full.stderr or "I/O" in full.stderr, full.stderr
    assert "Traceback" not in full.stderr
    assert home.memories() == before
    assert_saved_once(home)


def assert_saved_once(home: Home) -> None:
    """An ordinary run saves the session, or finishes what was prepared for it."""
    answer = extractord(home, "once", "--json")
    assert answer.status == 0, answer.stdout + answer.stderr
    (saved,) = home.memory("shop").glob("feedback_linter*.md")
    assert saved.read_text().count(SAYINGS[0]) == 1
    assert set(outcomes(home).values()) == {"saved"}
    assert len(extractord(home, "log", "--json").lines) == 1


@pytest.mark.parametrize("what", ["memory", "state"])
def test_a_file_system_that_is_read_only_is_told(home: Home, needs: Needs, what: str) -> None:
    """Status 1 with the path, nothing changed; the next run on a file system that can be written saves."""
    needs.kernel(KernelFeature.USER_NAMESPACES)
    put(home.memory("shop"), "feedback_squash.md", topic("squash", "Squash merge feature branches."))
    home.talk("shop", SAYINGS[0])
    place = home.memory("shop") if what == "memory" else home.state
    kept = moved(place)
    readonly = f"mount -o remount,ro {place} &&"
    answer = extractord(home, "once", "--json", before=on_small_disk(place, kept, 512, readonly))
    assert answer.status == 1, answer.stdout + answer.stderr
    assert str(place) in answer.stdout + answer.stderr
    assert "Traceback" not in answer.stderr
    assert_saved_once(home)


@pytest.mark.parametrize("kind", ["file", "dangling", "removed", "closed"])
def test_a_memory_directory_that_became_something_else_is_left_alone(home: Home, needs: Needs, kind: str) -> None:
    """What stands there stays as it is, the reason names it, and it is saved when it is a folder again; a removed one is made anew."""
    user = needs.ordinary_user()
    put(home.memory("shop"), "feedback_squash.md", topic("squash", "Squash merge feature branches."))
    home.talk("shop", SAYINGS[0])
    memory = home.memory("shop")
    shutil.rmtree(memory)
    match kind:
        case "file":
            memory.write_text("mine")
        case "dangling":
            memory.symlink_to("nowhere")
        case "closed":
            memory.mkdir()
            memory.chmod(0o500)
    answer = extractord(home, "once", "--json", before=user)
    if kind == "removed":
        assert answer.summary["saved"] == 1
        return
    ended = ("skipped", 0) if kind == "dangling" else ("failed", 1)  # a link that leads nowhere counts as memory that is off
    assert (answer.lines[0]["outcome"], answer.status) == ended, answer.stdout
    assert str(memory) in answer.lines[0]["reason"], answer.lines[0]
    match kind:
        case "file":
            assert memory.read_text() == "mine"
            memory.unlink()
        case "dangling":
            assert not (memory.parent / "nowhere").exists()
            return
        case _:
            assert list(memory.iterdir()) == []
            memory.chmod(0o700)
    assert_saved_once(home)


def test_a_memory_directory_that_is_a_link_to_a_folder_is_written_where_it_leads(home: Home) -> None:
    """People keep memory elsewhere: the link stays a link."""
    elsewhere = home.root / "elsewhere"
    elsewhere.mkdir()
    home.talk("shop", SAYINGS[0])
    home.memory("shop").symlink_to(elsewhere)
    assert extractord(home, "once", "--json").summary["saved"] == 1
    assert home.memory("shop").is_symlink()
    assert list(elsewhere.glob("feedback_*.md"))


def test_a_config_home_that_is_unmounted_and_back_costs_nothing(home: Home, needs: Needs) -> None:
    """While its disk is away the daemon waits, makes nothing in its place and forgets nothing; what is said later is saved, once."""
    needs.kernel(KernelFeature.USER_NAMESPACES)
    put(home.memory("shop"), "feedback_squash.md", topic("squash", "Squash merge feature branches."))
    home.talk("shop", SAYINGS[2], days_ago=4)
    assert extractord(home, "once", "--json").summary["saved"] == 1
    known = outcomes(home)
    home.config(QUICK)
    kept = moved(home.config_home)
    shutil.rmtree(home.config_home)
    home.config_home.mkdir()  # what is left of a disk that is not mounted
    with daemon(home, before=on_small_disk(home.config_home, kept, 4096)) as running:
        there = ("nsenter", "-t", str(running.process.pid), "-U", "-m", "--preserve-credentials")
        assert subprocess.run([*there, "umount", home.config_home], check=False).returncode == 0
        assert extractord(home, "once", "--json", before=there).status == 0
        assert list(home.config_home.iterdir()) == []
        subprocess.run([*there, *on_small_disk(home.config_home, kept, 4096)[2:-1], "true"], check=True)
        talk = now_talking(home, "shop", RULE)
        assert appending(talk.path, lines_of(talk), there).wait() == 0
        until(lambda: talk.session in outcomes(home), lambda: running.log, seconds=120 + PATIENCE)  # it looks round each minute
        assert outcomes(home) == known | {talk.session: "saved"}
        assert len(extractord(home, "log", "--json", before=there).lines) == 2
        memory = subprocess.run([*there, "ls", home.memory("shop")], capture_output=True, text=True, check=True).stdout.split()
        assert running.process.poll() is None
    assert len(memory) == 4, memory  # the two, the one that was there, and the index


def test_a_daemon_whose_state_folder_is_removed_ends_with_the_reason(home: Home) -> None:
    """It writes on into nothing no more, and says so; a new one begins anew and leaves what is there alone."""
    home.projects.mkdir(parents=True)
    home.config(QUICK)
    home.talk("shop", SAYINGS[2], days_ago=4)
    assert extractord(home, "once", "--json").summary["saved"] == 1
    before = home.memories()
    with daemon(home) as running:
        shutil.rmtree(home.state)
        talk = now_talking(home, "shop", RULE)
        assert appending(talk.path, lines_of(talk)).wait() == 0
        assert running.wait() == 1
        assert "was removed or replaced while it was in use" in running.log
        assert "fault of extractord" not in running.log
    with daemon(home):
        assert extractord(home, "status", "--json").only["older_sessions"] == 2
    assert home.memories() == before


@pytest.mark.parametrize(
    ("now", "last", "is_due"),
    [
        (1000.0, 0.0, True),
        (999.0, 0.0, False),
        (0.0, 100.0, False),  # set back a little, as clocks are set right
        (0.0, 10_000.0, True),  # set back by hours: nobody knows for how long it was not done
        (1_796_000_000.0, 0.0, True),  # a clock that was decades behind
    ],
)
def test_what_is_due_is_so_whatever_the_clock_did(now: float, last: float, is_due: bool) -> None:
    """Forward, backward, by seconds and by years."""
    assert due(now, last, 1000.0) is is_due


@pytest.mark.parametrize("hours", [-1, 1])
def test_summer_time_is_no_sleep(hours: int) -> None:
    """The wall clock counts seconds since the epoch: where people's clocks jump it does not."""
    assert not slept(Moment(1_000.0, 50.0), Moment(1_000.0 + 60, 110.0), 60)
    assert slept(Moment(1_000.0, 50.0), Moment(1_000.0 + 60 + abs(hours) * 3600, 110.0), 60)


@pytest.mark.parametrize("moment", ["2027-03-28 01:59:50", "2027-10-31 02:59:50", "2001-01-01 00:00:00"])
def test_a_run_at_an_odd_moment_saves_all_the_same(home: Home, needs: Needs, moment: str) -> None:
    """At both changes of summer time, and on a clock that stands decades back: the session is saved, with the time of its words."""
    faketime = needs("faketime", apt="faketime")
    talk = home.talk("shop", SAYINGS[0], days_ago=400)
    answer = _at(home, faketime, moment)
    (line,) = answer.lines[:-1]
    assert line["outcome"] in ("saved", "postponed"), line
    (saved,) = home.memory("shop").glob("feedback_*.md") if line["outcome"] == "saved" else (talk.path,)
    assert abs(saved.stat().st_mtime - talk.now.timestamp()) < 60
    extractord(home, "once", "--json")
    assert outcomes(home) == {talk.session: "saved"}
    assert len(extractord(home, "log", "--json").lines) == 1


def _at(home: Home, faketime: Path, moment: str) -> Answer:
    env = {"TZ": "Europe/Berlin", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    return extractord(home, "once", "--json", before=(str(faketime), "-f", f"@{moment}"), env=env)


def test_no_network_is_postponed_and_no_failure(home: Home) -> None:
    """After the machine woke the network comes later: the session waits with the reason, and is never parked for it."""
    home.talk("shop", SAYINGS[0])
    env = {"EXTRACTORD_BACKEND": "anthropic", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "k"}
    answer = extractord(home, "once", "--yes", "--json", env=env)
    assert answer.summary["postponed"] == 1, answer.stdout + answer.stderr
    assert extractord(home, "status", "--json").only["parked"] == 0
    assert home.memories() == {}


def test_a_project_that_may_not_be_read_denies_with_the_reason(home: Home, needs: Needs) -> None:
    """A folder that the system keeps from us (its rights, or a desktop's privacy settings): each tool says so and the run goes on."""
    user = needs.ordinary_user()
    project = home.project("shop")
    (project / "closed").mkdir(mode=0o000)
    home.memory("shop").mkdir(parents=True)
    calls = '{"id":"1","tool":"Read","input":{"file_path":"closed/a.txt"}}\n{"id":"2","tool":"Glob","input":{"pattern":"*"}}\n'
    argv = ("try-tool", "--project", str(project), "--memory-dir", str(home.memory("shop")))
    done = subprocess.run(
        [*user, sys.executable, "-m", "extractord", *argv],
        input=calls,
        env={**os.environ, **home.env()},
        capture_output=True,
        text=True,
        check=False,
    )
    (project / "closed").chmod(0o700)
    assert done.returncode == 0, done.stderr
    assert "no permission" in done.stdout.splitlines()[0]
    assert '"allowed"' in done.stdout.splitlines()[1]
