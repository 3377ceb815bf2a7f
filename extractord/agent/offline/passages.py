"""Which sentences of a message belong together, and what each contributes.

Owns: a finding's growth from its marked sentence to those before and after. Leaves cutting one sentence to ``parting``.
"""

from __future__ import annotations

import re
from dataclasses import replace

from extractord.agent.offline.finding import THIN, Finding, Message
from extractord.agent.offline.parting import split, whole
from extractord.agent.offline.readings import Kind, Listed, Reading, Strength

PASSAGE = 4  # sentences that may follow a marked one and still belong to it


def passage(message: Message, index: int, taken: set[int]) -> Finding:
    """Build the finding that begins at a marked sentence, with what belongs to it before and after."""
    anchor = message[index]
    mark = anchor.mark
    assert mark is not None
    rule, reason = split(anchor)
    finding = Finding(mark.kind, mark.strength, mark.form, rule, reason, event=mark.event)
    finding = _looking_back(finding, message, index, taken)
    return grown(finding, message[index + 1 : index + 1 + PASSAGE])


def grown(finding: Finding, following: Message) -> Finding:
    """Return a finding with the sentences after it, up to the first that is about something else."""
    for reading in following:
        longer = _with_next(finding, reading)
        if longer is None:
            break
        finding = longer
    return finding


def _looking_back(finding: Finding, message: Message, index: int, taken: set[int]) -> Finding:
    """Add the sentence before where the marked one points at it, or follows from it."""
    anchor, before = message[index], message[index - 1] if index else None
    if before is None or anchor.listed is not Listed.NOT or index - 1 in taken or before.spoiled not in ("", "a question"):
        return finding
    if finding.kind is Kind.REFERENCE and (before.asks and len(finding.words) < THIN + 3):
        return finding  # the question is no evidence; the pointer stands by itself
    if before.asks or before.spoiled:
        return finding
    if finding.kind in (Kind.FEEDBACK, Kind.PROJECT) and not finding.reason and anchor.has(anchor.speech.consequence):
        return replace(finding, reason=(whole(before),))
    thin = len(finding.rule_words) < THIN
    if (
        finding.kind is Kind.FEEDBACK
        and (thin or anchor.points)
        and not before.shifts
        and finding.strength >= Strength.STANDING
        and _says_something(before)
    ):
        rule, reason = split(before)
        return replace(finding, rule=(*rule, *finding.rule), reason=(*reason, *finding.reason))
    return finding


def _says_something(reading: Reading) -> bool:
    return len(reading.words) >= 2 and reading.mark is not None


def _with_next(finding: Finding, following: Reading) -> Finding | None:
    """Return the finding with the sentence that follows it, or None where that one is about something else."""
    if following.spoiled or following.shifts or following.sentence.quotes or following.listed is not Listed.NOT:
        return None
    mark, speech = following.mark, following.speech
    if finding.needs_a_day and following.has(speech.meanwhile):
        return replace(finding, rule=(*finding.rule, whole(following)))
    if finding.kind in (Kind.FEEDBACK, Kind.PROJECT):
        if mark and mark.kind is not finding.kind and mark.strength > Strength.PLAIN and not following.has(speech.incident):
            return None
        if mark and mark.strength >= Strength.STANDING and mark.kind is finding.kind:
            rule, reason = split(following)
            return replace(
                finding, rule=(*finding.rule, *rule), reason=(*finding.reason, *reason), strength=max(finding.strength, mark.strength)
            )
        if _is_order_for_now(following):
            return None
        if not finding.reason and _gives_a_reason(following):
            return replace(finding, reason=(whole(following),))
        if following.has(speech.apply) or following.task or mark:
            return replace(finding, apply=(*finding.apply, whole(following)))
        return replace(finding, rule=(*finding.rule, whole(following)))
    if finding.kind is Kind.REFERENCE and mark is not None and mark.event:
        return None
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
    opens_with_a_thing = len(reading.sentence.plain.split()) >= 3 and _THING.match(reading.sentence.plain) is not None
    return (
        (opens_with_a_thing and reading.mark is None)
        or reading.has(speech.incident)
        or (reading.has(speech.because_of_people) and reading.mark is None)
        or any(form.search(lead + reading.sentence.plain) for form in speech.reason for lead in (", ", "，", "。"))
    )


_THING = re.compile(r"(?:the|our|my|their|[a-z]{3,}[^s\W]s) \w")


def _is_order_for_now(reading: Reading) -> bool:
    """Whether a sentence is an order about what is at hand ("do it", "commit"), not the other half of a rule."""
    return reading.task and (reading.points or len(reading.words) < THIN)
