"""What a model (and the offline extractor) reads of a stretch.

Owns: the digest's form, its ids m1, m2 …, its token bound and its chunks; everything in it is redacted before anything else
is done with it. Leaves the choice of messages to ``span`` and finding secrets to ``redact``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

import msgspec

from extractord.redact import redact
from extractord.transcript.eligibility import EVERYTHING, Verdict, turns_of
from extractord.transcript.messages import Message, Origin, ToolCall
from extractord.transcript.stretches import Stretch
from extractord.transcript.tokens import most_tokens


class Entry(msgspec.Struct, frozen=True):
    """One message as digested. Quotes are compared with ``text``."""

    id: str  # m1, m2 … over the session
    origin: Origin
    text: str  # redacted; typed text whole, agent text trimmed
    said: str  # ISO 8601 with the offset of the speaker's zone
    evidence_time: float  # seconds since the epoch
    uuid: str  # of the message, for ``why``; never shown to a model
    turn: int  # number of the turn in the session, from 0
    calls: tuple[str, ...] = ()  # a redacted line per tool call
    question: str = ""


class Digest(msgspec.Struct, frozen=True):
    """A stretch, or a chunk of one, as a model reads it."""

    session: str
    cwd: str
    entries: tuple[Entry, ...]
    tokens: int  # upper bound
    last_turn: int  # number of the stretch's last turn (nothing in it counts as accepted without objection)
    chunk: int = 0
    chunks: int = 1


CALL_CHARACTERS = 90
BATCH = 64  # messages that are looked through for secrets together


@dataclass(frozen=True, slots=True)
class DigestLimits:
    """Bounds of a digest."""

    tokens: int = 12_000  # of a chunk (``limits.digest_tokens``)
    typed: int = 24_000  # characters of one typed message that are kept: two thirds from its beginning, one from its end
    agent: int = 600  # characters of one message of the agent: two thirds from its beginning, one from its end
    call: int = CALL_CHARACTERS  # of the line of a call


ENTRY_TOKENS = 30  # of an entry beside its text: id, origin, time
CUT = " […] "  # stands where characters were left out


def build(
    stretch: Stretch, verdict: Verdict = EVERYTHING, limits: DigestLimits = DigestLimits(), *, leave_out: Collection[str] = ()
) -> Collection[Digest]:
    """Return the digest of a stretch as chunks of at most ``limits.tokens`` each; none where nothing typed remains.

    Turns that the verdict leaves out, and those all of whose typed messages are among ``leave_out``, are left out, but for the
    agent's last words before a turn that stays: what a person accepts may stand there.
    A tuple, or made anew each time it is iterated where the stretch is too large to be held.
    """
    left_out = verdict.turns_left_out | (turns_of(stretch, leave_out) if leave_out else frozenset())
    if stretch.is_held:
        return _numbered(stretch, list(_packed(_entries(stretch, left_out, limits), limits)))
    return _Streamed(stretch, left_out, limits)


def _numbered(stretch: Stretch, packs: list[list[_Weighed]]) -> tuple[Digest, ...]:
    return tuple(_digest(stretch, pack, number, len(packs)) for number, pack in enumerate(packs))


def _digest(stretch: Stretch, pack: list[_Weighed], number: int, count: int) -> Digest:
    return Digest(
        session=stretch.session,
        cwd=stretch.cwd,
        entries=tuple(w.entry for w in pack),
        tokens=sum(w.tokens for w in pack),
        last_turn=stretch.last_turn,
        chunk=number,
        chunks=count,
    )


class _Streamed(Collection[Digest]):
    """The chunks of a stretch that is not held: one at a time."""

    def __init__(self, stretch: Stretch, left_out: frozenset[int], limits: DigestLimits) -> None:
        self._stretch, self._left_out, self._limits = stretch, left_out, limits
        self._count: int | None = None

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(1 for _ in self._packs())
        return self._count

    def __contains__(self, digest: object) -> bool:
        return any(d == digest for d in self)

    def __iter__(self) -> Iterator[Digest]:
        count = len(self)
        for number, pack in enumerate(self._packs()):
            yield _digest(self._stretch, pack, number, count)

    def _packs(self) -> Iterator[list[_Weighed]]:
        return _packed(_entries(self._stretch, self._left_out, self._limits), self._limits)


# --- entries ---


@dataclass(frozen=True, slots=True)
class _Weighed:
    """An entry and its tokens at most."""

    entry: Entry
    tokens: int


Clean = Callable[[str], str]


def _entries(stretch: Stretch, left_out: frozenset[int], limits: DigestLimits) -> Iterator[_Weighed]:
    """Yield the entries of the turns that stay; calls without a word in between go to the agent's words before them."""
    before: tuple[Message, str] | None = None  # the agent's last words in a turn left out
    spoken: tuple[Message, str] | None = None  # the agent's message whose calls are being gathered
    calls: list[str] = []
    for message, clean in _with_redactor(stretch.messages):
        if message.turn in left_out:
            if not message.origin.typed and message.text:
                before = (message, clean(message.text))
            continue
        if before is not None:
            yield from _agent_entries(*before, [], limits)
            before = None
        told = [clean(_told(call)) for call in message.calls]
        if not message.origin.typed and not message.text and spoken is not None and spoken[0].turn == message.turn:
            calls += told
            continue
        if spoken is not None:
            yield from _agent_entries(*spoken, calls, limits)
            spoken = None
        if message.origin.typed:
            yield from _typed_entries(message, clean, limits)
        else:
            spoken, calls = (message, clean(message.text)), told
    if spoken is not None:
        yield from _agent_entries(*spoken, calls, limits)


