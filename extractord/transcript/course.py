"""The course of a session: from its records, one after the other, to messages, turns and stretches.

Owns: what follows from the order of records: which parts are one message, what counts once, where a turn and a stretch begins, what a
result says of a call, what is pending. Takes records that another read; ends with drafts of stretches. Leaves the format to
``records``, the file to ``span``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from extractord.transcript import records
from extractord.transcript.chain import Chain
from extractord.transcript.messages import Message, Origin, ToolCall
from extractord.transcript.records.events import (
    AgentPart,
    Answered,
    Boundary,
    Dated,
    Fault,
    Instructions,
    Interrupted,
    MemorySaved,
    Mended,
    Notified,
    Prompt,
    Record,
    Results,
    Shown,
    Sign,
    Typed,
)
from extractord.transcript.records.skipping import ends, holds_several, names_any
from extractord.transcript.seen import Seen
from extractord.transcript.stretches import (
    FIRST_PROMPT,
    STRETCH_GAP,
    Damage,
    MemorySignal,
    MemorySigns,
    Pending,
    ReadState,
    SavedByClient,
    TypedMark,
)
from extractord.transcript.zones import local_time

AWAITED = frozenset({"AskUserQuestion", "ExitPlanMode", "Agent", "Task"})  # calls whose result is looked at whatever its length
QUESTION_TOOL = "AskUserQuestion"
FOREIGN_TOOL = "mcp__"  # its results are another program's words, which may imitate the client's
DAMAGES_KEPT = 100
DATES_KEPT = 64
LOADED_CHARACTERS = 256_000  # of all loaded texts together
MESSAGE_COST, CALL_COST = 700, 300  # bytes of memory of a message without its text, and of a call
RESULTS_KEPT = 64  # results after one message that are kept to see which of its calls were answered
NAMES_KEPT = 256  # latest calls whose tool is known


@dataclass(slots=True)
class WriteDraft:
    """A call that may write memory, until its result is known."""

    call: ToolCall
    turn: int
    ok: bool | None = None


@dataclass(slots=True)
class StretchDraft:
    """A stretch that may still grow. ``nodes`` are the branches of ``messages``, one for one."""

    state: ReadState  # before it; lacks what only grows (``complete``)
    seen: int = 0  # messages of the file that were met before it
    messages: list[Message] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    first: Message | None = None
    last: Message | None = None
    typed: list[tuple[TypedMark, int, bool]] = field(default_factory=list)  # with its branch, and whether it is a prompt
    spoken: dict[int, int] = field(default_factory=dict)  # by branch, messages of the agent that have text
    writes: list[WriteDraft] = field(default_factory=list)
    saved: list[SavedByClient] = field(default_factory=list)
    end: int = 0
    signs: MemorySigns = field(default_factory=MemorySigns)


@dataclass(slots=True)
class _AgentDraft:
    """The agent's message that is being gathered."""

    key: tuple[str, str]
    uuid: str
    parent: str | None
    time: float
    start: int
    end: int
    node: int
    evidence: float
    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)


