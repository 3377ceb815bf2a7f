"""The manifest: what is known of each topic without reading it whole, and what was removed for good.

Owns: the records. Leaves reading topics to ``topics`` and ``directory``, keeping tombstones to the ledger.
"""

from __future__ import annotations

import msgspec


class TopicHead(msgspec.Struct, frozen=True):
    """A line of the manifest, with the body where it may be needed."""

    file: str  # relative to the memory directory, with /
    name: str
    description: str
    type: str  # user | feedback | project | reference, "" if none is given
    time: float  # seconds since the epoch: the later of metadata.modified and mtime
    body: str = ""  # what follows the frontmatter; "" where it is left out
    waits: str = ""  # id of the changeset that waits for review with this text; "": it stands in memory


class PendingTopic(msgspec.Struct, frozen=True):
    """A topic's text that waits for review, in the place of what stands on disk, if anything does."""

    file: str  # relative to the memory directory, with /
    text: str
    changeset: str  # that waits


class Tombstone(msgspec.Struct, frozen=True):
    """A removal that is to last: what matches it with older evidence is dropped."""

    slug: str  # file name without .md, or "" for a removed line
    words: tuple[str, ...]  # folded words of name and body, or of the line
    time: float  # of the removal, seconds since the epoch
