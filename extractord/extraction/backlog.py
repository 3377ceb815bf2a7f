"""What a supervisor has to do, and what comes next.

Owns: the order: the oldest stretch first, one of each memory directory at a time. Leaves doing it to ``crew``. One thread only
asks and tells it.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from extractord.extraction.plan import Age, OpenStretch, Scope


@dataclass(frozen=True, slots=True)
class Task:
    """A stretch to deal with, and from where on its session is the supervisor's business."""

    stretch: OpenStretch
    scope: Scope


class Backlog:
    """Stretches that wait, and those that are being dealt with."""

    def __init__(self, first: Collection[str] = ()) -> None:
        """``first`` are sessions whose memory directories come before all others, for as long as they wait there."""
        self._first = frozenset(first)
        self._waiting: dict[str, tuple[Task, ...]] = {}  # by session
        self._queues: dict[str, list[tuple[Age, int, Task]]] = {}  # heaps, by memory directory; some of it waits no more
        self._numbers = itertools.count()  # of two that are equally old the one that came first
        self._taken: dict[str, Task] = {}  # by memory directory

    def put(self, session: str, tasks: Iterable[Task]) -> None:
        """Replace what waits of a session: the newest look counts."""
        self._wait(session, tuple(tasks))
        for task in self._waiting.get(session, ()):
            queue = self._queues.setdefault(str(task.stretch.memory_dir), [])
            heapq.heappush(queue, (task.stretch.age, next(self._numbers), task))

    def take(self) -> Task | None:
        """Return the oldest stretch whose memory directory is free, and hold that directory until ``done``."""
        pressing = self._pressing()
        heads = [(place not in pressing, head[0], place) for place in tuple(self._queues) if (head := self._head(place))]
        if not heads:
            return None
        _, _, place = min(heads)
        _, _, task = heapq.heappop(self._queues[place])
        session = task.stretch.session
        self._wait(session, tuple(other for other in self._waiting[session] if other != task))
        self._taken[place] = task
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

    def _wait(self, session: str, tasks: tuple[Task, ...]) -> None:
        if tasks:
            self._waiting[session] = tasks
        else:
            self._waiting.pop(session, None)

    def _head(self, place: str) -> tuple[Age, int, Task] | None:
        """Return the oldest that waits in a directory; None if there is none, or the directory is taken."""
        if place in self._taken:
            return None
        queue = self._queues[place]
        while queue and queue[0][2] not in self._waiting.get(queue[0][2].stretch.session, ()):
            heapq.heappop(queue)
        if not queue:
            del self._queues[place]
            return None
        return queue[0]

    def _pressing(self) -> frozenset[str]:
        return frozenset(str(task.stretch.memory_dir) for session in self._first for task in self._waiting.get(session, ()))
