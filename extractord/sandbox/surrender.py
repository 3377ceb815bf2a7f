"""What a fresh process of ours gives up whatever the kernel has: resources, privileges, outliving whoever started it.

Owns: these acts. Leaves files, ports and system calls to ``confining``.
"""

from __future__ import annotations

import os
import signal
import sys

from extractord.sandbox import libc
from extractord.system import processes
from extractord.system.bounds import Bounds

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38  # linux/prctl.h


def bound(bounds: Bounds) -> None:
    """Bound what this process and its children can take; a bound that is lower already stays."""
    processes.bound(bounds)
    os.umask(0o077)


def gain_nothing() -> None:
    """Gain no privileges by running a program, from now on (Linux)."""
    if sys.platform == "linux":
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1)


def hide() -> None:
    """Let nobody of the same user look into this process (Linux)."""
    if sys.platform == "linux":
        libc.prctl(_PR_SET_DUMPABLE, 0)


def die_with(parent: int) -> None:
    """Have the kernel end this process when the thread that started it ends (Linux; elsewhere the closed pipe does, later)."""
    if sys.platform == "linux":
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the line above
        os._exit(1)
