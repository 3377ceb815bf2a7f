"""Our own children, and pipes to them, on Linux and macOS.

Owns: a group of its own for each child that ends as a whole, bounds by ``setrlimit``, and pipes that wait no longer than they are
told. Leaves what is said over a pipe to ``agent.frames``, when a child has to end to whoever started it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

from extractord.system.bounds import Bounds

assert sys.platform != "win32"

import resource  # noqa: E402 - not on Windows

PYTHON = sys.executable


def needed_environment() -> dict[str, str]:
    """Return what every program needs of this process's environment: nothing."""
    return {}


def start(command: Sequence[str], environment: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], Callable[[], None]]:
    """Start a child with pipes and no other descriptor; return it and what ends it with all that it started. Raises OSError."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a traceback may hold transcript text
        env=environment,
        cwd="/",
        close_fds=True,
        start_new_session=True,
    )
    return process, functools.partial(_end_group, process.pid)


def _end_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS says EPERM of a group that has just ended
        os.killpg(pid, signal.SIGKILL)


def bound(bounds: Bounds) -> None:
    """Bound what this process and its children can take; a bound that is lower already stays. macOS does not enforce memory."""
    wanted = {
        resource.RLIMIT_CPU: bounds.cpu_seconds,
        resource.RLIMIT_FSIZE: bounds.file_bytes,
        resource.RLIMIT_NOFILE: bounds.open_files,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_AS: bounds.memory,
    }
    for which, most in wanted.items():
        if most is not None:
            _, hard = resource.getrlimit(which)
            value = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(which, (value, value))


# --- pipes


def use_pipe(fd: int) -> None:
    """Make an end of a pipe ready for ``send`` or ``receive``."""
    os.set_blocking(fd, False)


def send(fd: int, data: memoryview, seconds: float | None) -> int:
    """Write some of ``data``, waiting for room at most ``seconds``; return how much, maybe 0. Raises TimeoutError, BrokenPipeError."""
    _wait(fd, select.POLLOUT, seconds)
    try:
        return os.write(fd, data)
    except BlockingIOError:
        return 0


def receive(fd: int, size: int, seconds: float | None) -> bytes | None:
    """Read at most ``size`` bytes, waiting for one at most ``seconds``; b"" at the end, None: look again. Raises TimeoutError."""
    _wait(fd, select.POLLIN, seconds)
    try:
        return os.read(fd, size)
    except BlockingIOError:
        return None


def _wait(fd: int, event: int, seconds: float | None) -> None:
    poll = select.poll()
    poll.register(fd, event)
    if not poll.poll(None if seconds is None else seconds * 1000 + 1):
        raise TimeoutError
