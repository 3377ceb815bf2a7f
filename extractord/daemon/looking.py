"""A look at one session: what of it is to be done now, and when to look again.

Owns: opening a transcript only when something in it may be settled, and remembering one in which nothing is left. Leaves doing it
to ``crew``, the moment's wakeup to ``triggers``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from extractord.claude_home import TranscriptFile, look_at_clients
from extractord.daemon.business import Business
from extractord.daemon.canary import Canary
from extractord.daemon.quiet import earliest
from extractord.extraction.backlog import Task
from extractord.extraction.plan import Examined, OpenStretch, Scope, examine
from extractord.supervisor import Supervisor

SOONEST = 5.0  # seconds after which a session that is not settled may be read again because its client came to rest


@dataclass(frozen=True, slots=True)
class Look:
    """What a look came to."""

    tasks: tuple[Task, ...] = ()
    again_at: float | None = None  # seconds since the epoch; None: when the transcript changes


class Looking:
    """Looks at sessions for one daemon."""

    def __init__(self, business: Business, canary: Canary) -> None:
        self._business = business
        self._canary = canary

    def at(self, supervisor: Supervisor, file: TranscriptFile) -> Look:
        """Look at a session. Raises TranscriptError."""
        if self._business.is_unchanged(file):
            return Look()
        now, settle = supervisor.wall(), supervisor.config.settle
        clients = look_at_clients(supervisor.surroundings.config_home, now)
        if (moment := earliest(file, clients.presence(file.session), settle, now)) > now:
            return Look(again_at=_no_later(supervisor, moment))
        scope, examined = self._examined(supervisor, file)
        moments = {stretch: _next_try(supervisor, stretch) for stretch in examined.plan.open}
        tasks = tuple(Task(stretch, scope) for stretch, at in moments.items() if at <= now)
        if examined.plan.waiting is not None and _is_awaited(examined, scope):
            return Look(tasks, _no_later(supervisor, examined.plan.waiting.until))
        if not examined.plan.open:
            self._remember(supervisor, examined)
        return Look(tasks, min((at for at in moments.values() if at > now), default=None))

    def _examined(self, supervisor: Supervisor, file: TranscriptFile) -> tuple[Scope, Examined]:
        """Read a transcript, once more if it turns out to be a fork of an older one."""
        scope = Scope(session=file.session, horizon=self._business.horizon(file))
        examined = examine(supervisor, scope, file)
        assert examined is not None  # no project is asked for
        self._canary.saw(examined.reading)
        horizon = self._business.horizon_of_fork(file, examined.reading) if examined.plan.open else scope.horizon
        if horizon != scope.horizon:
            scope = replace(scope, horizon=horizon)
            examined = examine(supervisor, scope, file)
            assert examined is not None
        return scope, examined

    def _remember(self, supervisor: Supervisor, examined: Examined) -> None:
        """Note this state of the file, so that it is not opened again until it changes."""
        if examined.plan.sighting.unfinished:
            self._business.leave(examined.plan.file)
        else:
            supervisor.ledger.note_sighting(examined.plan.sighting)


def _no_later(supervisor: Supervisor, moment: float) -> float:
    """Return ``moment``, but no later than a client that is at work now may have come to rest."""
    return min(moment, supervisor.wall() + max(supervisor.config.settle.idle, SOONEST))


def _next_try(supervisor: Supervisor, stretch: OpenStretch) -> float:
    row = supervisor.ledger.stretch_row(stretch.session, stretch.key)
    return row.next_try if row is not None and row.next_try is not None else 0.0


def _is_awaited(examined: Examined, scope: Scope) -> bool:
    """Whether the part of a session that is not settled yet is the daemon's business."""
    if scope.horizon is None:
        return True
    stretches = examined.reading.stretches
    return scope.horizon.reaches(stretches[-1]) if stretches else not scope.horizon.offset
