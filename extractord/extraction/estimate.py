"""What a run would take, without asking any model.

Owns: the tokens of each session's first requests, built as a run would build them, and what they would cost. Leaves prices to
``agent.prices``. Offline nothing is sent and nothing costs anything; the figures say what a model would be given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from extractord.agent.claude_code.program import ClientTerms
from extractord.agent.claude_code.shot import Question
from extractord.agent.prompting import narrowed, opening
from extractord.agent.protocol import Usage
from extractord.agent.relay import MAX_TOKENS
from extractord.agent.supervise import ShellOffer
from extractord.agent.wire import BYTES_A_TOKEN
from extractord.extraction.chunk import briefing_of
from extractord.extraction.pending import pending_topics
from extractord.extraction.plan import Plan, Scope, SessionPlan, examine, subject_of
from extractord.extraction.subject import Subject, judged
from extractord.runs.asking import asked_for, rates_of
from extractord.runs.offer import shell_offer
from extractord.supervisor import Supervisor
from extractord.transcript.digest import Digest, DigestLimits, build
from extractord.transcript.verdict import Decision

CLIENT_BYTES = 1900  # what the user's own client adds to its question (facts §10.5)
OUTPUT_TOKENS = 300  # of one agent run: a topic with its evidence, or one word


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a session would take if each run needed one answer. Tokens are bytes / 4 of what would be sent; looking things up adds."""

    session: str
    input_tokens: int
    output_tokens: int
    cost_usd: float


def estimate(supervisor: Supervisor, scope: Scope, plan: Plan) -> Iterator[Estimate]:
    """Yield the estimate of each session that a run would hand to a model. Raises UsageError for a model of unknown price."""
    for session in plan.sessions:
        yield _of_session(supervisor, scope, session)


def _of_session(supervisor: Supervisor, scope: Scope, session: SessionPlan) -> Estimate:
    examined = examine(supervisor, scope, session.file)
    wanted = {item.key for item in session.open}
    tokens = runs = 0
    if examined is None:
        return Estimate(session.file.session, 0, 0, 0.0)
    for stretch in (s for s in examined.reading.stretches if s.key in wanted):
        subject = subject_of(supervisor, scope, examined, stretch, session.sighting)
        sizes = list(_of_stretch(supervisor, subject, shell_offer(supervisor.config)))
        tokens += sum(sizes)
        runs += len(sizes)
    usage = Usage(tokens, runs * OUTPUT_TOKENS)
    return Estimate(session.file.session, tokens, usage.output_tokens, rates_of(supervisor, session.home.project_root).cost(usage))


def _of_stretch(supervisor: Supervisor, subject: Subject, shell: ShellOffer) -> Iterator[int]:
    """Yield the tokens of the first request about each chunk."""
    verdict = judged(supervisor, subject)
    if verdict.decision is Decision.EXTRACT:
        for digest in build(subject.stretch, verdict, DigestLimits(supervisor.config.limits.digest_tokens)):
            yield _of_chunk(supervisor, subject, digest, shell)


def _of_chunk(supervisor: Supervisor, subject: Subject, digest: Digest, shell: ShellOffer) -> int:
    snapshot = supervisor.directory(subject.memory_dir).read()
    briefing = narrowed(briefing_of(supervisor, subject, digest, snapshot, pending_topics(supervisor.ledger, str(subject.memory_dir))))
    if isinstance(asked_for(supervisor, subject.home.project_root), ClientTerms):
        return (Question.of(briefing).size + CLIENT_BYTES) // BYTES_A_TOKEN
    request = opening(briefing, shell).request(supervisor.config.model, MAX_TOKENS, None)
    return len(msgspec.json.encode(request)) // BYTES_A_TOKEN
