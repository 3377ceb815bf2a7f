"""What a session waits for: calls without a result, the agent's answer, an agent in the background.

Owns: which results must be looked at because their call is waited for, which calls of the last message were answered, and what is
pending at the end. Leaves messages to ``course``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence

from extractord.transcript.drafts import WriteDraft
from extractord.transcript.messages import ToolCall
from extractord.transcript.records.events import Outcome
from extractord.transcript.records.skipping import Ending, ends, holds_several, names_any
from extractord.transcript.stretches import Pending

AWAITED = frozenset({"AskUserQuestion", "ExitPlanMode", "Agent", "Task"})  # calls whose result is looked at whatever its length
FOREIGN_TOOL = "mcp__"  # its results are another program's words, which may imitate the client's
RESULTS_KEPT = 64  # results after one message that are kept to see which of its calls were answered
CALLS_KEPT = 256  # latest records with calls, whose tools are known

Calls = tuple[str, tuple[ToolCall, ...]]  # the calls of a part of a message, after the uuid of its record
Look = Callable[[int, int], bytes]  # what stands in the file from an offset on, so many bytes


class Waiting:
    """The calls of a session and their results, as far as they matter."""

    def __init__(self, launched: Iterable[tuple[str, str]] = ()) -> None:
        """Begin with the agents in the background that an earlier reading knew: id of the call, id of the agent."""
        self.marks: tuple[bytes, ...] = ()  # what a result that must be decoded names
        self.ending = Ending()
        self.launched = dict(launched)
        self.parts: list[Calls] = []  # the calls of the last message of the agent; a new list for each message
        self._of = self.parts  # to whose calls belong:
        self._answered: set[str] = set()  # those with a decoded result
        self._results: list[tuple[int, int]] = []  # the results that were not decoded: where their lines begin, and their bytes
        self._calls: deque[tuple[ToolCall, ...]] = deque(maxlen=CALLS_KEPT)
        self._awaited: dict[str, tuple[bytes, bytes]] = {}  # calls whose result is looked at: id, uuid of the record
        self._writes: dict[str, WriteDraft] = {}

    def wants(self, line: bytes) -> bool:
        """Whether a line that is a mere result must be decoded all the same."""
        return names_any(ends(line), self.marks) or holds_several(line)

    def tool(self, call_id: str) -> str:
        """Return the name of a call's tool, "" if it is not known."""
        return next((call.name for calls in reversed(self._calls) for call in calls if call.id == call_id), "")

    def note_calls(self, of: str, calls: tuple[ToolCall, ...], writes: Collection[str], turn: int) -> Sequence[WriteDraft]:
        """Note the calls of a part of a message, whose record is ``of``; return those that may write memory."""
        self._calls.append(calls)
        if not writes and len(calls) == 1 and calls[0].name not in AWAITED:
            return ()
        uuid = _bytes(of)
        drafts = []
        for call in calls:
            if call.id in writes:
                draft = self._writes[call.id] = WriteDraft(call, turn)
                drafts.append(draft)
            elif call.name not in AWAITED:
                continue
            self._awaited[call.id] = (_bytes(call.id), uuid)
            self._set_marks()
        return drafts

    def pass_over(self, start: int, size: int) -> None:
        """Note a result that was not decoded, by its place in the file."""
        if self._of is not self.parts:
            self._begin_message()
        if self.parts and len(self._results) < RESULTS_KEPT:
            self._results.append((start, size))

    def note_outcomes(self, outcomes: Iterable[Outcome]) -> None:
        """Note results that were decoded."""
        if self._of is not self.parts:
            self._begin_message()
        for outcome in outcomes:
            if any(call.id == outcome.call_id for _, calls in self.parts for call in calls):
                self._answered.add(outcome.call_id)
            if (write := self._writes.pop(outcome.call_id, None)) is not None:
                write.ok = not outcome.failed
            if outcome.launched is not None:
                self.launched[outcome.call_id] = outcome.launched
            if self._awaited.pop(outcome.call_id, None) is not None:
                self._set_marks()

    def _begin_message(self) -> None:
        self._of, self._answered, self._results = self.parts, set(), []

    def came_back(self, ids: tuple[str, ...]) -> None:
        """Note that agents in the background came back: ids of agents or calls."""
        for call_id, agent in list(self.launched.items()):
            if call_id in ids or agent in ids:
                del self.launched[call_id]

    def forget(self) -> None:
        """Expect no result of a call so far any more."""
        self.parts = []
        if self._awaited:
            self._awaited.clear()
            self._set_marks()

    def pending(self, look: Look, *, calls_follow: bool, unanswered: bool) -> Pending:
        """Return what is waited for where the records end; the last one announces calls, or is not the agent's."""
        if self._of is not self.parts:
            self._begin_message()
        passed = [ends(look(start, size)) for start, size in self._results]
        if calls_follow or any(not self._was_answered(call.id, uuid, passed) for uuid, calls in self.parts for call in calls):
            return Pending.CALL
        if unanswered:
            return Pending.REPLY
        return Pending.AGENT if self.launched else Pending.NOTHING

    def _was_answered(self, call_id: str, uuid: str, passed: Sequence[tuple[bytes, bytes]]) -> bool:
        """Whether a call has a result, decoded or passed over."""
        marks = [_bytes(mark) for mark in (call_id, uuid) if mark]
        return call_id in self._answered or any(names_any(parts, marks) for parts in passed)

    def _set_marks(self) -> None:
        self.marks = tuple({mark for pair in self._awaited.values() for mark in pair if mark})


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
