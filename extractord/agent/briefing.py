"""What a worker is given to work on: all that an agent run may know, in one record.

Owns: the briefing's form. Leaves filling it to ``extraction``, turning it into words to the models.
"""

from __future__ import annotations

import msgspec

from extractord.memory.manifest import PendingTopic, Tombstone, TopicHead
from extractord.transcript.digest import Digest


class Briefing(msgspec.Struct, frozen=True):
    """Everything an agent run knows when it starts."""

    digest: Digest
    manifest: tuple[TopicHead, ...]  # newest first, with bodies
    index: str  # text of MEMORY.md, "" if there is none
    now: str  # ISO 8601 with offset: the clock of the run
    tombstones: tuple[Tombstone, ...] = ()  # newest first, at most 20
    team_index: str | None = None  # text of team/MEMORY.md; None: the project has no team memory that may be written
    pending: tuple[PendingTopic, ...] = ()  # what reads show in the place of what is on disk
    candidates: tuple[str, ...] = ()  # facts found beforehand in the digest's messages, a line each
