"""What a new transcript repeats of an older one: a fork begins with its original's records, under the same uuids.

Owns: finding them by their uuids in the older transcripts beside it. They say nothing of where they come from (facts §5), so this
is the one place where the daemon opens sessions that are not its business; only their uuids are compared.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from pathlib import Path

from extractord.transcript.span import Reading


def copied(reading: Reading, moment: float, older: Iterable[Path]) -> frozenset[str]:
    """Return the uuids of messages said up to ``moment`` that stand in one of the ``older`` transcripts too."""
    early = [message.uuid for message in reading.messages if message.uuid and message.evidence_time <= moment]
    found: set[str] = set()
    for path in older if early else ():
        found |= _held(path, [uuid for uuid in early if uuid not in found])
    return frozenset(found)


def _held(path: Path, uuids: list[str]) -> set[str]:
    """Return those of ``uuids`` that a file holds, if it holds the first of them."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            if not uuids or text.find(uuids[0].encode()) < 0:
                return set()
            return {uuid for uuid in uuids if text.find(uuid.encode()) >= 0}
    except (OSError, ValueError):  # gone meanwhile; empty
        return set()
