"""What the modules by subject have in common.

Owns: the parts of an open ledger that they share. Leaves opening and closing to ``ledger``.
"""

from __future__ import annotations

from collections.abc import Callable

from extractord.ledger.owners import Owner
from extractord.ledger.store import Store


class Subject:
    """A part of the ledger's questions and answers."""

    _store: Store
    _now: Callable[[], float]
    _owner: Owner
