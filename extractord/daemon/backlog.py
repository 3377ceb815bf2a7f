"""What the daemon has to do, and what comes next.

Owns: the order: the oldest stretch first, one of each memory directory at a time. Leaves doing it to ``crew``. One thread only
asks and tells it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from extractord.extraction.plan import OpenStretch, Scope


@dataclass(frozen=True, slots=True)
class Task:
    """A stretch to deal with, and from where on its session is the daemon's business."""

    stretch: OpenStretch
    scope: Scope


class Backlog:
    """Stretches that wait, and those that are being dealt with."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Task, ...]] = {}  # by session
        self._taken: dict[str, Task] = {}  # by memory directory

    def put(self, session: str, tasks: Iterable[Task]) -> None:
        """Replace what waits of a session: the newest look counts."""
        self._waiting[session] = tuple(tasks)
        if not self._waiting[session]:
            del self._waiting[session]

    def take(self) -> Task | None:
        """Return the oldest stretch whose memory directory is free, and hold that directory until ``done``."""
        free = [task for tasks in self._waiting.values() for task in tasks if str(task.stretch.memory_dir) not in self._taken]
        if not free:
            return None
        task = min(free, key=lambda task: (task.stretch.started, task.stretch.ended, task.stretch.session, task.stretch.key))
        session = task.stretch.session
        self.put(session, (other for other in self._waiting[session] if other != task))
        self._taken[str(task.stretch.memory_dir)] = task
        return task

    def done(self, task: Task) -> None:
        """Free the memory directory of a task."""
        self._taken.pop(str(task.stretch.memory_dir), None)

    def holds(self, session: str) -> bool:
        """Whether something of a session waits or is being dealt with."""
        return session in self._waiting or any(task.stretch.session == session for task in self._taken.values())

    @property
    def taken(self) -> int:
        return len(self._taken)

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values())) + self.taken
