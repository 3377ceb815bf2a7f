"""The daemon's one loop: a reason to look → a look → what is open → its outcome.

Owns: what follows from each wakeup, and the order of ending. One thread runs it and decides; ``crew`` works, ``triggers``
wakes. Leaves what is open to ``extraction.plan``, what comes next to ``backlog``, what is done beside to ``errands``, telling to
``outside``.
"""

from __future__ import annotations

import enum
import queue
import time
from dataclasses import replace
from pathlib import Path

from extractord.config import Config
from extractord.daemon.business import Business
from extractord.daemon.canary import Canary
from extractord.daemon.errands import Errand, Errands
from extractord.daemon.looking import Looking
from extractord.daemon.outside import Outside
from extractord.daemon.quiet import shortest
from extractord.daemon.settings import Settings, switches
from extractord.errors import AbandonedError, ExtractordError, OtherVersionError, TranscriptError
from extractord.extraction.backlog import Backlog
from extractord.extraction.crew import Crew, ErrandDone, Finished, abandon_all
from extractord.extraction.plan import file_of
from extractord.extraction.retry import TryAgain, after_failure
from extractord.history.retention import keep_house
from extractord.ledger import LedgerDamagedError, Outcome
from extractord.supervisor import Supervisor
from extractord.triggers import Reason, Triggers, Wakeup, WatchMode

BUSY_TICK = 1.0  # seconds between looks at the configuration while something is being extracted: `off` counts at once
PATIENCE = 4.0  # seconds that work in hand gets when the daemon is told to end
ABANDONING = 3.0  # seconds until ended workers' threads are given up too


class Ending(enum.Enum):
    """Why the daemon ends; the value is its exit status."""

    TOLD = 0
    LEDGER = 1
    REPLACED = 75  # sysexits.h, EX_TEMPFAIL: the service starts the new version


class Signal(enum.Enum):
    """What a person or the service supervisor asks for."""

    STOP = "stop"
    RELOAD = "reload"


