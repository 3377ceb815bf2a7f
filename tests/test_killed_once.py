"""Promises about a ``once`` that is killed: whatever the moment, the next one leaves what an undisturbed run leaves."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.command import COMMAND_SECONDS, extractord
from tests.ends import end_of
from tests.homes import SAYINGS, Home, put, topic
from tests.warm_python import warm_python

SEED = 20_261_201
AT_ONCE = 6
KILLS, SOAK_KILLS = 12, 220


def with_memory(home: Home) -> None:
    """One stretch that makes a topic, changes one of the client's, and proposes to delete another; an index of somebody else's."""
    memory = home.memory("shop")
    put(memory, "feedback_linter.md", topic("linter", f"{SAYINGS[0]}\n\n**Why:** not stated\n**How to apply:** always.\n\nMy own line."))
    put(memory, "feedback_squash.md", topic("squash", "Squash merge feature branches."))
    put(memory, "MEMORY.md", "# Mine\n\n- [linter](feedback_linter.md) — linter\n- [squash](feedback_squash.md) — merges\n\nMy words.")
    reason = "The reason I said always run the linter before you commit: the build machine takes forty minutes to tell me."
    home.talk("shop", SAYINGS[2], reason, "Forget the rule about squash merges, we no longer squash merge feature branches.")


def without_memory(home: Home) -> None:
    """A session of a project that has no memory directory yet."""
    home.talk("shop", SAYINGS[0])


def of_two_sessions(home: Home) -> None:
    """Two sessions of one project: the second is still to be dealt with when the first is being written."""
    home.talk("shop", SAYINGS[0], SAYINGS[4], days_ago=5)
    home.talk("shop", SAYINGS[2], days_ago=4)


def of_two_projects(home: Home) -> None:
    """Two projects, worked on at the same time; each has a second session."""
    home.root.mkdir(parents=True)
    home.config("workers = 2\n")
    for number, project in enumerate(("shop", "tiles")):
        home.talk(project, SAYINGS[number], days_ago=5)
        home.talk(project, SAYINGS[number + 2], days_ago=4)


@pytest.mark.parametrize(
    "lay_out", [with_memory, *(pytest.param(one, marks=pytest.mark.soak) for one in (without_memory, of_two_sessions))]
)
def test_killed_at_any_step_and_run_again_is_as_if_never_killed(tmp_path: Path, lay_out: Callable[[Home], None]) -> None:
    """For each step, those of the ledger too: an ordinary run afterwards leaves the bytes, times, outcomes and facts of one run."""
    whole, steps = _counted(tmp_path, lay_out)
    assert len(steps) > 15
    assert {"before prepare", "after applied"} <= set(steps)
    undisturbed = end_of(whole)
    assert undisturbed.memories
    moments = range(1, len(steps) + 1)
    homes = [_copy(tmp_path / "plain", tmp_path / f"killed-{at}") for at in moments]
    assert _killed_at(tmp_path, moments) == dict.fromkeys(moments, -signal.SIGKILL)
    _finish(tmp_path, moments)
    for at, home, step in zip(moments, homes, steps, strict=True):
        assert end_of(home) == undisturbed, f"killed at step {at}, {step!r}"


def test_two_at_once_killed_and_run_again_are_as_if_never_killed(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """With two workers on two projects, killed at every ninth step of either (at each with ``--soak``)."""
    whole, steps = _counted(tmp_path, of_two_projects)
    undisturbed = end_of(whole)
    assert len(undisturbed.memories) == 2
    moments = range(3, len(steps), 1 if request.config.getoption("--soak") else 9)
    homes = [_copy(tmp_path / "plain", tmp_path / f"killed-{at}") for at in moments]
    assert _killed_at(tmp_path, moments) == dict.fromkeys(moments, -signal.SIGKILL)
    _finish(tmp_path, moments)
    for at, home in zip(moments, homes, strict=True):
        assert end_of(home) == undisturbed, f"killed at step {at}"


class Aim:
    """How long the parts of a run are in seconds here and now: a kill that came too late makes the next ones come sooner."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.hits = 0

    def kills(self, home: Home, part: float) -> bool:
        """Kill a run after such a part of it; whether it was still at work."""
        hit = _killed_after(home, part * self.seconds)
        self.hits += hit
        self.seconds *= 1.1 if hit else 0.85
        return hit


