"""What waiting costs, over 1,000 projects with a session each, beside a bare process with the same imports, observer and scheduler.

All processes wait at the same time, each on a tree of its own; the tree of one is listed by another program each second.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.at_rest import Rest, rest_of
from tests.bench.goals import Goal
from tests.bench.reading import PROGRAMS
from tests.bench.trees import config_home
from tests.command import relocation

FOLDERS, SECONDS, START_SECONDS = 1_000, 180.0, 15.0
RSS, WAKE_UPS, CPU = 1.25, 2.0, 1.0  # ratio, per minute, seconds per hour
BARE, OURS, LISTED = "bare", "extractord run", "extractord run, listed"
LISTING = "import os, sys, time\nwhile True:\n    list(os.walk(sys.argv[1])); time.sleep(1)"


def bench() -> list[Goal]:
    """Let all of them wait, and read from the kernel what that took."""
    with ExitStack() as stack:
        homes = {name: stack.enter_context(config_home(FOLDERS)) for name in (BARE, OURS, LISTED)}
        bare = ["-m", f"{PROGRAMS}.idle_bare", str(homes[BARE]), "extractord.daemon.running"]
        running = {BARE: stack.enter_context(_waiting(bare, homes[BARE]))}
        for name in (OURS, LISTED):
            running[name] = stack.enter_context(_waiting(["-m", "extractord", "run"], homes[name]))
        stack.enter_context(_waiting(["-c", LISTING, str(homes[LISTED])], homes[LISTED]))
        time.sleep(START_SECONDS)
        began = {name: rest_of(pid) for name, pid in running.items()}
        time.sleep(SECONDS)
        found = {name: rest_of(pid).since(began[name]) for name, pid in running.items()}
    print(f"{'idle':24}{'RSS MiB':>10}{'wake-ups/min':>14}{'CPU s/h':>10}")
    for name, rest in found.items():
        print(f"{name:24}{rest.rss_mib:10.1f}{_per_minute(rest):14.2f}{_per_hour(rest):10.2f}")
    return [
        Goal("idle RSS, of the bare process", found[OURS].rss_mib / found[BARE].rss_mib, RSS, at_least=False),
        *(Goal(f"wake-ups a minute, {name}", _per_minute(found[name]), WAKE_UPS, at_least=False) for name in (OURS, LISTED)),
        *(Goal(f"CPU s/h, {name}", _per_hour(found[name]), CPU, at_least=False) for name in (OURS, LISTED)),
    ]


def _per_minute(rest: Rest) -> float:
    return rest.wake_ups / rest.seconds * 60


def _per_hour(rest: Rest) -> float:
    return rest.cpu / rest.seconds * 3600


@contextmanager
def _waiting(argv: list[str], home: Path) -> Iterator[int]:
    """Start a Python that waits, everything of ours relocated below ``home``; yield its pid, end it after."""
    own = {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home), **relocation(home)}
    with subprocess.Popen([sys.executable, *argv], env={**os.environ, **own}, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        yield process.pid
        if process.poll() is not None:
            raise RuntimeError(f"{' '.join(argv)} ended by itself with status {process.returncode}")
        process.terminate()
