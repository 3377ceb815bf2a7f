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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.homes import Home

ENDING = 60.0  # seconds that a daemon gets to end when it is told to, on a busy machine
WATCH = 20.0  # seconds in which a child has to show itself while there is work, or else the daemon is killed
BETWEEN = 1.0  # seconds between two looks whether there is work
KINDS = {"worker": "extractord.agent.worker", "model process": "extractord.agent.model_process"}
OFFLINE = ("kill -9", "SIGTERM", "worker", "worker", "worker")
WITH_MODEL = ("kill -9", "SIGTERM", "worker", "model process", "model process", "model process")


@dataclass
class Killed:
    """A daemon of one home and what was done to it."""

    home: Home
    chance: random.Random
    env: dict[str, str] = field(default_factory=dict)
    choices: tuple[str, ...] = OFFLINE
    kills: Counter[str] = field(default_factory=Counter)
    process: subprocess.Popen[bytes] | None = None
    dirty_ends: list[str] = field(default_factory=list)
    _aims: list[str] = field(default_factory=list)

    def start(self) -> subprocess.Popen[bytes]:
        """Start a daemon unless one runs. A second one is never started beside it, and none ends by itself."""
        if self.process is not None and self.process.poll() is not None:
            self._ended(self.process, ())
        if self.process is None:
            with (self.home.root / "daemon.log").open("ab") as log:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "extractord", "run"],
                    env={**os.environ, **self.home.env(), **self.env},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
        return self.process

    def strike(self, is_over: Callable[[], bool]) -> bool:
        """Kill something of a running daemon at a random moment, and return whether there was work; with none nothing is killed.

        What is aimed at may not show itself, then the daemon is killed.
        """
        daemon = self.start()
        if not self._aims:
            self._aims = self.chance.sample(self.choices, len(self.choices))
        aimed = self._aims.pop()
        if aimed not in KINDS and self.chance.random() < 0.4:
            time.sleep(self.chance.uniform(0.1, 2.0))
        elif aimed not in KINDS:
            self._caught(daemon, "worker", is_over, None)
        elif self._caught(daemon, aimed, is_over, self.chance.choice((signal.SIGKILL, signal.SIGTERM))):
            self.kills[aimed] += 1
            return True
        if is_over():
            return False
        if aimed == "SIGTERM":
            self.kills["SIGTERM"] += self._told_to_end(daemon)
        else:
            daemon.kill()
            self.kills["kill -9"] += self._ended(daemon, (-signal.SIGKILL,))
        return True

    def _caught(self, daemon: subprocess.Popen[bytes], kind: str, is_over: Callable[[], bool], number: signal.Signals | None) -> bool:
        """Wait for a child and a random moment of its life, and send it a signal, if any; one that was quicker is let go."""
        end = time.monotonic() + WATCH
        look = time.monotonic() + BETWEEN
        while (now := time.monotonic()) < end and daemon.poll() is None:
            for child in _children(daemon.pid):
                if _is(child, KINDS[kind]):
                    time.sleep(self.chance.uniform(0, 0.4) * self.chance.random())
                    if number is None or _kill(child, KINDS[kind], number):
                        return True
            if now > look:
                look = now + BETWEEN
                if is_over():
                    return False
            time.sleep(0.02)
        return False

    def stop(self) -> None:
        if self.process is not None:
            self._told_to_end(self.process)

    def _told_to_end(self, daemon: subprocess.Popen[bytes]) -> bool:
        """Send SIGTERM: it ends in order, or by the signal if it had not yet begun to heed it."""
        allowed = (0,) if _heeds(daemon.pid, signal.SIGTERM) else (0, -signal.SIGTERM)
        daemon.terminate()
        return self._ended(daemon, allowed)

    def _ended(self, daemon: subprocess.Popen[bytes], allowed: tuple[int, ...]) -> bool:
        """Return whether a daemon that is no more ended as it was to."""
        status = daemon.wait(ENDING)
        self.process = None
        if status not in allowed:
            self.dirty_ends.append(f"the daemon ended with {status}, allowed: {allowed}")
        return status in allowed


def _heeds(pid: int, number: int) -> bool:
    """Whether a process has a handler for a signal."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    (caught,) = (int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(caught >> (number - 1) & 1)


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


def _kill(pid: int, kind: str, number: signal.Signals) -> bool:
    try:
        if _is(pid, kind):
            os.kill(pid, number)
            return True
    except ProcessLookupError:
        pass
    return False
