"""Everything of a plan, in order: the oldest stretch first, one memory directory at a time.

Owns: locks and claims round the units of work, and which results belong to one session. Leaves the plan to ``plan``, one
stretch to ``unit``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from extractord.applying import LOCK_SECONDS, recover, settle_spares
from extractord.extraction.plan import OpenStretch, Plan, Scope, SessionPlan, Unreadable, current_file, examine, subject_of
from extractord.extraction.unit import deal_with, end_empty
from extractord.ledger import Outcome, StretchRow, weightiest
from extractord.supervisor import Supervisor

NOT_SETTLED = "not settled"


@dataclass(frozen=True, slots=True)
class SessionResult:
    """What a run came to for one transcript; no rows where its only stretch is not settled or it could not be read."""

    plan: SessionPlan | Unreadable
    rows: tuple[StretchRow, ...] = ()

    @property
    def outcome(self) -> Outcome:
        match self.plan:
            case Unreadable():
                return Outcome.FAILED
            case _ if not self.rows:
                return Outcome.POSTPONED
            case _:
                return weightiest(row.outcome for row in self.rows)

    @property
    def reason(self) -> str:
        match self.plan:
            case Unreadable(_, error):
                return error.message
            case _ if not self.rows:
                return NOT_SETTLED
            case _:
                return "; ".join(dict.fromkeys(row.reason for row in self.rows if row.outcome is self.outcome and row.reason))


def sweep(supervisor: Supervisor, scope: Scope, plan: Plan) -> Iterator[SessionResult]:
    """Carry a plan out; yields each session's result as soon as its last stretch is done.

    What a killed run left is finished first. Raises LedgerError; whatever else goes wrong is one stretch's outcome.
    """
    recover(supervisor)
    yield from (SessionResult(unreadable) for unreadable in plan.unreadable)
    yield from (SessionResult(session) for session in plan.sessions if not session.open)
    left = {session.file.session: len(session.open) for session in plan.sessions}
    plans = {session.file.session: session for session in plan.sessions}
    rows: dict[str, list[StretchRow]] = {}
    for item in plan.in_order():
        row = work_on(supervisor, scope, item)
        rows.setdefault(item.session, []).extend([row] if row else [])
        left[item.session] -= 1
        if not left[item.session] and rows[item.session]:
            yield SessionResult(plans[item.session], tuple(rows[item.session]))
    settle_spares(supervisor)


def work_on(supervisor: Supervisor, scope: Scope, item: OpenStretch) -> StretchRow | None:
    """Deal with one open stretch under its directory's lock; None if by now another process did, or has it.

    The lock is taken first and only then is looked whether the stretch is still open, so that of two processes each stretch
    is dealt with by one.
    """
    with supervisor.directory(item.memory_dir).lock(LOCK_SECONDS):
        if not supervisor.ledger.claim(str(item.memory_dir), item.session, item.key):
            return None
        try:
            return _dealt_with(supervisor, scope, item)
        finally:
            supervisor.ledger.release(item.session, item.key)


def _dealt_with(supervisor: Supervisor, scope: Scope, item: OpenStretch) -> StretchRow | None:
    """Read the session again, as it is now, and deal with the stretch if it is still open."""
    file = current_file(supervisor, item)
    examined = None if file is None else examine(supervisor, scope, file)
    if examined is None or item.key not in {still.key for still in examined.plan.open}:
        return None
    stretch = next((s for s in examined.reading.stretches if s.key == item.key), None)
    older = stretch is not None and bool(scope.older_ids(stretch))  # stays open for a run by hand
    unfinished = examined.unfinished > 1 or older or examined.plan.waiting is not None
    sighting = replace(examined.plan.sighting, unfinished=unfinished)
    if stretch is None:
        return end_empty(supervisor, examined.reading, examined.plan.home, sighting)
    return deal_with(supervisor, subject_of(supervisor, scope, examined, stretch, sighting))
