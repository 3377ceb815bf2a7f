"""A daemon from its start to its end.

Owns: what is opened in which order, the signals, the exit status. Leaves everything in between to ``loop``.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import FrameType

from extractord import __version__
from extractord.agent.model_line import ModelLine
from extractord.claude_home import Surroundings
from extractord.config import Locations
from extractord.daemon.loop import Daemon, Signal
from extractord.daemon.outside import Outside
from extractord.daemon.settings import Settings
from extractord.daemon.single import only_daemon
from extractord.journal import Journal
from extractord.ledger import Ledger
from extractord.notify import Notifier
from extractord.supervisor import Supervisor
from extractord.triggers import Triggers

SIGNALS = {signal.SIGTERM: Signal.STOP, signal.SIGINT: Signal.STOP}
if sys.platform != "win32":
    SIGNALS[signal.SIGHUP] = Signal.RELOAD


def run() -> int:
    """Run the daemon until it is told to end, and return the exit status.

    0 told to end, 75 the program was replaced underneath. Raises UsageError for a wrong configuration, BusyError if a daemon
    runs already, LedgerError if the ledger cannot be used.
    """
    surroundings, locations = Surroundings.of_process(), Locations.of_process()
    settings = Settings(locations.config_file, os.environ)
    journal = Journal.of(os.environ)
    outside = Outside(locations.state, surroundings.config_home, journal, Notifier.of(os.environ))
    with only_daemon(locations.state), Ledger.open(locations.state) as ledger, closing(ModelLine()) as models:
        if ledger.mended is not None:
            journal.mended(ledger.mended.aside, ledger.mended.copy)
        supervisor = Supervisor(ledger, settings.config, surroundings, locations, models=models)
        triggers = Triggers(surroundings.config_home, settings.config, last_night=ledger.last_night())
        daemon = Daemon(supervisor, triggers, settings, outside)
        with _heeding(daemon):
            triggers.start()
            try:
                journal.started(__version__, os.getpid(), triggers.state().mode.value, len(ledger.older_without_outcome()))
                ending = daemon.run()
            except Exception as error:  # noqa: BLE001 - the boundary: told by kind and place only, since its text may quote
                journal.trouble(None, error)
                return 1
            finally:
                triggers.stop()
                outside.gone()
        journal.stopped(ending.name.lower())
        return ending.value


@contextmanager
def _heeding(daemon: Daemon) -> Iterator[None]:
    """Pass signals on to the daemon for a block."""

    def take(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the system's signature
        daemon.signal(SIGNALS[signal.Signals(number)])

    before = {number: signal.signal(number, take) for number in SIGNALS}
    try:
        yield
    finally:
        for number, was in before.items():
            signal.signal(number, was)
