"""Who holds a claim, and whether they still live.

Owns: telling one process from a later one with the same number. Leaves claims themselves to ``claims``.
"""

from __future__ import annotations

import os

import msgspec

from extractord.system.pids import runs, started_at


class Owner(msgspec.Struct, frozen=True):
    """One open ledger in one process."""

    token: str  # of this opening of the ledger
    pid: int
    started: str  # tells the process from a later one of the same number; "" where the system does not say

    @classmethod
    def here(cls) -> Owner:
        return cls(os.urandom(8).hex(), os.getpid(), started_at(os.getpid()) or "")

    @property
    def lives(self) -> bool:
        """Whether the process still runs. One that cannot be told apart by its start (macOS) is judged by its number alone."""
        now = started_at(self.pid)
        if now is None:
            return runs(self.pid)
        return now != "" and now == self.started
