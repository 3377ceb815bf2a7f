"""One agent run over one chunk of a stretch, and the changeset that comes of it.

Owns: briefing → run → checks, on one state of the memory directory. Leaves carrying it out to ``unit``, the rules to
``memory.checks``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from extractord.agent.briefing import Briefing
from extractord.agent.claude_code.program import ClientTerms
from extractord.agent.claude_code.shot import Question, Shot
from extractord.agent.prompting import narrowed, opening
from extractord.agent.protocol import Decision
from extractord.agent.relay import Relay, Terms
from extractord.agent.supervise import AgentLimits, AgentResult, Answering, Backend, CheckAnswer, ShellOffer, extract
from extractord.extraction.apart import kept_apart, topics_with
from extractord.extraction.briefings import briefing_of
from extractord.extraction.pending import pending_topics
from extractord.extraction.subject import Subject
from extractord.memory.changeset import Proposal
from extractord.memory.checks import check, check_changeset
from extractord.memory.directory import Snapshot
from extractord.memory.facts import Checked, CheckLimits, Facts, Fate
from extractord.runs.asking import asked_for
from extractord.runs.norms import norms
from extractord.runs.offer import shell_offer
from extractord.runs.permit import ClientPermit
from extractord.runs.places import roots_of, sharing_of, topic_facts
from extractord.runs.purse import LedgerPurse
from extractord.supervisor import Supervisor
from extractord.transcript.digest import Digest


@dataclass(frozen=True, slots=True)
class ChunkRun:
    """What an agent run over a chunk came to, after all checks."""

    checked: Checked
    result: AgentResult


def run_chunk(
    supervisor: Supervisor, subject: Subject, digest: Digest, snapshot: Snapshot, purse: LedgerPurse, new_before: int
) -> ChunkRun:
    """Run the agent over one chunk. ``new_before`` counts the topics that earlier chunks of the stretch made.

    Raises WorkerError, PostponedError, UsageError; LedgerError where the purse cannot say whether there is money.
    """
    place = supervisor.directory(subject.memory_dir).path
    standing = facts_of(supervisor, subject, digest, snapshot, place)
    pending = pending_topics(supervisor.ledger, str(subject.memory_dir))
    facts = replace(standing, topics=topics_with(standing.topics, pending))
    limits = CheckLimits(new_topics=supervisor.config.memory.new_topics * (1 + len(subject.found.others if subject.found else ())))
    agent_limits = AgentLimits(turns=supervisor.config.limits.turns, seconds=supervisor.config.limits.extraction_seconds)
    briefing, backend, answer = briefing_of(supervisor, subject, digest, snapshot, pending), Backend.OFFLINE, None
    shell = ShellOffer.NO_SANDBOX  # the offline extractor and the user's own client run nothing in the worker
    if terms := asked_for(supervisor, subject.home.project_root):
        briefing, backend = narrowed(briefing), Backend.RELAYED
        shell = shell_offer(supervisor.config) if isinstance(terms, Terms) else shell
        answer = answering(supervisor, briefing, terms, purse, time.monotonic() + agent_limits.seconds)
    result = extract(
        briefing,
        roots_of(supervisor, subject.home.project_root, place),
        lambda proposal: answer_of(proposal, facts, limits),
        limits=agent_limits,
        backend=backend,
        shell=shell,
        sandbox=supervisor.config.sandbox,
        answer=answer,
    )
    checked = check_changeset(result.changeset, facts, limits, already_new=new_before)
    return ChunkRun(kept_apart(checked, pending, standing, limits), result)


def answering(supervisor: Supervisor, briefing: Briefing, terms: Terms | ClientTerms, purse: LedgerPurse, deadline: float) -> Answering:
    """Return what answers for a model that is elsewhere. Raises PostponedError where the user's own client may not be run now."""
    match terms:
        case Terms():
            return Relay(opening(briefing, shell_offer(supervisor.config)), terms, supervisor.models, purse, deadline).answer
        case ClientTerms():
            permit = ClientPermit(supervisor, purse)
            permit.check()  # before a worker is started for nothing
            return Shot(Question.of(briefing), terms, permit, deadline).answer


def answer_of(proposal: Proposal, facts: Facts, limits: CheckLimits) -> CheckAnswer:
    """Return what a worker is told about a staged change: one that is held is staged like any other."""
    finding = check(proposal, facts, limits)
    match finding.fate:
        case Fate.ACCEPTED:
            return CheckAnswer(Decision.ALLOWED, remarks=finding.remarks, asks=bool(finding.remarks))
        case Fate.HELD:
            return CheckAnswer(Decision.ALLOWED, remarks=(*finding.remarks, f"waits for review: {finding.reason}"))
        case Fate.REFUSED:
            return CheckAnswer(Decision.DENIED, finding.reason, finding.remarks)


def facts_of(supervisor: Supervisor, subject: Subject, digest: Digest, snapshot: Snapshot, place: Path) -> Facts:
    """Return what the checks know beside a proposal."""
    memory_dir = str(subject.memory_dir)
    return Facts(
        entries={entry.id: entry for entry in digest.entries},
        last_turn=digest.last_turn,
        topics=topic_facts(supervisor.ledger, memory_dir, snapshot),
        norms=norms(Path(subject.reading.cwd), supervisor.surroundings.config_home, subject.reading.loaded),
        tombstones=supervisor.ledger.tombstones(memory_dir),
        now=subject.now,
        memory_dir=place,
        session=subject.session,
        sharing=sharing_of(supervisor, subject.home.project_root),
    )
