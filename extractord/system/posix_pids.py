"""Which process a number belongs to, on Linux and macOS."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path


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


def runs(pid: int) -> bool:
    """Whether there is a process of that number, also somebody else's."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
