"""What becomes of a change that builds on words that wait for review.

Owns: how such words show in the checks, and that what builds on them waits too. Leaves which words wait to ``pending``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from extractord.extraction.pending import Pending
from extractord.memory.changeset import Proposal
from extractord.memory.checks import check
from extractord.memory.facts import Checked, CheckLimits, Facts, Fate, Finding, TopicFacts
from extractord.memory.merge import merge_topics


def topics_with(topics: Mapping[str, TopicFacts], pending: Mapping[str, Pending]) -> dict[str, TopicFacts]:
    """Return the topics as the checks are to see them where a run was shown what waits."""
    shown = dict(topics)
    for path, one in pending.items():
        stands = topics.get(path)
        time = max(one.time, stands.time if stands else 0.0)
        shown[path] = TopicFacts(one.text, time, stands.foreign if stands else frozenset())
    return shown


def kept_apart(checked: Checked, pending: Mapping[str, Pending], facts: Facts, limits: CheckLimits) -> Checked:
    """Return a checked changeset without what builds on words that wait: it waits too.

    A change of other lines of a topic is brought onto what stands, and checked there. ``facts`` are those of what stands.
    """
    accepted: list[tuple[Proposal, Finding]] = []
    held = list(checked.held)
    for proposal, finding in checked.accepted:
        waits = pending.get(proposal.path)
        if waits is None:
            accepted.append((proposal, finding))
        elif (other := _beside(proposal, facts, limits)) is not None:
            accepted.append(other)
        else:
            held.append((proposal, replace(finding, fate=Fate.HELD, reason=f"builds on {waits.changeset}, which waits for review")))
    return Checked(tuple(accepted), tuple(held), checked.refused)


def _beside(proposal: Proposal, facts: Facts, limits: CheckLimits) -> tuple[Proposal, Finding] | None:
    stands = facts.topics.get(proposal.path)
    if stands is None or proposal.before is None or proposal.after is None:
        return None
    merged = merge_topics(proposal.before, proposal.after, stands.text)
    if merged is None or merged == stands.text:
        return None
    other = msgspec.structs.replace(proposal, before=stands.text, after=merged)
    finding = check(other, facts, limits)
    return (other, finding) if finding.fate is Fate.ACCEPTED else None
