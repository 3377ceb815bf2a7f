"""Filters of system calls as programs for the kernel's packet filter machine.

Owns: turning a list of denials into such a program. Pure. Leaves which calls are denied, and installing, to ``seccomp``.

Source of the numbers: linux/bpf_common.h, linux/seccomp.h. Arguments are looked at by their lower half only: all that are looked
at are of 32 bits in the kernel.
"""

from __future__ import annotations

import enum
import errno
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from extractord.sandbox.syscalls import NEWEST, X32_BIT, Machine, number_of

_LOAD, _EQUAL, _GREATER, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data; both machines are little-endian


class Match(enum.Enum):
    """What makes an argument a reason to refuse."""

    ANY_BIT = "one of the bits is set"
    NO_BIT = "none of the bits is set"
    ONE_OF = "it is one of the values"
    NONE_OF = "it is none of the values"


@dataclass(frozen=True, slots=True)
class When:
    """A condition on the argument at ``place`` (from 0)."""

    place: int
    match: Match
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Denial:
    """A system call that is answered with an error, always or on a condition."""

    name: str
    when: When | None = None
    error: int = errno.EPERM


Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


def program(denials: Iterable[Denial], machine: Machine) -> bytes:
    """Return the filter: what is denied, else allowed.

    A call of another machine's kind ends the process. One newer than the tables is unknown (ENOSYS), as on an older kernel.
    """
    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, machine.value),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine is Machine.X86_64:
        code += [(_AT_LEAST, 0, 1, X32_BIT), (_RETURN, 0, 0, _KILL_PROCESS)]
    code += [(_GREATER, 0, 1, NEWEST), _refusal(errno.ENOSYS)]
    for denial in denials:
        if (number := number_of(denial.name, machine)) is not None:
            block = _block(denial)
            code += [(_EQUAL, 0, len(block), number), *block]
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _refusal(error: int) -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | error)


def _block(denial: Denial) -> list[Instruction]:
    """Return what follows once the number is the denial's; a block that does not refuse leaves the number loaded again."""
    refusal, when = _refusal(denial.error), denial.when
    if when is None:
        return [refusal]
    load: Instruction = (_LOAD, 0, 0, _ARGUMENTS + 8 * when.place)
    again: Instruction = (_LOAD, 0, 0, _NUMBER)
    values, count = [value & 0xFFFFFFFF for value in when.values], len(when.values)
    match when.match:
        case Match.ANY_BIT:
            return [load, (_ANY_BIT, 0, 1, values[0]), refusal, again]
        case Match.NO_BIT:
            return [load, (_ANY_BIT, 1, 0, values[0]), refusal, again]
        case Match.ONE_OF:
            tests = [(_EQUAL, count - 1 - place, 0 if place < count - 1 else 1, value) for place, value in enumerate(values)]
            return [load, *tests, refusal, again]
        case Match.NONE_OF:
            tests = [(_EQUAL, count - place, 0, value) for place, value in enumerate(values)]
            return [load, *tests, refusal, again]
