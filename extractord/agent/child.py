"""A child process of ours, from both sides: how it is started and ended, and its own first acts.

Owns: the command of a fresh interpreter that sees what this one can import and nothing else, an environment from nothing, pipes
and no other descriptor, a group of its own that ends as a whole, and the order of what a child gives up before it reads its pipe.
Worker and model process both start so. Leaves what is said to ``frames``, what a child may reach to ``confinement``, when it has to
end to whoever started it.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import extractord
from extractord.errors import ExtractordError, NotConfinedError, OtherVersionError, WorkerError
from extractord.sandbox import surrender
from extractord.sandbox.level import Attained
from extractord.system.bounds import Bounds
from extractord.system.processes import PYTHON, needed_environment, start

NOTHING_WRITTEN = "Nothing was written. The session is tried again later."
_OTHER_VERSION = 75  # exit status of a child that finds another version on the disk: sysexits.h, EX_TEMPFAIL
_REPLACED = "It was upgraded or removed meanwhile; nothing was written. Start it again."
_NOT_CONFINED = 77  # exit status of a child that is to be confined and is not: sysexits.h, EX_NOPERM


# --- the supervisor's side


def command_of(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs ``main(supervisor_pid, *arguments)`` of ``module`` in a fresh interpreter.

    ``-I -S`` keep the environment, the user's site and ``.pth`` files out, ``-B`` compiled files from being written.
    """
    bootstrap = (
        "import json,sys;sys.path[:]=json.loads(sys.argv[1]);import extractord\n"
        f"if extractord.__version__!=sys.argv[3]:sys.exit({_OTHER_VERSION})\n"
        f"from {module} import main;main(int(sys.argv[2]),*sys.argv[4:])"
    )
    package = str(Path(extractord.__file__).resolve().parent.parent)
    paths = [package, *(path for path in sys.path if path != package and Path(path).is_absolute())]
    return (PYTHON, "-I", "-S", "-B", "-c", bootstrap, json.dumps(paths), str(os.getpid()), extractord.__version__, *arguments)


class Child:
    """A started child. ``name`` is what people are told it is; ``read_fd`` and ``write_fd`` are this side's ends of its pipes."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start it, from the thread that lives as long as it is needed. Raises WorkerError, OtherVersionError."""
        self._name = name
        try:
            self._process, self._kill_group = start(command, {**environment, **needed_environment()})
        except OSError as error:
            if not Path(PYTHON).exists():
                raise OtherVersionError("the interpreter that runs this program is gone", hint=_REPLACED) from error
            raise WorkerError(f"the {name} cannot be started: {error.strerror}", hint=NOTHING_WRITTEN) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.read_fd, self.write_fd = self._process.stdout.fileno(), self._process.stdin.fileno()

    def kill(self) -> None:
        """End it and its children; from any thread. One that was waited for is left alone: its number may be another's."""
        if self._process.returncode is None:
            self._kill_group()

    def bury(self) -> None:
        """End it for certain and close its pipes."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()

    def why_it_ended(self) -> ExtractordError:
        """Return what became of a child that closed its pipe, or reads it no more, before its work was done."""
        if self._process.returncode is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=1)
                self._kill_group()  # whatever it left behind: as long as there is anything, the group's number is its own
        match self._process.returncode:
            case None:
                said = "closed its pipe"
            case code if code == _OTHER_VERSION:
                return OtherVersionError("another version of extractord lies on the disk than runs", hint=_REPLACED)
            case code if code == _NOT_CONFINED:
                return NotConfinedError(
                    f'the {self._name} is not confined by the kernel, which sandbox = "required" asks for',
                    hint='`extractord doctor` says what is missing; "auto" goes on without Bash.',
                )
            case code if code < 0:
                said = f"was killed by signal {-code}"
            case code:
                said = f"ended with status {code} before its work was done"
        return WorkerError(f"the {self._name} {said}", hint=NOTHING_WRITTEN)


# --- the child's side


def begin(supervisor_pid: int, bounds: Bounds) -> tuple[int, int]:
    """Do a child's first acts, in its only thread, and return the supervisor's pipes: nothing is read from them yet.

    ``confined`` comes next.
    """
    give_up(supervisor_pid, bounds)
    return _take_pipes()


def give_up(supervisor_pid: int, bounds: Bounds) -> None:
    """Give up resources, privileges and outliving the supervisor."""
    surrender.bound(bounds)
    surrender.gain_nothing()
    surrender.hide()
    surrender.die_with(supervisor_pid)


def confined(confine: Callable[[], Attained]) -> Attained:
    """Give up, by ``confine``, all but what the child is for; it ends where that is asked for and cannot be had."""
    try:
        return confine()
    except NotConfinedError:
        os._exit(_NOT_CONFINED)


def _take_pipes() -> tuple[int, int]:
    """Return the supervisor's pipes; standard input and output become harmless, so that a stray print cannot break a frame."""
    pipes = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(null, fd)
    return pipes
