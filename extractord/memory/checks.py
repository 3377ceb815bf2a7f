"""The supervisor's checks: what may become memory, what waits for a person, what is refused.

Owns: the order of the rules, and those that only a whole changeset can break. Pure: every fact comes in as an argument. Leaves
each rule to ``rules``, carrying anything out to ``directory``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from msgspec import structs

from extractord.memory import rules
from extractord.memory.changeset import ChangeKind, Changeset, Proposal
from extractord.memory.evidence import Unfounded
from extractord.memory.facts import Checked, CheckLimits, Facts, Fate, Finding, TopicFacts, VerifiedQuote
from extractord.memory.passages import words_said
from extractord.memory.rules import needs_evidence, same_name

__all__ = [
    "CheckLimits",
    "Checked",
    "Facts",
    "Fate",
    "Finding",
    "TopicFacts",
    "VerifiedQuote",
    "check",
    "check_changeset",
    "needs_evidence",
    "vanishes",
]

_REFUSING = (
    rules.on_team,
    rules.on_form,
    rules.on_characters,
    rules.on_secrets,
    rules.on_evidence_time,
    rules.on_foreign_lines,
    rules.on_dates,
    rules.on_norms,
    rules.on_tombstones,
)


def check(proposal: Proposal, facts: Facts, limits: CheckLimits) -> Finding:
    """Return the finding on one proposal; the first rule that refuses decides, then those that hold.

    Reasons tell the model what to do better. A finding that is accepted may carry remarks with what is still missing.
    """
    case = rules.Case(as_on_disk(proposal, facts), facts, limits)
    if reason := rules.on_path(case) or rules.on_size(case):
        return Finding(Fate.REFUSED, reason)
    verified = rules.verified_quotes(case)
    if isinstance(verified, Unfounded):
        return Finding(Fate.REFUSED, verified.reason)
    case = replace(case, quotes=verified)
    if reason := next((said for rule in _REFUSING if (said := rule(case))), ""):
        return Finding(Fate.REFUSED, reason, facts=verified)
    if reason := rules.held_for_orders(case) or rules.held_for_foreign(case):
        return Finding(Fate.HELD, reason, facts=verified)
    return Finding(Fate.ACCEPTED, remarks=tuple(rules.remarks(case)), facts=verified)


def check_changeset(changeset: Changeset, facts: Facts, limits: CheckLimits, *, already_new: int = 0) -> Checked:
    """Return each proposal with its finding, after the rules that only a whole changeset can break.

    ``already_new`` counts the topics that earlier chunks of the stretch created. Too many topics that vanish (deleted, or over
    half of their words gone) hold all of these; new topics above the limit are refused, the first ones stay.
    """
    found = [(proposal, check(proposal, facts, limits)) for proposal in changeset.proposals]
    found = list(_without_twins(found))
    found = list(_few_new(found, facts, limits, already_new))
    found = list(_few_vanishing(found, facts, limits))
    by_fate = {fate: tuple(pair for pair in found if pair[1].fate is fate) for fate in Fate}
    return Checked(by_fate[Fate.ACCEPTED], by_fate[Fate.HELD], by_fate[Fate.REFUSED])


def as_on_disk(proposal: Proposal, facts: Facts) -> Proposal:
    """Return the proposal as a change of what lies on disk, whatever the worker says that it was based on.

    Where the two differ the apply will find a conflict; the rules are not to be got round by a false base.
    """
    current = facts.topics.get(proposal.path)
    return proposal if current is None else structs.replace(proposal, before=current.text)


# --- a whole changeset ---------------------------------------------------------------------------------------------------

_Found = tuple[Proposal, Finding]


def _without_twins(found: list[_Found]) -> Iterator[_Found]:
    """Refuse a second proposal for the same file, also where only some file systems take the names for one."""
    taken: set[str] = set()
    for proposal, finding in found:
        name = same_name(proposal.path)
        if name in taken:
            yield proposal, Finding(Fate.REFUSED, f"{proposal.path} is changed twice in one changeset; make it one change")
            continue
        if finding.fate is not Fate.REFUSED:
            taken.add(name)
        yield proposal, finding


def _few_new(found: list[_Found], facts: Facts, limits: CheckLimits, already_new: int) -> Iterator[_Found]:
    count = already_new
    for proposal, finding in found:
        if as_on_disk(proposal, facts).kind is ChangeKind.CREATE and finding.fate is not Fate.REFUSED:
            count += 1
            if count > limits.new_topics:
                reason = f"a session adds at most {limits.new_topics} new topics; keep what matters most, or update a topic that is there"
                yield proposal, replace(finding, fate=Fate.REFUSED, reason=reason)
                continue
        yield proposal, finding


def _few_vanishing(found: list[_Found], facts: Facts, limits: CheckLimits) -> Iterator[_Found]:
    vanishing = [proposal for proposal, finding in found if finding.fate is not Fate.REFUSED and vanishes(as_on_disk(proposal, facts))]
    most = max(limits.vanishing_least, min(limits.vanishing_most, len(facts.topics) // limits.vanishing_part))
    for proposal, finding in found:
        if len(vanishing) > most and finding.fate is Fate.ACCEPTED and proposal in vanishing:
            reason = f"{len(vanishing)} of {len(facts.topics)} topics would go at once: a person decides"
            yield proposal, replace(finding, fate=Fate.HELD, reason=reason)
        else:
            yield proposal, finding


def vanishes(proposal: Proposal) -> bool:
    """Whether a topic goes: deleted, or over half of its words gone."""
    if proposal.before is None:
        return False
    if proposal.after is None:
        return True
    had = Counter(words_said(proposal.before))
    left = had & Counter(words_said(proposal.after))
    return left.total() * 2 < had.total()
