"""Files on Linux and macOS.

Owns: the calls by which one file is opened, read, timed, locked and made to last. Leaves what is done below a folder that is held open
to ``posix_folders``, what is written to whom it belongs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from extractord.system.unsupported import UNSUPPORTED

assert sys.platform != "win32"

import fcntl  # noqa: E402 - not on Windows

O_DIRECTORY, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK = os.O_DIRECTORY, os.O_NOCTTY, os.O_NOFOLLOW, os.O_NONBLOCK


def open_path(path: str | Path, flags: int, mode: int = 0o600) -> int:
    """Open ``path`` and return the descriptor, never inherited."""
    return os.open(path, flags | os.O_CLOEXEC, mode)


def entry_status(entry: os.DirEntry[str]) -> os.stat_result:
    """Return what is there by that name, a link itself."""
    return entry.stat(follow_symlinks=False)


def read_at(fd: int, size: int, offset: int) -> bytes:
    """Return at most ``size`` bytes from ``offset`` on."""
    return os.pread(fd, size, offset)


def set_mode(fd: int, mode: int) -> None:
    """Give an open file these permissions, whatever the umask says."""
    os.fchmod(fd, mode)


def set_time(fd: int, mtime_ns: int) -> None:
    """Give an open file this time, nanoseconds since the epoch."""
    os.utime(fd, ns=(mtime_ns, mtime_ns))


def changed_at(fd: int, status: os.stat_result) -> float:  # noqa: ARG001 - the same on each system
    """Return when name or content of an open file with this status last changed, seconds since the epoch."""
    return status.st_ctime


def replace(source: Path, target: Path) -> None:
    """Rename over what is at ``target``."""
    source.replace(target)


def sync_folder(folder: Path | int) -> None:
    """Make the names in a folder (path or descriptor) last; file systems that cannot are taken as they are."""
    fd = folder if isinstance(folder, int) else os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
    finally:
        if not isinstance(folder, int):
            os.close(fd)


def try_lock(fd: int) -> None:
    """Take the exclusive lock of an open file, until it is closed. Raises BlockingIOError if another has any."""
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def try_lock_shared(fd: int) -> None:
    """Take the lock that many may have, until the file is closed. Raises BlockingIOError if another has the exclusive one."""
    fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)


def lock_shared(fd: int) -> None:
    """Wait for the lock that many may have."""
    fcntl.flock(fd, fcntl.LOCK_SH)


def share_lock(fd: int) -> None:
    """Let others have the lock too that only this descriptor had."""
    fcntl.flock(fd, fcntl.LOCK_SH)
