"""The supervisor's side of the model process: started on demand, shared by all runs, ended when idle.

Owns: when it starts and ends, and that each call gets its own answer, in time. It believes nothing: a process that dies, hangs,
floods or lies is ended, and the calls it held have failed. Leaves starting and ending to ``child``, money and meaning to ``relay``.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from extractord.agent.child import NOTHING_WRITTEN, Child
from extractord.agent.confinement import model_command
from extractord.agent.frames import Channel, DeadlineError, encode
from extractord.agent.model_frames import (
    AskModel,
    BatchStep,
    Fault,
    FaultKind,
    FromBatch,
    FromModel,
    Key,
    ModelAnswered,
    Said,
    Serve,
    Step,
    ToModel,
    from_model,
)
from extractord.agent.server import Server
from extractord.agent.wire import Request
from extractord.errors import AbandonedError, ExtractordError, PostponedError, WorkerError

ASK_AGAIN = 300.0  # seconds until a server that refused our login or money is asked again with the same login


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds after which the process is ended."""

    idle: float = 60.0  # without a call: it holds 80 MB
    grace: float = 5.0  # beyond a call's time, in which it is to say by itself that it was too late


Ending = Callable[[], ExtractordError]


class ModelLine:
    """Calls to models, for one supervisor and all its threads. Nothing is started before the first call."""

    def __init__(self, command: Sequence[str] | None = None, patience: Patience = Patience()) -> None:
        self._command = command
        self._patience = patience
        self._turn = threading.Lock()
        self._process: _Process | None = None
        self._refused: _Refused | None = None
        self.stopped: PostponedError | None = None
        """Why nothing more may be sent at all for now: a login or a limit. A run that has a plan ends it then."""
        _lines.add(self)

    def ask(self, server: Server, request: Request, deadline: float) -> FromModel:
        """Return the reply to ``request``, or its fault, by ``deadline`` (``time.monotonic``). Raises WorkerError, AbandonedError."""
        said = self._said(server, lambda number: AskModel(number, request, deadline), deadline)
        if isinstance(said, (ModelAnswered, Fault)):
            return said
        raise WorkerError(_NOT_ASKED, hint=NOTHING_WRITTEN)

    def batch(self, server: Server, step: Callable[[int], BatchStep], deadline: float) -> FromBatch:
        """Return what a step of a batch came to; ``step`` is given the number of the call. Raises as ``ask`` does."""
        said = self._said(server, step, deadline)
        if isinstance(said, ModelAnswered):
            raise WorkerError(_NOT_ASKED, hint=NOTHING_WRITTEN)
        return said

    def _said(self, server: Server, step: Callable[[int], Step], deadline: float) -> Said:
        if (refused := self._refused) is not None and refused.holds(server):
            return msgspec.structs.replace(refused.fault, id=0)
        answer = self._serving(server).ask(step, deadline)
        if isinstance(answer, NotAsked):  # it ended meanwhile, say because it had been idle
            answer = self._serving(server).ask(step, deadline)
        if isinstance(answer, NotAsked):
            raise answer.why
        if isinstance(answer, Fault) and answer.kind in (FaultKind.LOGIN, FaultKind.SPENDING):
            self._refused = _Refused(server, answer, time.monotonic())
        return answer

    def abandon(self) -> None:
        """End the process from another thread; who waits for an answer gets AbandonedError."""
        with self._turn:
            if self._process is not None:
                self._process.end(lambda: AbandonedError("the run was stopped", hint=NOTHING_WRITTEN))

    def close(self) -> None:
        """End the process, if there is one."""
        with self._turn:
            process, self._process = self._process, None
        if process is not None:
            process.end(_closed)
            process.join()

    def _serving(self, server: Server) -> _Process:
        """Return a process for ``server``; one for another server is left to the calls it still holds."""
        with self._turn:
            if self._process is None or self._process.over or self._process.server != server:
                if self._process is not None:
                    self._process.retire()
                self._process = _Process(server, self._command or model_command(server), self._patience)
            return self._process


@dataclass(frozen=True, slots=True)
class _Refused:
    """That a server took no login of ours, or no more of our money: it is not asked again for each session that waits."""

    server: Server  # with the login it was asked with: another one is another server
    fault: Fault
    at: float  # time.monotonic

    def holds(self, server: Server) -> bool:
        return server == self.server and time.monotonic() < self.at + ASK_AGAIN


_lines: weakref.WeakSet[ModelLine] = weakref.WeakSet()


def abandon_calls() -> None:
    """Abandon all calls of this process that run now. For a supervisor that is to stop."""
    for line in tuple(_lines):
        line.abandon()


def _closed() -> ExtractordError:
    return WorkerError("the model process was ended", hint=NOTHING_WRITTEN)


