"""A Python that has imported the package already, from which commands are forked: to import it costs more than most commands do.

A command that is run so is a process of its own with its own environment, folder and standard streams; the start of an
interpreter is all that it lacks. Owns: that Python (one for each process that runs tests) and how a command is asked for. Leaves
to ``command`` which commands are.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

import extractord

CLONE = Path(__file__).parents[1]
# Imported in a process of its own only, or on Windows only.
_OF_OTHERS = ("extractord.agent.anthropic_model", "extractord.agent.model_process", "extractord.system.windows_")
_LOOKED_AT_ONCE = ("PYTHON", "LD_", "LC_", "LANG", "TZ", "MALLOC_", "COV")  # by an interpreter, when it starts


def _looked_at_once(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(_LOOKED_AT_ONCE)}


_AT_FIRST = _looked_at_once(os.environ)  # before any test changes something


def serves(env: Mapping[str, str]) -> bool:
    """Whether an interpreter that starts in this environment would be like the warm one."""
    return _looked_at_once(env) == _AT_FIRST


class WarmPython:
    """The running one; it ends with the process that started it, and is no child of it: tests look at their children, and end them.

    Several threads may ask it for commands at once.
    """

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair()
        env = {name: value for name, value in os.environ.items() if not name.startswith(_LOOKED_AT_ONCE)} | _AT_FIRST
        with theirs:
            argv = [sys.executable, "-m", "tests.warm_python", str(theirs.fileno())]
            subprocess.run(
                argv, cwd=CLONE, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()], check=True
            )

    def run(self, argv: Sequence[str], env: Mapping[str, str], stdin: bytes, seconds: float) -> subprocess.CompletedProcess[bytes]:
        """Run ``extractord`` with ``argv`` and return what ``subprocess.run`` would; after so many seconds it is killed."""
        (read_in, write_in), (read_out, write_out), (read_err, write_err) = os.pipe(), os.pipe(), os.pipe()
        with ThreadPoolExecutor(3) as streams, self.start(argv, env, (read_in, write_out, write_err)) as running:
            for one in (read_in, write_out, write_err):
                os.close(one)
            streams.submit(_feed, write_in, stdin)
            out, err = streams.submit(_read, read_out), streams.submit(_read, read_err)
            late = threading.Timer(seconds, running.kill)
            late.start()
            status = running.wait()
            late.cancel()
            return subprocess.CompletedProcess(argv, status, out.result(), err.result())

    def start(self, argv: Sequence[str], env: Mapping[str, str], streams: Sequence[int]) -> Running:
        """Start ``extractord`` with ``argv`` and these three standard streams."""
        line, far = socket.socketpair()
        with far:
            socket.send_fds(self._ours, [b"+"], [far.fileno(), *streams])
        asked = [json.dumps(one).encode() + b"\n" for one in ([*argv], dict(env), str(Path.cwd()))]
        line.sendall(b"".join(asked))
        return Running(line)


class Running:
    """A command that was started. To be waited for, else it cannot tell its status."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._told = line.makefile("rb")
        self.pid = int(self._told.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._told.close()
        self._line.close()

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Return its status as ``subprocess`` gives it: minus the signal of one that was killed."""
        return int(self._told.readline())


_one = threading.Lock()
_running: list[WarmPython] = []


def warm_python() -> WarmPython:
    """Return the one of this process, whichever thread asks."""
    with _one:
        if not _running:
            _running.append(WarmPython())
    return _running[0]


def _feed(place: int, what: bytes) -> None:
    with open(place, "wb", buffering=0) as pipe:
        try:
            while what:
                what = what[pipe.write(what) :]
        except BrokenPipeError:
            return  # a command need not read everything


def _read(place: int) -> bytes:
    with open(place, "rb") as pipe:
        return pipe.read()


# --- the warm one's own side


def _import_all() -> None:
    """Import what commands import, and compile what they compile when they look at a text."""
    for module in pkgutil.walk_packages(extractord.__path__, "extractord."):
        if not module.name.startswith(_OF_OTHERS) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    from extractord.memory import dates, injection

    injection.orders("a text")
    dates.absolute_dates("a text")
    dates.relative_date("a text")
    assert threading.active_count() == 1, "a process with threads cannot be forked safely"
    gc.collect()
    gc.freeze()  # else the first collection in each command would copy all of this memory


def _serve(channel: socket.socket) -> list[str]:
    """Fork a process for each command that is asked for. Returns its arguments, in the forked process only."""
    while True:
        word, given, *_ = socket.recv_fds(channel, 1, 4)
        if not word:
            os._exit(0)  # the tests have ended
        if os.fork() == 0:
            channel.close()
            return _become(*given)
        for one in given:
            os.close(one)
        _reap()


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return  # none is left


def _become(line: int, *streams: int) -> list[str]:
    """Fork the command, tell its pid and its status, and end. Returns in the command itself, which has all that it is to have."""
    with socket.socket(fileno=line) as telling, telling.makefile("rb") as asked:
        argv, env, folder = (json.loads(asked.readline()) for _ in range(3))
        pid = os.fork()
        if pid:
            for one in streams:
                os.close(one)
            telling.sendall(b"%d\n" % pid)
            telling.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            os._exit(0)
    for number, one in enumerate(streams):
        os.dup2(one, number)
        os.close(one)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    return [*argv]


if __name__ == "__main__":
    if os.fork():
        os._exit(0)
    from extractord import __main__ as program

    _import_all()
    sys.argv = [str(program.__file__), *_serve(socket.socket(fileno=int(sys.argv[1])))]
    program.main()
