"""The neutral messages that everything above ``records`` sees.

Owns: the vocabulary of a conversation, whichever client wrote it. Leaves the client's format to ``records``, the cut into
stretches to ``span``, and what a model reads to ``digest``.
"""

from __future__ import annotations

import enum
from datetime import datetime

import msgspec


class Origin(enum.Enum):
    """Who said a message, and where it was said."""

    PROMPT = "prompt"  # typed at the prompt
    QUEUED = "queued"  # typed while the agent worked
    REFUSAL = "refusal"  # typed when refusing a tool call or a plan
    ACCEPTANCE = "acceptance"  # typed when accepting one
    ANSWER = "answer"  # typed as an answer to a question of the agent
    NOTE = "note"  # typed beside a chosen option
    AGENT = "agent"  # the main agent's own text and calls

    @property
    def typed(self) -> bool:
        """Whether a person typed it: only such text is evidence."""
        return self is not Origin.AGENT

    @property
    def opens_turn(self) -> bool:
        """Whether it counts as a prompt (a queued one does too)."""
        return self in (Origin.PROMPT, Origin.QUEUED)


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
    said: datetime  # aware, in the zone of the person who said it
    evidence_time: float  # largest time of a message up to it in its file, seconds since the epoch
    start: int  # byte offset of its first record
    end: int  # byte offset after its last record
    calls: tuple[ToolCall, ...] = ()
    question: str = ""  # what was asked, for ANSWER and NOTE
    call_id: str | None = None  # the call that was refused, accepted or answered
    ordinal: int = 0  # m-number over the session, from 1; rewound messages have theirs too, so that numbers stay
    turn: int = 0  # number of its turn in the session, from 0
