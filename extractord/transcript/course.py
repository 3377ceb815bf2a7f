"""The course of a session: from its records, one after the other, to messages, turns and stretches.

Owns: what follows from the order of records: which parts are one message, what counts once, where a turn and a stretch begins.
Takes records that another read; ends with drafts of stretches. Leaves the format to ``records``, the file to ``following``, which
branch a message belongs to to ``chain``, what is waited for to ``waiting``, where it takes place to ``setting``,
the state between two readings to ``resuming``.
"""

from __future__ import annotations

import msgspec

from extractord.transcript import records
from extractord.transcript.chain import MET, Chain
from extractord.transcript.drafts import StretchDraft
from extractord.transcript.messages import Message, Origin, ToolCall
from extractord.transcript.records.events import (
    AgentPart,
    Answered,
    Boundary,
    Dated,
    Fault,
    Instructions,
    Interrupted,
    Key,
    MemorySaved,
    Mended,
    Notified,
    Prompt,
    Record,
    Results,
    Shown,
    Typed,
)
from extractord.transcript.resuming import state_before
from extractord.transcript.setting import Setting
from extractord.transcript.stretches import FIRST_PROMPT, STRETCH_GAP, Damage, Pending, ReadState, SavedByClient, TypedMark
from extractord.transcript.waiting import FOREIGN_TOOL, Look, Waiting

QUESTION_TOOL = "AskUserQuestion"
DAMAGES_KEPT = 100
MESSAGE_COST, CALL_COST = 700, 300  # bytes of memory of a message without its text, and of a call
_AGENT = Origin.AGENT


