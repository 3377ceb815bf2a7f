"""The entries of a digest: messages, redacted before anything else is done with them, cut, and weighed in tokens.

Owns: an entry's form and which messages make one. Leaves finding secrets to ``redact``, the cuts to ``cuts``, and the chunks
to ``digest``. Every message of a history passes here, hence the plain loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import msgspec

from extractord.redact import redact, redact_all
from extractord.transcript.cuts import ends_of, fitting, one_line
from extractord.transcript.messages import Message, Origin, ToolCall
from extractord.transcript.tokens import most_tokens
from extractord.transcript.zones import local_time


class Entry(msgspec.Struct, frozen=True, gc=False):
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


CALL_CHARACTERS = 90


@dataclass(frozen=True, slots=True)
class DigestLimits:
    """Bounds of a digest."""

    tokens: int = 12_000  # of a chunk (``limits.digest_tokens``)
    typed: int = 24_000  # characters of one typed message that are kept: two thirds from its beginning, one from its end
    agent: int = 600  # characters of one message of the agent: two thirds from its beginning, one from its end
    call: int = CALL_CHARACTERS  # of the line of a call


Weighed = tuple[Entry, int]  # an entry and its tokens at most
ENTRY_TOKENS = 30  # of an entry beside its text: id, origin, time
BATCH = 128  # messages that are looked through for secrets together


def weighed_entries(messages: Iterable[Message], left_out: frozenset[int], limits: DigestLimits) -> Iterator[Weighed]:
    """Yield the entries of the turns that stay; calls without a word in between go to the agent's words before them.

    Of the turns ``left_out`` the agent's last words before a turn that stays are there too.
    """
    before: tuple[Message, str] | None = None  # the agent's last words in a turn left out
    spoken: Message | None = None  # the agent's message whose calls are being gathered
    words = ""
    calls: list[str] = []
    remaining = iter(messages)
    while batch := list(islice(remaining, BATCH)):
        texts = iter(redact_all(_texts(batch, left_out)))
        for message in batch:
            turn, typed = message.turn, message.origin.typed
            text = next(texts) if message.text and not (typed and turn in left_out) else ""
            if turn in left_out:
                before = (message, text) if text else before
                continue
            if before is not None:
                yield from _of_agent(*before, [], limits)
                before = None
            if typed:
                question = next(texts) if message.question else ""
                if spoken is not None:
                    yield from _of_agent(spoken, words, calls, limits)
                    spoken = None
                yield from _of_person(message, text, question, limits)
                continue
            told = [next(texts) for _ in message.calls]
            if not text and spoken is not None and spoken.turn == turn:
                calls += told
                continue
            if spoken is not None:
                yield from _of_agent(spoken, words, calls, limits)
            spoken, words, calls = message, text, told
    if spoken is not None:
        yield from _of_agent(spoken, words, calls, limits)


def _texts(messages: list[Message], left_out: frozenset[int]) -> list[str]:
    """Return the texts of these messages that are looked at, in the order in which they are used."""
    texts: list[str] = []
    for message in messages:
        typed = message.origin.typed
        if message.turn in left_out:
            if message.text and not typed:
                texts.append(message.text)
            continue
        if message.text:
            texts.append(message.text)
        if typed:
            if message.question:
                texts.append(message.question)
        else:
            texts += [f"{call.name}: {call.subject}" if call.subject else call.name for call in message.calls]
    return texts


def call_line(call: ToolCall, most: int = CALL_CHARACTERS) -> str:
    """Return a call as one redacted line of at most ``most`` characters."""
    return one_line(redact(f"{call.name}: {call.subject}" if call.subject else call.name).text, most)


def _of_agent(message: Message, text: str, calls: Sequence[str], limits: DigestLimits) -> Sequence[Weighed]:
    """Return the agent's message; its calls go on in further entries of the same id where they are more than a chunk holds."""
    if len(text) > limits.agent:
        text = ends_of(text, limits.agent)
    lines = tuple([one_line(call, limits.call) for call in calls])
    weight = most_tokens("".join((text, *lines)) if lines else text) + len(lines) + ENTRY_TOKENS
    if weight <= limits.tokens - ENTRY_TOKENS:
        return ((_entry(message, text, lines), weight),)
    return tuple(_spread(message, text, lines, limits))


def _spread(message: Message, text: str, lines: tuple[str, ...], limits: DigestLimits) -> Iterator[Weighed]:
    text = fitting(text, limits.tokens - 2 * ENTRY_TOKENS)
    shown: list[str] = []
    weight = most_tokens(text) + ENTRY_TOKENS
    for line in lines:
        tokens = most_tokens(line)
        if shown and weight + tokens > limits.tokens:
            yield _entry(message, text, tuple(shown)), weight
            text, shown, weight = "", [], ENTRY_TOKENS
        shown.append(line)
        weight += tokens
    yield _entry(message, text, tuple(shown)), weight


def _of_person(message: Message, text: str, question: str, limits: DigestLimits) -> Iterator[Weighed]:
    """Yield a typed message; one that no chunk holds goes on in further entries of the same id."""
    overhead = ENTRY_TOKENS
    if question:
        question = fitting(ends_of(question, limits.agent), limits.tokens // 4)
        overhead += most_tokens(question)
    rest = ends_of(text, limits.typed)
    while True:
        weight = most_tokens(rest) + overhead
        part = rest if weight <= limits.tokens else fitting(rest, limits.tokens - overhead)
        rest = rest[len(part) :]
        yield _entry(message, part, (), question), most_tokens(part) + overhead if rest else weight
        if not rest:
            return


def _entry(message: Message, text: str, calls: tuple[str, ...], question: str = "") -> Entry:
    return Entry(
        f"m{message.ordinal}",
        message.origin,
        text,
        _stamp(message.moment, message.shift),
        message.evidence_time,
        message.uuid,
        message.turn,
        calls,
        question,
    )


_QUARTER = 900  # seconds in which the offset of a zone stays (see ``zones``)


def _stamp(moment: float, shift: int) -> str:
    """Return a moment in the zone of the person as ISO 8601, by way of the quarter of an hour in which it lies."""
    second = int(moment)
    quarter, past = divmod(second, _QUARTER)
    hour, minute, offset = _quarter(quarter, shift)
    if not hour or moment < 0 or moment - second > 0.999_999:  # the calendar rounds to millionths
        return local_time(moment, shift).isoformat(timespec="seconds")
    return f"{hour}{minute + past // 60:02}:{past % 60:02}{offset}"


@lru_cache(maxsize=1024)
def _quarter(quarter: int, shift: int) -> tuple[str, int, str]:
    """Return date and hour of a quarter, the minute in which it begins, and the offset; no hour where it is no quarter there."""
    text = local_time(quarter * _QUARTER, shift).isoformat(timespec="seconds")
    minute = int(text[14:16])
    return (text[:14] if minute % 15 == 0 and text[17:19] == "00" else "", minute, text[19:])
