"""What each sentence says: the mark it bears, and what spoils it.

Owns: one reading a sentence, by the tables of its language. Leaves putting sentences together to ``findings``.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from extractord.agent.offline import forms_de, forms_en, forms_es, forms_ja, forms_zh
from extractord.agent.offline.dates import SpokenDate, dates_in
from extractord.agent.offline.forms import Form, Forms, Speech, first
from extractord.agent.offline.sentences import Lang, Sentence
from extractord.agent.offline.subjects import Words, words_of

SPEECHES: dict[Lang, Speech] = {
    Lang.EN: forms_en.SPEECH,
    Lang.ZH: forms_zh.SPEECH,
    Lang.DE: forms_de.SPEECH,
    Lang.ES: forms_es.SPEECH,
    Lang.JA: forms_ja.SPEECH,
}


class Kind(enum.Enum):
    """The four types of memory."""

    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"


class Strength(enum.IntEnum):
    """How plainly it was said that something is to last."""

    WEAK = 1  # a correction: lasts only with a reason that does
    PLAIN = 2
    STANDING = 3
    ASKED = 4  # remember …


@dataclass(frozen=True, slots=True)
class Mark:
    """Why a sentence may be worth saving."""

    kind: Kind
    strength: Strength
    form: str
    at: int  # where in the sentence the form begins


@dataclass(frozen=True)
class Reading:
    """A sentence with everything the tables say of it; each question is answered when it is first asked."""

    sentence: Sentence
    said: datetime
    now: date

    def has(self, forms: Forms) -> bool:
        return first(forms, self.sentence.plain) is not None

    @cached_property
    def speech(self) -> Speech:
        return SPEECHES[self.sentence.lang]

    @cached_property
    def words(self) -> Words:
        return words_of(self.sentence.text)

    @cached_property
    def asks(self) -> bool:
        return self.has(self.speech.asking)

    @cached_property
    def task(self) -> bool:
        return self.has(self.speech.task)

    @cached_property
    def shifts(self) -> bool:
        return self.has(self.speech.shift)

    @cached_property
    def points(self) -> bool:
        """Whether it speaks of something by pointing at it."""
        return self.has(self.speech.pointing)

    @cached_property
    def dates(self) -> tuple[SpokenDate, ...]:
        return dates_in(self.sentence.text, self.said.date())

    @cached_property
    def ahead(self) -> tuple[SpokenDate, ...]:
        """The dates that lie after the day of speech and not before now."""
        return tuple(d for d in self.dates if d.day > self.said.date() and d.day >= self.now)

    @cached_property
    def spoiled(self) -> str:
        """Why nothing may be taken from this sentence, "" if it may."""
        speech = self.speech
        # plans and people change by themselves: "until", "not yet" belong to them
        lasting = self.mark is not None and (self.mark.kind in (Kind.USER, Kind.REFERENCE) or (self.mark.kind is Kind.PROJECT and bool(self.ahead)))
        checks = (
            ("a question", speech.asking),
            ("somebody else's words", speech.reported),
            ("hypothetical", speech.hypothetical),
            ("not meant", speech.sarcasm),
            (MOMENTARY, () if lasting else speech.temporary),
            ("judges a person", speech.judging),
            ("not to be saved", speech.private),
        )
        if SECRET in self.sentence.plain:
            return "holds a secret"
        if NORMS.search(self.sentence.plain):
            return "stands in the project's own notes"
        return next((reason for reason, forms in checks if self.has(forms)), "")

    @cached_property
    def mark(self) -> Mark | None:
        """The mark of the sentence, whatever spoils it."""
        found = {name: self._find(forms) for name, forms in self._tables()}
        pointer, person, standing, remember = found["pointer"], found["person"], found["standing"], found["remember"]
        strength = Strength.ASKED if remember else Strength.STANDING
        if pointer:
            return _mark(Kind.REFERENCE, strength, pointer)
        if self.ahead and found["event"] and (remember or not self.task):
            return _mark(Kind.PROJECT, strength, found["event"])
        if person and not (remember and standing):
            return _mark(Kind.USER, strength, person)
        if found["decision"]:
            return _mark(Kind.PROJECT, Strength.PLAIN, found["decision"])
        if standing:
            return _mark(Kind.FEEDBACK, strength, standing)
        if remember:
            kind = Kind.FEEDBACK if found["correction"] else Kind.PROJECT
            return _mark(kind, Strength.ASKED, remember)
        return _mark(Kind.FEEDBACK, Strength.WEAK, found["correction"])

    def _tables(self) -> tuple[tuple[str, Forms], ...]:
        speech = self.speech
        return (
            ("pointer", speech.pointer),
            ("person", speech.person),
            ("standing", speech.standing),
            ("remember", speech.remember),
            ("event", speech.event if self.ahead else ()),
            ("decision", speech.decision),
            ("correction", speech.correction),
        )

    def _find(self, forms: Forms) -> tuple[Form, int] | None:
        for form in forms:
            if match := form.search(self.sentence.plain):
                return form, match.start()
        return None


def _mark(kind: Kind, strength: Strength, found: tuple[Form, int] | None) -> Mark | None:
    return Mark(kind, strength, found[0].name, found[1]) if found else None


MOMENTARY = "only for the moment"
SECRET = "[redacted"  # how ``redact`` writes what it took out
NORMS = re.compile(r"\b(?:claude|agents|contributing)\.md\b")
