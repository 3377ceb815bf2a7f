"""System calls that Python has no function for.

Owns: calling them by ctypes, with errors as OSError. Leaves what they mean to ``landlock``, ``seccomp`` and ``surrender``.
"""

from __future__ import annotations

import ctypes
import os
import sys

_libc = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None, use_errno=True)  # on Windows nothing of it is called

AF_UNIX, AF_INET, SOCK_STREAM = 1, 2, 1

Argument = int | ctypes.c_void_p | None
Block = ctypes.Array[ctypes.c_char] | ctypes.Structure


def address(block: Block) -> ctypes.c_void_p:
    """Return where ``block`` lies, as an argument; it must be kept as long as the call needs it."""
    return ctypes.cast(ctypes.pointer(block), ctypes.c_void_p)


def syscall(number: int, *arguments: Argument) -> int:
    """Make a system call and return what it returns. Raises OSError."""
    return _checked(_libc.syscall(ctypes.c_long(number), *map(_whole, arguments)))


def prctl(option: int, *arguments: Argument) -> int:
    """Call ``prctl``. Raises OSError."""
    given = [*map(_whole, arguments)]
    return _checked(_libc.prctl(option, *given, *[ctypes.c_ulong(0)] * (4 - len(given))))


def try_socket(family: int) -> int:
    """Open a stream socket and return its descriptor. Raises OSError."""
    return _checked(_libc.socket(family, SOCK_STREAM, 0))


def try_connect(fd: int) -> int:
    """Connect ``fd`` to nowhere: a filter refuses before anything else is found wrong with it. Raises OSError."""
    return _checked(_libc.connect(fd, None, 0))


def _whole(argument: Argument) -> ctypes.c_long | ctypes.c_void_p:
    """Return an argument as wide as the kernel reads it: ctypes would pass an int as 32 bits."""
    return ctypes.c_long(argument) if isinstance(argument, int) else ctypes.c_void_p() if argument is None else argument


def _checked(returned: int) -> int:
    if returned < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return int(returned)
