"""One open stretch, dealt with by one process only.

Owns: the directory's lock, the claim, and looking again under both whether there is anything to do. Leaves which stretch comes
next to ``backlog``, the work to ``unit``.
"""

from __future__ import annotations

from msgspec.structs import replace

from extractord.applying import LOCK_SECONDS
from extractord.extraction.plan import OpenStretch, Scope, current_file, examine, subject_of
from extractord.extraction.unit import deal_with, end_empty
from extractord.ledger import StretchRow
from extractord.supervisor import Supervisor


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
