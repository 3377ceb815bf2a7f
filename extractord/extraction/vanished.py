"""What a person took out of memory by hand.

Owns: noticing that a topic, or lines of one, that the ledger wrote is gone without our doing. Leaves the tombstones' form to
``memory.removals``.
"""

from __future__ import annotations

from extractord.ledger import Ledger
from extractord.memory.changeset import digest_of
from extractord.memory.directory import Snapshot
from extractord.memory.removals import removed


def bury_vanished(ledger: Ledger, memory_dir: str, snapshot: Snapshot, now: float) -> None:
    """Record a tombstone for each topic or line of ours that somebody removed since we wrote it; once for each."""
    known = {(burial.path, burial.tombstone.slug, burial.tombstone.words) for burial in ledger.burials(memory_dir)}
    for path, wrote_digest in ledger.own_topics(memory_dir).items():
        today = snapshot.text_of(path)
        wrote = None if digest_of(today) == wrote_digest else ledger.text(wrote_digest)
        if wrote is None:
            continue
        for stone in removed(path, wrote, today, now):
            if (path, stone.slug, stone.words) not in known:
                ledger.bury(memory_dir, stone, path)
