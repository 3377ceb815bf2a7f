"""Which process a number belongs to, on Windows."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

assert sys.platform == "win32"

from extractord.system import windows_calls as calls  # noqa: E402 - on Windows only

_LARGEST = 0xFFFFFFFF


def started_at(pid: int) -> str | None:
    """Return when a process started, in Windows' own time; "" if it is dead, None where that may not be asked."""
    with _opened(pid) as process:
        if process is None:
            return None if runs(pid) else ""
        if calls.wait_for(process, 0) != calls.WAIT_TIMEOUT:
            return ""
        times = [ctypes.c_uint64() for _ in range(4)]  # created, ended, in the kernel, in the program
        return str(times[0].value) if calls.process_times(process, *map(ctypes.byref, times)) else None


def runs(pid: int) -> bool:
    """Whether there is a process of that number, also somebody else's."""
    with _opened(pid) as process:
        if process is None:
            return 0 < pid <= _LARGEST and ctypes.get_last_error() == calls.ACCESS_DENIED
        return bool(calls.wait_for(process, 0) == calls.WAIT_TIMEOUT)


@contextmanager
def _opened(pid: int) -> Iterator[int | None]:
    handle = calls.open_process(calls.PROCESS_QUERY | calls.PROCESS_WAIT, False, pid) if 0 < pid <= _LARGEST else None
    try:
        yield handle
    finally:
        if handle:
            calls.close_handle(handle)
