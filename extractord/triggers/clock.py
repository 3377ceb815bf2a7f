"""The one thread that waits for what is due.

Owns: how long to sleep, on APScheduler. One job does everything that depends on time: with a job each for the sweep, retries, the
nightly work and polling a machine at rest would be woken for each, while most look at the same clock. What is due is decided by
``due``, as pure functions, since APScheduler knows only the wall clock and that one jumps. Leaves the work to ``triggers``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from apscheduler.executors.debug import DebugExecutor
from apscheduler.jobstores.memory import MemoryJobStore
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger

from extractord.triggers.due import until


class Clock:
    """Calls ``work`` at least each ``longest`` seconds and when ``next_at()`` (seconds since the epoch) has come."""

    def __init__(
        self, work: Callable[[], None], next_at: Callable[[], float], longest: float, wall: Callable[[], float] = time.time
    ) -> None:
        def wait() -> float:
            now = wall()
            seconds = until(now, next_at(), longest)
            self._planned = now + seconds
            return seconds

        self._planned = 0.0
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            jobstores={"default": _Punctual(wait)},
            executors={"default": DebugExecutor()},  # runs on the scheduler's own thread: a pool would be woken besides
        )
        # However late it comes, and however much was missed, it runs once.
        self._scheduler.add_job(work, _Next(wait), id="due", coalesce=True, misfire_grace_time=None, max_instances=1)

    def start(self) -> None:
        """Begin to wait, on a thread of its own."""
        self._scheduler.start()

    def expect(self, at: float) -> None:
        """Make sure that ``at`` (seconds since the epoch) is not slept through. Waits for nobody."""
        if at < self._planned:
            self._planned = at  # a burst of events wakes once
            self._scheduler.wakeup()

    def stop(self) -> None:
        """End the thread, after what it is at."""
        self._scheduler.shutdown()


class _Next(BaseTrigger):  # type: ignore[misc]  # APScheduler has no types
    """The next run, counted from now and never from the last one: a clock that was wrong by years is no reason for years of runs."""

    def __init__(self, wait: Callable[[], float]) -> None:
        self._wait = wait

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:  # noqa: ARG002 - APScheduler's
        return now + timedelta(seconds=self._wait())


class _Punctual(MemoryJobStore):  # type: ignore[misc]  # APScheduler has no types
    """Never lets the job lie further ahead than the wait of this moment, as it would after the clock was set back."""

    def __init__(self, wait: Callable[[], float]) -> None:
        super().__init__()
        self._wait = wait

    def get_due_jobs(self, now: datetime) -> list[object]:
        for job in self.get_all_jobs():
            latest = now + timedelta(seconds=self._wait())
            if job.next_run_time is not None and job.next_run_time > latest:
                job.next_run_time = latest
                self.update_job(job)
        due: list[object] = super().get_due_jobs(now)
        return due
