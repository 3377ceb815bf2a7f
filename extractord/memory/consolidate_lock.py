"""The client's lock on consolidation, a file in the memory directory: its time is that of the last run, its body the holder's pid.

Owns: reading it, taking it, and giving it back as it was. Both programs keep to it, so that only one of them consolidates, and the
other then counts from that run. Leaves when to consolidate to ``consolidation.due``.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from extractord.errors import MemoryDirectoryError
from extractord.open_folders import open_folder
from extractord.system.files import O_NONBLOCK, set_time
from extractord.system.folders import open_beneath, remove_at
from extractord.system.pids import runs

NAME = ".consolidate-lock"
STALE_SECONDS = 3600.0  # MEMORY-RULES §10: a holder that has not finished by then is taken for dead
_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class LockSeen:
    """The lock as it lies there. ``mtime_ns`` is None where there is none, ``pid`` where nobody is named in it."""

    mtime_ns: int | None = None
    pid: int | None = None

    @property
    def last_run(self) -> float | None:
        """When the last consolidation began, seconds since the epoch."""
        return None if self.mtime_ns is None else self.mtime_ns / _NS


def is_held(seen: LockSeen, now: float) -> bool:
    """Whether another living process consolidates; one that has held the lock for an hour counts as dead."""
    if seen.pid is None or seen.pid == os.getpid() or seen.last_run is None:
        return False
    return abs(now - seen.last_run) < STALE_SECONDS and runs(seen.pid)


def look(directory: Path) -> LockSeen:
    """Return the lock of the memory directory at ``directory`` (a real path). Raises MemoryDirectoryError."""
    try:
        with open_folder(directory) as root:
            return _read(root)
    except FileNotFoundError:
        return LockSeen()
    except OSError as error:
        raise _unusable(directory, error) from error


def take(directory: Path, now: float) -> LockSeen | None:
    """Take the lock and return what it was before; None if somebody else has it. Raises MemoryDirectoryError."""
    try:
        with open_folder(directory) as root:
            before = _read(root)
            if is_held(before, now):
                return None
            _write(root, str(os.getpid()), int(now * _NS))
            # Two that found it stale at the same time: the one whose pid stands there has it.
            return before if _read(root).pid == os.getpid() else None
    except OSError as error:
        raise _unusable(directory, error) from error


def keep(directory: Path, since: float) -> None:
    """Give the lock back after a run that began at ``since``: that is the last one from now on."""
    _where_ours(directory, lambda root: _write(root, "", int(since * _NS)))


def give_back(directory: Path, before: LockSeen) -> None:
    """Give the lock back after a run that came to nothing: as it was."""
    _where_ours(directory, lambda root: _put_back(root, before))


def _put_back(root: int, before: LockSeen) -> None:
    if before.mtime_ns is None:
        remove_at(root, NAME)
    else:
        _write(root, "", before.mtime_ns)


def _where_ours(directory: Path, act: Callable[[int], None]) -> None:
    """Do something to a lock that is ours, or a dead process's; one that somebody else holds by now is left."""
    try:
        with open_folder(directory) as root:
            seen = _read(root)
            if seen.pid is not None and (seen.pid == os.getpid() or not runs(seen.pid)):
                act(root)
    except FileNotFoundError:
        return  # the memory directory was removed meanwhile
    except OSError as error:
        raise _unusable(directory, error) from error


def _read(root: int) -> LockSeen:
    try:
        fd = open_beneath(root, NAME, os.O_RDONLY | O_NONBLOCK)
    except FileNotFoundError:
        return LockSeen()
    with os.fdopen(fd, "rb") as file:
        named = re.match(rb"\s*(\d{1,10})\b", file.read(64))
        return LockSeen(os.fstat(fd).st_mtime_ns, int(named[1]) if named else None)


def _write(root: int, body: str, mtime_ns: int) -> None:
    fd = open_beneath(root, NAME, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | O_NONBLOCK)
    with os.fdopen(fd, "wb") as file:
        file.write(body.encode())
        file.flush()
        set_time(fd, mtime_ns)


def _unusable(directory: Path, error: OSError) -> MemoryDirectoryError:
    what = "is a link" if error.errno == errno.ELOOP else f"cannot be used: {error.strerror or error}"
    return MemoryDirectoryError(f"{directory / NAME} {what}", hint="It is the client's file: a plain one, or none.")