def test_killed_at_random_and_run_again_is_as_if_never_killed(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Kills that hit the real command after random parts of a run, seeded, up to three in a row; ≥ 200 of them with ``--soak``."""
    kills = SOAK_KILLS if request.config.getoption("--soak") else KILLS
    whole, _ = _counted(tmp_path, with_memory)
    undisturbed = end_of(whole)
    began = time.monotonic()
    assert extractord(_copy(tmp_path / "plain", tmp_path / "timed"), "once", "--json").status == 0
    aim = Aim(time.monotonic() - began)

    def killed(number: int) -> tuple[Home, list[float]]:
        chance = random.Random(f"{SEED}/{number}")
        parts = [chance.uniform(0.02, 1.0) for _ in range(chance.randint(1, 3))]
        home = _copy(tmp_path / "plain", tmp_path / f"killed-{number}")
        for part in parts:
            if not aim.kills(home, part):
                break  # the run had ended: there is nothing left to kill
        answer = extractord(home, "once", "--json")
        assert answer.status == 0, f"after {parts} of {aim.seconds} s: {answer.stderr}"
        return home, parts

    tried = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while aim.hits < kills:
            for home, parts in pool.map(killed, range(tried, tried + AT_ONCE)):
                assert end_of(home) == undisturbed, f"{home.root.name} killed after {parts} of a run"
                shutil.rmtree(home.root)
            tried += AT_ONCE
            assert tried < 4 * kills, f"only {aim.hits} kills hit a run at work"


def _counted(tmp_path: Path, lay_out: Callable[[Home], None]) -> tuple[Home, list[str]]:
    """Lay a home out as ``plain``, run once undisturbed on a copy of it, and return that copy with the names of the steps."""
    lay_out(Home(tmp_path / "plain"))
    whole = _copy(tmp_path / "plain", tmp_path / "whole")
    return whole, _program("count", str(whole.root)).splitlines()


def _copy(plain: Path, to: Path) -> Home:
    """Copy a home; its sessions go on naming the folders of the first one, so memory has the same name in each copy."""
    shutil.copytree(plain, to, symlinks=True)
    return Home(to)


def _killed_at(tmp_path: Path, moments: Sequence[int]) -> dict[int, int]:
    """Run each of the copies ``killed-AT`` until it kills itself at that step; return how each ended."""
    lines = "".join(_side_by_side("kill", tmp_path, moments)).splitlines()
    return {int(at): -int(number) for at, number in (line.split() for line in lines)}


def _finish(tmp_path: Path, moments: Sequence[int]) -> None:
    """Run each of the copies to its end."""
    _side_by_side("finish", tmp_path, moments)


def _side_by_side(what: str, tmp_path: Path, moments: Sequence[int]) -> list[str]:
    """Let two programs share the copies: each forks a process a copy, which saves starting a Python for it."""
    shares = [[*map(str, moments[first::2])] for first in (0, 1)]
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda share: _program(what, f"{tmp_path}/killed-", *share), shares))


def _program(*argv: str) -> str:
    command = [sys.executable, "-m", "tests.killed_once", *argv]
    done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_SECONDS, cwd=Path(__file__).parent.parent, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _killed_after(home: Home, seconds: float) -> bool:
    """Kill a run after so long; return whether it was still at work."""
    with (
        Path(os.devnull).open("r+b") as nothing,
        warm_python().start(["once", "--json"], {**os.environ, **home.env()}, [nothing.fileno()] * 3) as running,
    ):
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):  # it has ended
            running.kill()
        return running.wait() == -signal.SIGKILL
