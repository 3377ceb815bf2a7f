"""Which memory directories are consolidated: those that are due, one after the other.

Owns: the facts that ``due`` decides on, and the choice of directories. Leaves one directory to ``dream``, the moment to the daemon
and to runs by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from extractord.claude_home import MemoryHome, excluded, switched_off
from extractord.consolidation import remembered
from extractord.consolidation.dream import Dream, dream
from extractord.consolidation.due import Due, IndexSize, NotDue, Standing, due
from extractord.errors import BusyError, MemoryDirectoryError, StoppedError
from extractord.ledger import Kind, Outcome
from extractord.memory import consolidate_lock
from extractord.memory.age import log_date
from extractord.memory.found import look as found_at
from extractord.memory.found import text_of
from extractord.memory.snapshot import Place, read
from extractord.open_folders import open_folder
from extractord.supervisor import Supervisor

LEAST_TOPICS = 2  # below it, and with nothing new in a log, there is nothing to put in order
TOO_LITTLE = "there is too little in memory to put in order"


def consolidate_due(supervisor: Supervisor) -> Iterator[Dream]:
    """Consolidate every directory that is due; yields what each came to. Raises LedgerError and RunEndedError."""
    for home in homes(supervisor):
        done = _if_due(supervisor, home.directory, (home,))
        if done is not None:
            yield done
            if isinstance(done.error, StoppedError):
                return


def consolidate_if_due(supervisor: Supervisor, memory_dir: Path) -> Dream | None:
    """Consolidate one directory if it is due. Raises as ``consolidate_due``."""
    return _if_due(supervisor, memory_dir, None)


def _if_due(supervisor: Supervisor, memory_dir: Path, found: tuple[MemoryHome, ...] | None) -> Dream | None:
    try:
        if isinstance(look(supervisor, memory_dir), NotDue):
            return None
        home = next(iter(homes(supervisor, memory_dir) if found is None else found), None)
        return None if home is None else dream(supervisor, home)
    except (BusyError, MemoryDirectoryError) as error:  # of this directory; the others go on
        return Dream(str(memory_dir), Outcome.FAILED, error.message, error=error)


def homes(supervisor: Supervisor, memory_dir: Path | None = None) -> tuple[MemoryHome, ...]:
    """Return the memory of all projects (or the one) that sessions are known of and that is switched on, each once."""
    newest: dict[str, tuple[int, str]] = {}
    for sighting in supervisor.ledger.sightings().values():
        if memory_dir is None or sighting.memory_dir == str(memory_dir):
            newest[sighting.memory_dir] = max(newest.get(sighting.memory_dir, (0, "")), (sighting.mtime_ns, sighting.cwd))
    found = (supervisor.home_of(cwd) for _, cwd in sorted(newest.values()) if cwd)
    return tuple({str(home.directory): home for home in found if not why_not(supervisor, home)}.values())


def why_not(supervisor: Supervisor, home: MemoryHome) -> str:
    """Return why a project's memory is left alone altogether, "" if it is not."""
    if not home.enabled:
        return home.reason or "memory is off"
    config, surroundings = supervisor.config, supervisor.surroundings
    return switched_off(home.project_root, config, surroundings) or excluded(home.project_root, config, surroundings)


def look(supervisor: Supervisor, directory: Path) -> Due | NotDue:
    """Return whether a directory is due; cheap where it is not."""
    place = supervisor.directory(directory).path
    if not place.is_dir():
        return NotDue(TOO_LITTLE)
    memory_dir, ledger = str(directory), supervisor.ledger
    ours, left = remembered.recall(ledger, memory_dir)
    lock = consolidate_lock.look(place)
    killed = remembered.taken(ledger, memory_dir)
    theirs = killed.last_run if killed is not None and lock.pid is not None else lock.last_run
    last = max((moment for moment in (ours, theirs) if moment is not None), default=None)
    standing = Standing(
        last=last,
        sessions=ledger.sessions_since(memory_dir, last or 0.0),
        index=IndexSize.of(_index(place)),
        left=left.index,
        waits=any(held.row.kind is Kind.CONSOLIDATION for held in ledger.held(memory_dir)),
    )
    verdict = due(standing, supervisor.wall())
    return verdict if isinstance(verdict, NotDue) or _is_enough(place, left.distilled) else NotDue(TOO_LITTLE)


def _index(place: Path) -> str:
    try:
        with open_folder(place) as root:
            return text_of(found_at(root, "MEMORY.md")) or ""  # not by its path: a pipe there would hold the run up
    except OSError:  # none, or none that can be read: it has no size
        return ""


def _is_enough(place: Path, distilled: Mapping[str, int]) -> bool:
    snapshot = read(place)
    topics = sum(there.place is Place.TOPIC for there in snapshot.topics.values())
    fresh = any(log_date(file) is not None and len(there.text) > distilled.get(file, 0) for file, there in snapshot.topics.items())
    return topics >= LEAST_TOPICS or fresh
