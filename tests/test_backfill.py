"""Promises about a run over many old sessions: in parallel, in order, at the server's pace, told beforehand and at the end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.command import COMMAND_SECONDS, extractord
from tests.homes import SAYINGS, Home
from tests.model_runs import KEY, NOTHING, model_env, once
from tests.scripted_server import Answer, Asked, serving
from tests.terminal import on_terminal

PATIENCE = 90.0  # seconds that one call waits for another beside it


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


class Meeting:
    """A model that notes who is asked when, and lets the first call wait until another one is there."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.at_work: list[str] = []
        self.order: dict[str, list[str]] = {}
        self.most = 0
        self.together: set[str] = set()
        self.met = threading.Event()

    def __call__(self, asked: Asked, number: int) -> Answer:
        first = str(asked.messages[0]["content"][0]["text"])
        project = Path(first.split("Project folder: ")[1].split(". Topics")[0]).name
        with self.lock:
            if project in self.at_work:
                self.together.add(project)
            self.at_work.append(project)
            self.most = max(self.most, len(self.at_work))
            self.order.setdefault(project, []).extend(re.findall(r"session number (\d)", first))
            if len(self.at_work) > 1:
                self.met.set()
        self.met.wait(PATIENCE)
        with self.lock:
            self.at_work.remove(project)
        return NOTHING


def test_memory_directories_are_worked_on_at_once_each_oldest_first(home: Home) -> None:
    """Two workers: two projects at the same time, never two sessions of one, and within each time runs forward."""
    for project in ("shop", "tiles"):
        for number in (3, 1, 2):
            home.talk(project, f"Let us look at session number {number} for a while, please.", days_ago=9 - number)
    with serving(meeting := Meeting()) as server:
        answer = once(home, server, "--workers", "2")
    assert (answer.status, answer.summary["nothing_to_save"]) == (0, 6), answer.stderr
    assert (meeting.most, meeting.together) == (2, set())
    assert meeting.order == {"shop": ["1", "2", "3"], "tiles": ["1", "2", "3"]}


def test_a_server_that_has_too_much_to_do_is_asked_more_slowly_by_all(home: Home) -> None:
    """After one "too many requests" no call of any worker comes before the time that the server named."""
    for project in ("shop", "tiles", "loom"):
        for number in range(2):
            home.talk(project, f"Why is part {number} so slow here?", days_ago=5 - number)
    came: list[float] = []
    refused_at: list[float] = []

    def script(asked: Asked, number: int) -> Answer:
        came.append(time.monotonic())
        if number == 2:
            refused_at.append(time.monotonic())
            return Answer(status=429, error="rate_limit_error", headers={"retry-after": "3"})
        return NOTHING

    with serving(script) as server:
        answer = once(home, server, "--workers", "2")
    assert (answer.status, answer.summary["nothing_to_save"]) == (0, 6), answer.stderr
    meanwhile = [one for one in came if refused_at[0] + 0.5 < one < refused_at[0] + 2.9]
    assert (len(came), meanwhile) == (7, [])


def test_an_interrupted_run_ends_its_workers_and_goes_on_the_next_time(home: Home) -> None:
    """Ctrl-C while two sessions are at the model: status 130, nothing has an outcome, the next run deals with all."""
    for project in ("shop", "tiles"):
        home.talk(project, SAYINGS[0])
    asked = threading.Semaphore(0)
    go_on = threading.Event()

    def slow(_: Asked, number: int) -> Answer:
        asked.release()
        if number < 2:
            go_on.wait(PATIENCE)
        return NOTHING

    with serving(slow) as server:
        argv = [sys.executable, "-m", "extractord", "once", "--yes", "--json", "--workers", "2"]
        with subprocess.Popen(argv, env={**os.environ, **home.env(), **model_env(server)}, stdout=-1, stderr=-1) as running:
            assert asked.acquire(timeout=COMMAND_SECONDS)
            assert asked.acquire(timeout=COMMAND_SECONDS)
            running.send_signal(signal.SIGINT)
            stdout, stderr = running.communicate(timeout=COMMAND_SECONDS)
        assert (running.returncode, stdout) == (130, b""), stderr
        assert KEY.encode() not in stderr
        go_on.set()
        assert extractord(home, "sessions", "--json").lines == ()
        answer = once(home, server, "--workers", "2")
    assert (answer.status, answer.summary["nothing_to_save"]) == (0, 2), answer.stderr


def test_the_plan_tells_what_is_skipped_and_what_will_be_removed_and_the_end_how_full_memory_is(home: Home) -> None:
    """On a terminal: by project sessions, prompts, tokens, what is skipped and why; at the end topics and index by project."""
    home.talk("shop", SAYINGS[0], SAYINGS[1], days_ago=28)
    home.talk("shop", SAYINGS[2])
    home.talk("tiles", SAYINGS[3])
    home.config('[[project]]\nmatch = "*/tiles"\noff = true\n')
    status, said = on_terminal(home, "once", typed="y\n")
    assert status == 0, said
    words = " ".join(said.split())
    assert re.search(rf"2 sessions 3 prompts [0-9,]+ tokens {home.project('shop')}", words), said
    assert "1 session will be removed by Claude Code within 7 days (cleanupPeriodDays 30)" in said
    assert "1 stretch skipped: " in said
    assert re.search(rf"3 topics, index +\d+% full {home.project('shop')}", words), said


def test_money_that_is_not_enough_goes_first_to_what_the_client_removes_soon(home: Home) -> None:
    """The project with a transcript that is nearly 30 days old comes first although its session began later."""
    home.config("budget.usd_per_day = 0.004\n")
    for number in range(12):
        home.talk("aged", "How old is this part here?", days_ago=30 - number).path.touch()
    old = home.talk("soon", "How young is this part here?", days_ago=10).path
    os.utime(old, (time.time() - 28 * 86_400,) * 2)
    with serving(NOTHING) as server:
        answer = once(home, server)
        first = str(server.asked[0].messages[0]["content"][0]["text"])
    assert "/soon" in first, first[:200]
    assert answer.summary["nothing_to_save"] >= 1, answer.stdout
