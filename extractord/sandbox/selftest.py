"""The self-test: a confined process tries what it must not be able to do.

Owns: these attempts. Each names itself where it succeeded; nothing it makes stays. Leaves what follows from a success to
``confining``.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from extractord.sandbox import libc
from extractord.sandbox.seccomp import Role
from extractord.system.files import open_path

# Readable to everybody, and nobody's project.
_CANARIES = ("/", "/etc/passwd", "/proc/self/status") if sys.platform == "linux" else ("/Library/Preferences", "/private/etc/zshrc")
_BAD_DESCRIPTOR = -1


def readable_canaries() -> list[str]:
    """Return the canaries that can be read now. To be asked for before confinement: an attempt that never worked proves nothing."""
    return [path for path in _CANARIES if _succeeds(partial(_read, path))]


def file_breaches(canaries: Iterable[str], folders: Iterable[str]) -> Iterator[str]:
    """Yield what succeeded though it must not: reading a canary, making a file in one of ``folders``."""
    yield from (f"{path} can be read" for path in canaries if _succeeds(partial(_read, path)))
    yield from (f"{folder} can be written" for folder in folders if _succeeds(partial(_make_file, folder)))


def call_breaches(role: Role) -> Iterator[str]:
    """Yield what succeeded though it must not: a socket, connecting, starting a program."""
    families = (libc.AF_UNIX, libc.AF_INET) if role is Role.WORKER else (libc.AF_UNIX,)
    if any(_succeeds(partial(_open_socket, family)) for family in families):
        yield "a socket can be opened"
    if role is Role.WORKER and not _is_refused(partial(libc.try_connect, _BAD_DESCRIPTOR)):
        yield "connecting is not refused"
    if role is Role.MODEL and not _is_refused(partial(os.execv, "/nonexistent", ["/nonexistent"])):
        yield "a program can be started"


def _read(path: str) -> None:
    os.close(open_path(path, os.O_RDONLY))


def _make_file(folder: str) -> None:
    path = f"{folder}/.{secrets.token_hex(8)}.canary"
    os.close(open_path(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    with contextlib.suppress(OSError):
        os.unlink(path)  # noqa: PTH108 - pathlib is not loaded for it


def _open_socket(family: int) -> None:
    os.close(libc.try_socket(family))


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def _is_refused(attempt: Callable[[], object]) -> bool:
    """Whether an attempt that cannot succeed anyway is refused before that is noticed."""
    try:
        attempt()
    except PermissionError:
        return True
    except OSError:
        return False
    return False
