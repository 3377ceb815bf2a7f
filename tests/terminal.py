"""A command run with a terminal on every side, what is typed given beforehand.

Owns: the terminal. Leaves what is typed and what must be shown to the tests.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from collections.abc import Mapping

from tests.command import COMMAND_SECONDS, Place


def on_terminal(place: Place, *argv: str, typed: str, env: Mapping[str, str] = {}) -> tuple[int, str]:
    """Run ``extractord argv``; return its exit status and what was shown."""
    ours, theirs = pty.openpty()
    environ = {**os.environ, **place.env(), "TERM": "dumb", **env}
    command = subprocess.Popen([sys.executable, "-m", "extractord", *argv], stdin=theirs, stdout=theirs, stderr=theirs, env=environ)
    os.close(theirs)
    shown: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(ours, shown))
    reader.start()
    os.write(ours, typed.encode())
    status = command.wait(COMMAND_SECONDS)
    reader.join()
    os.close(ours)
    return status, b"".join(shown).decode("utf-8", "replace")


def _read_all(fd: int, into: list[bytes]) -> None:
    try:
        while piece := os.read(fd, 65536):
            into.append(piece)
    except OSError:
        return  # Linux says EIO where the other end is closed
