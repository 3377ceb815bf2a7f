"""A session from its file: ``read_session`` reads a transcript into messages, turns and stretches.

Owns: reading on from an earlier state, finding one's place again, and letting go of the texts of a session too large to be held.
Leaves the loop over the lines to ``following``, and what follows from them to ``course``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from extractord.errors import TranscriptError
from extractord.system.files import read_at
from extractord.transcript.course import Course
from extractord.transcript.drafts import StretchDraft
from extractord.transcript.following import ToolResults, follow
from extractord.transcript.messages import Message
from extractord.transcript.records import HEADLESS
from extractord.transcript.records.events import LoadedText
from extractord.transcript.resuming import completed
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
from extractord.transcript.tail import Opened, TailLimits, opened, part
from extractord.transcript.zones import shift_for

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


class ReadLimits(msgspec.Struct, frozen=True):
    """Bounds of a reading."""

    tail: TailLimits = TailLimits()
    held: int = 12 << 20  # bytes of messages; a larger session's are read again when they are asked for
    results: ToolResults = ToolResults.SKIP


READ_LIMITS = ReadLimits()
KEY_WITHIN = 1 << 20  # first bytes of a stretch's first line in which its key must stand


def read_session(path: Path, *, since: ReadState | None = None, limits: ReadLimits = READ_LIMITS) -> Reading:
    """Read a transcript; with ``since`` (``Reading.state`` of an earlier reading) only from the start of its last stretch.

    Where the file no longer holds that stretch at its place, it is read from the beginning: uuids tell what is known
    already. Raises ``TranscriptError`` where it cannot be read.
    """
    with opened(path) as source:
        state = since if since is not None and _still_holds(source, since) else ReadState()
        course = Course(state, otherwise=source.mtime)
        reached = state.offset
        for offset in follow(source, course, limits.tail, limits.results):
            reached = offset
            if course.held > limits.held and course.holding:
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
    if source.size <= state.offset or read_at(source.fd, 1, state.offset - 1) != b"\n":
        return False
    line, key = b"", state.key.encode("utf-8", "replace")
    while len(line) < KEY_WITHIN and key not in line and b"\n" not in line:
        block = read_at(source.fd, 64 << 10, state.offset + len(line))
        if not block:
            break
        line += block
    return key in line.partition(b"\n")[0]


# --- what comes out ---


def _reading(path: Path, source: Opened, course: Course, state: ReadState, offset: int, limits: ReadLimits) -> Reading:
    setting = course.setting
    session = _session_id(path, setting.sessions)
    rewound = course.chain.rewound()
    shift = shift_for(setting.dates)
    drafts = [*course.finished, course.growing]
    stretches = [_stretch(d, course, session, rewound, shift, _Reread(path, source.inode, d.end, limits)) for d in drafts]
    return Reading(
        session=session,
        path=path,
        cwd=setting.cwd,
        version=setting.version,
        entrypoint=setting.entrypoint,
        headless=setting.entrypoint.startswith(HEADLESS),
        first_prompt=course.first_prompt or "",
        stretches=tuple(s for s in stretches if s is not None),
        memory=setting.signs,
        loaded=tuple(setting.loaded.values()),
        pending=course.pending(partial(part, source)),
        last_record_time=course.last_talk,
        mtime=source.mtime,
        size=source.size,
        inode=source.inode,
        device=source.device,
        damaged=tuple(course.damaged),
        damages=course.damages,
        cursor=Cursor(offset, course.cursor_uuid),
        state=completed(course.growing, course.chain),
        started_at=state.offset,
    )


def _session_id(path: Path, sessions: dict[str, None]) -> str:
    """Return the session's id: the file's name where its records bear it, else that of its first record."""
    if path.stem in sessions or not sessions:
        return path.stem
    return next(iter(sessions))


def _stretch(draft: StretchDraft, course: Course, session: str, rewound: frozenset[int], shift: int, again: _Reread) -> Stretch | None:
    first, last = draft.first, draft.last
    if first is None or last is None:
        return None
    typed = [(mark, is_prompt) for mark, node, is_prompt in draft.typed if node not in rewound]
    messages: Collection[Message]
    if course.holding:
        messages = tuple(_kept(draft, rewound, shift))
        if not messages:
            return None
    else:
        messages = _Unheld(completed(draft, course.chain), again, rewound, shift, last.ordinal - first.ordinal + 1)
    return Stretch(
        session=session,
        key=first.uuid or f"@{first.start}",
        number=draft.state.number,
        first_ordinal=first.ordinal,
        first_turn=first.turn,
        last_turn=last.turn,
        messages=messages,
        typed=tuple(mark for mark, _ in typed),
        writes=tuple(MemoryWrite(w.call.id, w.call.name, w.call.path, w.call.command, w.turn, w.ok) for w in draft.writes),
        saved=tuple(draft.saved),
        started=first.moment,
        ended=max(first.moment, last.moment),
        start=first.start,
        end=draft.end,
        cwd=course.setting.cwd,
        headless=course.setting.entrypoint.startswith(HEADLESS),
        first_prompt=course.first_prompt or "",
        memory=draft.signs,
        prompts=sum(is_prompt for _, is_prompt in typed),
        spoken=sum(count for node, count in draft.spoken.items() if node not in rewound),
    )


def _kept(draft: StretchDraft, rewound: frozenset[int], shift: int) -> Iterable[Message]:
    """Return the messages of a stretch that were not taken back, in the session's zone."""
    messages: Iterable[Message] = draft.messages
    if rewound:
        messages = (m for m, node in zip(draft.messages, draft.nodes, strict=True) if node not in rewound)
    return (msgspec.structs.replace(m, shift=shift) for m in messages) if shift else messages


class _Reread(msgspec.Struct, frozen=True):
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
            course = Course(self._state, otherwise=source.mtime)
            for offset in follow(source, course, self._part.limits.tail, self._part.limits.results):
                if course.finished:
                    break
                yield from self._drained(course.growing)
                if offset >= self._part.end:
                    break
            course.close()
            yield from self._drained(course.finished[0] if course.finished else course.growing)

    def _drained(self, draft: StretchDraft) -> Iterator[Message]:
        yield from _kept(draft, self._rewound, self._shift)
        draft.messages.clear()
        draft.nodes.clear()
