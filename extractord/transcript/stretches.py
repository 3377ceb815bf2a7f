"""A session as it was read: messages, turns, stretches, and what else of its records matters.

Owns: these records. Leaves making them to ``course`` and ``span``, judging them to ``eligibility`` and ``settled``.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from extractord.transcript.messages import Message
from extractord.transcript.records.events import Fault, LoadedText

STRETCH_GAP = 30 * 60  # seconds between a prompt and the conversation record before it that begin a new stretch
FIRST_PROMPT = 200  # characters of a session's first prompt by which sessions are compared


class MemorySignal(enum.Enum):
    """What the last sign in the records says about memory in the session."""

    ON = "on"
    OFF = "off"
    UNKNOWN = "unknown"


class MemorySigns(msgspec.Struct, frozen=True):
    """What the records show about memory being on. ``removed_index``: MEMORY.md was no longer loaded after the last sign."""

    signal: MemorySignal = MemorySignal.UNKNOWN
    removed_index: str | None = None

    def was_off(self, *, index_exists: bool) -> bool:
        """Whether memory was off; an index that is no longer loaded says so only if it still exists (else it was deleted)."""
        return self.signal is MemorySignal.OFF or (self.removed_index is not None and index_exists)


class Pending(enum.Enum):
    """What a session is waiting for at its end."""

    NOTHING = "nothing"
    CALL = "a tool call has no result yet"
    REPLY = "the agent has not answered yet"
    AGENT = "an agent is at work in the background"


class MemoryWrite(msgspec.Struct, frozen=True):
    """A call of the main agent that may have written memory; ``memory_writes`` says into which directory."""

    tool_use_id: str
    tool: str
    path: str | None  # the file it names, None for a shell command
    command: str | None  # the shell command
    turn: int
    ok: bool | None  # whether its result is no error; None: no result


class SavedByClient(msgspec.Struct, frozen=True):
    """The client's own extraction saved memory after ``turn``; turns up to it are dealt with."""

    turn: int
    paths: tuple[str, ...]


class TypedMark(msgspec.Struct, frozen=True):
    """That something was typed: enough of it to judge a stretch without its texts."""

    uuid: str
    turn: int
    start: int  # byte offset of its record
    silent: bool  # without words (a picture only)


class Damage(msgspec.Struct, frozen=True):
    """A line that could not be read, or not wholly."""

    line: int  # from 1
    offset: int
    fault: Fault
    recovered: bool = False  # what matters of it was read all the same

    def __str__(self) -> str:
        more = ", what could be read of it was kept" if self.recovered else ""
        return f"line {self.line} (byte {self.offset}): {self.fault.value}{more}"


class Cursor(msgspec.Struct, frozen=True):
    """How far a transcript was read: the offset after the last whole line, the uuid of the last message."""

    offset: int = 0
    uuid: str = ""


class ReadState(msgspec.Struct, frozen=True):
    """All that reading on from the start of a stretch needs. Small (some KB; 8 bytes a message) and serialisable."""

    offset: int = 0  # of the line in which the stretch begins
    within: int = 0  # records of that line that belong to the stretch before
    line: int = 0  # lines before it
    key: str = ""  # uuid of the stretch's first message, which must stand in that line
    number: int = 0  # of the stretch
    ordinal: int = 0  # messages before it
    turns: int = 0  # prompts before it
    evidence: float = 0.0  # largest record time before it
    last_talk: float = 0.0  # time of the last conversation record before it
    session: str = ""
    cwd: str = ""
    version: str = ""
    entrypoint: str = ""
    first_prompt: str | None = None
    signs: MemorySigns = MemorySigns()
    beside: bool = False  # memory's section stands beside the system prompt
    dates: tuple[tuple[float, str], ...] = ()
    loaded: tuple[LoadedText, ...] = ()
    launched: tuple[tuple[str, str], ...] = ()  # background agents: id of the call, id of the agent
    node: int = -1  # branch of the last record
    nodes: tuple[int, ...] = ()  # branch from which each prompt's branch goes out
    forks: tuple[tuple[str, int], ...] = ()  # parents of the latest prompts, and their branches
    recent: tuple[tuple[str, int], ...] = ()  # uuids of the latest records, and their branches
    abandoned: tuple[int, ...] = ()
    seen: bytes = b""  # eight bytes for each message before it
    damaged: tuple[Damage, ...] = ()
    damages: int = 0


class Stretch(msgspec.Struct, frozen=True):
    """A part of a session between pauses of half an hour: the unit that is judged, extracted and finished.

    ``messages`` is a tuple, or reads the file again each time it is iterated where a session is too large to be held. Rewound
    messages are left out. Times are seconds since the epoch.
    """

    session: str
    key: str  # uuid of its first message, "@offset" where it has none; stable
    number: int  # in the session, from 0
    first_ordinal: int  # m-number of its first message
    first_turn: int
    last_turn: int
    messages: Collection[Message]
    typed: tuple[TypedMark, ...]
    writes: tuple[MemoryWrite, ...]
    saved: tuple[SavedByClient, ...]
    started: float
    ended: float  # time of its last message
    start: int  # byte offset of its first message
    end: int  # byte offset after its last record
    cwd: str  # the session's, where it started
    headless: bool
    first_prompt: str  # of the session, first 200 characters
    memory: MemorySigns  # as its end shows
    prompts: int
    spoken: int  # messages of the agent that have text

    @property
    def is_held(self) -> bool:
        """Whether its messages are in memory."""
        return isinstance(self.messages, tuple)


class Reading(msgspec.Struct, frozen=True):
    """A session as its transcript stood. With ``since`` only the stretches from the last open one on are in it."""

    session: str
    path: Path
    cwd: str  # of its first record that has one
    version: str
    entrypoint: str
    headless: bool
    first_prompt: str  # first 200 characters
    stretches: tuple[Stretch, ...]
    memory: MemorySigns
    loaded: tuple[LoadedText, ...]  # CLAUDE.md and MEMORY.md as last loaded
    pending: Pending
    last_record_time: float  # of the last conversation record; 0.0 where none has a usable time
    mtime: float
    size: int  # bytes when it was opened
    inode: int
    device: int
    damaged: tuple[Damage, ...]  # at most 100 of them
    damages: int
    cursor: Cursor
    state: ReadState  # to read on from later
    started_at: int  # byte offset from which it was read

    @property
    def messages(self) -> Iterator[Message]:
        """All messages in file order."""
        return (message for stretch in self.stretches for message in stretch.messages)

    @property
    def prompts(self) -> int:
        """What a person typed at the prompt, as ``inspect`` counts it."""
        return sum(stretch.prompts for stretch in self.stretches)

    @property
    def message_count(self) -> int:
        """Prompts and those messages of the agent that say something."""
        return sum(stretch.prompts + stretch.spoken for stretch in self.stretches)
