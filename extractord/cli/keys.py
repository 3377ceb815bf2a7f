"""Single keys of a terminal.

Owns: the terminal's mode while keys are read, so that no key typed ahead is lost, and giving it back. Leaves what a key means to
``deciding``.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
from collections.abc import Iterator

from extractord.errors import UsageError

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
        _give_back(self._fd, self._usual)
        try:
            yield
        finally:
            _take(self._fd)


@contextlib.contextmanager
def keys() -> Iterator[Keys]:
    """Take the terminal on standard input; Ctrl-C goes on interrupting."""
    fd = sys.stdin.fileno()
    usual = _take(fd)
    try:
        yield Keys(fd, usual)
    finally:
        _give_back(fd, usual)


if sys.platform == "win32":

    def _take(fd: int) -> list[object]:  # noqa: ARG001
        raise UsageError("keys cannot be read one by one on Windows", hint="`extractord review --accept ID` and `--reject ID` decide.")

    def _give_back(fd: int, usual: list[object]) -> None:
        """Nothing was taken."""

else:
    import termios
    import tty

    def _take(fd: int) -> list[object]:
        """Have single keys from now on; return how the terminal was."""
        usual: list[object] = [*termios.tcgetattr(fd)]
        tty.setcbreak(fd, termios.TCSADRAIN)
        return usual

    def _give_back(fd: int, usual: list[object]) -> None:
        termios.tcsetattr(fd, termios.TCSADRAIN, usual)  # type: ignore[arg-type]
