"""From sentences to findings: what was said that is to last, with its reason and where it holds.

Owns: which sentences belong together, which part gives the reason, and what is dropped and why. Leaves the words of a topic to
``writing``, its relation to what is already known to ``updates``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from extractord.agent.offline.forms import first
from extractord.agent.offline.readings import Kind, Reading, Strength
from extractord.agent.offline.subjects import Words, share, words_of
from extractord.transcript.digest import Entry

PASSAGE = 4  # sentences that may follow a marked one and still belong to it
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

    @classmethod
    def of(cls, kind: Kind, readings: tuple[Reading, ...], reason: tuple[Part, ...] = ()) -> Finding:
        """Return what sentences say as they stand, but for a clause that gives the reason."""
        rule: list[Part] = []
        for reading in readings:
            kept, why = split(reading)
            rule.append(kept)
            reason = reason or why
        return cls(kind, Strength.STANDING, "as said", tuple(rule), reason)

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
    def days(self) -> tuple[date, ...]:
        return tuple(d.day for reading in self.readings for d in reading.dates)


Message = Sequence[Reading]  # the readings of one typed message, in order


def findings_in(messages: Sequence[Message], agent: Sequence[Entry]) -> tuple[Finding, ...]:
    """Return what the typed ``messages`` hold, in the order in which it was said; ``agent`` are the agent's messages by position."""
    found: list[Finding] = []
    for message in messages:
        if any(r.has(r.speech.private) for r in message):
            found = _without_the_private(found, message, messages)
            continue
        found = _without_the_withdrawn(found, message)
        found += _of_message(message, agent)
    found = _with_later_reasons(_with_corrections(found), messages)
    return tuple(f for f in found if _is_supported(f))


# --- one message ------------------------------------------------------------------------------------------------------


def _of_message(message: Message, agent: Sequence[Entry]) -> Iterator[Finding]:
    """Yield the findings of one message."""
    kept = _before_withdrawal(message)
    taken: set[int] = set()
    if confirmed := _confirmation(kept, agent):
        taken = {kept.index(part.reading) for part in confirmed.parts}
        yield confirmed
    for index, reading in enumerate(kept):
        mark = reading.mark
        if index in taken or mark is None or reading.spoiled:
            continue
        if mark.strength is Strength.WEAK and (reading.task and not reading.has(reading.speech.generic)):
            continue
        finding = _passage(kept, index, taken)
        taken.update(kept.index(part.reading) for part in finding.parts)
        yield finding


def _before_withdrawal(message: Message) -> Message:
    """Return a message without the sentence that its next one takes back, and without that one."""
    kept: list[Reading] = []
    for reading in message:
        if kept and reading.has(reading.speech.withdrawn):
            kept.pop()
            continue
        kept.append(reading)
    return kept


def _passage(message: Message, index: int, taken: set[int]) -> Finding:
    """Build the finding that begins at a marked sentence, with what belongs to it before and after."""
    anchor = message[index]
    mark = anchor.mark
    assert mark is not None
    rule, reason = split(anchor)
    finding = Finding(mark.kind, mark.strength, mark.form, (rule,), reason)
    finding = _looking_back(finding, message, index, taken)
    for following in message[index + 1 : index + 1 + PASSAGE]:
        grown = _with_next(finding, following)
        if grown is None:
            break
        finding = grown
    return finding


def _looking_back(finding: Finding, message: Message, index: int, taken: set[int]) -> Finding:
    """Add the sentence before where the marked one points at it, or follows from it."""
    anchor, before = message[index], message[index - 1] if index else None
    if before is None or index - 1 in taken or before.spoiled not in ("", "a question"):
        return finding
    if finding.kind is Kind.REFERENCE and (before.asks and len(finding.words) < THIN + 3):
        return finding  # the question is no evidence; the pointer stands by itself
    if before.asks or before.spoiled:
        return finding
    if finding.kind in (Kind.FEEDBACK, Kind.PROJECT) and not finding.reason and anchor.has(anchor.speech.consequence):
        return replace(finding, reason=(whole(before),))
    thin = len(finding.rule_words) < THIN
    if finding.kind is Kind.FEEDBACK and (thin or anchor.points) and not before.shifts and finding.strength >= Strength.STANDING and _says_something(before):
        rule, reason = split(before)
        return replace(finding, rule=(rule, *finding.rule), reason=(*reason, *finding.reason))
    return finding


