"""The ledger: the supervisor's record, in SQLite. Only this package knows SQL; it takes and returns records (``rows``)."""

from extractord.ledger.copies import copies
from extractord.ledger.evidence import lines_of
from extractord.ledger.ledger import Ledger
from extractord.ledger.marks import PAID
from extractord.ledger.mending import Mended
from extractord.ledger.retention import LetGo
from extractord.ledger.rows import (
    Burial,
    ChangedFile,
    ChangesetRow,
    ChangesetState,
    FactRow,
    FileRow,
    FileState,
    FullChangeset,
    HeldChangeset,
    HeldFile,
    Kind,
    LogEntry,
    Spares,
    Totals,
    Unfinished,
)
from extractord.ledger.session_rows import Finish, OlderSession, Outcome, SessionRow, Sighting, StretchRow, weightiest
from extractord.ledger.spend import Cap, Caps, Period, PeriodSpend, Refused, Reservation, Spend, day_start, month_start, next_day, told_lost
from extractord.ledger.store import LedgerDamagedError

__all__ = [
    "PAID",
    "Burial",
    "Cap",
    "Caps",
    "ChangedFile",
    "ChangesetRow",
    "ChangesetState",
    "FactRow",
    "FileRow",
    "FileState",
    "Finish",
    "FullChangeset",
    "HeldChangeset",
    "HeldFile",
    "Kind",
    "Ledger",
    "LedgerDamagedError",
    "LetGo",
    "LogEntry",
    "Mended",
    "OlderSession",
    "Outcome",
    "Period",
    "PeriodSpend",
    "Refused",
    "Reservation",
    "SessionRow",
    "Sighting",
    "Spares",
    "Spend",
    "StretchRow",
    "Totals",
    "Unfinished",
    "copies",
    "day_start",
    "lines_of",
    "month_start",
    "next_day",
    "told_lost",
    "weightiest",
]
