"""Who holds a claim, and whether they still live.

Owns: telling one process from a later one with the same number. Leaves claims themselves to ``claims``.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import msgspec


class Owner(msgspec.Struct, frozen=True):
    """One open ledger in one process."""

    token: str  # of this opening of the ledger
    pid: int
    started: str  # tells the process from a later one of the same number; "" where the system does not say

    @classmethod
    def here(cls) -> Owner:
        return cls(os.urandom(8).hex(), os.getpid(), started_at(os.getpid()) or "")

    @property
    def lives(self) -> bool:
        """Whether the process still runs. One that cannot be told apart by its start (macOS) is judged by its number alone."""
        now = started_at(self.pid)
        if now is None:
            return _runs(self.pid)
        return now != "" and now == self.started


def started_at(pid: int) -> str | None:
    """Return when a process started: boot id and clock ticks since then (field 22 of ``/proc/<pid>/stat``, proc(5)).

    "" if it is dead (a zombie is), None where there is no ``/proc``.
    """
    if (boot := _boot_id()) is None:
        return None
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    fields = stat.rpartition(")")[2].split()  # the name before may hold spaces and parentheses
    return "" if fields[0] in "ZXx" else f"{boot}:{fields[19]}"


@cache
def _boot_id() -> str | None:
    """Ticks count from the boot, so that two boots may repeat them."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return None


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