def _says_something(reading: Reading) -> bool:
    return len(reading.words) >= 2 and reading.mark is not None


def _with_next(finding: Finding, following: Reading) -> Finding | None:
    """Return the finding with the sentence that follows it, or None where that one is about something else."""
    if following.asks or following.shifts or following.spoiled or following.sentence.quotes:
        return None
    mark, speech = following.mark, following.speech
    if finding.kind in (Kind.FEEDBACK, Kind.PROJECT):
        if mark and mark.kind is not finding.kind and mark.strength > Strength.PLAIN and not following.has(speech.incident):
            return None
        if mark and mark.strength >= Strength.STANDING and mark.kind is finding.kind:
            rule, reason = split(following)
            return replace(finding, rule=(*finding.rule, rule), reason=(*finding.reason, *reason), strength=max(finding.strength, mark.strength))
        if _is_order_for_now(following):
            return None
        if not finding.reason and _gives_a_reason(following):
            return replace(finding, reason=(whole(following),))
        if following.has(speech.apply) or following.task or mark:
            return replace(finding, apply=(*finding.apply, whole(following)))
        return replace(finding, rule=(*finding.rule, whole(following)))
    if finding.kind is Kind.REFERENCE:
        belongs = following.points or (mark is not None and mark.kind is Kind.REFERENCE) or following.has(speech.apply)
    else:
        belongs = following.has(speech.consequence) or (mark is not None and mark.kind is Kind.USER)
    if not belongs or _is_order_for_now(following):
        return None
    return replace(finding, rule=(*finding.rule, whole(following)))


def _gives_a_reason(reading: Reading) -> bool:
    """Whether a sentence that follows a rule tells why: what happened, whom it hits, or how things are."""
    speech = reading.speech
    if reading.task or (reading.has(speech.apply) and not reading.has(speech.incident)):
        return False
    return (
        reading.has(speech.incident)
        or (reading.has(speech.because_of_people) and reading.mark is None)
        or any(form.search(lead + reading.sentence.plain) for form in speech.reason for lead in (", ", "，", "。"))
    )


def _is_order_for_now(reading: Reading) -> bool:
    """Whether a sentence is an order about what is at hand ("do it", "commit"), not the other half of a rule."""
    return reading.task and (reading.points or len(reading.words) < THIN)


def whole(reading: Reading) -> Part:
    """Return a whole sentence as a part."""
    return Part(reading, 0, len(reading.sentence.text))


def split(reading: Reading) -> tuple[Part, tuple[Part, ...]]:
    """Part a sentence into rule and reason, where the words say which is which."""
    text, speech, mark = reading.sentence.text, reading.speech, reading.mark
    if mark is None or mark.kind in (Kind.USER, Kind.REFERENCE):
        return _from_the_mark(reading), ()
    for form in speech.therefore:
        match = form.search(reading.sentence.plain)
        if match and 12 <= match.start() and len(text) - match.end() > 6 and _rules(reading, match.end()):
            return Part(reading, match.end(), len(text)), (Part(reading, 0, match.start()),)
    for form in speech.reason:
        for match in form.pattern.finditer(reading.sentence.plain):
            start = match.start("why")
            end = len(text[:start].rstrip(" ,，、–—-:。"))
            if start > mark.at and len(text) - start > 6 and end >= mark.at + 3 and words_of(text[:end]):
                return Part(reading, 0, end), (Part(reading, start, len(text)),)
    return whole(reading), ()


_CLAUSE = re.compile(r"[,，、;:—–]\s*|\s-\s")


