"""Confining this process: the order of the steps, and the level that comes of them.

Owns: Landlock, then the filter of system calls, then the self-test, and what each of them missing means. To be called once, in a
fresh process with one thread, after everything is imported and before anything foreign is read. Leaves grants, filters and
attempts to their modules, and macOS, where a process is confined from outside, to ``seatbelt``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from extractord.sandbox import landlock, seccomp, selftest
from extractord.sandbox.landlock import FULL_ABI, Grant
from extractord.sandbox.level import Attained, Level
from extractord.sandbox.seccomp import Role
from extractord.sandbox.syscalls import machine_of
from extractord.system.unsupported import NotHereError


@dataclass(frozen=True, slots=True)
class Rules:
    """What a process may reach: files by ``grants``, servers by TCP ``ports``. Writing is tried in ``folders`` by the self-test."""

    role: Role
    grants: Sequence[Grant]
    ports: Sequence[int] = ()
    folders: Sequence[str] = ()


def confine(rules: Rules) -> Attained:
    """Confine this process by all that the machine has, for good, and return how far that went. Raises nothing for what is missing."""
    match sys.platform:
        case "linux":
            return _confine_on_linux(rules)
        case "darwin":
            found = [*selftest.file_breaches(selftest.readable_canaries(), rules.folders), *selftest.call_breaches(rules.role)]
            return Attained(Level.NONE, f"it is not confined: {'; '.join(found)}") if found else Attained(Level.SEATBELT)
        case other:
            return Attained(Level.NONE, f"there is no sandbox for {other}")


def _confine_on_linux(rules: Rules) -> Attained:
    canaries = selftest.readable_canaries()
    abi, why_no_landlock = _landlocked(rules)
    why_no_filter = _filtered(rules.role, abi)
    if abi == 0:
        return Attained(Level.NONE, why_no_landlock)
    breaches = [*selftest.file_breaches(canaries, rules.folders), *(() if why_no_filter else selftest.call_breaches(rules.role))]
    return judge(abi, why_no_filter, breaches)


def judge(abi: int, why_no_filter: str, breaches: Sequence[str]) -> Attained:
    """Return the level of a process under that version of Landlock, with or without a filter, whose self-test found ``breaches``."""
    if breaches:
        return Attained(Level.NONE, f"the self-test failed: {'; '.join(breaches)}")
    if why_no_filter:
        return Attained(Level.PARTIAL, why_no_filter)
    if abi < FULL_ABI:
        return Attained(Level.PARTIAL, f"Landlock has version {abi} here; version {FULL_ABI} (Linux 6.2) refuses to empty files too")
    return Attained(Level.FULL)


def _landlocked(rules: Rules) -> tuple[int, str]:
    """Apply Landlock; return its version, 0 with the reason where it cannot be had."""
    try:
        abi = landlock.abi()
        landlock.restrict(rules.grants, rules.ports, abi)
    except OSError as error:
        return 0, f"Landlock cannot be had: {error.strerror} (Linux 5.13, and `landlock` among the kernel's security modules)"
    return abi, ""


def _filtered(role: Role, abi: int) -> str:
    """Install the filter; return the reason where it cannot be had."""
    if sys.platform == "win32":
        raise NotHereError
    machine = machine_of(os.uname().machine)
    if machine is None:
        return f"there is no table of system calls for {os.uname().machine}"
    try:
        seccomp.install(role, abi, machine)
    except OSError as error:
        return f"system calls cannot be filtered: {error.strerror}"
    return ""
