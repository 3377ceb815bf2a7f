"""Files that survive a crash and are never half there, and locks between processes.

Owns: atomic writes and file locks. Leaves renames and opening within a folder that is held open to ``open_folders``, what is
written to whom it belongs.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from extractord.errors import BusyError

UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
"""What a system or a file system says of a call that it does not have."""
_LOCK_POLL_SECONDS = 0.05


def write_atomically(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Make ``path`` hold ``data``: at any moment, also after a crash, it is the old file or the new one, whole.

    The folder must be there. Raises OSError.
    """
    temp = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")  # ``secrets`` would load OpenSSL
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            os.fchmod(fd, mode)
            file.write(data)
            file.flush()
            os.fsync(fd)
        temp.replace(path)
    except BaseException:
        temp.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


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


def make_private_folder(folder: Path) -> None:
    """Make ``folder`` and what is missing above it, each 0700."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)


# --- locks ---------------------------------------------------------------------------------------------------------------


class FileLock:
    """A lock between processes (flock) on a file of its own, which stays. Ends with the process, however that ends.

    Two ``FileLock`` on one path exclude each other within a process too.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    @property
    def held(self) -> bool:
        return self._fd is not None

    def acquire(self, wait_seconds: float = 0.0) -> None:
        """Take the lock, trying for ``wait_seconds``; raises BusyError if another has it for longer."""
        if self._fd is not None:
            raise BusyError(f"{self.path.name} is already held here")
        make_private_folder(self.path.parent)
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            self._wait(fd, time.monotonic() + wait_seconds)
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd

    def _wait(self, fd: int, until: float) -> None:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise BusyError(f"another process holds {self.path}", hint="Try again when it is done.") from None
                time.sleep(_LOCK_POLL_SECONDS)
            else:
                return

    def release(self) -> None:
        """Give the lock up; without effect if it is not held."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    @contextlib.contextmanager
    def hold(self, wait_seconds: float = 0.0) -> Iterator[None]:
        """Hold the lock for a block."""
        self.acquire(wait_seconds)
        try:
            yield
        finally:
            self.release()
