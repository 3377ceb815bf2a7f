"""What a run would take, without asking any model.

Owns: the tokens of each session's first requests, built as a run would build them, and what they would cost. Leaves prices, and
what is known of models, to ``agent.prices``. Offline nothing is sent and nothing costs anything; the figures say what the
configured model would be given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from extractord.agent.claude_code.program import ClientTerms
from extractord.agent.claude_code.shot import Question
from extractord.agent.prices import FREE, Habits, Rates, habits_of
from extractord.agent.prompting import narrowed, opening
from extractord.agent.protocol import Usage
from extractord.agent.relay import Terms
from extractord.agent.server import Server
from extractord.extraction.chunk import briefing_of
from extractord.extraction.pending import pending_topics
from extractord.extraction.plan import Plan, Scope, SessionPlan, examine, subject_of
from extractord.extraction.subject import Subject, judged
from extractord.runs.asking import asked_for
from extractord.runs.offer import shell_offer
from extractord.supervisor import Supervisor
from extractord.transcript.digest import Digest, DigestLimits, build
from extractord.transcript.verdict import Decision

CLIENT_BYTES = 1900  # what the user's own client adds to its question (facts §10.5)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a session would take if each run needed one answer; looking things up adds."""

    session: str
    input_tokens: int
    output_tokens: int
    cost_usd: float
    runs: int = 0


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Bytes of a run's first call: what is the same in all runs, and the rest."""

    shared: int
    rest: int


def estimate(supervisor: Supervisor, scope: Scope, plan: Plan) -> Iterator[Estimate]:
    """Yield the estimate of each session that a run would hand to a model. Raises UsageError for a model of unknown price."""
    kept: set[Habits] = set()  # models whose server has seen what all runs share
    for session in plan.sessions:
        rates, habits = _counted_by(supervisor, session.home.project_root)
        usages = []
        for sizes in _of_session(supervisor, scope, session):
            usage = _usage(sizes, habits)
            usages.append(_read_again(usage) if habits in kept else usage)
            kept.add(habits)
        tokens = sum(one.input_tokens + one.cache_write_tokens + one.cache_read_tokens for one in usages)
        yield Estimate(session.file.session, tokens, sum(one.output_tokens for one in usages), sum(map(rates.cost, usages)), len(usages))


def _counted_by(supervisor: Supervisor, project_root: str) -> tuple[Rates, Habits]:
    match asked_for(supervisor, project_root):
        case Terms(rates=rates, habits=habits):
            return rates, habits
        case _:
            return FREE, habits_of(supervisor.config.model, Server())


def _usage(sizes: _Sizes, habits: Habits) -> Usage:
    """Return what the first call of a run would be counted as, if no run came before it."""
    shared, rest = round(sizes.shared / habits.bytes_a_token) + habits.added, round(sizes.rest / habits.bytes_a_token)
    answer = habits.answer + habits.thoughts
    if habits.kept_from is None or shared < habits.kept_from:
        return Usage(shared + rest, answer)
    return Usage(rest, answer, cache_write_tokens=shared)


def _read_again(usage: Usage) -> Usage:
    """Return the same for a run that follows within minutes: the beginning is read as it was kept."""
    return Usage(usage.input_tokens, usage.output_tokens, cache_read_tokens=usage.cache_write_tokens)


def _of_session(supervisor: Supervisor, scope: Scope, session: SessionPlan) -> Iterator[_Sizes]:
    """Yield the sizes of the first call about each chunk."""
    examined = examine(supervisor, scope, session.file)
    wanted = {item.key for item in session.open}
    if examined is None:
        return
    for stretch in (s for s in examined.reading.stretches if s.key in wanted):
        subject = subject_of(supervisor, scope, examined, stretch, session.sighting)
        verdict = judged(supervisor, subject)
        if verdict.decision is Decision.EXTRACT:
            for digest in build(subject.stretch, verdict, DigestLimits(supervisor.config.limits.digest_tokens)):
                yield _of_chunk(supervisor, subject, digest)


def _of_chunk(supervisor: Supervisor, subject: Subject, digest: Digest) -> _Sizes:
    snapshot = supervisor.directory(subject.memory_dir).read()
    briefing = narrowed(briefing_of(supervisor, subject, digest, snapshot, pending_topics(supervisor.ledger, str(subject.memory_dir))))
    if isinstance(asked_for(supervisor, subject.home.project_root), ClientTerms):
        question = Question.of(briefing)
        return _Sizes(len(question.system.encode()) + CLIENT_BYTES, question.size - len(question.system.encode()))
    dialogue = opening(briefing, shell_offer(supervisor.config))
    return _Sizes(dialogue.stable_size, dialogue.request("", 0, None).size - dialogue.stable_size)
