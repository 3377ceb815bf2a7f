"""What is told to those outside: the status file, the service supervisor, the log.

Owns: that each is told when something changed, and only then. Leaves the forms to ``report.status``, ``notify``, ``journal``.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from msgspec.structs import replace

from extractord import __version__
from extractord.errors import ExtractordError
from extractord.journal import Journal, place_of
from extractord.ledger import Outcome, StretchRow
from extractord.notify import Notifier
from extractord.report.status import DaemonState, forget_state, write_state


class Outside:
    """The daemon's account of itself."""

    def __init__(self, state_folder: Path, config_home: Path, journal: Journal, notifier: Notifier) -> None:
        self._folder = state_folder
        self.journal = journal
        self.notifier = notifier
        self._state = DaemonState(os.getpid(), __version__, time.time(), str(config_home), watching="starting")
        self._written: DaemonState | None = None
        self._said = ""

    def publish(self, watching: str, degraded: tuple[str, ...], at_work: int, config_problem: str) -> None:
        """Tell how things stand."""
        for new in set(degraded) - set(self._state.degraded):
            self.journal.degraded(new)
        self._state = replace(self._state, watching=watching, degraded=degraded, at_work=at_work, config_problem=config_problem)
        if self._state != self._written:
            self._write()
        if (said := self.line()) != self._said:
            self._said = said
            self.notifier.status(said)

    def line(self) -> str:
        """Return in one line what is going on."""
        doing = f"at work on {self._state.at_work}" if self._state.at_work else "idle"
        return f"{doing}, watching by {self._state.watching}" + (" (degraded)" if self._state.degraded else "")

    def outcome(self, row: StretchRow) -> None:
        """Tell the outcome of a stretch."""
        self.journal.outcome(row.outcome.value, row)
        if row.outcome is Outcome.FAILED:
            self._note_error(f"session {row.session[:8]}: {row.reason}")

    def trouble(self, session: str | None, error: Exception) -> None:
        """Tell what went wrong outside of an outcome."""
        self.journal.trouble(session, error)
        what = error.message if isinstance(error, ExtractordError) else f"{type(error).__name__} at {place_of(error)}"
        self._note_error(f"session {session[:8]}: {what}" if session else what)

    def gone(self) -> None:
        """Take the account away: nobody is there any more."""
        forget_state(self._folder)

    def _note_error(self, what: str) -> None:
        self._state = replace(self._state, last_error=what, last_error_at=time.time())

    def _write(self) -> None:
        try:
            write_state(self._folder, self._state)
        except OSError as error:  # a full disk: the ledger will tell; the next change tries again
            self.journal.trouble(None, error)
        self._written = self._state
