"""A consolidation by a model: one bounded agent run over the overlay, in the same worker as every other.

Owns: what the run is given, how its evidence is checked, and what its changeset comes to. Leaves words to ``agent.dreaming``, money
to the ledger's purse, the rules to ``judging``.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from extractord.agent.briefing import Briefing
from extractord.agent.claude_code.program import ClientTerms
from extractord.agent.claude_code.shot import Shot
from extractord.agent.dreaming import LogText, Room, fitting_logs, narrowed, opening, question
from extractord.agent.protocol import Decision, Usage
from extractord.agent.relay import Relay, Terms
from extractord.agent.supervise import AgentLimits, Answering, Backend, CheckAnswer, Ending, extract
from extractord.consolidation.changes import Change, Cited, Judged
from extractord.consolidation.judging import judge, rule, with_time
from extractord.consolidation.material import Material
from extractord.memory.changeset import Evidence, Proposal
from extractord.memory.checks import CheckLimits, Fate, needs_evidence, vanishes
from extractord.memory.evidence import folded
from extractord.memory.facts import Checked
from extractord.memory.snapshot import manifest
from extractord.runs.offer import shell_offer
from extractord.runs.permit import ClientPermit
from extractord.runs.places import roots_of
from extractord.runs.purse import LedgerPurse
from extractord.runs.reasons import refusals
from extractord.supervisor import Supervisor
from extractord.transcript.digest import Digest

Told = tuple[Briefing, tuple[LogText, ...], tuple[str, ...]]
KEY = "dream"  # stands in the ledger's spend where a session's id does
LEAST_WORDS, LEAST_CHARACTERS = 3, 12
UNENDED = "the run was cut off before it was done: a person decides"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run came to. ``unread`` are logs whose new lines did not fit; they wait for the next one."""

    judged: Judged
    unread: frozenset[str]
    usage: Usage
    cost_usd: float
    refused: str  # what was refused while it ran, in words that may be kept


def ask(supervisor: Supervisor, material: Material, terms: Terms | ClientTerms, limits: CheckLimits) -> Asked:
    """Let a model look through a memory directory. Raises WorkerError, PostponedError, LedgerError."""
    room = Room.of(supervisor.config.limits.digest_tokens)
    logs = fitting_logs((LogText(log.file, log.text) for log in material.logs), room)
    unread = frozenset(log.file for log in material.logs) - {log.file for log in logs}
    material = replace(material, logs=tuple(log for log in material.logs if log.file not in unread))
    briefing = narrowed(_briefing(material), room)
    agent_limits = AgentLimits(turns=supervisor.config.limits.turns, seconds=supervisor.config.limits.extraction_seconds)
    purse = _purse(supervisor, material)
    shell = shell_offer(supervisor.config)
    answer = _answering(supervisor, (briefing, logs, material.norms), terms, purse, time.monotonic() + agent_limits.seconds)
    result = extract(
        briefing,
        roots_of(supervisor, material.project_root, material.memory_dir),
        lambda proposal: _answer(proposal, material, limits),
        limits=agent_limits,
        backend=Backend.RELAYED,
        shell=shell,
        sandbox=supervisor.config.sandbox,
        answer=answer,
    )
    changes = [change for proposal in result.changeset.proposals if isinstance(change := _change(proposal, material), Change)]
    judged = judge(changes, material, limits)
    if result.ending is Ending.TURNS:
        judged = _cut_off(judged)
    return Asked(judged, unread, purse.usage, purse.cost_usd, refusals(Checked(), result.rulings))


def _answering(supervisor: Supervisor, told: Told, terms: Terms | ClientTerms, purse: LedgerPurse, deadline: float) -> Answering:
    """Return what answers for the model. Raises PostponedError where the user's own client may not be run now."""
    match terms:
        case Terms():
            return Relay(opening(*told, shell_offer(supervisor.config)), terms, supervisor.models, purse, deadline).answer
        case ClientTerms():
            permit = ClientPermit(supervisor, purse)
            permit.check()
            return Shot(question(*told), terms, permit, deadline).answer


def _briefing(material: Material) -> Briefing:
    digest = Digest("", material.project_root, (), 0, 0)
    heads = tuple(head for head in manifest(material.snapshot, len(material.items)) if head.file in material.items)
    return Briefing(digest, heads, material.snapshot.index or "", material.now.isoformat(), material.tombstones)


def _purse(supervisor: Supervisor, material: Material) -> LedgerPurse:
    now = supervisor.wall()
    spending = supervisor.spending or supervisor.ledger
    return LedgerPurse(spending, supervisor.config.budget, (KEY, str(material.memory_dir)), since=now, now=now)


def _answer(proposal: Proposal, material: Material, limits: CheckLimits) -> CheckAnswer:
    """Return what the worker is told about a staged change; one that will be held is staged like any other."""
    change = _change(proposal, material)
    if isinstance(change, str):
        return CheckAnswer(Decision.DENIED, change)
    fate, reason = rule(change, material, limits)
    match fate:
        case Fate.ACCEPTED:
            return CheckAnswer(Decision.ALLOWED)
        case Fate.HELD:
            return CheckAnswer(Decision.ALLOWED, remarks=(f"waits for review: {reason}",))
        case Fate.REFUSED:
            return CheckAnswer(Decision.DENIED, reason)


def _change(proposal: Proposal, material: Material) -> Change | str:
    """Return a staged change with the places it rests on, or why these do not count."""
    item = material.items.get(proposal.path)
    if item is None and proposal.path in material.topics:
        return f"{proposal.path} is no topic of this run: logs and team memory are never changed"
    before = item.text if item else None
    cited = _cited(proposal.evidence, material)
    if isinstance(cited, str):
        return cited
    change = Change(proposal.path, before, proposal.after, 0.0, cited)
    if not cited and needs_evidence(change.proposal):
        return 'this needs evidence: [{"message": "feedback_tests.md", "quote": "…"}] with words that stand in that topic or log'
    return with_time(change, material)


def _cited(evidence: Iterable[Evidence], material: Material) -> tuple[Cited, ...] | str:
    texts: Mapping[str, str] = {file: item.text for file, item in material.items.items()} | {log.file: log.text for log in material.logs}
    found = []
    for one in evidence:
        text = texts.get(one.message)
        if text is None:
            return f"there is no topic or log {one.message!r}; use the file names as listed"
        quote = folded(one.quote)
        if len(quote.split()) < LEAST_WORDS and len(quote) < LEAST_CHARACTERS:
            return f"the quote {one.quote[:60]!r} is too short: at least three words"
        if quote not in folded(text):
            return f"{one.message} does not say {one.quote[:80]!r}; copy the words as they stand there"
        found.append(Cited(one.message, one.quote))
    return tuple(found)


def _cut_off(judged: Judged) -> Judged:
    """Hold what would go: what was to take it up may be missing."""
    going = [change for change in judged.accepted if vanishes(change.proposal)]
    kept = tuple(change for change in judged.accepted if change not in going)
    return Judged(kept, (*judged.held, *((change, UNENDED) for change in going)), judged.refused)
