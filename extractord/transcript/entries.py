"""The entries of a digest: messages, redacted before anything else is done with them, cut, and weighed in tokens.

Owns: an entry's form and which messages make one. Leaves finding secrets to ``redact``, the cuts to ``cuts``, and the chunks
to ``digest``. Every message of a history passes here, hence the plain loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache
from itertools import chain, islice

import msgspec
from msgspec.structs import replace

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


class DigestLimits(msgspec.Struct, frozen=True):
    """Bounds of a digest."""

    tokens: int = 12_000  # of a chunk (``limits.digest_tokens``)
    typed: int = 24_000  # characters of one typed message that are kept: two thirds from its beginning, one from its end
    agent: int = 600  # characters of one message of the agent: two thirds from its beginning, one from its end
    call: int = CALL_CHARACTERS  # of the line of a call


ENTRY_TOKENS = 30  # of an entry beside its text: id, origin, time
BATCH = 128  # messages that are looked through for secrets together
Group = tuple[list[Entry], int]  # entries of one turn, and their tokens at most


def groups_of(messages: Iterable[Message], left_out: frozenset[int], limits: DigestLimits) -> Iterator[Group]:
    """Yield the entries of the turns that stay, turn by turn; a turn over the bound in several groups within it.

    Calls without a word in between go to the agent's words before them. Of the turns ``left_out`` the agent's last words before
    a turn that stays are there too.
    """
    group: list[Entry] = []
    shown: list[str] = []  # what is weighed of it
    for entry in _entries(messages, left_out, limits):
        if group and entry.turn != group[0].turn:
            yield from _weighed(group, shown, limits)
            group, shown = [], []
        group.append(entry)
        shown.append(entry.text)
        shown += entry.calls
        if entry.question:
            shown.append(entry.question)
    if group:
        yield from _weighed(group, shown, limits)


def _weighed(group: list[Entry], shown: list[str], limits: DigestLimits) -> Iterator[Group]:
    """Yield a turn's entries, in several groups where they are over the bound together."""
    tokens = most_tokens("".join(shown)) + len(shown) + ENTRY_TOKENS * len(group)
    return iter(((group, tokens),)) if tokens <= limits.tokens else _divided(group, limits.tokens)


def _divided(group: list[Entry], most: int) -> Iterator[Group]:
    part: list[Entry] = []
    weight = 0
    for entry, tokens in chain.from_iterable(_fitting_entries(entry, most) for entry in group):
        if part and weight + tokens > most:
            yield part, weight
            part, weight = [], 0
        part.append(entry)
        weight += tokens
    yield part, weight


def _entries(messages: Iterable[Message], left_out: frozenset[int], limits: DigestLimits) -> Iterator[Entry]:
    """Yield the messages of the turns that stay as entries, however large."""
    before: tuple[Message, str] | None = None  # the agent's last words in a turn left out
    spoken: Message | None = None  # the agent's message whose calls are being gathered
    words = ""
    calls: list[str] = []
    remaining = iter(messages)
    while batch := list(islice(remaining, BATCH)):
        texts = iter(redact_all(_texts(batch, left_out)))
        for message in batch:
            typed = message.origin.typed
            if message.turn in left_out:
                if message.text and not typed:
                    before = (message, next(texts))
                continue
            if before is not None:
                yield _entry(before[0], ends_of(before[1], limits.agent), ())
                before = None
            text = next(texts) if message.text else ""
            if not typed:
                told = [one_line(next(texts), limits.call) for _ in message.calls] if message.calls else []
                if not text and spoken is not None and spoken.turn == message.turn:
                    calls += told
                    continue
            if spoken is not None:
                yield _entry(spoken, ends_of(words, limits.agent), tuple(calls))
            if typed:
                spoken = None
                question = ends_of(next(texts), limits.agent) if message.question else ""
                yield _entry(message, ends_of(text, limits.typed), (), question)
            else:
                spoken, words, calls = message, text, told
    if spoken is not None:
        yield _entry(spoken, ends_of(words, limits.agent), tuple(calls))


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


def _fitting_entries(entry: Entry, most: int) -> Iterator[tuple[Entry, int]]:
    """Yield an entry as one or, with the same id, several that have at most ``most`` tokens each, with their tokens."""
    return _fitting_words(entry, most) if entry.origin.typed else _fitting_calls(entry, most)


def _fitting_calls(entry: Entry, most: int) -> Iterator[tuple[Entry, int]]:
    text = fitting(entry.text, most - 2 * ENTRY_TOKENS)
    shown: list[str] = []
    weight = most_tokens(text) + ENTRY_TOKENS
    for line in entry.calls:
        tokens = most_tokens(line)
        if shown and weight + tokens > most:
            yield replace(entry, text=text, calls=tuple(shown)), weight
            text, shown, weight = "", [], ENTRY_TOKENS
        shown.append(line)
        weight += tokens
    yield replace(entry, text=text, calls=tuple(shown)), weight


def _fitting_words(entry: Entry, most: int) -> Iterator[tuple[Entry, int]]:
    question, overhead = entry.question, ENTRY_TOKENS
    if question:
        question = fitting(question, most // 4)
        overhead += most_tokens(question)
    rest = entry.text
    while True:
        part = fitting(rest, most - overhead)
        rest = rest[len(part) :]
        yield replace(entry, text=part, question=question), most_tokens(part) + overhead
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


_DAY = 86_400  # seconds
_FIRST_DAY = date(1970, 1, 1).toordinal()
_TWO = tuple(f"{number:02}" for number in range(60))  # hours, minutes and seconds as written


def _stamp(moment: float, shift: int) -> str:
    """Return a moment in the zone of the person as ISO 8601, by way of the day in which it lies."""
    second = int(moment)
    offset, zone = _zone(second // _DAY, shift)
    if not zone or moment < 0 or moment - second > 0.999_999:  # the calendar rounds to millionths
        return local_time(moment, shift).isoformat(timespec="seconds")
    second += offset
    minute = second // 60
    return f"{_date(second // _DAY)}{_TWO[minute // 60 % 24]}:{_TWO[minute % 60]}:{_TWO[second % 60]}{zone}"


@lru_cache(maxsize=1024)
def _zone(day: int, shift: int) -> tuple[int, str]:
    """Return the offset of a day (UTC) in seconds, and as it is written; nothing where it changes on that day."""
    first, last = local_time(day * _DAY, shift), local_time(day * _DAY + _DAY - 1, shift)
    offset = first.utcoffset()
    if offset is None or offset != last.utcoffset():
        return 0, ""
    return offset // timedelta(seconds=1), first.isoformat(timespec="seconds")[19:]


@lru_cache(maxsize=1024)
def _date(day: int) -> str:
    """Return a day, counted from 1970, as it is written before the time."""
    return f"{date.fromordinal(_FIRST_DAY + day).isoformat()}T"
