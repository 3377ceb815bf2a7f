"""Which findings become topics: merged where they have one subject, ranked, and bounded.

Owns: the joining of findings and the choice of the few that are worth a topic. Leaves their words to ``writing``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from extractord.agent.offline.finding import Finding, Part
from extractord.agent.offline.readings import Kind
from extractord.agent.offline.subjects import Words, kinship, share, words_of
from extractord.memory.manifest import Tombstone

NEW_TOPICS = 3  # a stretch (CONTRACTS, memory.new_topics)
SAME_SUBJECT = 0.4
REMOVED = 0.6  # share of a finding's words in a tombstone that makes it the same (DESIGN, foreign text)


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Join findings of one kind that have the same subject or were said in one breath."""
    kept: list[Finding] = []
    for finding in findings:
        place = next((i for i, other in enumerate(kept) if _belong_together(other, finding)), None)
        if place is None:
            kept.append(finding)
        else:
            kept[place] = _joined(kept[place], finding)
    return tuple(kept)


def _belong_together(one: Finding, other: Finding) -> bool:
    if one.kind is not other.kind:
        return False
    if one.entry.id == other.entry.id:
        return one.kind in (Kind.USER, Kind.REFERENCE) or bool(one.words & other.words)
    return kinship(one.rule_words, other.rule_words) >= SAME_SUBJECT and len(one.rule_words & other.rule_words) >= 2


def _joined(one: Finding, other: Finding) -> Finding:
    def both(mine: tuple[Part, ...], theirs: tuple[Part, ...]) -> tuple[Part, ...]:
        return (*mine, *(part for part in theirs if part not in mine))

    return replace(
        one,
        strength=max(one.strength, other.strength),
        rule=both(one.rule, other.rule),
        reason=both(one.reason, other.reason),
        apply=both(one.apply, other.apply),
        accepted=one.accepted or other.accepted,
    )


def chosen(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings that get a new topic: the plainest first, no more than a stretch may make."""
    left = list(findings)
    while len(left) > NEW_TOPICS and (pair := _said_together(left)) is not None:
        one, other = pair
        left[left.index(one)] = _joined(one, other)
        left.remove(other)
    ranked = sorted(left, key=lambda f: (-f.strength, not f.reason, f.position))
    return tuple(sorted(ranked[:NEW_TOPICS], key=lambda f: f.position))


def _said_together(findings: list[Finding]) -> tuple[Finding, Finding] | None:
    """Return the first two rules or facts of one message: rather one topic of several than one of them lost."""
    for place, one in enumerate(findings):
        for other in findings[place + 1 :]:
            if one.kind is other.kind and one.entry.id == other.entry.id and not (one.needs_a_day or other.needs_a_day):
                return one, other
    return None


def was_removed(finding: Finding, tombstones: Iterable[Tombstone]) -> bool:
    """Whether a person removed this before, and has not said it again since."""
    return any(
        finding.entry.evidence_time <= stone.time and share(finding.words, _folded(stone)) >= REMOVED for stone in tombstones if stone.words
    )


def _folded(stone: Tombstone) -> Words:
    return words_of(" ".join(stone.words))