class Course:
    """The state of a session after the records so far."""

    def __init__(self, state: ReadState, *, otherwise: float) -> None:
        """Begin at ``state``; ``otherwise`` is the time of messages as long as no record has one."""
        self.setting = Setting(state)
        self.chain = Chain(state.node, state.nodes, state.forks, state.abandoned, state.recent, state.seen)
        self.waiting = Waiting(state.launched)
        self.first_prompt = state.first_prompt
        self.damaged, self.damages = list(state.damaged), state.damages
        self.evidence, self._last_talk = state.evidence, state.last_talk
        self.holding = True
        self.held = 0  # bytes, roughly
        self.cursor_uuid = ""
        self.growing = StretchDraft(state, self.chain.count, state.offset, state.signs)
        self.finished: list[StretchDraft] = []
        self.line = state.line
        self.ordinal, self.turns = state.ordinal, state.turns
        self._turn = max(self.turns - 1, 0)
        self._otherwise = otherwise
        # The agent's message that is being gathered, of those parts that say something; ``_gathered`` is how many.
        self._gathered = 0
        self._key: Key | None = None
        self._uuid, self._time, self._node, self._its_evidence = "", 0.0, -1, 0.0  # of its first part
        self._parent: str | None = None
        self._text = ""
        self._calls: tuple[ToolCall, ...] = ()
        self._start = self._end = 0  # where it stands
        # The last conversation record:
        self._skipped: bytes | None = None  # it was not decoded
        self._unanswered = False  # the agent is to answer it
        self._announced = False  # it is the agent's and announces calls

    # --- what comes in ---

    def take(self, record: Record, start: int, end: int, within: int = 0) -> None:
        """Go on by one record, which stands at ``start``, as number ``within`` of its line."""
        if record.session != self.setting.session or not self.setting.cwd:
            self.setting.note_place(record)
        self.growing.end = end
        match record:
            case AgentPart(uuid=uuid, parent=parent, time=time, key=key, text=text, calls=calls, writes=writes, more_follows=more):
                self.take_agent(uuid, parent, time, key, text, calls, writes, more, start, end)
            case Results():
                self._results(record, start, end)
            case Prompt():
                self.take_prompt(record, start, end, within)
            case _:
                self._beside_the_talk(record)

    def take_agent(
        self,
        uuid: str,
        parent: str | None,
        time: float,
        key: Key | None,
        text: str,
        calls: tuple[ToolCall, ...],
        writes: tuple[str, ...],
        more: bool,
        start: int,
        end: int,
    ) -> None:
        """Go on by a part of the agent's message (see ``AgentPart``), written where the session is known to take place."""
        if time > self.evidence:
            self.evidence = time
        self._last_talk = time or self.last_talk
        self._skipped, self._unanswered, self._announced = None, False, more and not calls
        if key is not None and key == self._key:
            if not (calls or text) or self.chain.add(uuid, parent) == MET:
                return
            self._gathered += 1
            if text:
                self._text = f"{self._text}\n\n{text}" if self._text else text
            if calls:
                self._calls += calls
                self.waiting.parts.append((uuid, calls))
        else:
            if not (calls or text) or (node := self.chain.add(uuid, parent)) == MET:
                self.waiting.parts = []
                return
            if self._gathered:
                self._flush()
            self.waiting.parts = [(uuid, calls)] if calls else []
            self._gathered, self._key, self._uuid, self._parent, self._time = 1, key, uuid, parent, time
            self._text, self._calls, self._node, self._start, self._its_evidence = text, calls, node, start, self.evidence
        self._end = end
        if calls and (drafts := self.waiting.note_calls(uuid, calls, writes, self._turn)):
            self.growing.writes += drafts

    def skip_result(self, line: bytes, start: int) -> None:
        """Go on by a mere result, which stands at ``start`` and was not decoded."""
        self._skipped = line
        if self.waiting.parts:
            self.waiting.pass_over(start, len(line))

    def note_faults(self, offset: int, faults: tuple[Fault, ...], *, recovered: bool) -> None:
        """Note what is wrong with the line after the first ``self.line`` ones, which stands at ``offset``."""
        for fault in faults:
            self.damages += 1
            if len(self.damaged) < DAMAGES_KEPT:
                self.damaged.append(Damage(self.line + 1, offset, fault, recovered))

    def close(self) -> None:
        """Take the file to be at its end."""
        self._flush()
        self.growing.signs = self.setting.signs

    # --- messages ---

    def take_prompt(self, record: Prompt, start: int, end: int, within: int = 0) -> None:
        """Go on by a prompt, written where the session is known to take place."""
        if record.uuid and self.chain.knows(record.uuid):
            return
        self._flush()
        last_talk, time = self.last_talk, record.time
        if self.growing.first is not None and last_talk and time and time - last_talk >= STRETCH_GAP:
            self._cut(record.uuid, start, within)
        self.growing.end = end
        at_keyboard = record.origin is Origin.PROMPT
        node = self.chain.prompt(record.uuid, record.parent, at_keyboard=at_keyboard)
        moment = self._moment(time)
        self._turn, self.turns = self.turns, self.turns + 1
        if self.first_prompt is None and record.text:
            self.first_prompt = record.text[:FIRST_PROMPT]
        self._talk(time, unanswered=True)
        self._emit(self._typed(record, record.origin, record.text, moment, start, end), node)
        if at_keyboard:
            self.waiting.forget()

    def _results(self, record: Results, start: int, end: int) -> None:
        self.waiting.note_outcomes(record.outcomes)
        if not record.made_up:
            self._note_talk(record.time, unanswered=True)
        typed = [t for t in record.typed if self._is_a_persons(t)] if record.typed else ()
        if not typed or (record.uuid and self.chain.knows(record.uuid)):
            return
        self._flush()
        self.chain.add(record.uuid, None)
        moment = self._moment(record.time)
        self._talk(record.time, unanswered=True)
        for words in typed:
            message = self._typed(record, words.origin, words.text, moment, start, end, words.question, words.call_id)
            self._emit(message, self.chain.node)

    def _typed(
        self,
        record: Record,
        origin: Origin,
        text: str,
        moment: float,
        start: int,
        end: int,
        question: str = "",
        call_id: str | None = None,
    ) -> Message:
        self.ordinal += 1
        evidence, number, turn = self.evidence or moment, self.ordinal, self._turn
        return Message(record.uuid, record.parent, origin, text, moment, evidence, start, end, number, turn, (), question, call_id)

    def _is_a_persons(self, words: Typed) -> bool:
        """Whether the result of this call can hold a person's words: other programs may imitate the client's wording."""
        tool = self.waiting.tool(words.call_id)
        if words.origin in (Origin.ANSWER, Origin.NOTE):
            return tool == QUESTION_TOOL
        return not words.by_wording or (tool != "" and not tool.startswith(FOREIGN_TOOL))

    def _flush(self) -> None:
        """Finish the agent's message that is being gathered."""
        if not self._gathered:
            return
        text, node = self._text, self._node
        self._gathered, self._key = 0, None
        moment = self._time or self._its_evidence or self._otherwise
        evidence = self._its_evidence or moment
        self.ordinal = number = self.ordinal + 1
        self._hold(
            Message(self._uuid, self._parent, _AGENT, text, moment, evidence, self._start, self._end, number, self._turn, self._calls), node
        )
        if text:
            spoken = self.growing.spoken
            spoken[node] = spoken.get(node, 0) + 1

    def _emit(self, message: Message, node: int) -> None:
        """Take a message that was typed."""
        self._hold(message, node)
        mark = TypedMark(message.uuid, message.turn, message.start, silent=not message.text)
        self.growing.typed.append((mark, node, message.origin.opens_turn))

    def _hold(self, message: Message, node: int) -> None:
        growing = self.growing
        growing.last = message
        if message.uuid:
            self.cursor_uuid = message.uuid
        if growing.first is None:
            growing.first = message
            growing.state = msgspec.structs.replace(growing.state, key=message.uuid)
        if self.holding:
            growing.messages.append(message)
            growing.nodes.append(node)
            self.held += MESSAGE_COST + 2 * len(message.text) + CALL_COST * len(message.calls)

    def let_go(self) -> None:
        """Hold no messages from now on, and none of those so far."""
        self.holding = False
        for draft in (*self.finished, self.growing):
            draft.messages, draft.nodes = [], []

    # --- what else records say ---

    def _beside_the_talk(self, record: Record) -> None:
        match record:
            case Interrupted():
                self._nothing_pending()
                self._talk(record.time, unanswered=False)
            case Answered() | Boundary():
                self._nothing_pending()
            case Notified():
                self.waiting.came_back(record.ids)
                self._talk(record.time, unanswered=True)
            case MemorySaved() if record.paths:
                self.growing.saved.append(SavedByClient(self._turn, record.paths))
            case Instructions():
                self.setting.note_loaded(record)
            case Shown():
                self.setting.note_sign(record.sign)
            case Dated():
                self.setting.note_date(record)
            case _:
                pass

    def _nothing_pending(self) -> None:
        self._flush()
        self.waiting.forget()
        self._note_talk(0.0, unanswered=False)

    def pending(self, look: Look) -> Pending:
        """Return what the session waits for, taken that its records end here; ``look`` reads the file again."""
        unanswered = self._unanswered or self._skipped is not None
        return self.waiting.pending(look, calls_follow=self._announced, unanswered=unanswered)

    # --- times, the cut ---

    @property
    def last_talk(self) -> float:
        """The time of the last conversation record, seconds since the epoch; if that was not decoded it is looked at now."""
        if self._skipped is None:
            return self._last_talk
        record = records.read(self._skipped)
        of_line = record.records if isinstance(record, Mended) else (record,)
        return next((r.time for r in reversed(of_line) if r is not None and r.time), self._last_talk)

    def _moment(self, time: float) -> float:
        """Return a record's own time, or the best there is instead."""
        return time or self.evidence or self._otherwise

    def _talk(self, time: float, *, unanswered: bool) -> None:
        """Note a conversation record of somebody else than the agent, which counts as evidence."""
        self._note_talk(time, unanswered=unanswered)
        self.evidence = max(self.evidence, time)

    def _note_talk(self, time: float, *, unanswered: bool) -> None:
        self._last_talk = time or self.last_talk
        self._skipped, self._unanswered, self._announced = None, unanswered, False

    def _cut(self, uuid: str, start: int, within: int) -> None:
        """Begin a new stretch with the prompt ``uuid``, which was not yet noted."""
        self.growing.signs = self.setting.signs
        self.growing.end = start
        self.finished.append(self.growing)
        self.growing = StretchDraft(state_before(self, uuid, start, within), self.chain.count, start)
