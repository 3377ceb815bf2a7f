"""What one record says, in words that no client owns.

Owns: the records' neutral form. Leaves filling it to the modules beside it, and what follows from it to ``reading``.
"""

from __future__ import annotations

import enum

import msgspec

from extractord.transcript.messages import Origin, ToolCall


class Record(msgspec.Struct, gc=False):
    """One record, as far as it matters: what is common to all."""

    uuid: str
    parent: str | None
    time: float  # seconds since the epoch; 0.0 where there is none to use
    session: str
    cwd: str
    version: str
    entrypoint: str


Envelope = tuple[str, str | None, float, str, str, str, str]  # the fields of a Record


class Prompt(Record, gc=False):
    """Something typed at the prompt, at once or while the agent worked."""

    text: str
    origin: Origin


Key = tuple[str, str]  # ids of a message of the agent and of its request


class AgentPart(Record, gc=False):
    """A part of the agent's message ``key``: text, calls, or neither (thinking)."""

    key: Key | None  # None where the client gave none: a message by itself
    text: str
    calls: tuple[ToolCall, ...]
    writes: tuple[str, ...]  # ids of those calls that may have written memory
    more_follows: bool  # the message ends in calls


class Outcome(msgspec.Struct, gc=False, frozen=True):
    """How a call ended."""

    call_id: str
    failed: bool
    launched: str | None = None  # id of an agent that was started in the background


class Typed(msgspec.Struct, gc=False, frozen=True):
    """Words a person typed in a dialog."""

    origin: Origin
    text: str
    call_id: str
    question: str = ""
    by_wording: bool = False  # no flag of the client says so, only the fixed wording of the result


class Results(Record, gc=False):
    """Results of calls, and what was typed with them."""

    outcomes: tuple[Outcome, ...] = ()
    typed: tuple[Typed, ...] = ()
    made_up: bool = False  # the client closed an open call when the session was resumed


class Interrupted(Record, gc=False):
    """The person stopped the agent."""


class Answered(Record, gc=False):
    """The client said something in the agent's place (an error): nothing is pending, nothing was said."""


class Notified(Record, gc=False):
    """A background agent came back: ids of the agent and of the call that started it."""

    ids: tuple[str, ...]


class MemorySaved(Record, gc=False):
    """The client's own extraction saved memory."""

    paths: tuple[str, ...]


class Sign(enum.Enum):
    """What a record shows about memory being on in the session."""

    ON = "on"
    ON_BESIDE = "on, in a section beside the system prompt"
    OFF = "off"


class LoadedText(msgspec.Struct, gc=False, frozen=True):
    """A text that the client loaded into the session, as it was then."""

    path: str
    kind: str  # User, Project, AutoMem, …
    content: str


class Instructions(Record, gc=False):
    """Texts that were loaded or are no longer."""

    loaded: tuple[LoadedText, ...]
    removed: tuple[str, ...] = ()
    sign: Sign | None = None
    removed_index: str | None = None  # path of a MEMORY.md that is no longer loaded


class Shown(Record, gc=False):
    """A sign about memory from another place."""

    sign: Sign


class Dated(Record, gc=False):
    """The client told the agent the date (YYYY-MM-DD, of its own zone)."""

    date: str


class Boundary(Record, gc=False):
    """The conversation was compacted."""


class Aside(Record, gc=False):
    """Nothing but where and by which client; told only until that is known."""


class Fault(enum.Enum):
    """What was wrong with a line."""

    NOT_JSON = "not a record"
    CUT_OFF = "a record that was cut off"
    TOO_LONG = "longer than the limit"


class Mended(msgspec.Struct):
    """What could be read of a line that was not one clean record."""

    records: tuple[Record, ...]
    faults: tuple[Fault, ...] = ()
