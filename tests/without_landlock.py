"""A kernel without Landlock, for one command: ``python without_landlock.py COMMAND…`` runs it as such a kernel would.

Owns: a filter that answers ENOSYS to syscall 444 (landlock_create_ruleset), which the command and all it starts inherit.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

_CREATE_RULESET = 444
_FILTER = [(0x20, 0, 0, 0), (0x15, 0, 1, _CREATE_RULESET), (0x06, 0, 0, 0x00050000 | errno.ENOSYS), (0x06, 0, 0, 0x7FFF0000)]


WITHOUT_LANDLOCK = (sys.executable, __file__)
"""To be put before a command."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def main(argv: list[str]) -> None:
    """Install the filter and become the command."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = b"".join(struct.pack("<HBBI", *instruction) for instruction in _FILTER)
    program = _Program(len(_FILTER), code)
    zero = ctypes.c_ulong(0)
    if libc.prctl(38, ctypes.c_ulong(1), zero, zero, zero) or libc.prctl(22, ctypes.c_ulong(2), ctypes.byref(program), zero, zero):
        sys.exit("the filter cannot be installed")
    os.execv(argv[0], argv)


if __name__ == "__main__":
    main(sys.argv[1:])
