"""Windows' own calls, declared: what ``windows_files`` and ``windows_processes`` are made of.

Owns: names, numbers and records of kernel32 (winbase.h, winnt.h) and turning a failure into OSError. Leaves what they are for to
those two.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes
from typing import Any

assert sys.platform == "win32"

GENERIC_READ, GENERIC_WRITE = 0x80000000, 0x40000000
FILE_APPEND_DATA, FILE_READ_ATTRIBUTES, FILE_WRITE_ATTRIBUTES, SYNCHRONIZE = 0x4, 0x80, 0x100, 0x100000
SHARE_READ, SHARE_WRITE, SHARE_DELETE = 1, 2, 4
CREATE_NEW, CREATE_ALWAYS, OPEN_EXISTING, OPEN_ALWAYS, TRUNCATE_EXISTING = 1, 2, 3, 4, 5
BACKUP_SEMANTICS, OPEN_REPARSE_POINT = 0x02000000, 0x00200000  # folders can be opened; a link itself, not what it leads to
ATTRIBUTE_DIRECTORY, ATTRIBUTE_REPARSE_POINT = 0x10, 0x400
TYPE_DISK = 1
BASIC_INFO = 0  # FileBasicInfo
REPLACE_EXISTING, WRITE_THROUGH = 0x1, 0x8
LOCK_AT_ONCE, LOCK_EXCLUSIVE = 0x1, 0x2
LOCK_VIOLATION, IO_PENDING = 33, 997
BROKEN_PIPE, NO_DATA = 109, 232
PROCESS_QUERY, PROCESS_WAIT = 0x1000, SYNCHRONIZE
ACCESS_DENIED, SHARING_VIOLATION = 5, 32
WAIT_TIMEOUT = 0x102
EPOCH = 116444736000000000  # 1970 in Windows' time, steps of 100 ns since 1601

_EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
_LIMIT_ACTIVE, _LIMIT_MEMORY, _LIMIT_KILL_ON_CLOSE = 0x8, 0x100, 0x2000


class BasicInfo(ctypes.Structure):
    """FILE_BASIC_INFO."""

    _fields_ = (
        ("created", ctypes.c_int64),
        ("accessed", ctypes.c_int64),
        ("written", ctypes.c_int64),
        ("changed", ctypes.c_int64),
        ("attributes", wintypes.DWORD),
    )


class Overlapped(ctypes.Structure):
    """OVERLAPPED; here only where in a file a lock lies."""

    _fields_ = (
        ("internal", ctypes.c_void_p),
        ("internal_high", ctypes.c_void_p),
        ("offset", wintypes.DWORD),
        ("offset_high", wintypes.DWORD),
        ("event", wintypes.HANDLE),
    )


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", wintypes.DWORD),
        ("least", ctypes.c_size_t),
        ("most", ctypes.c_size_t),
        ("active", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority", wintypes.DWORD),
        ("scheduling", wintypes.DWORD),
    )


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("basic", _BasicLimits),
        ("io", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process", ctypes.c_size_t),
        ("peak_job", ctypes.c_size_t),
    )


_kernel = ctypes.WinDLL("kernel32", use_last_error=True)


def _call(name: str, result: Any, *arguments: Any) -> Any:
    found = getattr(_kernel, name)
    found.restype, found.argtypes = result, arguments
    return found


create_file = _call(
    "CreateFileW",
    wintypes.HANDLE,
    wintypes.LPCWSTR,
    wintypes.DWORD,
    wintypes.DWORD,
    wintypes.LPVOID,
    wintypes.DWORD,
    wintypes.DWORD,
    wintypes.HANDLE,
)
close_handle = _call("CloseHandle", wintypes.BOOL, wintypes.HANDLE)
file_type = _call("GetFileType", wintypes.DWORD, wintypes.HANDLE)
final_path = _call("GetFinalPathNameByHandleW", wintypes.DWORD, wintypes.HANDLE, wintypes.LPWSTR, wintypes.DWORD, wintypes.DWORD)
information = _call("GetFileInformationByHandleEx", wintypes.BOOL, wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
set_file_time = _call("SetFileTime", wintypes.BOOL, wintypes.HANDLE, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
move_file = _call("MoveFileExW", wintypes.BOOL, wintypes.LPCWSTR, wintypes.LPCWSTR, wintypes.DWORD)
lock_file = _call(
    "LockFileEx",
    wintypes.BOOL,
    wintypes.HANDLE,
    wintypes.DWORD,
    wintypes.DWORD,
    wintypes.DWORD,
    wintypes.DWORD,
    ctypes.POINTER(Overlapped),
)
unlock_file = _call(
    "UnlockFileEx", wintypes.BOOL, wintypes.HANDLE, wintypes.DWORD, wintypes.DWORD, wintypes.DWORD, ctypes.POINTER(Overlapped)
)
peek_pipe = _call(
    "PeekNamedPipe",
    wintypes.BOOL,
    wintypes.HANDLE,
    ctypes.c_void_p,
    wintypes.DWORD,
    ctypes.c_void_p,
    ctypes.POINTER(wintypes.DWORD),
    ctypes.c_void_p,
)
open_process = _call("OpenProcess", wintypes.HANDLE, wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
process_times = _call("GetProcessTimes", wintypes.BOOL, wintypes.HANDLE, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
wait_for = _call("WaitForSingleObject", wintypes.DWORD, wintypes.HANDLE, wintypes.DWORD)
create_job = _call("CreateJobObjectW", wintypes.HANDLE, wintypes.LPVOID, wintypes.LPCWSTR)
set_job = _call("SetInformationJobObject", wintypes.BOOL, wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
assign_to_job = _call("AssignProcessToJobObject", wintypes.BOOL, wintypes.HANDLE, wintypes.HANDLE)
end_job = _call("TerminateJobObject", wintypes.BOOL, wintypes.HANDLE, wintypes.UINT)

INVALID_HANDLE = wintypes.HANDLE(-1).value


def failure(path: str = "") -> OSError:
    """Return the error of the last call, with the number that POSIX has for it."""
    number = ctypes.get_last_error()
    return OSError(0, ctypes.FormatError(number).strip(), path or None, number)


def bounded_job(memory: int) -> int:
    """Return a job: one process, at most so many bytes, and its end when the job's last handle is closed, so with this process."""
    job = create_job(None, None)
    if not job:
        raise failure()
    limits = _Limits()
    limits.basic.flags = _LIMIT_ACTIVE | _LIMIT_MEMORY | _LIMIT_KILL_ON_CLOSE
    limits.basic.active, limits.process_memory = 1, memory
    if not set_job(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)):
        raise failure()
    return int(job)
