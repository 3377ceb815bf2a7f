"""What the checks are told and what they answer: the records between ``checks`` and its callers.

Owns: limits, the facts about a memory directory and a session, the finding on a proposal. Leaves every decision to ``checks``.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from extractord.memory.changeset import Proposal
from extractord.memory.manifest import Tombstone
from extractord.transcript.digest import Entry


@dataclass(frozen=True, slots=True)
class CheckLimits:
    """Numbers that the checks hold to (MEMORY-RULES §4, issue [01])."""

    topic_bytes: int = 25_000  # UTF-8
    description_characters: int = 1_000
    new_topics: int = 3  # a stretch, its chunks together
    vanishing_least: int = 1
    vanishing_most: int = 3
    vanishing_part: int = 4  # one topic in four
    overlap: float = 0.6  # share of words that makes a fact the same as one removed, or as a paragraph of CLAUDE.md
    overlap_words: int = 4  # of fewer different words all have to be the same


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """A topic as it lies on disk."""

    text: str
    time: float  # seconds since the epoch: the later of metadata.modified and mtime
    foreign: frozenset[str] = frozenset()  # its lines (without line ends) that the ledger did not write


class Sharing(enum.Enum):
    """Whether a project has team memory that may be written."""

    OFF = "off"
    ON = "on"


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a check may know. Nothing in it comes from the model."""

    now: datetime  # aware: the clock of the run
    memory_dir: Path  # real path
    topics: Mapping[str, TopicFacts] = field(default_factory=dict)  # by path relative to the memory directory
    entries: Mapping[str, Entry] | None = None  # the digest by id, in order; None: evidence is not asked for
    last_turn: int = 0  # of the stretch
    norms: tuple[str, ...] = ()  # texts of CLAUDE.md, AGENTS.md and rules files
    tombstones: tuple[Tombstone, ...] = ()
    session: str = ""
    sharing: Sharing = Sharing.OFF


class Fate(enum.Enum):
    """What becomes of a proposal."""

    ACCEPTED = "accepted"
    HELD = "held"  # waits for a person's review
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class VerifiedQuote:
    """One fact's evidence, found in the session: what ``why`` shows."""

    message: str  # id in the digest
    uuid: str
    quote: str  # redacted
    evidence_time: float  # seconds since the epoch
    accepted_by: str | None = None  # id of the prompt that let it stand


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer on one proposal. ``reason`` and ``remarks`` are written for the model: they say what to do better."""

    fate: Fate
    reason: str = ""
    remarks: tuple[str, ...] = ()
    facts: tuple[VerifiedQuote, ...] = ()

    @property
    def evidence_time(self) -> float | None:
        """Time of the newest evidence, None without any."""
        return max((fact.evidence_time for fact in self.facts), default=None)


@dataclass(frozen=True, slots=True)
class Checked:
    """A changeset after all checks, each proposal with its finding."""

    accepted: tuple[tuple[Proposal, Finding], ...] = ()
    held: tuple[tuple[Proposal, Finding], ...] = ()
    refused: tuple[tuple[Proposal, Finding], ...] = ()
