"""The threads in which a supervisor's work is done.

Owns: that whatever happens in one is reported, and waiting for them at the end. Leaves what is done to ``extraction`` and
``applying``, the order to ``backlog``. A thread waits for its worker process, so that it outlives it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from extractord.agent.claude_code.run import abandon_clients
from extractord.agent.model_line import abandon_calls
from extractord.agent.supervise import abandon_workers
from extractord.extraction.backlog import Task
from extractord.extraction.dealing import work_on
from extractord.extraction.plan import OpenStretch
from extractord.ledger import StretchRow
from extractord.supervisor import Supervisor

_ROUND_SECONDS = 0.2  # between two tries to end workers: one may just be starting


@dataclass(frozen=True, slots=True)
class Finished:
    """A task is over: with an outcome, without one since there was nothing to do any more, or by an error."""

    task: Task
    row: StretchRow | None = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class ErrandDone:
    """Something that is no task is over."""

    name: str
    error: Exception | None = None


Report = Callable[[Finished | ErrandDone], None]
Between = Callable[[OpenStretch], None]


def nothing_between(item: OpenStretch) -> None:
    """Do nothing between two stretches."""


class Crew:
    """Starts threads and tells ``report`` when each is done, from that thread."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._threads: set[threading.Thread] = set()

    def work(self, supervisor: Supervisor, task: Task, between: Between = nothing_between) -> None:
        """Deal with a stretch; ``between`` is called after one that is done with, before another of its directory is begun."""
        self._start(lambda: self._report(_worked(supervisor, task, between)), f"stretch of {task.stretch.session[:8]}")

    def errand(self, name: str, do: Callable[[], object]) -> None:
        """Do something else beside."""
        self._start(lambda: self._report(_run(name, do)), name)

    def wait(self, seconds: float) -> bool:
        """Wait until all are done; return whether they are."""
        until = time.monotonic() + seconds
        for thread in tuple(self._threads):
            if thread.is_alive():  # one whose start was interrupted cannot be joined
                thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def abandon(self, seconds: float) -> bool:
        """End the workers, again and again, until all threads are done; return whether they are."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            abandon_all()
            if self.wait(_ROUND_SECONDS):
                return True
        return False

    def _start(self, do: Callable[[], None], name: str) -> None:
        self._threads = {thread for thread in self._threads if thread.is_alive()}
        thread = threading.Thread(target=do, name=name, daemon=True)  # one that hangs in the system does not keep the process
        self._threads.add(thread)
        try:
            thread.start()
        except KeyboardInterrupt:
            time.sleep(_ROUND_SECONDS)  # by then it has begun, and is waited for, or never will
            raise


def abandon_all() -> None:
    """End everything that works for this process: calls, clients, workers."""
    abandon_calls()
    abandon_clients()
    abandon_workers()


def _worked(supervisor: Supervisor, task: Task, between: Between) -> Finished:
    try:
        row = work_on(supervisor, task.scope, task.stretch)
        if row is not None and row.outcome.moves_cursor:
            between(task.stretch)
        return Finished(task, row)
    except Exception as error:  # noqa: BLE001 - a thread's boundary: the loop tells it and goes on with the other sessions
        return Finished(task, error=error)


def _run(name: str, do: Callable[[], object]) -> ErrandDone:
    try:
        do()
    except Exception as error:  # noqa: BLE001 - as above
        return ErrandDone(name, error)
    return ErrandDone(name)
