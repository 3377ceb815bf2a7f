"""The memory section as a session loads it, built once a session.

Owns: the facts a section is made of, that the memory directory exists before it is said to, and the copy that makes the next call
answer with the same bytes. Leaves the words to ``memory.prompt``.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from extractord.claude_home import MemoryHome
from extractord.config import Style
from extractord.durable import FileLock, make_private_folder, write_atomically
from extractord.memory.prompt import SectionFacts, Variant, section
from extractord.memory.snapshot import Snapshot
from extractord.supervisor import Supervisor

FOLDER = "prompts"  # in the state folder
KEPT_SECONDS = 30 * 86_400  # since a session's section was built; sessions are not resumed later than that (the client's own keeping)
_WAIT = 20.0  # seconds, for another call of the same moment


@dataclass(frozen=True, slots=True)
class Section:
    """A session's memory section. ``text`` is "" where memory is off, and ``reason`` says why."""

    text: str
    reason: str = ""


def section_of(supervisor: Supervisor, cwd: str, session: str | None) -> Section:
    """Return the section for a session begun in ``cwd``; with a session's id it is built once. Makes the memory directory.

    Raises MemoryDirectoryError, BusyError.
    """
    if session is None:
        return _built(supervisor, supervisor.home_of(cwd))
    with _kept(supervisor.locations.state, session) as place:
        if place.exists():
            return Section(place.read_text("utf-8"))
        built = _built(supervisor, supervisor.home_of(cwd))
        if built.text:
            write_atomically(place, built.text.encode("utf-8"))
        return built


def was_built(supervisor: Supervisor, session: str) -> bool:
    """Whether a session was given its section before."""
    return _place(supervisor.locations.state, session).exists()


@contextmanager
def _kept(state: Path, session: str) -> Iterator[Path]:
    place = _place(state, session)
    make_private_folder(place.parent)
    make_private_folder(state / "locks")
    with FileLock(state / "locks" / "prompts.lock").hold(_WAIT):
        old = time.time() - KEPT_SECONDS
        for other in place.parent.iterdir():
            if other != place and other.stat().st_mtime < old:
                other.unlink(missing_ok=True)
        yield place


def _place(state: Path, session: str) -> Path:
    return state / FOLDER / f"{hashlib.sha256(session.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.md"


def _built(supervisor: Supervisor, home: MemoryHome) -> Section:
    if not home.enabled:
        return Section("", home.reason)
    directory = supervisor.directory(home.directory)
    directory.make()
    snapshot = directory.read()
    team = snapshot.team_index
    if team is None and supervisor.team_remote(home.project_root) is not None:
        team = ""  # nothing is shared yet, but it may be
    return Section(section(_facts(home.directory, snapshot, team, supervisor.config.memory.style)))


def _facts(directory: Path, snapshot: Snapshot, team: str | None, style: Style) -> SectionFacts:
    return SectionFacts(directory, _variant(style, team), snapshot.index or "", team)


def _variant(style: Style, team_index: str | None) -> Variant:
    match style, team_index:
        case Style.DAILY_LOG, _:
            return Variant.DAILY_LOG
        case _, None:
            return Variant.ORDINARY
        case _:
            return Variant.TEAM
