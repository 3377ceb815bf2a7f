"""Single keys of a terminal.

Owns: the terminal's mode while keys are read, so that no key typed ahead is lost, and giving it back. Leaves what a key means to
``deciding``.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import tty
from collections.abc import Iterator

END = ""  # nothing more comes: the terminal is gone, or Ctrl-D
_ESCAPE = b"\x1b"


class Keys:
    """The keys typed on standard input, one at a time, from ``keys`` on."""

    def __init__(self, fd: int, usual: list[object]) -> None:
        self._fd, self._usual = fd, usual

    def next(self) -> str:
        """Wait for a key and return it in small letters, arrows and the like as an escape; END when no more can come."""
        key = os.read(self._fd, 1)
        if key == _ESCAPE:
            while select.select([self._fd], [], [], 0.02)[0] and os.read(self._fd, 1):
                pass
        return END if key in (b"", b"\x04") else key.decode("utf-8", "replace").lower()

    @contextlib.contextmanager
    def given_back(self) -> Iterator[None]:
        """Let another program have the terminal as it was."""
        termios.tcsetattr(self._fd, termios.TCSADRAIN, self._usual)  # type: ignore[arg-type]
        try:
            yield
        finally:
            tty.setcbreak(self._fd, termios.TCSADRAIN)


@contextlib.contextmanager
def keys() -> Iterator[Keys]:
    """Take the terminal on standard input; Ctrl-C goes on interrupting."""
    fd = sys.stdin.fileno()
    usual = termios.tcgetattr(fd)
    tty.setcbreak(fd, termios.TCSADRAIN)
    try:
        yield Keys(fd, usual)
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, usual)
