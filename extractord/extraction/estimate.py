"""What a run would take, without asking any model.

Owns: the tokens of each session's digests. Leaves prices to the backend's table: offline nothing costs anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from extractord.extraction.plan import Plan, Scope, SessionPlan, examine, subject_of
from extractord.extraction.subject import judged
from extractord.supervisor import Supervisor
from extractord.transcript.digest import DigestLimits, build
from extractord.transcript.eligibility import Decision

PROMPT_TOKENS = 3_000  # the prompt beside the digest (performance.md §6)
OUTPUT_TOKENS = 600  # of one agent run (performance.md §6)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Tokens that a session would take; ``input_tokens`` is an upper bound."""

    session: str
    input_tokens: int
    output_tokens: int


def estimate(supervisor: Supervisor, scope: Scope, plan: Plan) -> Iterator[Estimate]:
    """Yield the estimate of each session that a run would hand to a model."""
    for session in plan.sessions:
        yield _of_session(supervisor, scope, session)


def _of_session(supervisor: Supervisor, scope: Scope, session: SessionPlan) -> Estimate:
    examined = examine(supervisor, scope, session.file)
    wanted = {item.key for item in session.open}
    tokens = runs = 0
    if examined is None:
        return Estimate(session.file.session, 0, 0)
    for stretch in (s for s in examined.reading.stretches if s.key in wanted):
        verdict = judged(supervisor, subject_of(supervisor, scope, examined, stretch, session.sighting))
        if verdict.decision is Decision.EXTRACT:
            sizes = [digest.tokens for digest in build(stretch, verdict, DigestLimits(supervisor.config.limits.digest_tokens))]
            tokens += sum(sizes)
            runs += len(sizes)
    return Estimate(session.file.session, tokens + runs * PROMPT_TOKENS, runs * OUTPUT_TOKENS)
