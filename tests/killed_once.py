"""A ``once`` that ends itself, as kill -9 does, at a step of its own choosing. Run as a program by the kill tests.

    python -m tests.killed_once count ROOT              runs to its end, prints the names of all steps
    python -m tests.killed_once kill PREFIX N…          for each n a process that dies at step n of a run on PREFIXn
    python -m tests.killed_once finish PREFIX N…        for each n an undisturbed run on PREFIXn, several at once

Steps are the memory directory's own, and the boundaries of every call that writes the ledger. Owns: where a process can be
killed. Leaves what must hold afterwards to the tests.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from extractord.claude_home import Surroundings
from extractord.config import Locations, load
from extractord.extraction.plan import Scope, look
from extractord.extraction.sweep import sweep
from extractord.ledger import Ledger
from extractord.supervisor import FixedClock, Supervisor
from tests.homes import Home

AT_ONCE = 6  # most of the time is waiting for the two seconds after which a spare is looked at again
WRITING = (
    "claim",
    "release",
    "prepare",
    "applied",
    "hold",
    "finish",
    "note_backup",
    "note_sighting",
    "bury",
    "reject",
    "spares_settled",
    "conflicted_late",
)


class Steps:
    """Counts steps, and kills the process at the ``at``-th."""

    def __init__(self, at: int = 0) -> None:
        self.at, self.names = at, [""][:0]

    def __call__(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


class SteppedLedger(Ledger):
    """A ledger that announces what it is about to write, and what it has written."""

    steps: Steps = Steps()

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        return self._announced(name, found) if name in WRITING else found

    def _announced(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            self.steps(f"before {name}")
            result = method(*args, **named)
            self.steps(f"after {name}")
            return result

        return call


def run(root: Path, steps: Steps, wall: Callable[[], float] = time.time) -> None:
    """Do what ``once`` does on the home at ``root``, announcing each step."""
    with supervising(root, steps, wall) as supervisor:
        for _ in sweep(supervisor, Scope(), look(supervisor, Scope())):
            pass


@contextmanager
def supervising(root: Path, steps: Steps, wall: Callable[[], float] = time.time) -> Iterator[Supervisor]:
    """Open what a command works with on the home at ``root``."""
    environ = {**os.environ, **Home(root).env()}
    locations = Locations(root / "config.toml", root / "state", root / "credentials")
    with SteppedLedger.open(locations.state, wall) as ledger:
        ledger.steps = steps
        surroundings = Surroundings(environ=environ, home=root)
        clock = FixedClock(datetime.fromtimestamp(wall(), UTC))
        yield Supervisor(ledger, load(locations.config_file, environ), surroundings, locations, clock, wall, step=steps)


def main(argv: list[str]) -> None:
    match argv:
        case ["count", root]:
            steps = Steps()
            run(Path(root), steps)
            print("\n".join(steps.names))
        case ["kill", prefix, *numbers]:
            for at in map(int, numbers):
                child = os.fork()
                if child == 0:
                    run(Path(f"{prefix}{at}"), Steps(at))
                    os._exit(3)
                _, status = os.waitpid(child, 0)
                print(at, -os.waitstatus_to_exitcode(status), flush=True)
        case ["finish", prefix, *numbers]:
            running: set[int] = set()
            for at in map(int, numbers):
                running -= {_ended() for _ in range(len(running) - AT_ONCE + 1)}
                child = os.fork()
                if child == 0:
                    run(Path(f"{prefix}{at}"), Steps())
                    os._exit(0)
                running.add(child)
            for _ in running:
                _ended()
        case _:
            sys.exit(2)


def _ended() -> int:
    child, status = os.wait()
    if status:
        sys.exit("a run that was not to be disturbed failed")
    return child


if __name__ == "__main__":
    main(sys.argv[1:])