Answer = Said | ExtractordError
_NOT_ASKED = "the model process answered what it was not asked"


@dataclass(frozen=True, slots=True)
class NotAsked:
    """The process was over before it was asked."""

    why: ExtractordError


class _Process:
    """One model process with the thread that reads what it says. The thread starts it, so that it lives as long as the process."""

    def __init__(self, server: Server, command: Sequence[str], patience: Patience) -> None:
        self.server = server
        self._command = command
        self._patience = patience
        self._lock = threading.Lock()
        self._waiting: dict[int, queue.SimpleQueue[Answer]] = {}
        self._made = 0
        self._retired = False
        self._ended: Ending | None = None
        self._child: Child | None = None
        self._channel: Channel[ToModel, Said] | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._live, name="model process", daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
        with self._lock:
            return self._ended is not None

    def ask(self, step: Callable[[int], Step], deadline: float) -> Said | NotAsked:
        """Return the answer. Raises ExtractordError for a process that ends before it gives one."""
        answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._started.wait()
        with self._lock:
            if self._ended is not None:
                return NotAsked(self._ended())
            self._made += 1
            number = self._made
            self._waiting[number] = answers
            self._send(step(number), deadline)
        try:
            answer = answers.get(timeout=max(0.0, deadline + self._patience.grace - time.monotonic()))
        except queue.Empty:
            self.end(lambda: WorkerError("the model process did not answer in time and was ended", hint=NOTHING_WRITTEN))
            answer = answers.get()
        if isinstance(answer, ExtractordError):
            raise answer
        return answer

    def retire(self) -> None:
        """Let it end after the calls it holds."""
        with self._lock:
            self._retired = True
            if not self._waiting:
                self._end(_closed)

    def end(self, why: Ending) -> None:
        """End it at once; ``why`` is what its calls are told."""
        with self._lock:
            self._end(why)

    def join(self) -> None:
        self._thread.join(timeout=self._patience.grace)

    # --- with the lock held

    def _send(self, frame: Step, deadline: float) -> None:
        assert self._channel is not None
        try:
            self._channel.send_encoded(encode(frame), deadline)
        except (UnicodeEncodeError, RecursionError):
            del self._waiting[frame.id]
            raise WorkerError("what the model was to be asked cannot be written as JSON", hint=NOTHING_WRITTEN) from None
        except DeadlineError:
            self._end(lambda: WorkerError("the model process did not listen in time and was ended", hint=NOTHING_WRITTEN))
        except WorkerError:
            self._end(self._how_it_ended)

    def _end(self, why: Ending) -> None:
        if self._ended is None:
            self._ended = why
            if self._child is not None:
                self._child.kill()
        waiting, self._waiting = self._waiting, {}
        for answers in waiting.values():
            answers.put(self._ended())

    # --- the thread

    def _live(self) -> None:
        try:
            with self._child_started() as channel:
                self._channel = channel
                self._started.set()
                while self._take(channel):
                    pass
        except ExtractordError as error:
            told = error
            self.end(lambda: told)
        finally:
            self._started.set()

    @contextlib.contextmanager
    def _child_started(self) -> Iterator[Channel[ToModel, Said]]:
        child = self._child = Child("model process", self._command, self.server.environment)
        try:
            channel: Channel[ToModel, Said] = Channel(child.read_fd, child.write_fd, from_model)
            key = Key.OPTIONAL if self.server.local else Key.NEEDED
            try:
                channel.send(Serve(self.server.base_url, key, self.server.provider), time.monotonic() + self._patience.grace)
            except WorkerError:
                raise child.why_it_ended() from None
            yield channel
        finally:
            child.bury()

    def _take(self, channel: Channel[ToModel, Said]) -> bool:
        """Take one frame to whom it belongs; False when the process is over."""
        try:
            frame = channel.receive(time.monotonic() + self._patience.idle)
        except DeadlineError:
            return not self._is_idle()
        except WorkerError as error:
            raise WorkerError(f"the model process broke the rules of its pipe: {error.message}", hint=NOTHING_WRITTEN) from None
        with self._lock:
            if frame is None:
                self._end(self._how_it_ended)
                return False
            answers = self._waiting.pop(frame.id, None)
            if answers is None:
                self._end(lambda: WorkerError(_NOT_ASKED, hint=NOTHING_WRITTEN))
                return False
            answers.put(frame)
            if self._retired and not self._waiting:
                self._end(_closed)
            return self._ended is None

    def _is_idle(self) -> bool:
        with self._lock:
            if not self._waiting:
                self._end(_closed)
            return self._ended is not None

    def _how_it_ended(self) -> ExtractordError:
        assert self._child is not None
        return self._child.why_it_ended()