def _with_redactor(messages: Iterable[Message]) -> Iterator[tuple[Message, Clean]]:
    """Yield each message with what redacts its texts."""
    batch: list[Message] = []
    for message in messages:
        batch.append(message)
        if len(batch) >= BATCH:
            clean = _redactor(batch)
            yield from ((m, clean) for m in batch)
            batch = []
    clean = _redactor(batch)
    yield from ((m, clean) for m in batch)


def _redactor(messages: list[Message]) -> Clean:
    """Return what redacts the texts of these messages: nothing is to be done one by one where all of them together hold no secret."""
    texts = [text for m in messages for text in (m.text, m.question, *(_told(c) for c in m.calls)) if text]
    together = "\n\n".join(texts)
    if redact(together).text == together:
        return str
    return lambda text: redact(text).text if text else ""


def _agent_entries(message: Message, text: str, calls: list[str], limits: DigestLimits) -> Iterator[_Weighed]:
    """Yield the agent's message; its calls go on in further entries of the same id where they are more than a chunk holds."""
    text = _fitting(_ends(text, limits.agent), limits.tokens - 2 * ENTRY_TOKENS)
    shown: list[str] = []
    weight = most_tokens(text) + ENTRY_TOKENS
    for call in calls:
        line = _one_line(call, limits.call)
        tokens = most_tokens(line)
        if shown and weight + tokens > limits.tokens:
            yield _Weighed(_entry(message, text, tuple(shown)), weight)
            text, shown, weight = "", [], ENTRY_TOKENS
        shown.append(line)
        weight += tokens
    yield _Weighed(_entry(message, text, tuple(shown)), weight)


def _typed_entries(message: Message, clean: Clean, limits: DigestLimits) -> Iterator[_Weighed]:
    """Yield a typed message; one that no chunk holds goes on in further entries of the same id."""
    question = _fitting(_ends(clean(message.question), limits.agent), limits.tokens // 4) if message.question else ""
    overhead = ENTRY_TOKENS + (most_tokens(question) if question else 0)
    rest = _ends(clean(message.text), limits.typed)
    while True:
        part = _fitting(rest, limits.tokens - overhead)
        rest = rest[len(part) :]
        yield _Weighed(_entry(message, part, (), question), most_tokens(part) + overhead)
        if not rest:
            return


def _entry(message: Message, text: str, calls: tuple[str, ...], question: str = "") -> Entry:
    return Entry(
        id=f"m{message.ordinal}",
        origin=message.origin,
        text=text,
        said=message.said.isoformat(timespec="seconds"),
        evidence_time=message.evidence_time,
        uuid=message.uuid,
        turn=message.turn,
        calls=calls,
        question=question,
    )


def call_line(call: ToolCall, most: int = CALL_CHARACTERS) -> str:
    """Return a call as one redacted line of at most ``most`` characters."""
    return _one_line(redact(_told(call)).text, most)


def _told(call: ToolCall) -> str:
    return f"{call.name}: {call.subject}" if call.subject else call.name


def _one_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _ends(text: str, most: int) -> str:
    """Return a text whole, or two thirds of ``most`` characters from its beginning and one third from its end."""
    if len(text) <= most:
        return text
    tail = most // 3
    return text[: most - tail] + CUT + text[-tail:]


def _fitting(text: str, tokens: int) -> str:
    """Return the longest beginning of ``text`` that has at most ``tokens``, if possible up to a line's or a word's end."""
    if most_tokens(text) <= tokens:
        return text
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if most_tokens(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    for stop in ("\n", "。", ". ", " "):
        at = text.rfind(stop, low // 2, low)
        if at >= 0:
            return text[: at + len(stop)]
    return text[:low]


# --- chunks ---


def _packed(entries: Iterator[_Weighed], limits: DigestLimits) -> Iterator[list[_Weighed]]:
    """Yield packs of entries within the bound, turns kept together where they fit; a pack in which nothing is typed is left out."""
    pack: list[_Weighed] = []
    weight = 0
    for group in _turns(entries, limits.tokens):
        tokens = sum(w.tokens for w in group)
        if pack and weight + tokens > limits.tokens:
            if any(w.entry.origin.typed for w in pack):
                yield pack
            pack, weight = [], 0
        pack += group
        weight += tokens
    if any(w.entry.origin.typed for w in pack):
        yield pack


def _turns(entries: Iterator[_Weighed], most: int) -> Iterator[list[_Weighed]]:
    """Yield entries by turn; a turn over the bound in several groups within it."""
    group: list[_Weighed] = []
    weight = 0
    for weighed in entries:
        if group and (group[-1].entry.turn != weighed.entry.turn or weight + weighed.tokens > most):
            yield group
            group, weight = [], 0
        group.append(weighed)
        weight += weighed.tokens
    if group:
        yield group
