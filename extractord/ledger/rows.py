"""The records that go into the ledger and come out of it.

Owns: their shapes. Times are seconds since the epoch, money is US dollars, texts are as in ``memory.prepared``. Leaves the
columns they lie in to ``migrations``, and what they mean for the next run to ``extraction``.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from extractord.claude_home import TranscriptFile
from extractord.memory.changeset import ChangeKind
from extractord.memory.manifest import Tombstone
from extractord.memory.prepared import IndexResult, Prepared


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


@dataclass(frozen=True, slots=True)
class Sighting:
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

    def is_unchanged(self, file: TranscriptFile) -> bool:
        """Whether exactly this state of the file was dealt with."""
        return not self.unfinished and (self.inode, self.size, self.mtime_ns) == (file.inode, file.size, file.mtime_ns)


@dataclass(frozen=True, slots=True)
class OlderSession:
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
        return (self.inode, self.size, self.mtime_ns) == (file.inode, file.size, file.mtime_ns)


@dataclass(frozen=True, slots=True)
class StretchRow:
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


@dataclass(frozen=True, slots=True)
class SessionRow:
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


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a stretch: its outcome, where the cursor goes (None: it stays), which uuids are dealt with."""

    row: StretchRow
    sighting: Sighting | None = None
    handled: tuple[str, ...] = ()


class Kind(enum.Enum):
    """Where a changeset comes from."""

    EXTRACTION = "extraction"
    CONSOLIDATION = "consolidation"
    UNDO = "undo"
    REVIEW = "review"
    REPAIR = "repair"


class ChangesetState(enum.Enum):
    """How far a changeset has come."""

    PREPARED = "prepared"  # may be half on disk: finished at the next start
    APPLIED = "applied"
    CONFLICTED = "conflicted"  # carried out, but every topic had changed meanwhile: nothing was written
    HELD = "held"  # waits for review
    ACCEPTED = "accepted"  # was held; a changeset of kind review carries it now
    REJECTED = "rejected"
    UNDONE = "undone"  # applied, and taken back whole


@dataclass(frozen=True, slots=True)
class ChangesetRow:
    """The head of a changeset."""

    id: str
    time: float
    session: str | None
    stretch_key: str | None
    memory_dir: str
    outcome: Outcome
    kind: Kind
    state: ChangesetState = ChangesetState.PREPARED
    undoes: str | None = None  # id of the changeset it takes back
    accepts: str | None = None  # id of the held changeset it carries out
    reason: str = ""


class FileState(enum.Enum):
    """What became of one topic in a changeset."""

    PREPARED = "prepared"
    WRITTEN = "written"
    CONFLICTED = "conflicted"
    HELD = "held"
    ACCEPTED = "accepted"  # was held; a changeset of kind review carries it now
    REJECTED = "rejected"  # was held


@dataclass(frozen=True, slots=True)
class FileRow:
    """One topic in a changeset, with its texts (None: no file)."""

    path: str
    change: ChangeKind
    before: str | None
    after: str | None
    before_mtime_ns: int | None
    after_mtime_ns: int | None
    result: FileState
    spare: str = ""
    reason: str = ""  # why it is held
    undone_by: str | None = None  # id of the changeset that took it back
    mode: int | None = None  # permission bits, as in ``memory.prepared``
    let_go: bool = False  # its texts are kept no longer: that they are None says nothing


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One topic in a changeset, without its texts."""

    path: str
    change: ChangeKind
    result: FileState
    undone_by: str | None = None


@dataclass(frozen=True, slots=True)
class FactRow:
    """One piece of evidence for what a topic says. ``quote`` is redacted before it comes here."""

    file: str  # relative to the memory directory
    session: str
    time: float  # evidence time
    message: str  # id in the digest
    uuid: str
    quote: str
    changeset: str
    accepted_by: str | None = None
    transcript: str = ""
    offset: int | None = None  # of the message's first record, bytes


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A changeset as ``log`` lists it."""

    row: ChangesetRow
    files: tuple[ChangedFile, ...]


@dataclass(frozen=True, slots=True)
class FullChangeset:
    """A changeset with all that ``show``, ``undo`` and ``review`` need."""

    row: ChangesetRow
    files: tuple[FileRow, ...]
    facts: tuple[FactRow, ...]
    index: IndexResult | None
    made_folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A change that waits for review: the text it is based on, the text it proposes, and why it is held."""

    path: str
    before: str | None
    after: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class HeldChangeset:
    """A changeset that waits for review."""

    row: ChangesetRow
    files: tuple[HeldFile, ...]
    facts: tuple[FactRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A changeset that was prepared and perhaps half carried out, with the end its stretch is to have (None: no stretch)."""

    row: ChangesetRow
    prepared: Prepared
    finish: Finish | None


@dataclass(frozen=True, slots=True)
class Spares:
    """An applied changeset whose dot-files are still to be hashed again and removed."""

    id: str
    prepared: Prepared
    applied: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class Burial:
    """A tombstone with the topic it stands for. With ``changeset`` it holds only while that changeset's write of ``path`` does."""

    tombstone: Tombstone
    path: str
    changeset: str | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """What ``status`` tells of the ledger."""

    sessions_known: int
    parked: int  # stretches
    pending_review: int  # changesets
    last_outcome: StretchRow | None
