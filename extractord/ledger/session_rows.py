"""The records about sessions that go into the ledger and come out of it: what was seen of them, and how their stretches ended.

Owns: their shapes, and which outcome weighs most. Times are seconds since the epoch, money is US dollars. Leaves what was written to
memory to ``rows``, the columns they lie in to ``migrations``, and what they mean for the next run to ``extraction``.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

import msgspec

from extractord.claude_home import TranscriptFile


class Outcome(enum.Enum):
    """How dealing with a stretch ended."""

    SAVED = "saved"
    NOTHING_TO_SAVE = "nothing_to_save"
    SKIPPED = "skipped"
    PENDING_REVIEW = "pending_review"
    CONFLICTED = "conflicted"
    FAILED = "failed"
    POSTPONED = "postponed"

    @property
    def moves_cursor(self) -> bool:
        """Whether the stretch is done with (DESIGN §5, State after an outcome)."""
        return self not in (Outcome.FAILED, Outcome.POSTPONED)


_BY_WEIGHT = (
    Outcome.FAILED,
    Outcome.CONFLICTED,
    Outcome.PENDING_REVIEW,
    Outcome.SAVED,
    Outcome.POSTPONED,
    Outcome.NOTHING_TO_SAVE,
    Outcome.SKIPPED,
)


def weightiest(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome that stands for several stretches: what a person has to see first. At least one is given."""
    return min(outcomes, key=_BY_WEIGHT.index)


class Sighting(msgspec.Struct, frozen=True):
    """What was last seen of a transcript, and how far it was dealt with. The session id is its identity, never the path."""

    session: str
    path: str
    inode: int
    size: int  # bytes
    mtime_ns: int
    cwd: str
    project_root: str | None
    memory_dir: str
    offset: int  # of the cursor, bytes
    uuid: str | None  # of the message at the cursor
    resume: bytes = b""  # the reader's own state; opaque here
    unfinished: bool = False  # some stretch is still open, or a retry is due


class OlderSession(msgspec.Struct, frozen=True):
    """A transcript that is not the daemon's business as it lies there: only what comes after this state of it is.

    ``offset`` is where that business may begin: the size at the daemon's first start, 0 for one that was not there then.
    """

    session: str
    offset: int  # bytes
    inode: int
    size: int  # bytes
    mtime_ns: int

    @classmethod
    def of(cls, file: TranscriptFile, offset: int) -> OlderSession:
        return cls(file.session, offset, file.inode, file.size, file.mtime_ns)

    def is_unchanged(self, file: TranscriptFile) -> bool:
        return (self.inode, self.size, self.mtime_ns) == file.stamp


class StretchRow(msgspec.Struct, frozen=True):
    """One outcome of one stretch. Later ones of the same stretch are added; the newest counts, the older are its history."""

    session: str
    key: str
    number: int  # of the stretch in its session, from 0
    memory_dir: str
    project: str
    transcript: str
    outcome: Outcome
    reason: str
    time: float  # when the outcome was reached
    ended: float | None = None  # evidence time of the stretch's end
    topics: tuple[str, ...] = ()  # file names
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    attempts: int = 1
    next_try: float | None = None  # for failed and postponed
    parked: bool = False
    changeset: str | None = None
    sandbox: str = ""  # level of the run: full | partial | seatbelt | none | off, "" if no worker ran


class SessionRow(msgspec.Struct, frozen=True):
    """A session as ``sessions`` lists it: its weightiest stretch, with sums over all attempts at all its stretches."""

    session: str
    memory_dir: str
    project: str
    transcript: str
    outcome: Outcome
    reason: str
    time: float  # of the newest outcome
    topics: tuple[str, ...]
    input_tokens: int
    output_tokens: int
    cost_usd: float
    seconds: float
    stretches: int
    parked: bool  # at least one stretch is


class Finish(msgspec.Struct, frozen=True):
    """The end of a stretch: its outcome, where the cursor goes (None: it stays), which uuids are dealt with."""

    row: StretchRow
    sighting: Sighting | None = None
    handled: tuple[str, ...] = ()
    also: tuple[Finish, ...] = ()  # other stretches that end with it
