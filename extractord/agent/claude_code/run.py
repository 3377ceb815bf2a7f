"""One run of the client, from its start to its certain end.

Owns: feeding it, reading no more of it than an answer may have, its deadline, and ending it with all it started. Leaves what it
said to ``faults`` and ``changes``.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from extractord.agent.child import NOTHING_WRITTEN, command_of
from extractord.errors import AbandonedError, WorkerError
from extractord.system.processes import use_pipe
from extractord.system.unsupported import NotHereError

OUTPUT_BYTES = 2 << 20  # of a whole answer; 16,000 tokens have about 80 KB
TOO_LARGE = "the model's reply was too large and was dropped"
_COMPLAINT_BYTES = 16 << 10  # of what it says on stderr, which nobody is shown
_PIECE = 1 << 16
_GRACE = 1.0  # seconds to end by itself: then it takes its file in the sessions folder away


@dataclass(frozen=True, slots=True)
class Output:
    """What a run that ended left. It may quote what was worked on: it is shown nowhere."""

    status: int
    answer: bytes
    complaint: bytes


def run(command: tuple[str, ...], environment: Mapping[str, str], folder: Path, prompt: bytes, deadline: float) -> Output:
    """Run the client by ``deadline`` (``time.monotonic``). Raises WorkerError where it is late or floods, AbandonedError."""
    with contextlib.closing(_Run(command, environment, folder)) as running:
        return running.until_its_end(prompt, deadline)


def abandon_clients() -> None:
    """End all clients that this process runs now; who waits for one gets AbandonedError."""
    for running in tuple(_running):
        running.abandon()


class _Run:
    def __init__(self, command: tuple[str, ...], environment: Mapping[str, str], folder: Path) -> None:
        self._abandoned = False
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command_of("extractord.agent.claude_code.launch", *command),
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )
        except OSError as error:
            raise WorkerError(f"the client cannot be started: {error.strerror}", hint=NOTHING_WRITTEN) from error
        _running.add(self)

    def until_its_end(self, prompt: bytes, deadline: float) -> Output:
        """Feed and read it until it closed its output, then wait for it."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        answer, complaint, rest = bytearray(), bytearray(), memoryview(prompt)
        with selectors.DefaultSelector() as ready:
            for pipe in (process.stdin, process.stdout, process.stderr):
                use_pipe(pipe.fileno())
                ready.register(pipe, selectors.EVENT_WRITE if pipe is process.stdin else selectors.EVENT_READ)
            while any(key.fileobj is process.stdout for key in ready.get_map().values()):
                found = ready.select(self._left(deadline))
                self._left(deadline)  # also where there is always something to read: a flood must not outrun the clock
                for key, _ in found:
                    if key.fileobj is process.stdin:
                        rest = _fed(key.fd, rest)
                        if not rest:
                            ready.unregister(process.stdin)
                            process.stdin.close()
                    elif not (piece := os.read(key.fd, _PIECE)):
                        ready.unregister(key.fileobj)
                    elif key.fileobj is process.stderr:
                        complaint += piece[: max(0, _COMPLAINT_BYTES - len(complaint))]
                    elif len(answer := answer + piece) > OUTPUT_BYTES:
                        raise WorkerError(TOO_LARGE, hint=NOTHING_WRITTEN)
        return Output(self._status(deadline), bytes(answer), bytes(complaint))

    def abandon(self) -> None:
        """End it from another thread."""
        self._abandoned = True
        self._signal(signal.SIGTERM)

    def close(self) -> None:
        """End it for certain, first in the way that lets it clear up."""
        _running.discard(self)
        if self._process.poll() is None:
            self._signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE)
        if sys.platform == "win32":
            raise NotHereError
        self._signal(signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()

    def _left(self, deadline: float) -> float:
        """Return the seconds that are left. Raises WorkerError where none are, AbandonedError."""
        if self._abandoned:
            raise AbandonedError("the run was stopped", hint="Nothing was written. The session is tried again at the next start.")
        left = deadline - time.monotonic()
        if left <= 0:
            raise WorkerError("the model did not answer in time", hint="it is tried again; limits.extraction_seconds is the time it has")
        return left

    def _status(self, deadline: float) -> int:
        while (status := self._process.poll()) is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(self._left(deadline))
        self._left(deadline)  # an abandoned one ended by our own signal
        return status

    def _signal(self, number: signal.Signals) -> None:
        if sys.platform == "win32":
            raise NotHereError
        # Its group, whose number is its own for as long as it was not waited for or anything of it is left.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _fed(fd: int, rest: memoryview) -> memoryview:
    """Write what the pipe takes; a client that reads no more has a reason, which it tells on its output."""
    try:
        return rest[os.write(fd, rest[:_PIECE]) :]
    except BlockingIOError:
        return rest
    except BrokenPipeError:
        return rest[len(rest) :]


_running: set[_Run] = set()  # of this process, by whatever thread
