"""From sentences to findings: what was said that is to last.

Owns: going through the messages, and through the sentences of one. Leaves what belongs together to ``passages``, confirmed
choices to ``confirmed``, what later messages change to ``afterwards``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extractord.agent.offline.afterwards import (
    is_supported,
    subjects_kept_out,
    with_corrections,
    with_later_reasons,
    with_what_it_points_at,
    without_the_private,
    without_the_withdrawn,
)
from extractord.agent.offline.confirmed import confirmation
from extractord.agent.offline.finding import Finding, Message
from extractord.agent.offline.passages import passage
from extractord.agent.offline.readings import Reading, Strength
from extractord.agent.offline.subjects import Words
from extractord.transcript.digest import Entry


def findings_in(messages: Sequence[Message], entries: Sequence[Entry]) -> tuple[Finding, ...]:
    """Return what the typed ``messages`` hold, in the order in which it was said; ``entries`` are all messages of the digest."""
    found: list[Finding] = []
    before: Message = ()
    closed: Words = frozenset()
    for message in messages:
        if any(r.has(r.speech.private) for r in message):
            found = without_the_withdrawn(without_the_private(found, message, messages), message)
            closed |= subjects_kept_out(message)
            continue
        found = without_the_withdrawn(found, message)
        found += [with_what_it_points_at(f, before) for f in _of_message(message, entries) if not f.words & closed]
        before = message
    found = with_later_reasons(with_corrections(found), messages)
    return tuple(f for f in found if is_supported(f))


def _of_message(message: Message, entries: Sequence[Entry]) -> Iterator[Finding]:
    """Yield the findings of one message."""
    kept = _before_withdrawal(message)
    taken: set[int] = set()
    if confirmed := confirmation(kept, entries):
        taken = {kept.index(part.reading) for part in confirmed.parts}
        yield confirmed
    for index, reading in enumerate(kept):
        mark = reading.mark
        if index in taken or mark is None or reading.spoiled:
            continue
        if mark.strength is Strength.WEAK and reading.task and not _outlasts_a_task(reading):
            continue
        finding = passage(kept, index, taken)
        taken.update(kept.index(part.reading) for part in finding.parts)
        yield finding


def _outlasts_a_task(reading: Reading) -> bool:
    """Whether an order may still be a correction for good: of a kind of thing, or of one thing in place of another."""
    return reading.has(reading.speech.generic) or reading.has(reading.speech.named)


def _before_withdrawal(message: Message) -> Message:
    """Return a message without the sentence that its next one takes back, and without that one."""
    kept: list[Reading] = []
    for reading in message:
        if kept and reading.has(reading.speech.withdrawn):
            kept.pop()
            continue
        kept.append(reading)
    return kept
