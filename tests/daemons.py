"""A daemon as the service starts it: a child process, everything relocated, with a notify socket that really listens.

Owns: starting, signalling and waiting for one, and a process that appends to a transcript as the client does. Leaves which home
and what must come out to the tests.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.command import extractord
from tests.homes import Home, Talk

QUICK = '[settle]\nidle = "2s"\nexited = "2s"\npending = "2s"\nlongest = "4s"\n[retry]\nfirst = "1s"\n'
PATIENCE = 60.0  # seconds for anything to happen on a busy machine
RULE = "From now on always run the linter before you commit."

# Appends line by line, each with one write(2) and the time of its writing.
_APPEND = """
import datetime, json, os, sys, time
os.makedirs(os.path.dirname(sys.argv[1]), exist_ok=True)
with open(sys.argv[1], "ab", buffering=0) as out:
    for line in sys.stdin.buffer:
        record = json.loads(line)
        record["timestamp"] = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        out.write(json.dumps(record, ensure_ascii=False).encode() + b"\\n")
        time.sleep(0.05)
"""


class Daemon:
    """A running ``extractord run``."""

    def __init__(self, home: Home, cwd: Path | None = None, before: tuple[str, ...] = (), **env: str) -> None:
        self.home = home
        self.heard: list[str] = []
        place = str(home.root / "notify")
        Path(place).unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(place)
        self._log = (home.root / "daemon.log").open("ab")
        self.process = subprocess.Popen(
            [*before, sys.executable, "-m", "extractord", "run"],
            env={**os.environ, **home.env(), "NOTIFY_SOCKET": place, **env},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )

    @property
    def log(self) -> str:
        return (self.home.root / "daemon.log").read_text()

    def hears(self, wanted: str) -> str:
        """Return the first notification that holds ``wanted``."""
        self._socket.settimeout(0.2)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for message in self.heard:
                if wanted in message:
                    return message
            assert self.process.poll() is None, self.log
            try:
                self.heard.append(self._socket.recv(4096).decode())
            except TimeoutError:
                continue
        raise AssertionError(f"{wanted} was not heard, only {self.heard}: {self.log}")

    def ready(self) -> Daemon:
        self.hears("READY=1")
        return self

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait(self, seconds: float = PATIENCE) -> int:
        return self.process.wait(seconds)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._socket.close()
        self._log.close()


@contextmanager
def daemon(home: Home, before: tuple[str, ...] = (), **env: str) -> Iterator[Daemon]:
    """Run a daemon for a block, behind ``before``, and wait until it says that it is ready."""
    running = Daemon(home, None, before, **env)
    try:
        yield running.ready()
    finally:
        running.close()


def until(what: Callable[[], object], told: Callable[[], object] = str, seconds: float = PATIENCE) -> None:
    """Wait until ``what`` holds."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, told()
        time.sleep(0.1)


def now_talking(home: Home, project: str, *said: str, session: str = "") -> Talk:
    """Return a session that takes place now, not written yet."""
    began = datetime.now(UTC) - timedelta(seconds=25)
    talk = Talk(home, home.project(project), session or f"aaaaaaaa-0000-4000-8000-{len(said):012d}", began)
    for one in said:
        talk.prompt(one, minutes=0)
        talk.now -= timedelta(seconds=20)
    return talk


def lines_of(talk: Talk) -> list[bytes]:
    return [json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in talk._records]


def appending(path: Path, lines: list[bytes], before: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
    """Start a process, behind ``before``, that appends lines to a transcript as the client does."""
    writer = subprocess.Popen([*before, sys.executable, "-c", _APPEND, str(path)], stdin=subprocess.PIPE)
    assert writer.stdin is not None
    writer.stdin.write(b"".join(lines))
    writer.stdin.close()
    return writer


def outcomes(home: Home) -> dict[str, str]:
    """Return the outcome of each known session."""
    return {line["session"]: line["outcome"] for line in extractord(home, "sessions", "--json").lines}
