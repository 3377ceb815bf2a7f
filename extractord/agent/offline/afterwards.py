"""What later messages do to findings: take them back, ask not to save them, give their reason.

Owns: everything that needs more than one message, and which findings may stand at last. Leaves a message by itself to
``findings``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from extractord.agent.offline.finding import THIN, Finding, Message
from extractord.agent.offline.parting import split, whole
from extractord.agent.offline.readings import Kind, Reading, Strength
from extractord.agent.offline.subjects import Words, words_of
from extractord.transcript.messages import Origin

WITHDRAWN_TURNS = 3  # a wish is taken back soon or not at all
CORRECTED_TURNS = 2  # turns between a correction and the rule that it shows


def without_the_private(found: list[Finding], message: Message, messages: Sequence[Message]) -> list[Finding]:
    """Drop what a message asks not to save: all of its own, and the message before where it only points there."""
    lead = next(r for r in message if r.has(r.speech.private))
    if len(lead.words) > THIN + 2 or message.index(lead) > 0:
        return found
    place = next(i for i, m in enumerate(messages) if m is message)
    before = messages[place - 1][0].sentence.position if place and messages[place - 1] else -1
    return [f for f in found if f.position != before]


def subjects_kept_out(message: Message) -> Words:
    """Return what a message keeps out of memory for good: "nothing about this customer goes into your notes"."""
    kept_out = (r for r in message if r.has(r.speech.kept_out))
    return frozenset[str]().union(*(r.words - words_of(_OF_MEMORY) for r in kept_out))


_OF_MEMORY = "memory memories notes note save saved store nda anything information details goes belongs"


def without_the_withdrawn(found: list[Finding], message: Message) -> list[Finding]:
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


def with_what_it_points_at(finding: Finding, before: Message) -> Finding:
    """Give a rule that says nothing by itself ("everywhere from now on") what was told in the message before."""
    empty = finding.kind is Kind.FEEDBACK and finding.strength is Strength.STANDING and not finding.rule_words and not finding.accepted
    if not empty or not before or finding.entry.turn - before[0].sentence.entry.turn > CORRECTED_TURNS:
        return finding
    meant = next((r for r in before if r.mark is not None and r.mark.kind is Kind.FEEDBACK and not r.spoiled), None)
    if meant is None or not meant.has(meant.speech.correction):
        return finding
    rule, reason = split(meant)
    return replace(finding, rule=(*rule, *finding.rule), reason=finding.reason or reason)


def with_corrections(found: list[Finding]) -> list[Finding]:
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


def with_later_reasons(found: list[Finding], messages: Sequence[Message]) -> list[Finding]:
    """Give rules the reason that was told later, or before, in other messages."""
    claimed = {reading for f in found for reading in f.readings}
    grown: list[Finding] = []
    for finding in found:
        wants = not finding.reason and finding.kind in (Kind.FEEDBACK, Kind.PROJECT)
        reason = next(_later_reasons(finding, messages, claimed), None) if wants else None
        if reason is not None:
            claimed.add(reason)
        grown.append(replace(finding, reason=(whole(reason),)) if reason else finding)
    return grown


def _later_reasons(finding: Finding, messages: Sequence[Message], claimed: Iterable[Reading]) -> Iterator[Reading]:
    words = finding.words
    for message in messages:
        if not message or message[0].sentence.position <= finding.position:
            continue
        for reading in message:
            about = words & reading.words
            if not about or reading.asks or reading.spoiled:
                continue
            late = reading.has(reading.speech.late_reason)
            if (late or reading.has(reading.speech.incident)) and (late or reading not in claimed):
                yield reading


def is_supported(finding: Finding) -> bool:
    """Whether a finding may stand: a bare correction needs a reason that outlasts the moment."""
    if finding.needs_a_day and not any(r.ahead for r in finding.readings):
        return False
    if len(finding.words) < (1 if finding.accepted or finding.strength >= Strength.STANDING else 2):
        return False
    if finding.strength > Strength.WEAK:
        return True
    anchor = finding.rule[0].reading
    if not anchor.has(anchor.speech.generic) or not _forbids(anchor):
        return _names_both(anchor) and any(p.reading.has(p.reading.speech.incident) for p in finding.reason)
    lasting = any(p.reading.has(p.reading.speech.incident) or p.reading.has(p.reading.speech.because_of_people) for p in finding.reason)
    return lasting or (finding.entry.origin is Origin.REFUSAL and not anchor.points)


def _names_both(anchor: Reading) -> bool:
    """Whether one thing is named in place of another ("use dayjs, not moment"), so that the sentence says something tomorrow."""
    return not anchor.spoiled and anchor.has(anchor.speech.named)


def _forbids(anchor: Reading) -> bool:
    return anchor.mark is not None and anchor.mark.form not in ("use", "用", "x stays")
