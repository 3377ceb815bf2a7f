"""Our own children, and pipes to them, on Windows.

Owns: a job for each child, by which it starts no other process, takes no more memory than it may, and ends when its supervisor does,
however that ends; and pipes that wait no longer than they are told. Leaves what is said over a pipe to ``agent.frames``, when a child
has to end to whoever started it.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from ctypes import wintypes

from extractord.system.bounds import Bounds

assert sys.platform == "win32"

import msvcrt  # noqa: E402 - on Windows only

from extractord.system import windows_calls as calls  # noqa: E402

# In a virtual environment ``sys.executable`` only starts the real one, which would be a second process, and not our child.
PYTHON = getattr(sys, "_base_executable", "") or sys.executable

_MEMORY = 2 << 30
_LONGEST_PAUSE = 0.02  # seconds between two looks at a pipe


def needed_environment() -> dict[str, str]:
    """Return what every program needs of this process's environment: where Windows lies."""
    return {name: os.environ[name] for name in ("SYSTEMROOT", "SYSTEMDRIVE") if name in os.environ}


def start(command: Sequence[str], environment: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], Callable[[], None]]:
    """Start a child with pipes and no other handle; return it and what ends it. Raises OSError."""
    job = calls.bounded_job(_MEMORY)
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a traceback may hold transcript text
            env=environment,
            cwd=os.environ.get("SYSTEMROOT", "/"),
            close_fds=True,
            creationflags=subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP,
        )
    except OSError:
        calls.close_handle(job)
        raise
    if not calls.assign_to_job(job, int(process._handle)):  # type: ignore[attr-defined]
        failure = calls.failure()
        process.kill()
        process.wait()
        calls.close_handle(job)
        raise failure
    return process, functools.partial(_end, [job])


def _end(jobs: list[int]) -> None:
    """End the job, once."""
    try:
        job = jobs.pop()
    except IndexError:
        return
    calls.end_job(job, 1)
    calls.close_handle(job)


def bound(bounds: Bounds) -> None:
    """The job that a child is started in bounds its memory; the rest has no like here but the supervisor's deadline."""


# --- pipes


def use_pipe(fd: int) -> None:
    """Make an end of a pipe ready for ``send`` or ``receive``."""
    msvcrt.setmode(fd, os.O_BINARY)


def send(fd: int, data: memoryview, seconds: float | None) -> int:
    """Write some of ``data``, waiting for room at most ``seconds``; return how much, maybe 0. Raises TimeoutError, BrokenPipeError.

    A pipe here cannot tell whether it has room: a thread of its own writes where there is a limit. After a TimeoutError it ends with
    the child, whose end closes the pipe.
    """
    if seconds is None:
        return _written(fd, bytes(data))
    outcome: list[int | BrokenPipeError] = []

    def write() -> None:
        try:
            outcome.append(_written(fd, bytes(data)))
        except BrokenPipeError as error:
            outcome.append(error)

    writing = threading.Thread(target=write, daemon=True)
    writing.start()
    writing.join(seconds)
    match outcome:
        case [int(size)]:
            return size
        case [BrokenPipeError() as error]:
            raise error
        case _:
            raise TimeoutError


def _written(fd: int, data: bytes) -> int:
    try:
        return os.write(fd, data)
    except OSError as error:
        if error.errno in (errno.EPIPE, errno.EINVAL, errno.EBADF):  # what a pipe says that nobody reads any more, or that was closed
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)) from error
        raise


def receive(fd: int, size: int, seconds: float | None) -> bytes | None:
    """Read at most ``size`` bytes, waiting for one at most ``seconds``; b"" at the end, None: look again. Raises TimeoutError."""
    until = None if seconds is None else time.monotonic() + seconds
    pause = 0.0005
    while until is not None and _waiting(fd) == 0:
        if time.monotonic() >= until:
            raise TimeoutError
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
    return os.read(fd, size)


def _waiting(fd: int) -> int | None:
    """Return how many bytes can be read at once, None where the other side is gone."""
    there = wintypes.DWORD()
    return there.value if calls.peek_pipe(msvcrt.get_osfhandle(fd), None, 0, None, ctypes.byref(there), None) else None
