"""Folders that are held open, on Windows, where there are no descriptors of them to work below nor an exchange of two files.

A folder is held open by a handle that nobody may rename or remove it under (it is not shared for deletion), nor any folder above it:
so its path stays its path, and what is done below it is done by that path, one component at a time, each held in the same way.
A component that is a reparse point (a symbolic link, a junction, a mount point) is refused once it is open: nothing is followed.

Owns: these acts, by the names that ``posix_folders`` has. Leaves single files to ``windows_files``.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
from collections.abc import Iterator

from extractord.system.unsupported import UnsupportedError
from extractord.system.windows_paths import odd_name

assert sys.platform == "win32"

import msvcrt  # noqa: E402 - on Windows only

from extractord.system import windows_calls as calls  # noqa: E402
from extractord.system.windows_files import O_DIRECTORY, O_NOFOLLOW, move, open_path  # noqa: E402


def open_beneath(folder: int, relative: str, flags: int, mode: int = 0o600) -> int:
    """Open ``relative`` (with ``/``; "." is the folder) below an open folder and return the descriptor, never inherited.

    No link is followed anywhere on the way and nothing outside is reached: OSError (ELOOP, EXDEV, ENOTDIR …) instead; names that
    Windows takes for something else (streams, devices) are EINVAL.
    """
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if relative.startswith("/") or ".." in parts:
        raise OSError(errno.EXDEV, "it leads outside", relative)
    if reason := next(filter(None, map(odd_name, parts)), ""):
        raise OSError(errno.EINVAL, reason, relative)
    here = _path_of(folder)
    with contextlib.ExitStack() as held:
        for part in parts[:-1]:
            here = f"{here}\\{part}"
            held.callback(os.close, open_path(here, O_DIRECTORY | O_NOFOLLOW))
        return open_path(f"{here}\\{parts[-1]}" if parts else here, flags | O_NOFOLLOW, mode)


def listing(folder: int) -> contextlib.AbstractContextManager[Iterator[os.DirEntry[str]]]:
    """Give the entries of an open folder for a block."""
    return os.scandir(_path_of(folder))


def exists_at(folder: int, name: str) -> bool:
    """Whether there is anything of that name, a link too."""
    try:
        os.lstat(_path_at(folder, name))
    except FileNotFoundError:
        return False
    return True


def make_folder_at(folder: int, name: str) -> None:
    """Make a folder. Raises FileExistsError."""
    os.mkdir(_path_at(folder, name), 0o700)  # noqa: PTH102 - names in open folders are put together in one place


def remove_at(folder: int, name: str) -> None:
    """Remove a file. Raises FileNotFoundError."""
    os.unlink(_path_at(folder, name))  # noqa: PTH108 - as above


def remove_folder_at(folder: int, name: str) -> None:
    """Remove a folder that is empty."""
    os.rmdir(_path_at(folder, name))  # noqa: PTH106 - as above


def rename_over(source_folder: int, source: str, target_folder: int, target: str) -> None:
    """Rename within or between open folders, over what is at ``target``. Raises PermissionError where somebody has it open."""
    move(_path_at(source_folder, source), _path_at(target_folder, target), calls.REPLACE_EXISTING)


def rename_noreplace(source_folder: int, source: str, target_folder: int, target: str) -> None:
    """Rename within or between open folders; raises FileExistsError rather than replace what is at ``target``."""
    move(_path_at(source_folder, source), _path_at(target_folder, target), 0)


def rename_exchange(first_folder: int, first: str, second_folder: int, second: str) -> None:  # noqa: ARG001 - the same on each system
    """Windows has no such call. Raises UnsupportedError."""
    raise UnsupportedError(errno.ENOSYS, "two files cannot change places on Windows")


def _path_of(folder: int) -> str:
    """Return where an open folder lies, without links, in the form that takes any length."""
    buffer = ctypes.create_unicode_buffer(32_768)
    if not calls.final_path(msvcrt.get_osfhandle(folder), buffer, len(buffer), 0):
        raise calls.failure()
    return buffer.value.rstrip("\\")


def _path_at(folder: int, name: str) -> str:
    if reason := odd_name(name):
        raise OSError(errno.EINVAL, reason, name)
    return f"{_path_of(folder)}\\{name}"
