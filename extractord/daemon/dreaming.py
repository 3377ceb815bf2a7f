"""The night's consolidation, as an errand of the daemon.

Owns: telling what each directory came to. Leaves which are due and doing it to ``consolidation``.
"""

from __future__ import annotations

from extractord.consolidation.rounds import consolidate_due
from extractord.journal import Journal
from extractord.memory.topics import parse
from extractord.supervisor import Supervisor


def dream_all(supervisor: Supervisor, journal: Journal) -> None:
    """Consolidate every memory directory that is due. Raises LedgerError and RunEndedError."""
    try:
        for done in consolidate_due(supervisor):
            journal.consolidated(done.outcome.value, done)
    finally:
        parse.cache_clear()  # whole memories were read; nothing of them is to stay with a daemon that idles