def _from_the_mark(reading: Reading) -> Part:
    """Leave out an order or a question that only stands in front ("explain …, I come from …")."""
    mark, plain = reading.mark, reading.sentence.plain
    if mark is not None and (reading.task or reading.asks or reading.has(reading.speech.temporary)):
        breaks = [m.end() for m in _CLAUSE.finditer(plain) if m.end() <= mark.at + 4]
        if breaks and breaks[-1] > 8:
            return Part(reading, breaks[-1], len(plain))
    return whole(reading)


def _rules(reading: Reading, position: int) -> bool:
    """Whether what stands after ``position`` is the rule rather than a consequence told by the way."""
    mark = reading.mark
    return mark is not None and (mark.at >= position - 4 or first(reading.speech.correction, reading.sentence.plain[position:]) is not None)


# --- confirmed choices ------------------------------------------------------------------------------------------------


def _confirmation(message: Message, agent: Sequence[Entry]) -> Finding | None:
    """Return the unusual choice that a message confirms: praise, and that it be made so again."""
    for index, reading in enumerate(message):
        if reading.asks or reading.spoiled or not reading.has(reading.speech.approval):
            continue
        nearby = message[index : index + 3]
        keeps = [r for r in nearby if r.has(r.speech.keep_on) and not r.spoiled and not r.asks]
        if not keeps:
            continue
        last = nearby.index(keeps[0])
        between = [r for r in nearby[: last + 1] if not r.spoiled and not r.asks]
        reason: tuple[Part, ...] = ()
        rule: list[Part] = []
        for part in between:
            if part is not reading and part not in keeps and (part.has(part.speech.incident) or part.has(part.speech.because_of_people)):
                reason = (*reason, whole(part))
            else:
                kept, why = _split_praise(part)
                rule.append(kept)
                reason = (*reason, *why)
        finding = Finding(Kind.FEEDBACK, Strength.STANDING, "a choice confirmed", tuple(rule), reason)
        for following in message[index + last + 1 : index + last + 1 + PASSAGE]:
            grown = _with_next(finding, following)
            if grown is None:
                break
            finding = grown
        return replace(finding, accepted=_what_was_confirmed(finding, agent))
    return None


def _split_praise(reading: Reading) -> tuple[Part, tuple[Part, ...]]:
    text = reading.sentence.text
    praise = next((m.end() for f in reading.speech.approval if (m := f.search(reading.sentence.plain))), 8)
    for form in reading.speech.reason:
        for match in form.pattern.finditer(reading.sentence.plain):
            start = match.start("why")
            if start > praise and len(text) - start > 8:
                return Part(reading, 0, len(text[:start].rstrip(" ,，、–—-:。"))), (Part(reading, start, len(text)),)
    return whole(reading), ()


def _what_was_confirmed(finding: Finding, agent: Sequence[Entry]) -> Accepted | None:
    """Return the agent's sentence that is meant, where the person only pointed at it."""
    if len(finding.rule_words) > THIN + 2:
        return None
    turn = finding.entry.turn
    earlier = [entry for entry in agent if not entry.origin.typed and turn - CONFIRMED_TURNS <= entry.turn < turn]
    pieces = [(entry, piece) for entry in earlier for piece in _PIECES.findall(entry.text) if 20 <= len(piece) <= 300]
    entry, best = max(pieces, key=lambda p: len(words_of(p[1]) & finding.words), default=(None, ""))
    if entry is None or not words_of(best) & finding.words:
        return None
    return Accepted(entry, best, finding.entry)


CONFIRMED_TURNS = 3
_PIECES = re.compile(r"[^\s.。！？\n](?:[^.。！？\n]|\.(?=\S))*[.。！？]?")


# --- over several messages --------------------------------------------------------------------------------------------


