"""Everything of a plan, in order: the oldest stretch first, one memory directory at a time.

Owns: locks and claims round the units of work, and which results belong to one session. Leaves the plan to ``plan``, one
stretch to ``unit``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from extractord.applying import LOCK_SECONDS, recover, settle_spares
from extractord.extraction.plan import EMPTY, OpenStretch, Plan, Scope, SessionPlan, Unreadable, current_file, examine, subject_of
from extractord.extraction.unit import deal_with, end_empty
from extractord.ledger import Outcome, StretchRow, weightiest
from extractord.supervisor import Supervisor

NOT_SETTLED = "not settled"


@dataclass(frozen=True, slots=True)
class SessionResult:
    """What a run came to for one transcript; no rows where its only stretch is not settled or it could not be read."""

    plan: SessionPlan | Unreadable
    rows: tuple[StretchRow, ...] = ()
    stopped: str = ""  # why the run ended before all of its stretches were dealt with

    @property
    def outcome(self) -> Outcome:
        match self.plan:
            case Unreadable():
                return Outcome.FAILED
            case _:
                left = (Outcome.POSTPONED,) if self.stopped or not self.rows else ()
                return weightiest((*(row.outcome for row in self.rows), *left))

    @property
    def reason(self) -> str:
        match self.plan:
            case Unreadable(_, error):
                return error.message
            case _ if not self.rows:
                return self.stopped or NOT_SETTLED
            case _:
                reasons = [row.reason for row in self.rows if row.outcome is self.outcome]
                stopped = self.stopped if self.outcome is Outcome.POSTPONED else ""
                return "; ".join(dict.fromkeys(filter(None, (*reasons, stopped))))


def nothing_between(item: OpenStretch) -> None:
    """Do nothing between two stretches."""


def sweep(
    supervisor: Supervisor, scope: Scope, plan: Plan, between: Callable[[OpenStretch], None] = nothing_between
) -> Iterator[SessionResult]:
    """Carry a plan out; yields each session's result as soon as its last stretch is done. ``between`` is called after each stretch.

    Where a login or a cap stops the models, what is left of the plan is postponed; the ledger does not hear of it.
    What a killed run left is finished first. Raises LedgerError; whatever else goes wrong is one stretch's outcome.
    """
    recover(supervisor)
    for unreadable in plan.unreadable:
        supervisor.ledger.finish(unreadable_row(unreadable, supervisor.wall()))
        yield SessionResult(unreadable)
    yield from (SessionResult(session) for session in plan.sessions if not session.open)
    left = {session.file.session: len(session.open) for session in plan.sessions}
    plans = {session.file.session: session for session in plan.sessions}
    rows: dict[str, list[StretchRow]] = {}
    for item in plan.in_order():
        if supervisor.models.stopped is not None:
            break
        row = work_on(supervisor, scope, item)
        rows.setdefault(item.session, []).extend([row] if row else [])
        if row is not None and row.outcome.moves_cursor:
            between(item)
        left[item.session] -= 1
        if not left[item.session] and rows[item.session]:
            yield SessionResult(plans[item.session], tuple(rows[item.session]))
    if (stop := supervisor.models.stopped) is not None:
        yield from (SessionResult(plans[s], tuple(rows.get(s, ())), stop.message) for s, count in left.items() if count and plans[s].open)
    settle_spares(supervisor)


def unreadable_row(unreadable: Unreadable, now: float) -> StretchRow:
    """Return the outcome of a transcript that could not be read: it is shown, and looked at again each time."""
    return StretchRow(
        session=unreadable.file.session,
        key=EMPTY,
        number=0,
        memory_dir="",
        project="",
        transcript=str(unreadable.file.path),
        outcome=Outcome.FAILED,
        reason=unreadable.error.message,
        time=now,
    )


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
