"""A session from its file: ``read_session`` reads a transcript into messages, turns and stretches.

Owns: the loop over the lines, reading on from an earlier state, finding one's place again, and letting go of the texts of a session too
large to be held. Leaves lines to ``tail``, their meaning to ``records``, what follows from it to ``course``.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from extractord.errors import TranscriptError
from extractord.transcript import records
from extractord.transcript.course import Course, StretchDraft
from extractord.transcript.messages import Message
from extractord.transcript.records import skipping
from extractord.transcript.records.events import LoadedText, Mended
from extractord.transcript.records.skipping import Glance
from extractord.transcript.stretches import (
    STRETCH_GAP,
    Cursor,
    Damage,
    MemorySignal,
    MemorySigns,
    MemoryWrite,
    Pending,
    Reading,
    ReadState,
    SavedByClient,
    Stretch,
    TypedMark,
)
from extractord.transcript.tail import CutLine, Opened, TailLimits, Unfinished, batches, opened
from extractord.transcript.zones import local_time, shift_for

__all__ = [
    "STRETCH_GAP",
    "Cursor",
    "Damage",
    "LoadedText",
    "MemorySignal",
    "MemorySigns",
    "MemoryWrite",
    "Pending",
    "ReadLimits",
    "ReadState",
    "Reading",
    "SavedByClient",
    "Stretch",
    "ToolResults",
    "TypedMark",
    "after",
    "read_session",
    "turn_of",
]


class ToolResults(enum.Enum):
    """Whether lines that hold a mere tool result are decoded. Both give the same; the second is there to prove it."""

    SKIP = "skip"
    DECODE = "decode"


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Bounds of a reading."""

    tail: TailLimits = field(default_factory=TailLimits)
    held: int = 12 << 20  # bytes of messages; a larger session's are read again when they are asked for
    results: ToolResults = ToolResults.SKIP


def read_session(path: Path, *, since: ReadState | None = None, limits: ReadLimits = ReadLimits()) -> Reading:
    """Read a transcript; with ``since`` (``Reading.state`` of an earlier reading) only from the start of its last stretch.

    Where the file no longer holds that stretch at its place, it is read from the beginning: uuids tell what is known
    already. Raises ``TranscriptError`` where it cannot be read.
    """
    with opened(path) as source:
        state = since if since is not None and _still_holds(source, since) else ReadState()
        course = Course(state, otherwise=source.mtime)
        reached = state.offset
        for offset in _follow(source, course, state, limits):
            reached = offset
            if course.holding and course.held > limits.held:
                course.let_go()
        course.close()
        return _reading(path, source, course, state, reached, limits)


def after(reading: Reading, cursor: Cursor) -> Iterator[Message]:
    """Yield the messages after ``cursor``, which is found by its uuid; all of them where that message is gone."""
    if cursor.uuid and any(m.uuid == cursor.uuid for m in reading.messages):
        messages = reading.messages
        for message in messages:
            if message.uuid == cursor.uuid:
                break
        yield from (m for m in messages if m.uuid != cursor.uuid)
    else:
        yield from reading.messages


def turn_of(stretch: Stretch, uuid: str) -> int | None:
    """Return the turn of a message of ``stretch``, None if it is not in it."""
    return next((m.turn for m in stretch.messages if m.uuid == uuid), None)


def _still_holds(source: Opened, state: ReadState) -> bool:
    """Whether the stretch of ``state`` still begins at its place."""
    if state.offset == 0:
        return True
    if source.size <= state.offset or os.pread(source.file.fileno(), 1, state.offset - 1) != b"\n":
        return False
    start = os.pread(source.file.fileno(), 1 << 20, state.offset).partition(b"\n")[0]
    return state.key.encode() in start


def _follow(source: Opened, course: Course, state: ReadState, limits: ReadLimits) -> Iterator[int]:
    """Take what stands from ``state`` on; yield after each batch of lines the offset up to which the file is consumed."""
    within = state.within  # records of the first line that belong to the stretch before
    for at, found in batches(source, state.offset, limits.tail):
        match found:
            case CutLine():
                mended = records.read_cut(found.head, found.ending, course.cwd)
                end = found.end
                _take_mended(course, mended, at, end)
            case Unfinished():
                if not records.is_whole(found.line):
                    return  # half a last line is not consumed
                end = at + len(found.line)
                _take_line(course, found.line, at, end, within)
            case _:
                end = _take_lines(course, found, at, within, limits.results)
        within = 0
        course.growing.end = end
        yield end


def _take_lines(course: Course, found: list[bytes], at: int, within: int, results: ToolResults) -> int:
    """Take whole lines, of which the first stands at ``at``; return the offset after them."""
    start = at
    taken = 0
    for line in found:  # as long as it must be seen where the session takes place, or all
        if results is ToolResults.SKIP and course.cwd and not within:
            break
        end = start + len(line)
        _take_line(course, line, start, end, within)
        start, within = end, 0
        taken += 1
    read, take, glance, cwd = records.read, course.take, skipping.glance, course.cwd
    decode, result, thought = Glance.DECODE, Glance.RESULT, Glance.THOUGHT
    for line in found[taken:] if taken else found:
        end = start + len(line)
        seen = glance(line)
        if seen is decode or (seen is result and course.wants(line)):
            record = read(line, cwd)
            if isinstance(record, Mended):
                _take_mended(course, record, start, end)
            else:
                if record is not None:
                    take(record, start, end)
                course.line += 1
        else:
            if seen is result:
                course.skip_result(line)
            elif seen is thought:
                course.skip_thought(line)
            course.line += 1
        start = end
    return start


