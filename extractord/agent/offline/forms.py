"""Forms of speech: how people say that something is to last, whatever it is about.

Owns: the record of one language's tables and their lookup. The tables stand in ``forms_en``, ``forms_zh``, ``forms_de``,
``forms_es`` and ``forms_ja``; they hold forms, never sentences, and no word of any particular project. Leaves which forms make
a finding to ``findings``. Patterns are searched in ``Sentence.plain``: lower case, quotations masked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Form:
    """One form: a name for people, a pattern, and a pattern whose presence rules it out ("" for none).

    Words may be written with capitals, as people write them; what they are searched in has none. Compiled when first asked
    for: a session is in one language, and compiling all would cost more than reading it.
    """

    name: str
    source: str
    unless_source: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(_hurried(_lower(self.source)))

    @cached_property
    def unless(self) -> re.Pattern[str] | None:
        return re.compile(_hurried(_lower(self.unless_source))) if self.unless_source else None

    def search(self, plain: str) -> re.Match[str] | None:
        match = self.pattern.search(plain)
        if match is None or (self.unless is not None and self.unless.search(plain)):
            return None
        return match


Forms = tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Speech:
    """The tables of one language."""

    # what lasts
    remember: Forms  # asked for in so many words
    inform: Forms  # "just so you know": counts where the rest is lasting by itself
    standing: Forms  # rules that hold on: from now on, whenever you, I prefer …
    norms: Forms  # never, always, must: rules too, but within an order only a part of what is ordered
    correction: Forms  # don't …, … instead: counts with a reason that outlasts the moment
    person: Forms  # what someone tells of themselves
    event: Forms  # what happens on a day: counts with a date
    decision: Forms  # work that goes on, and who wants it
    pointer: Forms  # where to look
    approval: Forms  # an unusual choice confirmed
    keep_on: Forms  # … that is to be made again
    revocation: Forms  # what held holds no more
    renewal: Forms  # something else holds now: counts as revocation where a known topic is meant
    moved: Forms  # a date that changed
    # what belongs to it
    reason: Forms  # a clause that gives the reason; group "why" is where it begins
    incident: Forms  # something that happened once and taught a lesson
    because_of_people: Forms  # a reason that holds on: people, bills, habits
    late_reason: Forms  # the reason for something said earlier
    consequence: Forms  # opens a sentence that follows from the one before
    meanwhile: Forms  # opens a sentence about the time that an event sets: after that, until then
    heading: Forms  # stands over a list of rules
    heading_facts: Forms  # stands over a list of what is to be known
    heading_work: Forms  # stands over a list of what is to be done or built
    therefore: Forms  # what is before it is the reason of what is after it
    whenever: Forms  # conditions of a rule: what follows is the rule itself, no order
    named: Forms  # a correction that names one thing in place of another
    generic: Forms  # a correction of a kind of work, not of one place
    apply: Forms  # where a rule holds, what to do instead
    # what ends or spoils it
    shift: Forms  # opens another subject
    task: Forms  # an order for the moment
    pointing: Forms  # this, that, it: says nothing by itself
    asking: Forms
    hypothetical: Forms
    sarcasm: Forms
    temporary: Forms
    reported: Forms  # somebody else's words
    withdrawn: Forms
    private: Forms
    kept_out: Forms  # keeps a whole subject out of memory
    order_until: Forms  # an order that holds until a day is no order for the moment
    order_tail: Forms  # ", delete it": what was told is only the ground for an order
    dictated: Forms  # words that are to be written somewhere, or translated
    secrets: Forms  # speaks of a password or key
    judging: Forms
    notes: Forms  # speaks of the memory itself
    lead_in: re.Pattern[str]  # what may be cut from the front of a sentence


def form(name: str, pattern: str, unless: str = "") -> Form:
    """Return a form; short, since the tables are made of it."""
    return Form(name, pattern, unless)


def _lower(pattern: str) -> str:
    """Return a pattern with its literal letters in lower case; classes such as ``\\S`` and group names stay as they are."""
    return re.sub(r"(\\.|\(\?P<\w+>)|([A-Z]+)", lambda match: match[1] or match[2].lower(), pattern)


# English as it is typed in a hurry: without apostrophes (but for "were", "well", "its", which are words), "u" for "you"
_HURRY = (
    (re.compile(r"n't\b"), "n'?t"),
    (re.compile(r"(?:(?<=\\b)|(?<!\w))i'(m|ve)\b"), r"i'?\1"),
    (re.compile(r"\b(you|they)'re\b"), r"\1'?re"),
    (re.compile(r"(that|there|here|what|where|let)'s\b"), r"\1'?s"),
    (re.compile(r"(?:(?<=\\b)|(?<!\w))you(?!\w)"), "(?:you|u)"),
    (re.compile(r"(?:(?<=\\b)|(?<!\w))your(?!\w)"), "(?:your|ur)"),
    (re.compile(r"\b(some)(thing)\b"), r"(?:\1\2|smth|sth)"),
    (re.compile(r"\bpeople\b"), "(?:people|ppl)"),
    (re.compile(r"(?:(?<=\\b)|(?<!\w))please(?!\w)"), "(?:please|pls|plz|pl)"),
)


def _hurried(pattern: str) -> str:
    """Return a pattern that also finds its English words as people type them in a hurry."""
    for spelled, typed in _HURRY:
        pattern = spelled.sub(typed, pattern)
    return pattern


def first(forms: Forms, plain: str) -> Form | None:
    """Return the first form that is found in ``plain``."""
    for candidate in forms:
        if candidate.search(plain):
            return candidate
    return None
