"""Tombstones: removals that are to last.

Owns: keeping them, and that one which belongs to a changeset holds only while that changeset's write does (so undoing a
forget lifts it, and undoing that undo brings it back). Leaves what matches a tombstone to ``memory.checks``.
"""

from __future__ import annotations

import json
import sqlite3

from extractord.ledger.codec import to_json
from extractord.ledger.rows import Burial
from extractord.ledger.store import Tx
from extractord.ledger.subject import Subject
from extractord.memory.manifest import Tombstone


class Tombstones(Subject):
    """The ledger's part about tombstones."""

    def tombstones(self, memory_dir: str) -> tuple[Tombstone, ...]:
        """Return those in force, newest first."""
        return tuple(burial.tombstone for burial in self.burials(memory_dir))

    def burials(self, memory_dir: str) -> tuple[Burial, ...]:
        """Return those in force with the topic each stands for, newest first."""
        with self._store.reading() as tx:
            return tuple(_burial(row) for row in tx.all("tombstones", {"memory_dir": memory_dir}))

    def bury(self, memory_dir: str, tombstone: Tombstone, path: str, changeset: str | None = None) -> None:
        """Keep a tombstone by itself, as for a topic that a person deleted. One of a changeset goes through ``prepare``."""
        with self._store.writing() as tx:
            write_burial(tx, memory_dir, Burial(tombstone, path, changeset))


def write_burial(tx: Tx, memory_dir: str, burial: Burial) -> None:
    stone = burial.tombstone
    tx.run(
        "add_tombstone",
        {
            "memory_dir": memory_dir,
            "path": burial.path,
            "slug": stone.slug,
            "words": to_json(stone.words),
            "time": stone.time,
            "changeset": burial.changeset,
        },
    )


def _burial(row: sqlite3.Row) -> Burial:
    stone = Tombstone(slug=row["slug"], words=tuple(json.loads(row["words"])), time=row["time"])
    return Burial(stone, row["path"], row["changeset"])
