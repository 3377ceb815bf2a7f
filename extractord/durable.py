"""Files that survive a crash and are never half there, and locks between processes.

Owns: atomic writes and file locks. Leaves renames and opening within a folder that is held open to ``open_folders``, what is
written to whom it belongs.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from extractord.errors import BusyError
from extractord.system.files import O_NOFOLLOW, open_path, replace, set_mode, sync_folder, try_lock

_LOCK_POLL_SECONDS = 0.05


def write_atomically(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Make ``path`` hold ``data``: at any moment, also after a crash, it is the old file or the new one, whole.

    The folder must be there. Raises OSError.
    """
    temp = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")  # ``secrets`` would load OpenSSL
    fd = open_path(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | O_NOFOLLOW, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            set_mode(fd, mode)
            file.write(data)
            file.flush()
            os.fsync(fd)
        replace(temp, path)
    except BaseException:
        temp.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


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
        fd = open_path(self.path, os.O_RDWR | os.O_CREAT | O_NOFOLLOW)
        try:
            self._wait(fd, time.monotonic() + wait_seconds)
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd

    def _wait(self, fd: int, until: float) -> None:
        while True:
            try:
                try_lock(fd)
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
