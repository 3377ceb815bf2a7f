"""Landlock: the kernel's rules about files, ports and signals for one process and what it starts.

Owns: what each version (ABI) of Landlock can rule over, and restricting this process by a list of grants: everything that the
running kernel knows is ruled over, and nothing allowed but what is granted. Leaves which grants to ``grants``. Only the calling
thread is restricted, so this belongs into a fresh process that has no other.

Source of the numbers: linux/landlock.h of Linux 6.15.
"""

from __future__ import annotations

import contextlib
import ctypes
import enum
import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from extractord.sandbox import libc
from extractord.system.unsupported import NotHereError

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every machine
_VERSION = 1  # flag of the first
_PATH_BENEATH, _NET_PORT = 1, 2

FULL_ABI = 3  # the first that can refuse truncation (Linux 6.2)
NET_ABI = 4
SCOPE_ABI = 6


class Right(enum.IntFlag):
    """What may be done with files (``LANDLOCK_ACCESS_FS_*``)."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13  # ABI 2
    TRUNCATE = 1 << 14  # ABI 3
    IOCTL_DEV = 1 << 15  # ABI 5


_OF_FILES = Right.EXECUTE | Right.WRITE_FILE | Right.READ_FILE | Right.TRUNCATE | Right.IOCTL_DEV
_BIND_TCP, _CONNECT_TCP = 1, 2
_SCOPE_ABSTRACT_UNIX_SOCKET, _SCOPE_SIGNAL = 1, 2


class Access(enum.Enum):
    """What a grant allows below its path."""

    LIST = Right.READ_DIR
    READ = Right.READ_FILE | Right.READ_DIR
    RUN = Right.READ_FILE | Right.READ_DIR | Right.EXECUTE
    USE = Right.READ_FILE | Right.WRITE_FILE | Right.TRUNCATE  # a device
    REPLACE = Right.READ_FILE | Right.READ_DIR | Right.WRITE_FILE | Right.TRUNCATE | Right.MAKE_REG | Right.REMOVE_FILE


@dataclass(frozen=True, slots=True)
class Grant:
    """An exception from the refusal of everything: a file, or a directory with all below it. There are no links in ``path``."""

    path: str
    access: Access


@dataclass(frozen=True, slots=True)
class Handled:
    """What a version rules over: files, ports, and what is cut off from processes outside."""

    files: int
    net: int
    scopes: int

    @property
    def size(self) -> int:
        """Return how many bytes of the attribute that version knows."""
        return 24 if self.scopes else 16 if self.net else 8


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("handled_access_fs", ctypes.c_uint64), ("handled_access_net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


class _NetPort(ctypes.Structure):
    _fields_ = (("allowed_access", ctypes.c_uint64), ("port", ctypes.c_uint64))


def abi() -> int:
    """Return the version of Landlock that the kernel has. Raises OSError where it has none (ENOSYS) or none is on (EOPNOTSUPP)."""
    return libc.syscall(_CREATE_RULESET, None, 0, _VERSION)


def handled_by(version: int) -> Handled:
    """Return all that a version of Landlock can rule over; what is newer than version 6 brought no further rights."""
    files = Right.REFER - 1
    for since, right in ((2, Right.REFER), (3, Right.TRUNCATE), (5, Right.IOCTL_DEV)):
        files |= right if version >= since else 0
    net = _BIND_TCP | _CONNECT_TCP if version >= NET_ABI else 0
    return Handled(files, net, _SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL if version >= SCOPE_ABI else 0)


def restrict(grants: Iterable[Grant], ports: Iterable[int], version: int) -> int:
    """Restrict this thread for good, by what ``version`` knows. Return how many rules of files there are. Raises OSError."""
    handled = handled_by(version)
    attr = _RulesetAttr(handled.files, handled.net, handled.scopes)
    ruleset = libc.syscall(_CREATE_RULESET, libc.address(attr), handled.size, 0)
    try:
        made = sum(_allow(ruleset, grant, handled) for grant in grants)
        if handled.net:
            for port in ports:
                _add(ruleset, _NET_PORT, _NetPort(_CONNECT_TCP, port))
        libc.syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return made


def _allow(ruleset: int, grant: Grant, handled: Handled) -> bool:
    """Add the rule of a grant; a path that is not there, or cannot be reached, needs none."""
    with _opened(grant.path) as fd:
        if fd is None:
            return False
        rights = grant.access.value & handled.files
        mode = os.fstat(fd).st_mode
        rights &= handled.files if stat.S_ISDIR(mode) else _OF_FILES
        if stat.S_ISLNK(mode) or not rights:
            return False
        _add(ruleset, _PATH_BENEATH, _PathBeneath(rights, fd))
        return True


@contextlib.contextmanager
def _opened(path: str) -> Iterator[int | None]:
    """Open a path only to name it."""
    if sys.platform == "win32":
        raise NotHereError
    try:
        fd = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP, errno.ENAMETOOLONG):
            raise
        yield None
        return
    try:
        yield fd
    finally:
        os.close(fd)


def _add(ruleset: int, kind: int, rule: ctypes.Structure) -> None:
    libc.syscall(_ADD_RULE, ruleset, kind, libc.address(rule), 0)
