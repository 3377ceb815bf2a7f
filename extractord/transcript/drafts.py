"""What is being gathered of a session: a stretch that may still grow, a call that may write memory.

Owns: these records, which change until the stretch is finished. Leaves filling them to ``course``, finishing them to ``span``.
"""

from __future__ import annotations

import msgspec

from extractord.transcript.messages import Message, ToolCall
from extractord.transcript.stretches import MemorySigns, ReadState, SavedByClient, TypedMark


class WriteDraft(msgspec.Struct):
    """A call that may write memory, until its result is known."""

    call: ToolCall
    turn: int
    ok: bool | None = None


class StretchDraft(msgspec.Struct):
    """A stretch that may still grow. ``nodes`` are the branches of ``messages``, one for one."""

    state: ReadState  # before it; lacks what only grows (``resuming.completed``)
    seen: int = 0  # messages of the file that were met before it
    end: int = 0
    signs: MemorySigns = MemorySigns()
    messages: list[Message] = []
    nodes: list[int] = []
    first: Message | None = None
    last: Message | None = None
    typed: list[tuple[TypedMark, int, bool]] = []  # with its branch, and whether it is a prompt
    spoken: dict[int, int] = {}  # by branch, messages of the agent that have text
    writes: list[WriteDraft] = []
    saved: list[SavedByClient] = []
