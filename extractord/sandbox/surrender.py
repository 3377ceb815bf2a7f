"""What a fresh process of ours gives up whatever the kernel has: resources, privileges, outliving whoever started it.

Owns: these acts. Leaves files, ports and system calls to ``confining``.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Mapping

from extractord.sandbox import libc

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38  # linux/prctl.h


def bound(bounds: Mapping[int, int]) -> None:
    """Bound what this process and its children can take, by ``resource.RLIMIT_*``; a bound that is lower already stays."""
    for which, wanted in bounds.items():
        _, hard = resource.getrlimit(which)
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(which, (value, value))
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
