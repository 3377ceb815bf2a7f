"""What is at a name below a memory directory, looked at without trusting it.

Owns: one look that follows no link, waits for nothing and reads no huge file, and opening the folder that a name lies in. Leaves
changing what is there to ``exchange`` and ``folders``.
"""

from __future__ import annotations

import contextlib
import errno
import os
import posixpath
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from extractord.system.files import O_DIRECTORY, O_NONBLOCK, changed_at
from extractord.system.folders import open_beneath

READ_BYTES = 4_000_000  # more is no topic and no index: never equal to what we know


@dataclass(frozen=True, slots=True)
class Found:
    """What is at a name. ``data`` is None if nothing is there, or nothing that is read: a link, a pipe, a huge file."""

    exists: bool
    data: bytes | None = None
    mtime_ns: int | None = None
    ctime: float = 0.0  # of the last change of name or content, seconds since the epoch
    mode: int = 0o600

    def holds(self, data: bytes | None) -> bool:
        """Whether the file is in this state (None: not there)."""
        return not self.exists if data is None else self.exists and self.data == data


def text_of(found: Found) -> str | None:
    """Return a file's text, None if there is none or it is no UTF-8."""
    try:
        return None if found.data is None else found.data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def look(root: int, relative: str) -> Found:
    """Return what is at a name below an open folder; no link is followed, nothing blocks. Raises OSError if it may not be read."""
    try:
        fd = open_beneath(root, relative, os.O_RDONLY | O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENOENT:
            return Found(exists=False)
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EXDEV, errno.ENOTDIR):
            return Found(exists=True)
        raise
    try:
        status = os.fstat(fd)
        readable = stat.S_ISREG(status.st_mode) and status.st_size <= READ_BYTES
        data = _read(fd) if readable else None
        return Found(True, data, status.st_mtime_ns, changed_at(fd, status), stat.S_IMODE(status.st_mode))
    finally:
        os.close(fd)


@contextlib.contextmanager
def folder_of(root: int, relative: str) -> Iterator[int]:
    """Open the folder that a name lies in, below an open folder. OSError where it is gone, or a link or a file is on the way."""
    fd = open_beneath(root, posixpath.dirname(relative) or ".", os.O_RDONLY | O_DIRECTORY)
    try:
        yield fd
    finally:
        os.close(fd)


def _read(fd: int) -> bytes | None:
    pieces: list[bytes] = []
    left = READ_BYTES + 1
    while left > 0 and (piece := os.read(fd, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces) if left > 0 else None
