"""A checked changeset made ready to be carried out, and what carrying it out came to.

Owns: the records that the ledger keeps before (``Prepared``) and after (``Applied``) a memory directory is changed. With a
``Prepared`` and the directory alone any interrupted apply can be finished.
"""

from __future__ import annotations

import enum

import msgspec


class TopicWrite(msgspec.Struct, frozen=True):
    """One topic's state before and after. Texts are the file's bytes as UTF-8; None means: no file."""

    path: str  # relative to the memory directory, with /
    before: str | None
    after: str | None
    before_mtime_ns: int | None
    after_mtime_ns: int | None
    spare: str  # relative name of the dot-file used for the exchange; ours alone
    mode: int | None = None  # permission bits: those it has, and keeps; or those that one which is made gets (None: 0600)


class LineOperation(enum.Enum):
    """What is done about a topic's lines in the index, whatever the index is by then."""

    PUT = "put"  # the line is put or replaced, or dropped if None
    COMPLETE = "complete"  # the line is put where the topic has none
    SINGLE = "single"  # all lines but the first leave
    SHORTEN = "shorten"  # what follows the link is cut to the size of a line


class IndexLine(msgspec.Struct, frozen=True):
    """What the index is to say of a topic: ``line`` as ``operation`` says."""

    file: str
    line: str | None
    time: float = 0.0  # evidence time of the topic, decides where a new line goes
    operation: LineOperation = LineOperation.PUT


class IndexRestore(msgspec.Struct, frozen=True):
    """For an undo: the index as it was and became, so that equal bytes also get their old mtime."""

    before: str | None
    after: str | None
    before_mtime_ns: int | None
    changes: tuple[LineChange, ...] = ()  # the operations to be inverted where the index is no longer ``after``
    made_folders: tuple[str, ...] = ()  # made by the changeset that is undone: removed if they are empty
    made_lines: tuple[str, ...] = ()  # put when we made the index, for topics of others: alone they are no reason to leave it


class IndexSeen(msgspec.Struct, frozen=True):
    """The index as it was when a changeset was prepared (None: there was none)."""

    text: str | None
    mtime_ns: int | None = None


class IndexTexts(msgspec.Struct, frozen=True):
    """An index as it was (None: there was none) and as it is to be, byte for byte; one that changed meanwhile is left."""

    before: str | None
    after: str


class Prepared(msgspec.Struct, frozen=True):
    """Everything needed to carry a changeset out, or to finish it after a crash."""

    id: str
    directory: str
    writes: tuple[TopicWrite, ...]
    index: tuple[IndexLine, ...]
    index_spare: str  # dot-file name for the index's own exchange
    restore: IndexRestore | None = None  # set for an undo
    index_ours: tuple[str, ...] = ()  # files whose index line the ledger wrote: the first to leave when the index is full
    index_seen: IndexSeen | None = None  # without it a crash may cost the record of what the index was
    make_folders: tuple[str, ...] = ()  # relative, "." for the directory itself: those not there yet when this was prepared
    last: tuple[str, ...] = ()  # topics that lose what others take up: in this order, and only where nothing before conflicted
    team_seen: IndexSeen | None = None  # the index of team memory when this was prepared, if topics there are written
    team_index: IndexTexts | None = None  # what it is to be, where that does not follow from the topics that are written


class WriteState(enum.Enum):
    """What became of one topic's write."""

    WRITTEN = "written"
    CONFLICTED = "conflicted"  # somebody changed the topic meanwhile: left as they made it


class FileResult(msgspec.Struct, frozen=True):
    path: str
    state: WriteState


class LineChange(msgspec.Struct, frozen=True):
    """One line operation as it was done on the index, for its inverse."""

    file: str
    before: str | None  # None: there was no line
    after: str | None  # None: dropped
    position: int  # line number at which ``before`` stood or ``after`` now stands
    reason: str = ""  # "" for the topic's own line; else why upkeep touched it (cap, vanished file)
    above: str | None = None  # the line above a dropped one (None: it was the first), by which its place is found again


class IndexResult(msgspec.Struct, frozen=True):
    """The index before and after, with the operations between."""

    before: str | None
    after: str | None
    before_mtime_ns: int | None
    changes: tuple[LineChange, ...]


class Applied(msgspec.Struct, frozen=True):
    """What carrying a changeset out came to."""

    files: tuple[FileResult, ...]
    index: IndexResult | None
    made_folders: tuple[str, ...] = ()  # relative; "." is the memory directory itself
    notes: tuple[str, ...] = ()  # for the outcome: index lines shortened or dropped …
    team_index: bool = False  # the index of team memory was looked at: something of it may lie beside


class Settled(msgspec.Struct, frozen=True):
    """What became of a changeset's spares when they were looked at again."""

    results: tuple[FileResult, ...] = ()  # topics that proved to be conflicted late
    wait_seconds: float = 0.0  # until the rest can be looked at; 0: no spare is left
    notes: tuple[str, ...] = ()


def spare_name(changeset: str, part: int | str) -> str:
    """Return the dot-file name that one write of a changeset uses; no other program makes such a name."""
    return f".extractord-{changeset}-{part}.tmp"