class Course:
    """The state of a session after the records so far."""

    def __init__(self, state: ReadState, *, otherwise: float, shift: int = 0) -> None:
        """Begin at ``state``; ``otherwise`` is the time of messages as long as no record has one, ``shift`` the zone's (``zones``)."""
        self.cwd, self.session = state.cwd, state.session
        self.sessions: dict[str, None] = {state.session: None} if state.session else {}
        self.version, self.entrypoint, self.first_prompt = state.version, state.entrypoint, state.first_prompt
        self.chain = Chain(state.node, state.nodes, state.forks, state.abandoned)
        self.chain.recall(state.recent)
        self.seen = Seen(state.seen)
        self.dates = list(state.dates)
        self.loaded = {text.path: text for text in state.loaded}
        self.signs, self._beside = state.signs, state.beside
        self.damaged, self.damages = list(state.damaged), state.damages
        self.launched = dict(state.launched)
        self.evidence, self.last_talk = state.evidence, state.last_talk
        self.holding = True
        self.held = 0  # bytes, roughly
        self.cursor_uuid = ""
        self.growing = StretchDraft(state, self.seen.count, end=state.offset, signs=state.signs)
        self.finished: list[StretchDraft] = []
        self._marks: tuple[bytes, ...] = ()  # what a result that must be decoded names
        self._ordinal, self._turns, self.line = state.ordinal, state.turns, state.line
        self._otherwise, self._shift = otherwise, shift
        self._open: _AgentDraft | None = None
        self._skipped: bytes | None = None  # the last conversation record, if it was not decoded
        self._waiting: dict[str, tuple[bytes, bytes]] = {}  # calls whose result is looked at: id, uuid of the record
        self._writes: dict[str, WriteDraft] = {}
        self._calls: dict[str, bytes] = {}  # unanswered calls of the last message: id → uuid of its record
        self._ends: list[tuple[bytes, bytes]] = []  # heads and tails of the results since then that were not decoded
        self._names: dict[str, str] = {}
        self._calls_follow = False
        self._unanswered = False

    # --- what comes in ---

    def take(self, record: Record, start: int, end: int, within: int = 0) -> None:
        """Go on by one record, which stands at ``start``, as number ``within`` of its line."""
        if record.session != self.session or not self.cwd:
            self._note_session(record)
        self.growing.end = end
        kind = type(record)
        if kind is AgentPart:
            self._agent(record, start, end)  # type: ignore[arg-type]
        elif kind is Results:
            self._results(record, start, end)  # type: ignore[arg-type]
        elif kind is Prompt:
            self._prompt(record, start, end, within)  # type: ignore[arg-type]
        else:
            self._beside_the_talk(record)

    def wants(self, line: bytes) -> bool:
        """Whether a line that is a mere result must be decoded all the same, because its call is waited for."""
        return bool(self._marks) and (names_any(ends(line), self._marks) or holds_several(line))

    def skip_result(self, line: bytes) -> None:
        """Go on by a mere result that was not decoded."""
        self._skipped = line
        self._unanswered = True
        if self._calls and len(self._ends) < RESULTS_KEPT:
            self._ends.append(ends(line))

    def skip_thought(self, line: bytes) -> None:
        """Go on by a thought of the agent that was not decoded."""
        self._skipped = line
        self._calls.clear()
        self._ends.clear()
        self._calls_follow = self._unanswered = False

    def count_line(self, offset: int = 0, faults: tuple[Fault, ...] = (), *, recovered: bool = False) -> None:
        """Count a line after its records were taken, and note what is wrong with it."""
        self.line += 1
        for fault in faults:
            self.damages += 1
            if len(self.damaged) < DAMAGES_KEPT:
                self.damaged.append(Damage(self.line, offset, fault, recovered))

    def close(self) -> None:
        """Take the file to be at its end."""
        self._flush()
        self._look_at_skipped()
        self.growing.signs = self.signs

    # --- messages ---

    def _prompt(self, record: Prompt, start: int, end: int, within: int) -> None:
        met = self.seen.count
        if not self._is_new(record.uuid):
            return
        self._flush()
        self._look_at_skipped()
        moment = self._moment(record.time)
        at_keyboard = record.origin is Origin.PROMPT
        if self.growing.first is not None and self.last_talk and record.time and record.time - self.last_talk >= STRETCH_GAP:
            self._cut(record.uuid, start, within, met)
        self.growing.end = end
        node = self.chain.prompt(record.uuid, record.parent, at_keyboard=at_keyboard)
        self._turns += 1
        if self.first_prompt is None and record.text:
            self.first_prompt = record.text[:FIRST_PROMPT]
        self._talk(record.time)
        self._emit(
            Message(
                uuid=record.uuid,
                parent=record.parent,
                origin=record.origin,
                text=record.text,
                said=local_time(moment, self._shift),
                evidence_time=self.evidence or moment,
                start=start,
                end=end,
                ordinal=self._next_ordinal(),
                turn=self._turn,
            ),
            node,
        )
        self._unanswered, self._calls_follow = True, False
        if at_keyboard:
            self._forget_calls()

    def _agent(self, record: AgentPart, start: int, end: int) -> None:
        time = record.time
        self._skipped = None
        if time:
            self.last_talk = time
            if time > self.evidence:
                self.evidence = time
        self._calls_follow = record.more_follows and not record.calls
        self._unanswered = False
        draft = self._open
        goes_on = draft is not None and draft.key == record.key and record.key[0] != ""
        if not goes_on:
            self._calls.clear()
            self._ends.clear()
        if not (record.text or record.calls) or not (record.uuid == "" or self.seen.add(record.uuid)):
            return
        node = self.chain.link(record.uuid, record.parent)
        if draft is None or not goes_on:
            self._flush()
            time = time or self._moment(0.0)
            draft = self._open = _AgentDraft(record.key, record.uuid, record.parent, time, start, end, node, self.evidence or time)
        draft.end = end
        if record.text:
            draft.texts.append(record.text)
        if record.calls:
            draft.calls += record.calls
            self._note_calls(record)

    def _note_calls(self, record: AgentPart) -> None:
        uuid = record.uuid.encode()
        changed = False
        for call in record.calls:
            self._calls[call.id] = uuid
            self._names[call.id] = call.name
            if call.id in record.writes:
                draft = self._writes[call.id] = WriteDraft(call, self._turn)
                self.growing.writes.append(draft)
            if call.id in record.writes or call.name in AWAITED:
                self._waiting[call.id] = (call.id.encode(), uuid)
                changed = True
        if len(self._names) > 2 * NAMES_KEPT:
            self._names = dict(list(self._names.items())[-NAMES_KEPT:])
        if changed:
            self._set_marks()

    def _results(self, record: Results, start: int, end: int) -> None:
        for outcome in record.outcomes:
            self._calls.pop(outcome.call_id, None)
            if (write := self._writes.pop(outcome.call_id, None)) is not None:
                write.ok = not outcome.failed
            if outcome.launched is not None:
                self.launched[outcome.call_id] = outcome.launched
            if self._waiting.pop(outcome.call_id, None) is not None:
                self._set_marks()
        if not record.made_up:
            self._unanswered = True
            self._skipped = None
            self.last_talk = record.time or self.last_talk
        if not record.typed:
            return
        typed = [t for t in record.typed if self._is_a_persons(t)]
        if not typed or not self._is_new(record.uuid):
            return
        self._flush()
        moment = self._moment(record.time)
        self._talk(record.time)
        for words in typed:
            self._emit(
                Message(
                    uuid=record.uuid,
                    parent=record.parent,
                    origin=words.origin,
                    text=words.text,
                    said=local_time(moment, self._shift),
                    evidence_time=self.evidence or moment,
                    start=start,
                    end=end,
                    question=words.question,
                    call_id=words.call_id,
                    ordinal=self._next_ordinal(),
                    turn=self._turn,
                ),
                self.chain.node,
            )

    def _is_a_persons(self, words: Typed) -> bool:
        """Whether the result of this call can hold a person's words: other programs may imitate the client's wording."""
        tool = self._names.get(words.call_id, "")
        if words.origin in (Origin.ANSWER, Origin.NOTE):
            return tool == QUESTION_TOOL
        return not words.by_wording or (tool != "" and not tool.startswith(FOREIGN_TOOL))

    def _flush(self) -> None:
        """Finish the agent's message that is being gathered; one that only thought is none."""
        draft, self._open = self._open, None
        if draft is None or not (draft.texts or draft.calls):
            return
        self._emit(
            Message(
                uuid=draft.uuid,
                parent=draft.parent,
                origin=Origin.AGENT,
                text=draft.texts[0] if len(draft.texts) == 1 else "\n\n".join(draft.texts),
                said=local_time(draft.time, self._shift),
                evidence_time=draft.evidence,
                start=draft.start,
                end=draft.end,
                calls=tuple(draft.calls),
                ordinal=self._next_ordinal(),
                turn=self._turn,
            ),
            draft.node,
        )

    def _emit(self, message: Message, node: int) -> None:
        growing = self.growing
        if growing.first is None:
            growing.first = message
            growing.state = msgspec.structs.replace(growing.state, key=message.uuid)
        growing.last = message
        self.cursor_uuid = message.uuid or self.cursor_uuid
        if message.origin.typed:
            mark = TypedMark(message.uuid, message.turn, message.start, silent=not message.text)
            growing.typed.append((mark, node, message.origin.opens_turn))
        elif message.text:
            growing.spoken[node] = growing.spoken.get(node, 0) + 1
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
                self._talk(record.time)
            case Answered() | Boundary():
                self._nothing_pending()
            case Notified():
                self._come_back(record.ids)
                self._unanswered = True
                self._talk(record.time)
            case MemorySaved() if record.paths:
                self.growing.saved.append(SavedByClient(self._turn, record.paths))
            case Instructions():
                self._note_loaded(record)
            case Shown():
                self._note_sign(record.sign)
            case Dated() if record.time and len(self.dates) < DATES_KEPT:
                self.dates.append((record.time, record.date))
            case _:
                pass

    def _note_loaded(self, record: Instructions) -> None:
        for path in record.removed:
            self.loaded.pop(path, None)
        for text in record.loaded:
            self.loaded.pop(text.path, None)
            self.loaded[text.path] = text
        while sum(len(t.content) for t in self.loaded.values()) > LOADED_CHARACTERS:
            del self.loaded[next(iter(self.loaded))]
        if record.sign is not None:
            self._note_sign(record.sign)
        elif record.removed_index is not None:
            self.signs = MemorySigns(self.signs.signal, record.removed_index)

    def _note_sign(self, sign: Sign) -> None:
        self._beside = self._beside or sign is Sign.ON_BESIDE
        if sign is not Sign.OFF:
            self.signs = MemorySigns(MemorySignal.ON)
        elif not self._beside:
            self.signs = MemorySigns(MemorySignal.OFF)

    def _note_session(self, record: Record) -> None:
        if record.session:
            self.session = record.session
            if len(self.sessions) < 16:
                self.sessions[record.session] = None
        if not self.cwd and record.cwd:
            self.cwd = record.cwd
        if not self.entrypoint and record.entrypoint:
            self.entrypoint = record.entrypoint
        if record.version:
            self.version = record.version

    # --- what is pending ---

    def pending(self) -> Pending:
        """Return what the session waits for, taken that its records end here."""
        if self._calls_follow or any(not self._was_answered(call_id, uuid) for call_id, uuid in self._calls.items()):
            return Pending.CALL
        if self._unanswered:
            return Pending.REPLY
        return Pending.AGENT if self.launched else Pending.NOTHING

    def _was_answered(self, call_id: str, uuid: bytes) -> bool:
        """Whether one of the results that were not decoded is that of a call of the last message."""
        marks = (call_id.encode(), uuid) if uuid else (call_id.encode(),)
        return any(names_any(parts, marks) for parts in self._ends)

    def _come_back(self, ids: tuple[str, ...]) -> None:
        for call_id, agent in list(self.launched.items()):
            if call_id in ids or agent in ids:
                del self.launched[call_id]

    def _nothing_pending(self) -> None:
        self._flush()
        self._forget_calls()
        self._calls_follow = self._unanswered = False

    def _forget_calls(self) -> None:
        """No result of an open call is to be expected any more."""
        self._calls.clear()
        self._ends.clear()
        if self._waiting:
            self._waiting.clear()
            self._set_marks()

    def _set_marks(self) -> None:
        self._marks = tuple({mark for pair in self._waiting.values() for mark in pair if mark})

    # --- times, counts, the cut ---

    @property
    def _turn(self) -> int:
        return max(self._turns - 1, 0)

    def _next_ordinal(self) -> int:
        self._ordinal += 1
        return self._ordinal

    def _moment(self, time: float) -> float:
        """Return a record's own time, or the best there is instead."""
        return time or self.evidence or self._otherwise

    def _talk(self, time: float) -> None:
        """Note a conversation record."""
        self._skipped = None
        if time:
            self.last_talk = time
            self.evidence = max(self.evidence, time)

    def _look_at_skipped(self) -> None:
        """Get the time of the last conversation record, if that was a line not decoded."""
        line, self._skipped = self._skipped, None
        if line is not None and (record := records.read(line)) is not None:
            of_line = record.records if isinstance(record, Mended) else (record,)
            self.last_talk = next((r.time for r in reversed(of_line) if r.time), self.last_talk)
            last = of_line[-1] if of_line else None
            if isinstance(last, AgentPart):
                self._calls_follow = last.more_follows and not last.calls

    def _is_new(self, uuid: str) -> bool:
        """Whether a message was not met before; forks and rewrites repeat uuids."""
        return not uuid or self.seen.add(uuid)

    def _cut(self, uuid: str, start: int, within: int, met: int) -> None:
        """Begin a new stretch with the prompt ``uuid``; ``met`` messages were met before it."""
        self.growing.signs = self.signs
        self.growing.end = start
        self.finished.append(self.growing)
        self.growing = StretchDraft(self._snapshot(uuid, start, within), met, end=start)

    def _snapshot(self, uuid: str, start: int, within: int) -> ReadState:
        """Return the state before the prompt ``uuid``; ``complete`` adds what only grows."""
        return ReadState(
            offset=start,
            within=within,
            line=self.line,
            key=uuid,
            number=self.growing.state.number + 1,
            ordinal=self._ordinal,
            turns=self._turns,
            evidence=self.evidence,
            last_talk=self.last_talk,
            session=next(iter(self.sessions), ""),
            cwd=self.cwd,
            version=self.version,
            entrypoint=self.entrypoint,
            first_prompt=self.first_prompt,
            signs=self.signs,
            beside=self._beside,
            dates=tuple(self.dates),
            loaded=tuple(self.loaded.values()),
            launched=tuple(self.launched.items()),
            node=self.chain.node,
            forks=self.chain.forks(),
            recent=self.chain.recent(),
            abandoned=self.chain.abandoned(),
            damaged=tuple(self.damaged),
            damages=self.damages,
        )

    def complete(self, draft: StretchDraft) -> ReadState:
        """Return the state before a stretch, with what only grows and was therefore not copied."""
        state = draft.state
        seen, nodes = self.seen.first(draft.seen), tuple(self.chain.branches[: state.turns])
        return msgspec.structs.replace(state, seen=seen, nodes=nodes)
