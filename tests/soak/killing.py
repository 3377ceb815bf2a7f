"""A daemon that is killed again and again, in whole or in part, at moments that a seed decides.

Owns: starting it, finding its children by what they are, and counting what was killed. Leaves when it is left alone to ``playing``.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.homes import Home

ENDING = 60.0  # seconds that a daemon gets to end when it is told to, on a busy machine
WATCH = 2.5  # seconds in which a child has to show itself, or else the daemon is killed
KINDS = {"worker": "extractord.agent.worker", "model process": "extractord.agent.model_process"}
ENDS = (0, -signal.SIGKILL, -signal.SIGTERM)  # the last where it had not yet begun to heed signals
CHOICES = ("kill -9", "kill -9", "SIGTERM", "worker", "worker", "model process")


@dataclass
class Killed:
    """A daemon of one home and what was done to it."""

    home: Home
    chance: random.Random
    env: dict[str, str] = field(default_factory=dict)
    kills: Counter[str] = field(default_factory=Counter)
    process: subprocess.Popen[bytes] | None = None
    dirty_ends: list[str] = field(default_factory=list)

    def start(self) -> subprocess.Popen[bytes]:
        """Start a daemon unless one runs. A second one is never started beside it."""
        if self.process is None or self.process.poll() is not None:
            if self.process is not None and self.process.returncode not in ENDS:
                self.dirty_ends.append(f"the daemon ended with {self.process.returncode}")
            with (self.home.root / "daemon.log").open("ab") as log:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "extractord", "run"],
                    env={**os.environ, **self.home.env(), **self.env},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
        return self.process

    def strike(self) -> None:
        """Kill something of a running daemon at a random moment; what is aimed at may not be there, then the daemon is killed."""
        daemon = self.start()
        aimed = self.chance.choice(CHOICES)
        if self.chance.random() < 0.6 or aimed in KINDS:
            found = self._awaited(daemon, KINDS.get(aimed, KINDS["worker"]))
            time.sleep(self.chance.uniform(0, 0.4) if found else 0)
        else:
            found = None
            time.sleep(self.chance.uniform(0.1, 2.0))
        if aimed in KINDS and found and _kill(found, KINDS[aimed]):
            self.kills[aimed] += 1
            return
        if aimed == "SIGTERM":
            daemon.terminate()
            daemon.wait(ENDING)
            self.kills["SIGTERM"] += 1
        else:
            daemon.kill()
            daemon.wait()
            self.kills["kill -9"] += 1

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(ENDING)

    @staticmethod
    def _awaited(daemon: subprocess.Popen[bytes], kind: str) -> int | None:
        end = time.monotonic() + WATCH
        while time.monotonic() < end and daemon.poll() is None:
            for child in _children(daemon.pid):
                if _is(child, kind):
                    return child
            time.sleep(0.02)
        return None


def _children(pid: int) -> Iterator[int]:
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (task / "children").read_text().split())
    except OSError:
        return


def _is(pid: int, kind: str) -> bool:
    try:
        return kind in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


def _kill(pid: int, kind: str) -> bool:
    try:
        if _is(pid, kind):
            os.kill(pid, signal.SIGKILL)
            return True
    except ProcessLookupError:
        pass
    return False
