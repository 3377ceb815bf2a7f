"""Running the stages of a pipeline, one after the other, without a shell.

Owns: the environment (built from nothing), bounds in time and output, the end of each child, and taking secrets out between two
stages, so that none can cut up or turn round what a later scan would have known. Leaves which programs and arguments to
``planning``. Children stay in the worker's process group: its supervisor ends that as a whole, whatever became of the worker.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

from extractord.agent.shell.grammar import Errors
from extractord.redact import redact
from extractord.system.processes import use_pipe

SECONDS = 10.0  # of one command
BETWEEN_BYTES = 2 << 20  # from a stage to the next; it is scanned, at about 3 MB a second
ERROR_BYTES = 16 << 10
PATH = "/usr/bin:/bin"
ENVIRONMENT = {
    "PATH": PATH,
    "LANG": "C.UTF-8",
    "HOME": "/nonexistent",
    "TMPDIR": "/nonexistent",  # sort and git would put files there
    "PAGER": "cat",
    "TERM": "dumb",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone would fetch what is missing, by a program its configuration names
    "GIT_NO_LAZY_FETCH": "1",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One program to run: its name, found on ``PATH``, and its arguments."""

    program: str
    arguments: tuple[str, ...]
    errors: Errors = Errors.SHOWN


@dataclass(frozen=True, slots=True)
class Ended:
    """What a step, or a whole pipeline, came to. ``status`` is negative for a signal; ``told`` says which bound was met."""

    output: bytes
    errors: bytes
    status: int
    told: str = ""


class NotInstalledError(Exception):
    """A program is not on this machine; the text is its name."""


def run_pipeline(steps: Sequence[Step], folder: str, deadline: float) -> Ended:
    """Run ``steps``, each over what came out of the one before. Raises NotInstalledError before anything runs; OSError."""
    paths = [_found(step.program) for step in steps]
    given, errors, told, status = b"", b"", "", 0
    for path, step in zip(paths, steps, strict=True):
        ended = _run(path, step, given, folder, deadline)
        errors += ended.errors
        told = told or ended.told
        given, status = _without_secrets(ended), ended.status
    return Ended(given, errors[:ERROR_BYTES], status, told)


def run_step(step: Step, folder: str, deadline: float) -> Ended:
    """Run one step with nothing on its input and return all it said, unscanned."""
    return _run(_found(step.program), step, b"", folder, deadline)


def _found(program: str) -> str:
    path = shutil.which(program, path=PATH)
    if path is None:
        raise NotInstalledError(program)
    return path


def _without_secrets(ended: Ended) -> bytes:
    """Return the output with secrets taken out; bytes that are no text stay as they are."""
    output = ended.output
    if ended.told:
        output = output[: output.rfind(b"\n") + 1]  # the last line may be half a secret
    text = output.decode("utf-8", "surrogateescape")
    scanned = redact(text).text
    return output if scanned == text else scanned.encode("utf-8", "surrogateescape")


def _run(path: str, step: Step, given: bytes, folder: str, deadline: float) -> Ended:
    process = subprocess.Popen(
        (path, *step.arguments),
        stdin=subprocess.PIPE if given else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr={Errors.SHOWN: subprocess.PIPE, Errors.JOINED: subprocess.STDOUT, Errors.DROPPED: subprocess.DEVNULL}[step.errors],
        env=ENVIRONMENT,
        cwd=folder,
        close_fds=True,
    )
    try:
        output, errors, told = _exchange(process, given, deadline)
    finally:
        ended = _end(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        if ended:
            process.wait()
    return Ended(output, errors, 0 if told else process.returncode, told)


def _end(process: subprocess.Popen[bytes]) -> bool:
    """End a process that still runs; whether it will be over at once.

    Where Landlock cannot keep signals inside yet (before Linux 6.12) none may be sent at all: the supervisor ends the whole group.
    """
    if process.poll() is None:
        try:
            process.kill()
        except PermissionError:
            return False
    return True


def _exchange(process: subprocess.Popen[bytes], given: bytes, deadline: float) -> tuple[bytes, bytes, str]:
    """Feed ``given``, collect output and errors until both are closed; stop where a bound is met, and say so."""
    assert process.stdout is not None
    out = process.stdout.fileno()
    kept = {out: bytearray()} | ({process.stderr.fileno(): bytearray()} if process.stderr else {})
    open_streams, told = len(kept), ""
    with selectors.DefaultSelector() as selector:
        for fd in kept:
            selector.register(fd, selectors.EVENT_READ)
        feeding = _Feeding(process, given, selector)
        while open_streams and not told:
            ready = selector.select(max(deadline - time.monotonic(), 0))
            if not ready or time.monotonic() > deadline:
                told = f"(ended after {SECONDS:.0f} seconds)"
            for key, _ in ready:
                if key.fd not in kept:
                    feeding.go_on()
                elif piece := os.read(key.fd, 1 << 16):
                    kept[key.fd] += piece
                else:
                    selector.unregister(key.fd)
                    open_streams -= 1
            if len(kept[out]) > BETWEEN_BYTES:
                told = f"(ended after {BETWEEN_BYTES >> 20} MB of output)"
            for fd, collected in kept.items():
                del collected[BETWEEN_BYTES if fd == out else ERROR_BYTES :]
    if not told:
        try:
            process.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            told = f"(ended after {SECONDS:.0f} seconds)"
    return bytes(kept.pop(out)), b"".join(map(bytes, kept.values())), told


class _Feeding:
    """What is still to be written to a process's input."""

    def __init__(self, process: subprocess.Popen[bytes], given: bytes, selector: selectors.BaseSelector) -> None:
        self._rest = memoryview(given)
        self._selector = selector
        self._pipe = process.stdin
        if self._pipe is not None:
            use_pipe(self._pipe.fileno())
            selector.register(self._pipe, selectors.EVENT_WRITE)

    def go_on(self) -> None:
        """Write what fits; close the pipe at the end, or when nobody reads any more."""
        assert self._pipe is not None
        try:
            self._rest = self._rest[os.write(self._pipe.fileno(), self._rest[: 1 << 16]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._rest = memoryview(b"")
        if not self._rest:
            self._selector.unregister(self._pipe)
            self._pipe.close()
