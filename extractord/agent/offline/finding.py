"""What was found: one thing to be remembered, and the pieces of sentences that say it.

Owns: the records. Leaves parting sentences to ``parting``, putting findings together to ``passages`` and ``findings``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from extractord.agent.offline.readings import Kind, Reading, Strength
from extractord.agent.offline.subjects import Words, words_of
from extractord.transcript.digest import Entry

Message = Sequence[Reading]  # the readings of one typed message, in order
THIN = 3  # fewer content words than this say nothing without what they point at


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence that goes into a topic."""

    reading: Reading
    start: int  # in the sentence's text
    end: int

    @property
    def text(self) -> str:
        return self.reading.sentence.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Accepted:
    """A choice of the agent that was confirmed in words."""

    agent: Entry
    quote: str
    by: Entry


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to be remembered."""

    kind: Kind
    strength: Strength
    form: str
    rule: tuple[Part, ...]
    reason: tuple[Part, ...] = ()
    apply: tuple[Part, ...] = ()
    accepted: Accepted | None = None
    event: bool = False  # found as something that happens on a day

    @property
    def parts(self) -> tuple[Part, ...]:
        return (*self.rule, *self.reason, *self.apply)

    @property
    def readings(self) -> tuple[Reading, ...]:
        return tuple(dict.fromkeys(part.reading for part in self.parts))

    @property
    def words(self) -> Words:
        return frozenset().union(*(words_of(part.text) for part in self.parts))

    @property
    def rule_words(self) -> Words:
        return frozenset().union(*(words_of(part.text) for part in self.rule))

    @property
    def position(self) -> int:
        return self.rule[0].reading.sentence.position

    @property
    def entry(self) -> Entry:
        return self.rule[0].reading.sentence.entry

    @property
    def needs_a_day(self) -> bool:
        """Whether it was found as an event, which is nothing without its day."""
        return self.kind is Kind.PROJECT and self.event

    @property
    def days(self) -> tuple[date, ...]:
        return tuple(d.day for reading in self.readings for d in reading.dates)