def _take_line(course: Course, line: bytes, start: int, end: int, within: int = 0) -> None:
    record = records.read(line, course.cwd)
    if isinstance(record, Mended):
        _take_mended(course, record, start, end, within)
        return
    if record is not None:
        course.take(record, start, end)
    course.line += 1


def _take_mended(course: Course, mended: Mended, start: int, end: int, within: int = 0) -> None:
    for number, record in enumerate(mended.records[within:], within):
        course.take(record, start, end, number)
    course.count_line(start, mended.faults, recovered=bool(mended.records))


# --- what comes out ---


def _reading(path: Path, source: Opened, course: Course, state: ReadState, offset: int, limits: ReadLimits) -> Reading:
    session = _session_id(path, course)
    drafts = [*course.finished, course.growing]
    rewound = course.chain.rewound()
    shift = shift_for(course.dates)
    stretches = []
    for draft in drafts:
        stretch = _stretch(draft, course, session, rewound, shift, _Reread(path, source.inode, draft.end, limits))
        if stretch is not None:
            stretches.append(stretch)
    first_prompt = course.first_prompt or ""
    return Reading(
        session=session,
        path=path,
        cwd=course.cwd,
        version=course.version,
        entrypoint=course.entrypoint,
        headless=course.entrypoint.startswith(records.HEADLESS),
        first_prompt=first_prompt,
        stretches=tuple(stretches),
        memory=course.signs,
        loaded=tuple(course.loaded.values()),
        pending=course.pending(),
        last_record_time=course.last_talk,
        mtime=source.mtime,
        size=source.size,
        inode=source.inode,
        device=source.device,
        damaged=tuple(course.damaged),
        damages=course.damages,
        cursor=Cursor(offset, course.cursor_uuid),
        state=course.complete(course.growing),
        started_at=state.offset,
    )


def _session_id(path: Path, course: Course) -> str:
    """Return the session's id: the file's name where its records bear it, else that of its first record."""
    if path.stem in course.sessions or not course.sessions:
        return path.stem
    return next(iter(course.sessions))


def _stretch(draft: StretchDraft, course: Course, session: str, rewound: frozenset[int], shift: int, again: _Reread) -> Stretch | None:
    typed = [(mark, is_prompt) for mark, node, is_prompt in draft.typed if node not in rewound]
    if draft.first is None or draft.last is None:
        return None
    messages: Collection[Message]
    if course.holding:
        messages = tuple(_shifted(m, shift) for m, node in zip(draft.messages, draft.nodes, strict=True) if node not in rewound)
        if not messages:
            return None
    else:
        messages = _Unheld(course.complete(draft), again, rewound, shift, draft.last.ordinal - draft.first.ordinal + 1)
    return Stretch(
        session=session,
        key=draft.first.uuid or f"@{draft.first.start}",
        number=draft.state.number,
        first_ordinal=draft.first.ordinal,
        first_turn=draft.first.turn,
        last_turn=draft.last.turn,
        messages=messages,
        typed=tuple(mark for mark, _ in typed),
        writes=tuple(MemoryWrite(w.call.id, w.call.name, w.call.path, w.call.command, w.turn, w.ok) for w in draft.writes),
        saved=tuple(draft.saved),
        started=draft.first.said.timestamp(),
        ended=max(draft.first.said.timestamp(), draft.last.said.timestamp()),
        start=draft.first.start,
        end=draft.end,
        cwd=course.cwd,
        headless=course.entrypoint.startswith(records.HEADLESS),
        first_prompt=course.first_prompt or "",
        memory=draft.signs,
        prompts=sum(is_prompt for _, is_prompt in typed),
        spoken=sum(count for node, count in draft.spoken.items() if node not in rewound),
    )


def _shifted(message: Message, shift: int) -> Message:
    return msgspec.structs.replace(message, said=local_time(message.said.timestamp(), shift)) if shift else message


@dataclass(frozen=True, slots=True)
class _Reread:
    """A part of a file that can be read again."""

    path: Path
    inode: int
    end: int
    limits: ReadLimits


class _Unheld(Collection[Message]):
    """The messages of a stretch too large to be held: read again whenever they are iterated, one at a time.

    Raises ``TranscriptError`` where the file is no longer the one that was read.
    """

    def __init__(self, state: ReadState, part: _Reread, rewound: frozenset[int], shift: int, most: int) -> None:
        self._state, self._part, self._rewound, self._shift, self._most = state, part, rewound, shift, most

    def __len__(self) -> int:
        return sum(1 for _ in self) if self._rewound else self._most

    def __contains__(self, message: object) -> bool:
        return any(m == message for m in self)

    def __iter__(self) -> Iterator[Message]:
        with opened(self._part.path) as source:
            if source.inode != self._part.inode or source.size < self._part.end:
                raise TranscriptError(
                    f"{self._part.path}: changed while it was dealt with", hint="It is looked at again at the next sweep."
                )
            course = Course(self._state, otherwise=source.mtime, shift=self._shift)
            for offset in _follow(source, course, self._state, self._part.limits):
                if course.finished:
                    break
                yield from self._drained(course.growing)
                if offset >= self._part.end:
                    break
            course.close()
            yield from self._drained(course.finished[0] if course.finished else course.growing)

    def _drained(self, draft: StretchDraft) -> Iterator[Message]:
        for message, node in zip(draft.messages, draft.nodes, strict=True):
            if node not in self._rewound:
                yield message
        draft.messages.clear()
        draft.nodes.clear()
