"""Folders that are held open: opening one, and whether two files in it can change places.

Owns: these two. Leaves what is done in an open folder to ``system.folders``, writing and locks to ``durable``.
"""

from __future__ import annotations

import contextlib
import enum
import os
from collections.abc import Iterator
from pathlib import Path

from extractord.system.files import O_DIRECTORY, O_NOFOLLOW, open_path
from extractord.system.folders import rename_exchange
from extractord.system.unsupported import UnsupportedError


class ExchangeSupport(enum.Enum):
    """How two files can change places in a folder."""

    ATOMIC = "atomic exchange"
    COMPARE = "compare, then rename"


@contextlib.contextmanager
def open_folder(path: Path) -> Iterator[int]:
    """Give a descriptor of the folder at ``path`` for a block; a link in its place is refused (OSError)."""
    fd = open_path(path, os.O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    try:
        yield fd
    finally:
        os.close(fd)


def exchange_support(folder: Path) -> ExchangeSupport:
    """Find out by trying, in a passing folder of our own inside ``folder``. Raises OSError if nothing can be written there."""
    probe = folder / f".extractord-probe-{os.urandom(6).hex()}"
    probe.mkdir(mode=0o700)
    try:
        for name in "ab":
            (probe / name).write_text(name)
        with open_folder(probe) as fd:
            rename_exchange(fd, "a", fd, "b")
        return ExchangeSupport.ATOMIC if (probe / "a").read_text() == "b" else ExchangeSupport.COMPARE
    except UnsupportedError:
        return ExchangeSupport.COMPARE
    finally:
        for name in "ab":
            (probe / name).unlink(missing_ok=True)
        probe.rmdir()
