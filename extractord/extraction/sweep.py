"""Everything of a plan, in order: the oldest stretch first, one memory directory at a time.

Owns: how many stretches are dealt with at once, and which results belong to one session. Leaves the plan to ``plan``, the order to
``backlog``, the threads to ``crew``, one stretch to ``dealing``.
"""

from __future__ import annotations

import queue
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from extractord.applying import recover, settle_spares
from extractord.extraction.backlog import Backlog, Task
from extractord.extraction.crew import Between, Crew, ErrandDone, Finished, nothing_between
from extractord.extraction.plan import EMPTY, Plan, Scope, SessionPlan, Unreadable
from extractord.ledger import Outcome, StretchRow, weightiest
from extractord.supervisor import Supervisor

NOT_SETTLED = "not settled"
ABANDON_SECONDS = 15.0  # what is being written is written to its end


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


def sweep(supervisor: Supervisor, scope: Scope, plan: Plan, between: Between = nothing_between) -> Generator[SessionResult, None, None]:
    """Carry a plan out; yields each session's result as soon as its last stretch is done. ``between`` is called after each stretch.

    As many memory directories are worked on at once as ``workers`` says. Where a login or a cap stops the models, what is left of
    the plan is postponed; the ledger does not hear of it. What a killed run left is finished first. Raises LedgerError; whatever
    else goes wrong is one stretch's outcome.
    """
    recover(supervisor)
    for unreadable in plan.unreadable:
        supervisor.ledger.finish(unreadable_row(unreadable, supervisor.wall()))
        yield SessionResult(unreadable)
    yield from (SessionResult(session) for session in plan.sessions if not session.open)
    left = {session.file.session: len(session.open) for session in plan.sessions}
    plans = {session.file.session: session for session in plan.sessions}
    rows: dict[str, list[StretchRow]] = {}
    for session, row in _carried_out(supervisor, scope, plan, between):
        rows.setdefault(session, []).extend([row] if row else [])
        left[session] -= 1
        if not left[session] and rows[session]:
            yield SessionResult(plans[session], tuple(rows[session]))
    if (stop := supervisor.models.stopped) is not None:
        yield from (SessionResult(plans[s], tuple(rows.get(s, ())), stop.message) for s, count in left.items() if count and plans[s].open)
    settle_spares(supervisor)


def _carried_out(supervisor: Supervisor, scope: Scope, plan: Plan, between: Between) -> Iterator[tuple[str, StretchRow | None]]:
    """Yield each stretch's session and outcome as they come, until all are done or the models are stopped."""
    backlog = Backlog(plan.first)
    for session in plan.sessions:
        backlog.put(session.file.session, (Task(item, scope) for item in session.open))
    reports: queue.SimpleQueue[Finished | ErrandDone] = queue.SimpleQueue()
    crew = Crew(reports.put)
    try:
        while True:
            while backlog.taken < supervisor.config.workers and supervisor.models.stopped is None and (task := backlog.take()):
                crew.work(supervisor, task, between)
            if not backlog.taken:
                return
            match reports.get():
                case Finished(task, row, None):
                    backlog.done(task)
                    yield task.stretch.session, row
                case Finished(error=error) | ErrandDone(error=error) if error is not None:
                    raise error
    finally:
        if backlog.taken:  # interrupted, or one of them failed: the others are ended, and open as before
            crew.abandon(ABANDON_SECONDS)


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
