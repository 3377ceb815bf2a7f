"""Checks of memory directories: indexes that say something else than the files, memory of projects that moved.

Owns: these findings and their fixes. Leaves what is wrong to ``history.repair``; changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from extractord.doctor.finding import Check, Finding, Visit, bad, good
from extractord.errors import BusyError, LedgerError
from extractord.history.repair import Orphan, Repair, memory_dirs, orphans, repairs
from extractord.ledger import Ledger
from extractord.memory.upkeep import FaultKind
from extractord.report.text import counted
from extractord.supervisor import Supervisor

_WORDS = {
    FaultKind.GONE: ("line without a file", "lines without a file"),
    FaultKind.UNLISTED: ("file without a line", "files without a line"),
    FaultKind.DUPLICATE: ("topic with several lines", "topics with several lines"),
    FaultKind.TOO_LONG: ("line that is too long", "lines that are too long"),
}


def indexes(visit: Visit) -> Finding | None:
    """Whether each index says of the files beside it what is so."""
    with _looking(visit) as supervisor:
        if supervisor is None or not memory_dirs(supervisor):
            return None
        found = list(repairs(supervisor))
    if found:
        rest = f", and {counted(len(found) - 1, 'more index', 'more indexes')}" if len(found) > 1 else ""
        fix = "`extractord doctor --fix` shows and mends it; `extractord undo` takes that back."
        return bad("indexes", f"{found[0].memory_dir}: {faults_told(found[0])}{rest}", fix)
    return good("indexes", "each says what lies beside it")


def moved_projects(visit: Visit) -> Finding | None:
    """Whether there is memory of projects whose folder is gone. That is no fault: a person may want to keep it so."""
    with _looking(visit) as supervisor:
        found = [] if supervisor is None else list(orphans(supervisor, str(Path.cwd())))
    if not found:
        return None
    detail = "; ".join(orphan_told(one) for one in found[:3])
    rest = f"; and {len(found) - 3} more" if len(found) > 3 else ""
    fix = "`extractord doctor --fix` offers to take it over; where several projects could, run it in the right one."
    return good("moved projects", f"{detail}{rest}", fix)


def faults_told(repair: Repair) -> str:
    """Return the faults of one index, counted by kind."""
    counts = Counter(fault.kind for fault in repair.mended.faults)
    return ", ".join(counted(counts[kind], *words) for kind, words in _WORDS.items() if counts[kind])


def orphan_told(orphan: Orphan) -> str:
    """Return what is to be said of an orphan, and who could take it over."""
    who = f"; {orphan.adopter} has that name now" if orphan.adopter else ""
    return f"{orphan.root} is gone, its memory ({counted(len(orphan.files), 'file')}) is not{who}"


@contextmanager
def _looking(visit: Visit) -> Iterator[Supervisor | None]:
    """Hand out a supervisor for looking; None where the ledger cannot be opened, which is a finding of its own."""
    state = visit.locations.state
    try:
        opened = Ledger.open(state) if Ledger.exists(state) else Ledger.in_memory()
    except (LedgerError, BusyError):
        yield None
        return
    with opened:
        yield Supervisor(opened, visit.config, visit.surroundings, visit.locations)


CHECKS = (Check("indexes", indexes), Check("moved projects", moved_projects))
