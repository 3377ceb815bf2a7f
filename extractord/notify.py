"""Telling a service supervisor how the daemon is: the datagrams of sd_notify(3).

Owns: socket addresses and messages. Leaves when something is said to ``daemon``. Without ``NOTIFY_SOCKET`` nothing is said.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass

STATUS_LENGTH = 200  # characters; systemctl shows one line


@dataclass(frozen=True, slots=True)
class Notifier:
    """Where a service supervisor listens (None: there is none), and how often it wants a sign of life."""

    address: str | None = None
    watchdog_seconds: float | None = None  # half of what is allowed to pass, as sd_watchdog_enabled(3) advises

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Notifier:
        """Read the variables that systemd sets; a watchdog that is meant for another process is not ours."""
        named = environ.get("NOTIFY_SOCKET", "")
        address = named if named.startswith(("/", "@")) and len(named) > 1 else None
        usec = environ.get("WATCHDOG_USEC", "")
        ours = environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        wanted = int(usec) / 2e6 if address and ours and usec.isdecimal() and int(usec) > 0 else None
        return cls(address, wanted)

    def ready(self, status: str) -> None:
        """Say that the daemon watches."""
        self._say(f"READY=1\n{_status(status)}")

    def status(self, status: str) -> None:
        """Say in a line what is going on."""
        self._say(_status(status))

    def alive(self) -> None:
        """Answer the watchdog."""
        self._say("WATCHDOG=1")

    def stopping(self) -> None:
        """Say that the daemon ends now."""
        self._say("STOPPING=1\nSTATUS=stopping")

    def _say(self, message: str) -> None:
        if self.address is None or sys.platform == "win32":
            return
        abstract = self.address.startswith("@")
        place = "\0" + self.address[1:] if abstract else self.address
        # Whoever listened may be gone, or slow: the daemon's work does not depend on being heard.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
            out.setblocking(False)
            out.sendto(message.encode("utf-8", "replace"), place)


def _status(text: str) -> str:
    return f"STATUS={' '.join(text.split())[:STATUS_LENGTH]}"
