"""The neutral messages that everything above ``records`` sees.

Owns: the vocabulary of a conversation, whichever client wrote it. Leaves the client's format to ``records``, the cut into
stretches to ``span``, and what a model reads to ``digest``.
"""

from __future__ import annotations

import enum
from datetime import datetime

import msgspec

from extractord.transcript.zones import local_time


class Origin(enum.Enum):
    """Who said a message, and where it was said."""

    PROMPT = "prompt"  # typed at the prompt
    QUEUED = "queued"  # typed while the agent worked
    REFUSAL = "refusal"  # typed when refusing a tool call or a plan
    ACCEPTANCE = "acceptance"  # typed when accepting one
    ANSWER = "answer"  # typed as an answer to a question of the agent
    NOTE = "note"  # typed beside a chosen option
    AGENT = "agent"  # the main agent's own text and calls

    typed: bool  # whether a person typed it: only such text is evidence
    opens_turn: bool  # whether it counts as a prompt (a queued one does too)

    def __init__(self, value: str) -> None:
        """Note what is asked of every message, which a property would work out each time."""
        self.typed = value != "agent"
        self.opens_turn = value in ("prompt", "queued")


class ToolCall(msgspec.Struct, frozen=True, gc=False):
    """A call of the main agent, in the few words that are used of it."""

    id: str
    name: str
    subject: str  # one line: the command, path, pattern, question … (not redacted)
    path: str | None = None  # the file it names, as written
    command: str | None = None  # the whole command of a Bash call that may write a file of memory, else None


class Message(msgspec.Struct, frozen=True, gc=False):
    """One message of the main conversation; an answer streamed over several records is one."""

    uuid: str  # of its first record that says something; "" where the client gave none
    parent: str | None
    origin: Origin
    text: str  # what was said; "" for a message that only calls tools
    moment: float  # when it was said, seconds since the epoch
    evidence_time: float  # largest time of a message up to it in its file, seconds since the epoch
    start: int  # byte offset of its first record
    end: int  # byte offset after its last record
    ordinal: int  # m-number over the session, from 1; rewound messages have theirs too, so that numbers stay
    turn: int  # number of its turn in the session, from 0
    calls: tuple[ToolCall, ...] = ()
    question: str = ""  # what was asked, for ANSWER and NOTE
    call_id: str | None = None  # the call that was refused, accepted or answered
    shift: int = 0  # hours by which the session's zone differs from the machine's

    @property
    def said(self) -> datetime:
        """When it was said, aware, in the zone of the person who said it."""
        return local_time(self.moment, self.shift)
