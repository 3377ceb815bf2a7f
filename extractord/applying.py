"""One changeset carried out, so that a kill at any moment changes nothing about the result.

Owns: the order ledger prepared → directory → ledger applied, the backup before a directory's first change, and finishing
what a killed run left. Leaves planning changesets to ``extraction`` and ``history``, the file operations to
``memory.directory``. The memory directory's lock is held by the caller.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from extractord.errors import BusyError, ExtractordError, MemoryDirectoryError
from extractord.ledger import Burial, ChangesetRow, FactRow, Finish, HeldChangeset, Unfinished
from extractord.memory.directory import MemoryDirectory, backup
from extractord.memory.prepared import Applied, Prepared, WriteState
from extractord.supervisor import Supervisor

LOCK_SECONDS = 600.0  # how long another process may hold a directory: an agent run with a slow model takes minutes


_NOTES = 5  # in a reason; the ledger has them all


@dataclass(frozen=True, slots=True)
class Application:
    """A changeset with all that the ledger is to keep of it. ``finish`` ends its stretch, if nothing conflicts."""

    row: ChangesetRow
    prepared: Prepared
    facts: tuple[FactRow, ...] = ()
    held: HeldChangeset | None = None  # the part of the same proposal that waits for review
    burials: tuple[Burial, ...] = ()
    finish: Finish | None = None


@dataclass(frozen=True, slots=True)
class Carried:
    """What carrying a changeset out came to."""

    applied: Applied
    conflicts: tuple[str, ...]  # topics that somebody changed meanwhile

    @property
    def reason(self) -> str:
        """What is to be told of it, as the reason of an outcome; "" if all went as it should."""
        notes = self.applied.notes
        more = (f"and {len(notes) - _NOTES} more",) if len(notes) > _NOTES else ()
        return "; ".join((*notes[:_NOTES], *more))

    @classmethod
    def of(cls, applied: Applied) -> Carried:
        return cls(applied, tuple(file.path for file in applied.files if file.state is WriteState.CONFLICTED))


def carry_out(supervisor: Supervisor, directory: MemoryDirectory, application: Application) -> Carried:
    """Carry a changeset out. Its stretch is finished in the same transaction, unless a topic conflicted."""
    ledger = supervisor.ledger
    memory_dir = application.row.memory_dir
    if ledger.backup_made(memory_dir) is None and (place := backup(directory.path, supervisor.locations.state)) is not None:
        ledger.note_backup(memory_dir, str(place))
    ledger.prepare(
        application.row,
        application.prepared,
        facts=application.facts,
        held=application.held,
        burials=application.burials,
        finish=application.finish,
    )
    return _done(supervisor, directory, application.prepared, application.finish)


def recover(supervisor: Supervisor) -> int:
    """Finish what killed runs left, in every memory directory; return how many changesets were unfinished."""
    unfinished = supervisor.ledger.unfinished()
    problems: list[ExtractordError] = []
    for left in unfinished:
        try:
            _finish(supervisor, left)
        except (BusyError, MemoryDirectoryError) as error:  # of this directory; the others are finished first
            problems.append(error)
    if problems:
        raise problems[0]
    return len(unfinished)


def _finish(supervisor: Supervisor, left: Unfinished) -> None:
    directory = supervisor.directory(Path(left.row.memory_dir))
    with directory.lock(LOCK_SECONDS):
        if any(still.row.id == left.row.id for still in supervisor.ledger.unfinished()):  # another process may have been first
            _done(supervisor, directory, left.prepared, left.finish)


def _done(supervisor: Supervisor, directory: MemoryDirectory, prepared: Prepared, finish: Finish | None) -> Carried:
    carried = Carried.of(directory.apply(prepared))
    supervisor.ledger.applied(prepared.id, carried.applied, finish=None if carried.conflicts or finish is None else _told(finish, carried))
    return carried


def _told(finish: Finish, carried: Carried) -> Finish:
    """Return the end of the stretch with what is to be told of carrying it out."""
    reason = "; ".join(part for part in (finish.row.reason, carried.reason) if part)
    return replace(finish, row=replace(finish.row, reason=reason))


def settle_spares(supervisor: Supervisor) -> tuple[str, ...]:
    """Look once more at what came out of each exchange, and remove it; waits until 2 s have passed for the youngest.

    Return the memory directories in which somebody writes all the time: what came out there is looked at again the next time.
    """
    busy: list[str] = []
    if supervisor.shadow is not None:
        return ()  # copies in a temporary folder: nobody else has them open
    for spares in supervisor.ledger.spares():
        directory = supervisor.directory(Path(spares.prepared.directory))
        with directory.lock(LOCK_SECONDS):
            if any(still.id == spares.id for still in supervisor.ledger.spares()):
                settled = directory.settle_spares(spares.prepared, clock=supervisor.wall)
                if settled.wait_seconds:
                    supervisor.ledger.conflicted_late(spares.id, settled.results)
                    busy.append(str(directory.path))
                else:
                    supervisor.ledger.spares_settled(spares.id, settled.results)
    return tuple(dict.fromkeys(busy))
