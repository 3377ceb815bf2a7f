"""The records about changesets that go into the ledger and come out of it, and its totals.

Owns: their shapes. Times are seconds since the epoch, money is US dollars, texts are as in ``memory.prepared``. Leaves what is
kept of sessions to ``session_rows``, the columns they lie in to ``migrations``, what they mean for the next run to ``extraction``.
"""

from __future__ import annotations

import enum

import msgspec

from extractord.ledger.session_rows import Finish, Outcome, StretchRow
from extractord.memory.changeset import ChangeKind
from extractord.memory.manifest import Tombstone
from extractord.memory.prepared import IndexResult, Prepared


class Kind(enum.Enum):
    """Where a changeset comes from."""

    EXTRACTION = "extraction"
    CONSOLIDATION = "consolidation"
    UNDO = "undo"
    REVIEW = "review"
    REPAIR = "repair"
    TEAM = "team"  # what teammates wrote, brought here by `team sync`


class ChangesetState(enum.Enum):
    """How far a changeset has come."""

    PREPARED = "prepared"  # may be half on disk: finished at the next start
    APPLIED = "applied"
    CONFLICTED = "conflicted"  # carried out, but every topic had changed meanwhile: nothing was written
    HELD = "held"  # waits for review
    ACCEPTED = "accepted"  # was held; a changeset of kind review carries it now
    REJECTED = "rejected"
    UNDONE = "undone"  # applied, and taken back whole


class ChangesetRow(msgspec.Struct, frozen=True):
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


class FileRow(msgspec.Struct, frozen=True):
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


class ChangedFile(msgspec.Struct, frozen=True):
    """One topic in a changeset, without its texts."""

    path: str
    change: ChangeKind
    result: FileState
    undone_by: str | None = None


class FactRow(msgspec.Struct, frozen=True):
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


class LogEntry(msgspec.Struct, frozen=True):
    """A changeset as ``log`` lists it."""

    row: ChangesetRow
    files: tuple[ChangedFile, ...]


class FullChangeset(msgspec.Struct, frozen=True):
    """A changeset with all that ``show``, ``undo`` and ``review`` need."""

    row: ChangesetRow
    files: tuple[FileRow, ...]
    facts: tuple[FactRow, ...]
    index: IndexResult | None
    made_folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class HeldFile(msgspec.Struct, frozen=True):
    """A change that waits for review: the text it is based on, the text it proposes, and why it is held."""

    path: str
    before: str | None
    after: str | None
    reason: str


class HeldChangeset(msgspec.Struct, frozen=True):
    """A changeset that waits for review."""

    row: ChangesetRow
    files: tuple[HeldFile, ...]
    facts: tuple[FactRow, ...] = ()


class Unfinished(msgspec.Struct, frozen=True):
    """A changeset that was prepared and perhaps half carried out, with the end its stretch is to have (None: no stretch)."""

    row: ChangesetRow
    prepared: Prepared
    finish: Finish | None


class Spares(msgspec.Struct, frozen=True):
    """An applied changeset whose dot-files are still to be hashed again and removed."""

    id: str
    prepared: Prepared
    applied: float  # seconds since the epoch


class Burial(msgspec.Struct, frozen=True):
    """A tombstone with the topic it stands for. With ``changeset`` it holds only while that changeset's write of ``path`` does."""

    tombstone: Tombstone
    path: str
    changeset: str | None = None


class Totals(msgspec.Struct, frozen=True):
    """What ``status`` tells of the ledger."""

    sessions_known: int
    parked: int  # stretches
    pending_review: int  # changesets
    last_outcome: StretchRow | None
