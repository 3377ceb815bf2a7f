"""Everything that starts work by itself, behind one ``next()``.

Owns: which wakeup follows from which event or moment, and how well changes are noticed at this time. Leaves looking, and whether a
session is settled, to whoever takes the wakeups; that one asks to be woken again with ``check``.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from extractord.config import Config, Watch
from extractord.triggers.agenda import Agenda
from extractord.triggers.clock import Clock
from extractord.triggers.due import CLOCKS_APART, Moment, due, night_is_due, slept
from extractord.triggers.open_clients import OpenClients
from extractord.triggers.polling import Poller
from extractord.triggers.wakeups import Reason, Wakeup, Wakeups
from extractord.triggers.watches import without_events
from extractord.triggers.watching import PROJECTS, Account, Heard, Watching


class WatchMode(enum.Enum):
    """How changes are noticed."""

    EVENTS = "events"
    POLLING = "polling"  # as configured, or since the file system gives no events
    DEGRADED = "degraded"  # events were wanted, and not all are to be had: polling besides


@dataclass(frozen=True, slots=True)
class WatchState:
    """What ``status`` and ``doctor`` tell of it; ``detail`` is a sentence for people, empty if there is nothing to say."""

    mode: WatchMode
    watches: int
    folders: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Periods:
    """Seconds between two looks at everything."""

    sweep: float = 3600.0  # events are hints: this is what completeness rests on
    poll: float = 60.0  # sizes and times only; also how soon a folder that appears is noticed


class Triggers:
    """Wakeups for one config home. ``last_night`` is when the nightly work was last done (seconds since the epoch; None: never)."""

    def __init__(
        self,
        config_home: Path,
        config: Config,
        *,
        last_night: float | None = None,
        periods: Periods = Periods(),
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config_home, self._config, self._periods = config_home, config, periods
        self._wall, self._monotonic = wall, monotonic
        self._wakeups, self._agenda = Wakeups(), Agenda()
        self._clients = OpenClients(config_home, wall, self._client_left)
        self._watching = Watching(config_home, self._heard())
        self._poller = Poller(config_home)
        self._clock = Clock(self._work, self._next_at, min(periods.poll, periods.sweep), wall)
        self._account, self._refused, self._silent = Account(), "", ""
        self._recount = self._begin_anew = False
        self._last = Moment(wall(), monotonic())
        self._last_sweep = self._last.wall
        self._last_poll = self._last.monotonic
        self._last_night = self._last.wall if last_night is None else last_night

    def start(self) -> None:
        """Begin to watch and to wait; the first wakeup is a sweep, since nobody looked before."""
        self._watch()
        self._put(Reason.SWEEP)
        self._clock.start()

    def next(self, timeout: float | None = None) -> Wakeup | None:
        """Return the next wakeup; None after ``timeout`` seconds (None: wait for ever) or after ``interrupt``."""
        return self._wakeups.take(timeout)

    def check(self, session: str, path: Path | None, at: float, reason: Reason = Reason.SETTLED) -> None:
        """Ask for a wakeup of ``session`` at ``at`` (seconds since the epoch), in place of the one that was asked for before."""
        self._agenda.put(Wakeup(session, path, reason, at))
        self._clock.expect(at)

    def drop(self, session: str) -> None:
        """Take back what was asked for with ``check``; a change still wakes."""
        self._agenda.drop(session)

    def interrupt(self) -> None:
        """Let ``next`` return None at once; may be called in a signal handler."""
        self._wakeups.interrupt()

    def reload(self, config: Config) -> None:
        """Go on with another configuration."""
        self._begin_anew = self._begin_anew or config.watch is not self._config.watch
        self._config = config
        self._clock.expect(0.0)

    def stop(self) -> None:
        """End all threads. What still waits is lost, which does no harm: the next start begins with a sweep."""
        self._clock.stop()
        self._watching.end()

    def state(self) -> WatchState:
        """Return how changes are noticed at this time."""
        watches = self._account.folders if self._account.watches is None else self._account.watches
        mode, detail = self._mode()
        return WatchState(mode, watches, self._account.folders, detail)

    # --- what is heard, on the observer's threads ------------------------------------------------------------------------------

    def _heard(self) -> Heard:
        return Heard(self._changed, self._clients.look_at, self._folders_changed, self._events_were_lost)

    def _changed(self, session: str, path: Path) -> None:
        """Wake for a transcript, and once more when it has been quiet for as long as any session must be."""
        self._wake_twice(Wakeup(session, path, Reason.EVENT, self._wall()))

    def _client_left(self, session: str) -> None:
        self._wake_twice(Wakeup(session, None, Reason.CLIENT_GONE, self._wall()))

    def _wake_twice(self, wakeup: Wakeup) -> None:
        self._wakeups.put(wakeup)
        later = replace(wakeup, reason=Reason.SETTLED, at=wakeup.at + self._config.settle.exited)
        self._agenda.put(later)
        self._clock.expect(later.at)

    def _folders_changed(self) -> None:
        self._recount = True

    def _events_were_lost(self) -> None:
        self._begin_anew = True

    # --- what is due, on the clock's thread ------------------------------------------------------------------------------------

    def _work(self) -> None:
        """Do everything that is due."""
        before, now = self._last, Moment(self._wall(), self._monotonic())
        self._last = now
        set_back = (now.monotonic - before.monotonic) - (now.wall - before.wall)
        if set_back > CLOCKS_APART:
            self._agenda.shift(set_back)
        self._look_after_the_watch(now)
        self._poll(now)
        self._sweep(before, now)
        for wakeup in self._agenda.take_due(now.wall):
            self._wakeups.put(wakeup)
        self._nightly(now.wall)

    def _look_after_the_watch(self, now: Moment) -> None:
        deaf = not self._recount and self._watching.deaf(self._account)  # folders that were removed are counted, below
        broken = self._watching.begun and (self._watching.moved_on() or not self._watching.alive() or deaf)
        if self._begin_anew or broken or (self._refused and self._watching.moved_on()):
            self._watch()
            self._sweep_now(now, Reason.SWEEP)
        elif self._recount:
            self._take_account()

    def _watch(self) -> None:
        """Begin to watch what is there now, or anew."""
        self._begin_anew, self._refused, self._silent = False, "", ""
        if self._config.watch is Watch.AUTO:
            self._silent = without_events(self._config_home / PROJECTS) or ""
        self._watching.end()
        if self._config.watch is not Watch.POLL and not self._silent:
            try:
                self._watching.begin()
            except OSError as error:
                self._refused = error.strerror or str(error)
        self._clients.look()
        self._take_account()

    def _take_account(self) -> None:
        """Count what is watched; where that has become too little, begin to poll, and look at what was missed."""
        self._recount = False
        polled = self._polls
        self._account = self._watching.account()
        if not self._polls:
            self._poller.forget()
        elif not polled or not self._poller.began:
            self._poller.look()
            self._put(Reason.SWEEP)

    @property
    def _polls(self) -> bool:
        return not self._watching.begun or self._account.unwatched > 0

    def _poll(self, now: Moment) -> None:
        if not self._polls:
            self._clients.ask_processes()
        elif now.monotonic - self._last_poll >= self._periods.poll * 0.9:  # the clock may come a little early
            self._last_poll = now.monotonic
            self._clients.look()
            for changed in self._poller.look():
                self._changed(changed.session, changed.path)

    def _sweep(self, before: Moment, now: Moment) -> None:
        if slept(before, now, self._periods.poll):
            self._sweep_now(now, Reason.WAKE)
        elif due(now.wall, self._last_sweep, self._periods.sweep):
            if self._account.unwatched or self._refused:
                self._watch()  # the limit may have been raised, or others have let go of theirs
            self._sweep_now(now, Reason.SWEEP)

    def _sweep_now(self, now: Moment, reason: Reason) -> None:
        self._last_sweep = now.wall
        self._put(reason)

    def _nightly(self, now: float) -> None:
        if self._last_night > now + CLOCKS_APART:  # noted by a clock that was wrong
            self._last_night = now
        if night_is_due(now, self._last_night, self._config.dream.at):
            self._last_night = now
            self._put(Reason.NIGHTLY)

    def _next_at(self) -> float:
        return 0.0 if self._begin_anew else self._agenda.next_at()

    def _put(self, reason: Reason) -> None:
        self._wakeups.put(Wakeup(None, None, reason, self._wall()))

    # --- what people are told --------------------------------------------------------------------------------------------------

    def _mode(self) -> tuple[WatchMode, str]:
        each = f"looked at each {self._periods.poll:g} s instead"
        account = self._account
        if self._poller.trouble:
            return WatchMode.DEGRADED, self._poller.trouble
        if self._config.watch is Watch.POLL:
            return WatchMode.POLLING, f'watch = "poll": {each}'
        if self._silent:
            return WatchMode.POLLING, f"{self._silent} tells nothing of other machines' changes: {each}"
        if self._refused:
            return WatchMode.DEGRADED, f"{self._refused}: {each}"
        if account.unwatched > account.linked:
            refused = f"{account.unwatched - account.linked:,} of {account.folders:,} folders are not watched"
            return WatchMode.DEGRADED, f"{refused}, fs.inotify.max_user_watches is too low: {each}"
        if account.linked:
            return WatchMode.DEGRADED, f"project folders behind links ({account.linked:,}) give no events: {each}"
        if not (self._config_home / PROJECTS).exists():
            return WatchMode.EVENTS, f"{self._config_home / PROJECTS} does not exist yet"
        return WatchMode.EVENTS, ""
