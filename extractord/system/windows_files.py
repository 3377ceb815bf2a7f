"""Files on Windows.

Owns: the calls by which one file is opened, read, timed, renamed and locked, by the names that ``posix_files`` has. Access is what the
profile's folder grants: modes are not kept. A rename is asked to be on the disk before it returns; folders cannot be synced. Leaves what
is done below a folder that is held open to ``windows_folders``, what is written to whom it belongs.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
import time
from pathlib import Path

assert sys.platform == "win32"

import msvcrt  # noqa: E402 - on Windows only

from extractord.system import windows_calls as calls  # noqa: E402

# Flags that the C library has not: bits of ours, understood by ``open_path``. Files are never waited for, terminals never gained.
O_DIRECTORY, O_NOFOLLOW, O_NOCTTY, O_NONBLOCK = 1 << 28, 1 << 29, 0, 0

_PAUSES = (0.01, 0.05, 0.2, 0.5)  # seconds before a rename is tried again
_LOCKED_BYTE = 0x40000000  # the upper half of an offset that no file reaches: locks on Windows keep others from the bytes as well


def open_path(path: str | Path, flags: int, mode: int = 0o600) -> int:  # noqa: ARG001 - Windows has no modes
    """Open ``path`` and return the descriptor, never inherited. Devices and pipes are refused; a file stays free to be renamed."""
    path = os.fspath(path)
    share = calls.SHARE_READ | calls.SHARE_WRITE | (0 if flags & O_DIRECTORY else calls.SHARE_DELETE)
    attributes = calls.BACKUP_SEMANTICS | (calls.OPEN_REPARSE_POINT if flags & O_NOFOLLOW else 0)
    handle = calls.create_file(path, _access(flags), share, None, _disposition(flags), attributes, None)
    if handle == calls.INVALID_HANDLE:
        raise calls.failure(path)
    fd = msvcrt.open_osfhandle(handle, flags & (os.O_APPEND | os.O_WRONLY | os.O_RDWR) | os.O_NOINHERIT)
    try:
        _refuse(fd, flags, path)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _access(flags: int) -> int:
    if flags & os.O_APPEND:  # and not the right to write elsewhere: then each write goes behind all others
        return calls.FILE_APPEND_DATA | calls.FILE_READ_ATTRIBUTES | calls.FILE_WRITE_ATTRIBUTES | calls.SYNCHRONIZE
    if flags & os.O_RDWR:
        return calls.GENERIC_READ | calls.GENERIC_WRITE
    return calls.GENERIC_WRITE if flags & os.O_WRONLY else calls.GENERIC_READ


def _disposition(flags: int) -> int:
    match bool(flags & os.O_CREAT), bool(flags & os.O_EXCL), bool(flags & os.O_TRUNC):
        case True, True, _:
            return calls.CREATE_NEW
        case True, _, truncated:
            return calls.CREATE_ALWAYS if truncated else calls.OPEN_ALWAYS
        case _, _, truncated:
            return calls.TRUNCATE_EXISTING if truncated else calls.OPEN_EXISTING


def _refuse(fd: int, flags: int, path: str) -> None:
    handle = msvcrt.get_osfhandle(fd)
    if calls.file_type(handle) != calls.TYPE_DISK:
        raise OSError(errno.ENXIO, "no file but a device or a pipe", path)
    attributes = _information(fd).attributes
    if flags & O_NOFOLLOW and attributes & calls.ATTRIBUTE_REPARSE_POINT:
        raise OSError(errno.ELOOP, "a link", path)
    if flags & O_DIRECTORY and not attributes & calls.ATTRIBUTE_DIRECTORY:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)


def entry_status(entry: os.DirEntry[str]) -> os.stat_result:
    """Return what is there by that name, a link itself; what the folder's own list says of it may be old, and has no inode."""
    return os.lstat(entry.path)


def read_at(fd: int, size: int, offset: int) -> bytes:
    """Return at most ``size`` bytes from ``offset`` on; where the file stood stays."""
    stood = os.lseek(fd, 0, os.SEEK_CUR)
    try:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, size)
    finally:
        os.lseek(fd, stood, os.SEEK_SET)


def set_mode(fd: int, mode: int) -> None:
    """Windows has no modes: who may read a file is inherited from its folder."""


def set_time(fd: int, mtime_ns: int) -> None:
    """Give an open file this time, nanoseconds since the epoch, of which Windows keeps hundreds."""
    time = ctypes.c_int64(mtime_ns // 100 + calls.EPOCH)
    if not calls.set_file_time(msvcrt.get_osfhandle(fd), None, ctypes.byref(time), ctypes.byref(time)):
        raise calls.failure()


def changed_at(fd: int, status: os.stat_result) -> float:  # noqa: ARG001 - the same on each system
    """Return when name or content of an open file last changed, seconds since the epoch."""
    return float((_information(fd).changed - calls.EPOCH) / 10_000_000)


def sync_folder(folder: Path | int) -> None:
    """Windows cannot sync a folder: renames are written through, and the file system keeps a journal of its names."""


def _information(fd: int) -> calls.BasicInfo:
    told = calls.BasicInfo()
    if not calls.information(msvcrt.get_osfhandle(fd), calls.BASIC_INFO, ctypes.byref(told), ctypes.sizeof(told)):
        raise calls.failure()
    return told


def replace(source: Path, target: Path) -> None:
    """Rename over what is at ``target``, as ``rename_over`` does."""
    move(str(source), str(target), calls.REPLACE_EXISTING)


def move(source: str, target: str, flags: int) -> None:
    """Rename; a scanner or an indexer that looks into a fresh file has it open for a moment, which is waited for."""
    for pause in (*_PAUSES, None):
        if calls.move_file(source, target, flags | calls.WRITE_THROUGH):
            return
        failure = calls.failure(target)
        if pause is None or failure.winerror not in (calls.ACCESS_DENIED, calls.SHARING_VIOLATION):
            raise failure
        time.sleep(pause)


def try_lock(fd: int) -> None:
    """Take the exclusive lock of an open file, until it is closed. Raises BlockingIOError if another has any."""
    _lock(fd, calls.LOCK_EXCLUSIVE | calls.LOCK_AT_ONCE)


def try_lock_shared(fd: int) -> None:
    """Take the lock that many may have, until the file is closed. Raises BlockingIOError if another has the exclusive one."""
    _lock(fd, calls.LOCK_AT_ONCE)


def lock_shared(fd: int) -> None:
    """Wait for the lock that many may have."""
    _lock(fd, 0)


def share_lock(fd: int) -> None:
    """Let others have the lock too that only this descriptor had; between the two another may be first, and is waited for."""
    if not calls.unlock_file(msvcrt.get_osfhandle(fd), 0, 1, 0, ctypes.byref(_place())):
        raise calls.failure()
    lock_shared(fd)


def _lock(fd: int, flags: int) -> None:
    if calls.lock_file(msvcrt.get_osfhandle(fd), flags, 0, 1, 0, ctypes.byref(_place())):
        return
    if ctypes.get_last_error() in (calls.LOCK_VIOLATION, calls.IO_PENDING):
        raise BlockingIOError(errno.EAGAIN, "another process has the lock")
    raise calls.failure()


def _place() -> calls.Overlapped:
    return calls.Overlapped(offset_high=_LOCKED_BYTE)
