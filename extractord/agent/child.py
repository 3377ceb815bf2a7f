"""A child process of ours: how it is started, and what it gives up before it reads its first byte.

Owns: the command of a fresh interpreter that sees what this one can import and nothing else, and the first acts of such a
process. Leaves what it serves to its own module.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import extractord

OTHER_VERSION = 75  # exit status of a child that finds another version on the disk: sysexits.h, EX_TEMPFAIL
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38  # linux/prctl.h


def command_of(module: str) -> tuple[str, ...]:
    """Return the command that runs ``main(supervisor_pid)`` of ``module`` in a fresh interpreter.

    ``-I -S`` keep the environment, the user's site and ``.pth`` files out, ``-B`` compiled files from being written.
    """
    bootstrap = (
        "import json,sys;sys.path[:]=json.loads(sys.argv[1]);import extractord\n"
        f"if extractord.__version__!=sys.argv[3]:sys.exit({OTHER_VERSION})\n"
        f"from {module} import main;main(int(sys.argv[2]))"
    )
    package = str(Path(extractord.__file__).resolve().parent.parent)
    paths = [package, *(path for path in sys.path if path != package and Path(path).is_absolute())]
    return (sys.executable, "-I", "-S", "-B", "-c", bootstrap, json.dumps(paths), str(os.getpid()), extractord.__version__)


def give_up(bounds: Mapping[int, int]) -> None:
    """Bound what this process can take, by ``resource.RLIMIT_*``; it may not gain anything by running a program either."""
    for which, wanted in bounds.items():
        _, hard = resource.getrlimit(which)
        bound = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(which, (bound, bound))
    os.umask(0o077)


def die_with(supervisor_pid: int) -> None:
    """Have the kernel end this process when the thread that started it ends (Linux; elsewhere the closed pipe does, later)."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0)
    if os.getppid() != supervisor_pid:  # it ended before the line above
        os._exit(1)


def take_pipes() -> tuple[int, int]:
    """Return the supervisor's pipes; standard input and output become harmless, so that a stray print cannot break a frame."""
    pipes = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(null, fd)
    return pipes
