"""What our own children may reach once the kernel confines them: told by their command, carried out before they read a byte.

Owns: which files a worker and which servers a model process may reach, and what becomes of a child that is to be confined and is
not. Leaves how to confine to ``sandbox``, which names bear secrets to ``secret_files``, when in its start a child does it to ``child``.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from extractord.agent.child import NOTHING_WRITTEN, command_of
from extractord.agent.policy import Roots
from extractord.agent.secret_files import bears_secrets, lies_among_secrets
from extractord.agent.server import Server
from extractord.agent.shell.repository import common_directory
from extractord.config import Sandbox
from extractord.errors import NotConfinedError, WorkerError
from extractord.sandbox import grants, seatbelt
from extractord.sandbox.carving import Omissions, Parts, carve, left_out_of
from extractord.sandbox.confining import Rules, confine
from extractord.sandbox.landlock import Grant
from extractord.sandbox.level import Attained, Level
from extractord.sandbox.seccomp import Role

WORKER = "extractord.agent.worker"
MODEL_PROCESS = "extractord.agent.model_process"
_GIT_READS = frozenset({"config", "config.worktree"})  # git fails without; Bash and Read refuse them by name
_PROBE_SECONDS = 10.0


class WorkerRoom(msgspec.Struct, frozen=True):
    """What a worker is told of its confinement; without roots there is nothing to work on."""

    sandbox: Sandbox
    roots: Roots | None = None


class ModelRoom(msgspec.Struct, frozen=True):
    """What a model process is told: the TCP ports it may connect to. Where its logins lie stands in its environment."""

    sandbox: Sandbox
    ports: tuple[int, ...]


# --- the supervisor's side


def worker_command(sandbox: Sandbox, roots: Roots | None, module: str = WORKER, *arguments: str) -> tuple[str, ...]:
    """Return the command of a worker that may read ``roots``. Raises WorkerError for a path that is no text."""
    try:
        told = msgspec.json.encode(WorkerRoom(sandbox, roots)).decode()
    except UnicodeEncodeError:
        raise WorkerError("the project's or the memory directory's path is not UTF-8", hint=NOTHING_WRITTEN) from None
    command = command_of(module, told, *arguments)
    if sandbox is Sandbox.OFF or not _has_seatbelt():
        return command
    return seatbelt.under(seatbelt.worker_profile(_readable(roots), seatbelt.python_paths()), command)


def model_command(server: Server) -> tuple[str, ...]:
    """Return the command of a model process that talks to ``server``."""
    command = command_of(MODEL_PROCESS, msgspec.json.encode(ModelRoom(server.sandbox, server.ports)).decode())
    if server.sandbox is Sandbox.OFF or not _has_seatbelt():
        return command
    return seatbelt.under(seatbelt.model_profile(server.ports, seatbelt.python_paths(), server.environment), command)


@functools.cache
def _has_seatbelt() -> bool:
    """Whether this is a Mac on which profiles can be applied, found out by trying: not inside another sandbox, for one."""
    if sys.platform != "darwin":
        return False
    argv = seatbelt.under("(version 1)(allow default)", ("/usr/bin/true",))
    try:
        return subprocess.run(argv, capture_output=True, timeout=_PROBE_SECONDS, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _readable(roots: Roots | None) -> seatbelt.Readable:
    found = list(_room(roots))
    left_out = [path for one in found for path in left_out_of(one.root, one.omissions)]
    again = (os.path.realpath(roots.memory),) if roots else ()
    return seatbelt.Readable([one.root for one in found], left_out, again)


# --- the child's side


def confine_worker(told: str) -> Attained:
    """Confine this process as a worker that was told so by its command. Raises NotConfinedError."""
    room = msgspec.json.decode(told, type=WorkerRoom)
    if room.sandbox is Sandbox.OFF:
        return Attained(Level.OFF)
    if sys.platform == "win32":  # nothing to look through for grants that nobody would enforce
        return _held(room.sandbox, confine(Rules(Role.WORKER, ())))
    found = list(_room(room.roots))
    reached: list[Grant] = [*grants.of_worker(), *(grant for one in found for grant in carve(one.root, one.omissions))]
    return _held(room.sandbox, confine(Rules(Role.WORKER, reached, folders=[*(one.root for one in found), "/tmp"])))  # noqa: S108


def confine_model(told: str) -> Attained:
    """Confine this process as a model process that was told so by its command. Raises NotConfinedError."""
    room = msgspec.json.decode(told, type=ModelRoom)
    if room.sandbox is Sandbox.OFF:
        return Attained(Level.OFF)
    return _held(room.sandbox, confine(Rules(Role.MODEL, grants.of_model_process(os.environ), room.ports, folders=["/tmp"])))  # noqa: S108


def _held(sandbox: Sandbox, attained: Attained) -> Attained:
    if sandbox is Sandbox.REQUIRED and not attained.level.holds:
        raise NotConfinedError(attained.why)
    return attained


# --- what a worker may read of what it works on


@dataclass(frozen=True, slots=True)
class _Readable:
    """A directory to be read, as a real path, and what in it is not."""

    root: str
    omissions: Omissions


def _room(roots: Roots | None) -> Iterator[_Readable]:
    """Yield the directories that a worker reads: the memory directory, the project, and the repository it is a work tree of."""
    if roots is None:
        return
    barred = [os.path.realpath(path) for path in roots.barred]
    yield _Readable(os.path.realpath(roots.memory), _omissions())
    if roots.project is None:
        return
    project = os.path.realpath(roots.project)
    repository = common_directory(project)
    for root in (project, *((repository,) if repository else ())):
        if not any(_parts_below(root, one) is not None for one in barred):
            inside = (_parts_below(one, root) for one in barred)
            yield _Readable(root, _omissions(frozenset(parts for parts in inside if parts)))


def _omissions(barred: frozenset[Parts] = frozenset()) -> Omissions:
    return Omissions(
        files=lambda parts: (bears_secrets(parts) and not _needed_by_git(parts)) or parts in barred,
        folders=lambda parts: lies_among_secrets(parts) or parts in barred,
        searched=lambda parts: ".git" not in parts[:-1],  # what lies below its own directories are objects and names of branches
    )


def _needed_by_git(parts: Parts) -> bool:
    return parts[-1] in _GIT_READS and parts[-2:-1] == (".git",)


def _parts_below(path: str, root: str) -> Parts | None:
    """Return the components of ``path`` below ``root``, () where they are the same, None if it is elsewhere."""
    mine, its = [tuple(part for part in one.split("/") if part) for one in (path, root)]
    return mine[len(its) :] if mine[: len(its)] == its else None
