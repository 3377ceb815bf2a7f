"""What a person took out of memory by hand.

Owns: noticing that a topic, or lines of one, that the ledger wrote is gone without our doing. Leaves the tombstones' form to
``memory.removals``.
"""

from __future__ import annotations

from pathlib import Path

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
        for stone in removed(path, wrote, today, _taken_out_at(ledger, memory_dir, path, snapshot, now)):
            if (path, stone.slug, stone.words) not in known:
                ledger.bury(memory_dir, stone, path)


def _taken_out_at(ledger: Ledger, memory_dir: str, path: str, snapshot: Snapshot, now: float) -> float:
    """Return when that was at the latest: what the person has said since then is to count again, though it is noticed only now."""
    mtime_ns = snapshot.mtime_of(path)
    changed = _mtime((Path(memory_dir) / path).parent) if mtime_ns is None else mtime_ns / 1e9
    evidence = max((fact.time for fact in ledger.facts(memory_dir, path)), default=0.0)
    # A time that is not after the evidence tells nothing: we set it ourselves, or an old copy was put back with its own.
    return changed if evidence + 1 < changed < now else now


def _mtime(folder: Path) -> float:
    return folder.stat().st_mtime if folder.is_dir() else 0.0
