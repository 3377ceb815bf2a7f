"""One daemon per state folder.

Owns: the lock that says so, with the process id in it for those who look.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from extractord.durable import FileLock
from extractord.errors import BusyError
from extractord.report.status import LOCK_FILE, running_pid

_LOOK_SECONDS = 1.0  # who only looks whether a daemon runs holds the lock for an instant


@contextmanager
def only_daemon(state: Path) -> Iterator[None]:
    """Be the only daemon of a state folder for a block. Raises BusyError that names the process that is it already."""
    lock = FileLock(state / LOCK_FILE)
    try:
        lock.acquire(_LOOK_SECONDS)
    except BusyError:
        hint = "`extractord status` tells how it is; end it first, or name another folder in EXTRACTORD_STATE_DIR"
        raise BusyError(f"a daemon runs on {state} already: {_who(state)}", hint=hint) from None
    try:
        lock.path.write_text(f"{os.getpid()}\n")
        yield
    finally:
        with suppress(FileNotFoundError):  # somebody removed the state folder
            lock.path.write_text("")
        lock.release()


def _who(state: Path) -> str:
    for _ in range(10):  # it writes its number right after it took the lock
        if (pid := running_pid(state)) is not None:
            return f"pid {pid}"
        time.sleep(0.05)
    return "it is just starting"