class Daemon:
    """One running daemon."""

    def __init__(self, supervisor: Supervisor, triggers: Triggers, settings: Settings, outside: Outside) -> None:
        self._supervisor = supervisor
        self._triggers = triggers
        self._settings = settings
        self._outside = outside
        self._business = Business(supervisor)
        self._canary = Canary()
        self._looking = Looking(self._business, self._canary)
        self._backlog = Backlog()
        self._reports: queue.SimpleQueue[Finished | ErrandDone | Signal] = queue.SimpleQueue()
        self._crew = Crew(self._report)
        self._errands = Errands(self._crew, outside.journal)
        self._looks: dict[str, Path | None] = {}  # sessions that are to be looked at, with where they were last seen
        self._failures: dict[str, int] = {}  # looks at a session that came to no outcome, in a row
        self._alive_at = 0.0  # time.monotonic when the watchdog was last answered
        self._ending: Ending | None = None
        self._problem = ""

    def signal(self, signal: Signal) -> None:
        """Take a signal; called by its handler."""
        self._report(signal)

    def run(self) -> Ending:
        """Run until told to end."""
        self._errands.begin(self._supervisor, Errand.RECOVERY)
        self._publish()
        self._outside.notifier.ready(self._outside.line())
        while self._ending is None:
            try:
                self._turn()
            except ExtractordError as error:
                self._broken(error)
        self._end()
        return self._ending

    def _turn(self) -> None:
        wakeup = self._triggers.next(self._patience())
        if wakeup is not None:
            self._wake(wakeup)
        while not self._reports.empty():
            self._take(self._reports.get())
        if self._ending is None:
            self._look_at_one()
            self._hand_out()
        self._publish()

    # --- what comes in

    def _report(self, report: Finished | ErrandDone | Signal) -> None:
        self._reports.put(report)
        self._triggers.interrupt()

    def _patience(self) -> float | None:
        """Return for how long to wait for the next wakeup: not at all while sessions are to be looked at."""
        if self._looks:
            return 0.0
        waits = [BUSY_TICK] if self._backlog.taken else []
        if (wanted := self._outside.notifier.watchdog_seconds) is not None:
            waits.append(max(0.0, self._alive_at + wanted - time.monotonic()))
        return min(waits, default=None)

    def _wake(self, wakeup: Wakeup) -> None:
        match wakeup:
            case Wakeup(reason=Reason.NIGHTLY):
                self._supervisor.ledger.copy_daily()
                keep_house(self._supervisor.ledger, self._supervisor.config, self._supervisor.surroundings, self._supervisor.wall())
                self._supervisor.ledger.note_night()
                self._errands.owe_night()
                self._errands.dream_if_plugged_in()
            case Wakeup(session=None):
                self._sweep()
                self._errands.dream_if_plugged_in()
            case Wakeup(session=str(session), path=path, reason=Reason.EVENT):
                # It is not quiet now, so there is nothing to look at yet.
                self._triggers.check(session, path, wakeup.at + shortest(self._supervisor.config.settle))
            case Wakeup(session=str(session), path=path):
                self._looks[session] = path

    def _sweep(self) -> None:
        """Note every session with something new in it; names, sizes and times tell."""
        try:
            changed = self._business.changed()
        except TranscriptError as error:
            self._problem = error.message
            return
        self._problem = ""
        self._looks |= {file.session: file.path for file in changed}
        self._errands.owe_spares()

    def _take(self, report: Finished | ErrandDone | Signal) -> None:
        match report:
            case Signal.STOP:
                self._ending = self._ending or Ending.TOLD
            case Signal.RELOAD:
                before = self._settings.config
                self._settings.reload()
                self._configured(before)
            case ErrandDone():
                self._errands.done(report)
                if report.error is not None:
                    self._outside.trouble(None, report.error)
            case Finished():
                self._finished(report)

    # --- looking

    def _look_at_one(self) -> None:
        if not self._looks:
            return
        session = next(iter(self._looks))
        path = self._looks.pop(session)
        if self._backlog.holds(session):
            return  # its transcript is read again for each stretch anyway, and it is looked at again after the last
        file = file_of(self._supervisor, session, path)
        if file is None:
            return
        try:
            look = self._looking.at(self._supervisor, file)
        except LedgerDamagedError:
            raise
        except Exception as error:  # noqa: BLE001 - what is wrong with one session never stops the others
            self._failed_to_look(session, file.path, error)
            return
        self._backlog.put(session, look.tasks)
        if look.again_at is not None:
            self._triggers.check(session, file.path, look.again_at)
        elif not look.tasks:
            self._failures.pop(session, None)

    def _failed_to_look(self, session: str, path: Path, error: Exception) -> None:
        """Tell it, and look again later, ever more rarely; at last only when the transcript changes or at a new start."""
        self._outside.trouble(session, error)
        self._failures[session] = self._failures.get(session, 0) + 1
        match after_failure(self._failures[session], self._supervisor.config.retry, self._supervisor.wall()):
            case TryAgain(at):
                self._triggers.check(session, path, at, Reason.RETRY)

    # --- working

    def _hand_out(self) -> None:
        """Give the crew what it can take, under the configuration as the file says it now."""
        before = self._settings.config
        if self._settings.refresh():
            self._configured(before)
        if not self._errands.recovered:
            return
        while self._backlog.taken < self._supervisor.config.workers and (task := self._backlog.take()):
            self._crew.work(self._supervisor, task)
        if not (len(self._backlog) or self._looks):
            self._errands.begin_owed(self._supervisor)

    def _finished(self, report: Finished) -> None:
        task, session = report.task, report.task.stretch.session
        self._backlog.done(task)
        match report:
            case Finished(row=row) if row is not None:
                self._outside.outcome(row)
                self._failures.pop(session, None)
                if row.outcome in (Outcome.SAVED, Outcome.CONFLICTED):
                    self._errands.owe_spares()
                self._look_again(session, task.stretch.path)
            case Finished(error=None):  # another process had it, or it is not settled any more
                self._triggers.check(session, task.stretch.path, self._supervisor.wall() + self._supervisor.config.retry.first)
            case Finished(error=AbandonedError()):
                self._look_again(session, task.stretch.path)
            case Finished(error=OtherVersionError() as error):
                self._outside.trouble(None, error)
                self._ending = Ending.REPLACED
            case Finished(error=LedgerDamagedError() as error):
                self._broken(error)
            case Finished(error=Exception() as error):
                self._failed_to_look(session, task.stretch.path, error)

    def _broken(self, error: ExtractordError) -> None:
        """Tell what is wrong with more than one session; without a ledger there is nothing more to do here."""
        self._outside.trouble(None, error)
        if isinstance(error, LedgerDamagedError):
            self._ending = Ending.LEDGER

    def _look_again(self, session: str, path: Path) -> None:
        """Look whether anything is left of a session, once nothing of it is in hand."""
        if not self._backlog.holds(session):
            self._looks[session] = path

    def _configured(self, before: Config) -> None:
        """Take over what the file says now; a file that was refused changes nothing."""
        self._outside.journal.config(self._settings.problem)
        config = self._settings.config
        if config is before:
            return
        self._supervisor = replace(self._supervisor, config=config)
        self._triggers.reload(config)
        if switches(config) != switches(before) and self._backlog.taken:
            abandon_all()  # what was switched off meanwhile is not extracted; the rest begins again

    # --- telling

    def _publish(self) -> None:
        watch = self._triggers.state()
        degraded = tuple(filter(None, (watch.detail if watch.mode is WatchMode.DEGRADED else "", self._canary.warning, self._problem)))
        self._outside.publish(watch.mode.value, degraded, self._backlog.taken, self._settings.problem)
        wanted = self._outside.notifier.watchdog_seconds
        if wanted is not None and time.monotonic() - self._alive_at >= wanted:
            self._alive_at = time.monotonic()
            self._outside.notifier.alive()

    def _end(self) -> None:
        """Let what is in hand be done or, if that takes too long, abandon it: nothing of it was written then."""
        self._outside.notifier.stopping()
        if not self._crew.wait(PATIENCE):
            self._crew.abandon(ABANDONING)
        while not self._reports.empty():
            match self._reports.get():
                case Finished(row=row) if row is not None:
                    self._outside.outcome(row)
                case _:
                    pass
