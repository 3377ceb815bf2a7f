"""The supervisor's record of all it has seen, done, spent and promised.

Owns: opening and closing, and which parts it is made of. Leaves each part to its module.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from extractord.errors import LedgerError
from extractord.ledger.batches import Batches
from extractord.ledger.changesets import Changesets
from extractord.ledger.claims import Claims
from extractord.ledger.copies import copy_daily
from extractord.ledger.evidence import Evidence
from extractord.ledger.marks import Marks
from extractord.ledger.mending import Mended, no_doubt
from extractord.ledger.opening import LEDGER, Opened, migrations, open_file, open_in_memory
from extractord.ledger.owners import Owner
from extractord.ledger.retention import Retention
from extractord.ledger.sessions import Sessions
from extractord.ledger.spend import Spending
from extractord.ledger.tombstones import Tombstones


class Ledger(Sessions, Claims, Changesets, Evidence, Tombstones, Retention, Spending, Batches, Marks):
    """An open ledger, for one process and all its threads; any number of processes may have it open at once.

    Every method is one transaction. All raise ``LedgerError`` (with file and hint) when the ledger cannot be read or written,
    ``BusyError`` when another process keeps it locked.
    """

    def __init__(self, opened: Opened, now: Callable[[], float]) -> None:
        self._opened = opened
        self._store = opened.store
        self._now = now
        self._owner = Owner.here()
        self.copy_problem: LedgerError | None = None
        """Why today's copy could not be made; the ledger itself is fine. For ``doctor``."""

    @classmethod
    def open(cls, state: Path, now: Callable[[], float] = time.time) -> Self:
        """Open the ledger of a state folder, making folder and ledger where they are missing, and make the daily copy.

        A damaged one is moved aside for the newest copy; ``damage`` tells.
        """
        opened = open_file(state, migrations(), now())
        ledger = cls(opened, now)
        if opened.mended is not None:
            ledger.note_damage(opened.mended)
            no_doubt(state)
        ledger.copy_daily()
        return ledger

    @property
    def mended(self) -> Mended | None:
        """What became of a damaged ledger that was found in this one's place when it was opened."""
        return self._opened.mended

    @classmethod
    def in_memory(cls, state: Path | None = None, now: Callable[[], float] = time.time) -> Self:
        """Open a ledger that writes nothing to disk, for dry runs: it begins as the state folder's, or empty, and is forgotten."""
        return cls(open_in_memory(state, migrations()), now)

    @staticmethod
    def exists(state: Path) -> bool:
        """Whether the state folder has a ledger; asking makes none."""
        return os.path.lexists(state / LEDGER)  # whatever lies there: opening says what is wrong with it

    def copy_daily(self) -> Path | None:
        """Make today's copy if there is none and return it. Opening does it; a daemon asks once a day."""
        totals = self.totals()
        if not totals.sessions_known and totals.last_outcome is None:
            return None  # a copy of nothing, put back later, would make everything new again
        try:
            made = copy_daily(self._store, self._now)
        except LedgerError as error:
            self.copy_problem = error
            return None
        self.copy_problem = None
        return made

    def close(self) -> None:
        """Give back all claims and close the file. Needed for nothing: a killed process leaves the same."""
        try:
            self._release_all()
        finally:
            self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
