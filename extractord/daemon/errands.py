"""What a daemon does beside extracting: finishing what was left in hand, settling spares, dreaming.

Owns: what of it is owed, that each is under way once at a time, and that memory is dreamt over only off the battery. Leaves when there is
time for it to ``loop``, the threads to ``crew``, what is done to ``applying`` and ``dreaming``.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import assert_never

from extractord.applying import recover, settle_spares
from extractord.consolidation.power import on_battery
from extractord.daemon.dreaming import dream_all
from extractord.extraction.crew import Crew, ErrandDone
from extractord.journal import Journal
from extractord.supervisor import Supervisor


class Errand(enum.Enum):
    """The value is its thread's name."""

    RECOVERY = "recovery"
    SPARES = "spares"
    DREAM = "dream"


class Errands:
    """The errands of one daemon."""

    def __init__(self, crew: Crew, journal: Journal) -> None:
        self._crew = crew
        self._journal = journal
        self._under_way: set[Errand] = set()
        self._owed = {Errand.SPARES}  # something may have to be settled
        self._night_owed = False  # memory is to be looked through, once the machine is not on its battery
        self.recovered = False
        """Whether what a killed daemon left in hand was looked at: nothing is extracted before."""

    def begin(self, supervisor: Supervisor, errand: Errand) -> None:
        """Do an errand now."""
        self._owed.discard(errand)
        self._under_way.add(errand)
        self._crew.errand(errand.value, self._act(supervisor, errand))

    def owe_spares(self) -> None:
        """Note that something may have to be settled."""
        self._owed.add(Errand.SPARES)

    def owe_night(self) -> None:
        """Note that memory is to be looked through."""
        self._night_owed = True

    def dream_if_plugged_in(self) -> None:
        """Owe the dream, if the night is owed and the machine may spend the power."""
        if self._night_owed and not on_battery():
            self._night_owed = False
            self._owed.add(Errand.DREAM)

    def begin_owed(self, supervisor: Supervisor) -> None:
        """Begin what is owed, as nothing else is to be done."""
        # An errand that is under way may have passed by what was left since: it is done once more after it.
        for errand in (Errand.SPARES, Errand.DREAM):
            if errand in self._owed and errand not in self._under_way:
                self.begin(supervisor, errand)

    def done(self, report: ErrandDone) -> None:
        """Take note that an errand is over."""
        errand = Errand(report.name)
        self._under_way.discard(errand)
        if errand is Errand.RECOVERY:
            # What could not be finished (its directory is not there, or is locked) is looked at again at the next start; a
            # stretch of that directory meets the same error and fails by itself.
            self.recovered = True
        if errand is Errand.DREAM:
            self.owe_spares()

    def _act(self, supervisor: Supervisor, errand: Errand) -> Callable[[], object]:
        match errand:
            case Errand.RECOVERY:
                return lambda: recover(supervisor)
            case Errand.SPARES:
                return lambda: settle_spares(supervisor)
            case Errand.DREAM:
                return lambda: dream_all(supervisor, self._journal)
            case _:
                assert_never(errand)
