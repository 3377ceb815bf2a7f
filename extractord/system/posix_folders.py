"""Folders that are held open, on Linux and macOS.

Owns: opening below a folder without following links, renames that exchange two files or refuse to replace one; the system calls behind
them and what stands in for them where they are missing. Leaves single files to ``posix_files``.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import platform
import sys
from collections.abc import Callable, Iterator
from typing import Any

from extractord.system.unsupported import UNSUPPORTED, UnsupportedError

assert sys.platform != "win32"

# Flags of renameat2 (linux/fs.h) and of renameatx_np (sys/stdio.h of macOS).
_NOREPLACE, _EXCHANGE = (0x4, 0x2) if sys.platform == "darwin" else (0x1, 0x2)
_RENAMEAT2_NUMBERS = {"x86_64": 316, "aarch64": 276}
_OPENAT2_NUMBER = 437  # the same on every machine type
_RESOLVE_BENEATH, _RESOLVE_NO_SYMLINKS, _RESOLVE_NO_MAGICLINKS = 0x08, 0x04, 0x02


# --- opening -------------------------------------------------------------------------------------------------------------


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_beneath(folder: int, relative: str, flags: int, mode: int = 0o600) -> int:
    """Open ``relative`` (with ``/``; "." is the folder) below an open folder and return the descriptor, never inherited.

    No link is followed anywhere on the way and nothing outside is reached: OSError (ELOOP, EXDEV, ENOTDIR …) instead.
    """
    flags |= os.O_CLOEXEC | os.O_NOFOLLOW
    if sys.platform.startswith("linux") and "\0" not in relative:
        how = _OpenHow(flags, mode if flags & os.O_CREAT else 0, _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS)
        for _ in range(16):
            try:
                return _openat2(folder, relative, how)
            except OSError as error:
                if error.errno in (errno.ENOSYS, errno.EPERM):  # an older kernel; a container that forbids what it does not know
                    break
                if error.errno != errno.EAGAIN:  # a rename elsewhere made the kernel unsure: it asks to try again
                    raise
    return _open_by_steps(folder, relative, flags, mode)


def _openat2(folder: int, relative: str, how: _OpenHow) -> int:
    call = _libc().syscall
    size = ctypes.c_size_t(ctypes.sizeof(how))
    fd = call(ctypes.c_long(_OPENAT2_NUMBER), ctypes.c_int(folder), ctypes.c_char_p(os.fsencode(relative)), ctypes.byref(how), size)
    if fd < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), relative)
    return int(fd)


def _open_by_steps(folder: int, relative: str, flags: int, mode: int) -> int:
    """Do the same where the kernel has no openat2: one component at a time."""
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if relative.startswith("/") or ".." in parts:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), relative)
    here = os.dup(folder)
    try:
        for part in parts[:-1]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = below
        return os.open(parts[-1] if parts else ".", flags, mode, dir_fd=here)
    finally:
        os.close(here)


def listing(folder: int) -> contextlib.AbstractContextManager[Iterator[os.DirEntry[str]]]:
    """Give the entries of an open folder for a block."""
    return os.scandir(folder)


# --- names ---------------------------------------------------------------------------------------------------------------


def exists_at(folder: int, name: str) -> bool:
    """Whether there is anything of that name, a link too."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def make_folder_at(folder: int, name: str) -> None:
    """Make a folder (0700). Raises FileExistsError."""
    os.mkdir(name, 0o700, dir_fd=folder)


def remove_at(folder: int, name: str) -> None:
    """Remove a file. Raises FileNotFoundError."""
    os.unlink(name, dir_fd=folder)


def remove_folder_at(folder: int, name: str) -> None:
    """Remove a folder that is empty."""
    os.rmdir(name, dir_fd=folder)


# --- renames -------------------------------------------------------------------------------------------------------------


def rename_over(source_folder: int, source: str, target_folder: int, target: str) -> None:
    """Rename within or between open folders, over what is at ``target``."""
    os.rename(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder)


def rename_noreplace(source_folder: int, source: str, target_folder: int, target: str) -> None:
    """Rename within or between open folders; raises FileExistsError rather than replace what is at ``target``.

    Where the system has no such call a hard link does the same; where there are none, look, then rename.
    """
    try:
        _rename(source_folder, source, target_folder, target, _NOREPLACE)
    except UnsupportedError:
        _link_instead(source_folder, source, target_folder, target)


def _link_instead(source_folder: int, source: str, target_folder: int, target: str) -> None:
    try:
        os.link(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in UNSUPPORTED | {errno.EPERM, errno.EMLINK}:
            raise
        if exists_at(target_folder, target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
        rename_over(source_folder, source, target_folder, target)
    else:
        os.unlink(source, dir_fd=source_folder)


def rename_exchange(first_folder: int, first: str, second_folder: int, second: str) -> None:
    """Let two files change places in one step; raises UnsupportedError where that cannot be."""
    _rename(first_folder, first, second_folder, second, _EXCHANGE)


def _rename(source_folder: int, source: str, target_folder: int, target: str, flags: int) -> None:
    call = _rename_call()
    if call is None:
        raise UnsupportedError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if call(source_folder, os.fsencode(source), target_folder, os.fsencode(target), flags) == 0:
        return
    number = ctypes.get_errno()
    if number in UNSUPPORTED:
        raise UnsupportedError(number, os.strerror(number), target)
    raise OSError(number, os.strerror(number), target)


@functools.cache
def _rename_call() -> Callable[..., int] | None:
    libc = _libc()
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    arguments = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    with contextlib.suppress(AttributeError):
        found = getattr(libc, name)
        found.argtypes, found.restype = arguments, ctypes.c_int
        return found  # type: ignore[no-any-return]
    number = _RENAMEAT2_NUMBERS.get(platform.machine())
    if number is None or not sys.platform.startswith("linux"):
        return None
    raw = libc.syscall  # a libc older than the call
    raw.argtypes, raw.restype = [ctypes.c_long, *arguments], ctypes.c_long
    return functools.partial(raw, number)


@functools.cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)