def _without_the_private(found: list[Finding], message: Message, messages: Sequence[Message]) -> list[Finding]:
    """Drop what a message asks not to save: all of its own, and the message before where it only points there."""
    lead = next(r for r in message if r.has(r.speech.private))
    if len(lead.words) > THIN + 2 or message.index(lead) > 0:
        return found
    place = next(i for i, m in enumerate(messages) if m is message)
    before = messages[place - 1][0].sentence.position if place and messages[place - 1] else -1
    return [f for f in found if f.position != before]


def _without_the_withdrawn(found: list[Finding], message: Message) -> list[Finding]:
    """Drop findings that a later message takes back: by their words, or the last one where it only points."""
    for reading in message:
        if not found or reading.asks or not reading.has(reading.speech.withdrawn):
            continue
        turn = reading.sentence.entry.turn
        meant = [f for f in found if f.rule_words & reading.words and turn - f.entry.turn <= WITHDRAWN_TURNS]
        if not meant and len(reading.words) < THIN and turn - found[-1].entry.turn <= 1:
            meant = [found[-1]]
        found = [f for f in found if f not in meant]
    return found


WITHDRAWN_TURNS = 3


def _with_corrections(found: list[Finding]) -> list[Finding]:
    """Give a rule without a reason that of a correction in the same matter, made shortly before or after."""
    rules = [f for f in found if f.strength > Strength.WEAK]
    for weak in found:
        if weak.strength is not Strength.WEAK:
            continue
        for place, rule in enumerate(rules):
            near = abs(rule.entry.turn - weak.entry.turn) <= CORRECTED_TURNS
            if weak.reason and near and rule.kind is Kind.FEEDBACK and not rule.reason and rule.rule_words & weak.rule_words:
                rules[place] = replace(rule, rule=(*rule.rule, *weak.rule), reason=weak.reason)
                break
        else:
            rules.append(weak)
    return sorted(rules, key=lambda f: f.position)


CORRECTED_TURNS = 2


def _with_later_reasons(found: list[Finding], messages: Sequence[Message]) -> list[Finding]:
    """Give rules the reason that was told later, or before, in other messages."""
    claimed = {reading for f in found for reading in f.readings}
    grown: list[Finding] = []
    for finding in found:
        if not finding.reason and finding.kind in (Kind.FEEDBACK, Kind.PROJECT):
            reason = next(_later_reasons(finding, messages, claimed), None)
            if reason is not None:
                claimed.add(reason)
                finding = replace(finding, reason=(whole(reason),))
        grown.append(finding)
    return grown


def _later_reasons(finding: Finding, messages: Sequence[Message], claimed: Iterable[Reading]) -> Iterator[Reading]:
    for message in messages:
        for reading in message:
            if reading.sentence.position <= finding.position or reading.asks or reading.spoiled:
                continue
            about = finding.words & reading.words
            late = reading.has(reading.speech.late_reason)
            if about and (late or reading.has(reading.speech.incident)) and (late or reading not in claimed):
                yield reading


def _is_supported(finding: Finding) -> bool:
    """Whether a finding may stand: a bare correction needs a reason that outlasts the moment."""
    if finding.kind is Kind.PROJECT and finding.form in EVENTS and not any(r.ahead for r in finding.readings):
        return False
    if len(finding.words) < (1 if finding.accepted or finding.strength >= Strength.STANDING else 2):
        return False
    if finding.strength > Strength.WEAK:
        return True
    anchor = finding.rule[0].reading
    if not anchor.has(anchor.speech.generic) or not _forbids(anchor):
        return False
    lasting = any(p.reading.has(p.reading.speech.incident) or p.reading.has(p.reading.speech.because_of_people) for p in finding.reason)
    return lasting or (finding.entry.origin.value == "refusal" and not anchor.points)


def _forbids(anchor: Reading) -> bool:
    return anchor.mark is not None and anchor.mark.form not in ("use", "用", "x stays")


EVENTS = frozenset({"what happens on a day", "某天发生", "termin", "fecha", "予定"})


def covers(known: str, finding: Finding) -> bool:
    """Whether a known text says already what a finding says."""
    return share(finding.rule_words, words_of(known)) >= COVERED


COVERED = 0.8
