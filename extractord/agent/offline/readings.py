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
from extractord.agent.offline.forms import Form, Forms, Speech, first, form
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


class Listed(enum.Enum):
    """Where a sentence stands to a list of what is to be remembered."""

    NOT = "not in a list"
    HEADING = "its heading"
    FACT = "an item of what is to be known"
    RULE = "an item of rules"
    WORK = "an item of what is to be done or built"


@dataclass(frozen=True, slots=True)
class Mark:
    """Why a sentence may be worth saving."""

    kind: Kind
    strength: Strength
    form: str
    at: int  # where in the sentence the form begins
    event: bool = False  # something that happens on a day
    within_order: bool = False  # a rule only where the sentence is no order for the moment


@dataclass(frozen=True, eq=False)
class Reading:
    """A sentence with everything the tables say of it; each question is answered when it is first asked."""

    sentence: Sentence
    said: datetime
    now: date
    listed: Listed = Listed.NOT

    def has(self, forms: Forms) -> bool:
        """Whether one of the forms of a table occurs."""
        known = self._answers.get(id(forms))
        if known is None:
            known = self._answers[id(forms)] = first(forms, self.sentence.plain) is not None
        return known

    @cached_property
    def _answers(self) -> dict[int, bool]:
        """Answers given before, by table: several steps ask the same."""
        return {}

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
        lasting = self.mark is not None and (
            self.mark.kind in (Kind.USER, Kind.REFERENCE) or (self.mark.kind is Kind.PROJECT and bool(self.ahead))
        )
        checks = (
            ("a question", () if self._tells() else speech.asking),
            ("somebody else's words", speech.reported if self._is_reported() else ()),
            ("hypothetical", speech.hypothetical),
            ("not meant", speech.sarcasm),
            (MOMENTARY, () if lasting else speech.temporary),
            ("judges a person", speech.judging),
            ("not to be saved", speech.private),
            ("to be written elsewhere", speech.dictated),
            ("speaks of a secret", speech.secrets),
        )
        if self.listed is Listed.WORK or (self.mark is not None and self._serves_an_order(self.mark)):
            return "part of an order"
        if TAKEN_OUT in self.sentence.plain:
            return "holds a secret"
        if NORMS.search(self.sentence.plain):
            return "stands in the project's own notes"
        return next((reason for reason, forms in checks if self._spoils(forms)), "")

    def _spoils(self, forms: Forms) -> bool:
        """Whether a table spoils what is marked; "so a word on each would be nice" takes nothing from who somebody is."""
        if forms is not self.speech.hypothetical or self.mark is None or self.mark.kind is not Kind.USER:
            return self.has(forms)
        plain = self.sentence.plain
        ends = next((m.start() for m in CLAUSE.finditer(plain) if m.start() > self.mark.at + 4), len(plain))
        return first(forms, plain[:ends]) is not None

    def _is_reported(self) -> bool:
        """Whether what is marked stands in somebody else's words; a reason may well tell what others say."""
        starts = [m.start() for f in self.speech.reported if (m := f.search(self.sentence.plain))]
        return bool(starts) and (self.mark is None or self.sentence.lang in (Lang.ZH, Lang.JA) or min(starts) <= self.mark.at + 8)

    def _serves_an_order(self, mark: Mark) -> bool:
        """Whether a rule or fact is only told within an order, or as the ground for one."""
        if mark.strength is Strength.ASKED or mark.kind is Kind.REFERENCE:
            return False
        if self.task and mark.within_order:
            return True
        plain = self.sentence.plain
        begins = max((m.end() for m in CLAUSE.finditer(plain) if m.end() <= mark.at), default=0)
        if any(self._orders(clause, mark) for clause in CLAUSE.split(plain[begins:])[0 if begins else 1 :]):
            return True
        tail = next((m.start() for f in self.speech.order_tail if (m := f.search(self.sentence.plain))), None)
        return tail is not None and tail > mark.at and not (mark.kind is Kind.FEEDBACK and self.has(self.speech.whenever))

    def _orders(self, clause: str, mark: Mark) -> bool:
        """Whether a clause behind the mark is an order for the moment ("…, show a countdown")."""
        ordered = clause and first(self.speech.task[:1], clause.strip()) is not None
        if not ordered or first(self.speech.order_until, clause):
            return False
        return mark.kind is Kind.PROJECT or (
            mark.within_order and not self.has(self.speech.whenever) and first(self.speech.pointing, clause) is not None
        )

    @cached_property
    def mark(self) -> Mark | None:
        """The mark of the sentence, whatever spoils it."""
        if self.listed is Listed.HEADING:
            return None
        speech, remember = self.speech, self._asked_for()
        strength = Strength.ASKED if remember else Strength.STANDING
        if pointer := self._find(speech.pointer):
            return _mark(Kind.REFERENCE, strength, pointer)
        event = self._find(speech.event)
        if event and self.ahead and (remember or not self.task or self._after_colon(event[1])):
            return Mark(Kind.PROJECT, strength, event[0].name, event[1], event=True)
        lasting = self._find(speech.standing)
        standing = lasting or self._find(speech.norms)
        person = self._find(speech.person)
        if person and not (remember and standing):
            return _mark(Kind.USER, strength, person)
        if decision := self._find(speech.decision):
            return _mark(Kind.PROJECT, Strength.PLAIN, decision)
        if standing:
            return _mark(Kind.FEEDBACK, strength, standing, within_order=not (lasting or remember))
        correction = self._find(speech.correction)
        if remember:
            return _mark(Kind.FEEDBACK if correction or self.listed is Listed.RULE else Kind.PROJECT, Strength.ASKED, remember)
        return _mark(Kind.FEEDBACK, Strength.WEAK, correction)

    def _asked_for(self) -> tuple[Form, int] | None:
        """Return how it was asked to remember this, if it was."""
        if asked := self._find(self.speech.remember):
            return asked
        return (LISTED, 0) if self.listed is Listed.RULE or (self.listed is Listed.FACT and not self.task) else None

    @cached_property
    def telling(self) -> tuple[int, int]:
        """Where the clauses stand that tell something of the person, beside those that ask or order."""
        plain, mark = self.sentence.plain, self.mark
        if mark is None or mark.kind is not Kind.USER:
            return 0, len(plain)
        starts = [0, *(m.end() for m in CLAUSE.finditer(plain))]
        clauses = list(zip(starts, [*starts[1:], len(plain)], strict=True))
        at = next(i for i, (start, end) in enumerate(clauses) if start <= mark.at + 4 < end or i == len(clauses) - 1)
        first_told = at if any(self._asks(plain[a:b]) or first(self.speech.task[:1], plain[a:b]) for a, b in clauses[:at]) else 0
        last_told = next((i - 1 for i, (a, b) in enumerate(clauses) if i > at and self._asks(plain[a:b])), len(clauses) - 1)
        return clauses[first_told][0], clauses[last_told][1]

    def _asks(self, clause: str) -> bool:
        return first(self.speech.asking, clause.strip(" ,，、")) is not None

    def _tells(self) -> bool:
        """Whether something is told beside a question: the clause that tells it does not ask."""
        if self.mark is None or self.mark.kind is not Kind.USER:
            return False
        start, end = self.telling
        return (
            end - start < len(self.sentence.plain) and first(self.speech.asking, self.sentence.plain[start:end].strip(" ,，、?？")) is None
        )

    def _after_colon(self, position: int) -> bool:
        """Whether ``position`` stands in what is told after an order ("do it, but mind: …")."""
        return 0 < self.sentence.plain.find(": ") < position

    def _find(self, forms: Forms) -> tuple[Form, int] | None:
        for candidate in forms:
            if match := candidate.search(self.sentence.plain):
                return candidate, match.start()
        return None


def _mark(kind: Kind, strength: Strength, found: tuple[Form, int] | None, *, within_order: bool = False) -> Mark | None:
    return Mark(kind, strength, found[0].name, found[1], within_order=within_order) if found else None


CLAUSE = re.compile(r"[,，、;:—–。]\s*|\s-\s|\s(?=(?:so|but|and) (?:what|how|why|can|could|is|are|do|does|where|which)\b)")
LISTED = form("in a list to remember", "")
MOMENTARY = "only for the moment"
TAKEN_OUT = "[redacted"  # how ``redact`` writes what it took out
NORMS = re.compile(r"\b(?:claude|agents|contributing)\.md\b")
