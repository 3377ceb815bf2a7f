"""What there is to do: which stretches of which sessions are still open.

Owns: the look at the config home and the choice of stretches, as values. Opens only transcripts that changed since the
ledger last saw them. Leaves doing anything to ``unit`` and ``sweep``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from extractord.claude_home import Clients, MemoryHome, Presence, TranscriptFile, look_at_clients, transcripts
from extractord.config import Config
from extractord.errors import ExtractordError, TranscriptError, UnexpectedError
from extractord.extraction.horizon import Horizon
from extractord.extraction.subject import Subject, typed_ids
from extractord.ledger import Sighting
from extractord.supervisor import Supervisor
from extractord.transcript.settled import ClientState, Settled, SettleLimits, settled
from extractord.transcript.span import Reading, read_session
from extractord.transcript.stretches import Stretch

EMPTY = ""
"""The key under which a session without a conversation is finished."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which sessions a run is about. Times are seconds since the epoch and compared with a stretch's last message."""

    since: float | None = None
    until: float | None = None
    project: Path | None = None  # sessions whose project root lies in or at it
    session: str | None = None
    again: bool = False  # also what was dealt with or parked before; only with ``session``
    limit: int | None = None  # at most so many sessions
    horizon: Horizon | None = None  # only what comes after it; for a daemon, which has one for each session

    def covers(self, home: MemoryHome) -> bool:
        return self.project is None or Path(home.project_root).is_relative_to(self.project)

    def meets(self, stretch: Stretch) -> bool:
        return (self.since is None or stretch.ended >= self.since) and (self.until is None or stretch.started <= self.until)

    def older_ids(self, stretch: Stretch) -> frozenset[str]:
        """Return the identities of what was typed before the horizon."""
        return self.horizon.older_ids(stretch) if self.horizon else frozenset()


Age = tuple[float, float, str, str]


@dataclass(frozen=True, slots=True)
class OpenStretch:
    """A stretch that is settled and not yet finished. ``key`` is "" for a session without a conversation."""

    session: str
    key: str
    path: Path
    started: float
    ended: float  # a fork begins with its original and ends after it: the original comes first
    memory_dir: Path

    @property
    def age(self) -> Age:
        """What sorts stretches, oldest first, so that within a memory directory time runs forward."""
        return self.started, self.ended, self.session, self.key


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """What is to be done about one transcript that has a new span."""

    file: TranscriptFile
    home: MemoryHome
    sighting: Sighting
    open: tuple[OpenStretch, ...]
    waiting: Settled | None = None  # why its last stretch is left for later
    prompts: int = 0


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A transcript that could not be read, and why."""

    file: TranscriptFile
    error: ExtractordError


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything one look found. ``looked_at`` counts all transcripts in scope."""

    looked_at: int
    unchanged: int
    sessions: tuple[SessionPlan, ...]
    unreadable: tuple[Unreadable, ...] = ()
    first: frozenset[str] = frozenset()  # sessions whose memory directories come before all others

    @property
    def has_open(self) -> bool:
        """Whether there is anything to deal with."""
        return any(session.open for session in self.sessions)


def look(supervisor: Supervisor, scope: Scope) -> Plan:
    """Look at every transcript of the config home once."""
    seen = supervisor.ledger.sightings()
    clients = look_at_clients(supervisor.surroundings.config_home, supervisor.wall())
    looked_at = unchanged = 0
    sessions: list[SessionPlan] = []
    unreadable: list[Unreadable] = []
    for file in _files(supervisor, scope):
        looked_at += 1
        known = seen.get(file.session)
        if known is not None and not scope.again and is_unchanged(known, file):
            unchanged += 1
            continue
        if scope.limit is not None and len(sessions) >= scope.limit:
            continue
        try:
            examined = examine(supervisor, scope, file, clients)
        except TranscriptError as error:
            unreadable.append(Unreadable(file, error))
            continue
        except (ValueError, OSError, RecursionError) as error:  # a transcript that nobody foresaw must not hide the others
            unreadable.append(Unreadable(file, UnexpectedError.of(error)))
            continue
        if examined is None:
            looked_at -= 1  # belongs to another project
        elif examined.plan.open or examined.plan.waiting:
            sessions.append(examined.plan)
        else:
            unchanged += 1
            supervisor.ledger.note_sighting(examined.plan.sighting)
    return Plan(looked_at, unchanged, tuple(sessions), tuple(unreadable))


def is_unchanged(known: Sighting, file: TranscriptFile) -> bool:
    """Whether the ledger dealt with exactly this state of the file."""
    return known.is_unchanged(file)


@dataclass(frozen=True, slots=True)
class Examined:
    """A transcript as it was just read, and what is to be done about it."""

    reading: Reading
    plan: SessionPlan
    unfinished: int  # stretches that still wait for an outcome, in scope or not


def examine(supervisor: Supervisor, scope: Scope, file: TranscriptFile, clients: Clients | None = None) -> Examined | None:
    """Read one transcript and say which of its stretches are open; None if it is out of scope. Raises TranscriptError.

    ``clients`` is the caller's look at them; without one they are looked at now.
    """
    reading = read_session(file.path)
    home = supervisor.home_of(reading.cwd)
    if not scope.covers(home):
        return None
    unfinished = [s for s in reading.stretches if scope.again or is_open(supervisor, s)]
    clients = clients or look_at_clients(supervisor.surroundings.config_home, supervisor.wall())
    state = settled_now(supervisor, reading, clients.presence(file.session))
    waiting = None
    if not state.ok and (not reading.stretches or unfinished[-1:] == [reading.stretches[-1]]):
        waiting = state
    ready = unfinished[:-1] if waiting and unfinished else unfinished
    chosen = [s for s in ready if scope.meets(s) and (scope.horizon is None or is_ours(supervisor, s, scope.horizon))]
    opened = [OpenStretch(file.session, s.key, file.path, s.started, s.ended, home.directory) for s in chosen]
    said_nothing = not reading.stretches and not (scope.horizon and scope.horizon.offset)
    if said_nothing and waiting is None and not supervisor.ledger.stretch_rows(file.session):
        opened = [OpenStretch(file.session, EMPTY, file.path, reading.last_record_time, reading.last_record_time, home.directory)]
    plan = SessionPlan(
        file=file,
        home=home,
        sighting=sighting_of(file, reading, home, unfinished=bool(unfinished or opened or waiting)),
        open=tuple(opened),
        waiting=waiting,
        prompts=sum(m.origin.opens_turn for s in chosen for m in s.messages),
    )
    return Examined(reading, plan, max(len(unfinished), len(opened)))


def is_open(supervisor: Supervisor, stretch: Stretch) -> bool:
    """Whether something in a stretch still waits for an outcome (a uuid handled once is handled, in whatever file)."""
    row = supervisor.ledger.stretch_row(stretch.session, stretch.key)
    if row is None or row.parked:
        return row is None
    typed = typed_ids(stretch)
    return not row.outcome.moves_cursor or len(supervisor.ledger.handled(typed)) < len(typed)


def is_ours(supervisor: Supervisor, stretch: Stretch, horizon: Horizon) -> bool:
    """Whether something of an open stretch that comes after the horizon waits for an outcome."""
    if not horizon.reaches(stretch):
        return False
    typed, older = typed_ids(stretch), horizon.older_ids(stretch)
    row = supervisor.ledger.stretch_row(stretch.session, stretch.key)
    if row is None or not row.outcome.moves_cursor:
        return not older or typed > older
    return not supervisor.ledger.handled(typed) >= typed - older


def settled_now(supervisor: Supervisor, reading: Reading, presence: Presence) -> Settled:
    """Return whether more of a session is to be expected soon, by the machine's clock and what its client says."""
    return settled(reading, supervisor.wall(), client_state(presence), settle_limits(supervisor.config))


def client_state(presence: Presence) -> ClientState:
    """Return what ``settled`` is told of a session's client."""
    match presence:
        case Presence.GONE:
            return ClientState.GONE
        case Presence.IDLE:
            return ClientState.IDLE
        case Presence.BUSY:
            return ClientState.BUSY
        case Presence.UNKNOWN:
            return ClientState.UNKNOWN
        case _:
            assert_never(presence)


def settle_limits(config: Config) -> SettleLimits:
    """Return the configured limits as ``settled`` takes them."""
    return SettleLimits(config.settle.idle, config.settle.exited, config.settle.pending, config.settle.longest)


def sighting_of(file: TranscriptFile, reading: Reading, home: MemoryHome, *, unfinished: bool) -> Sighting:
    """Return what the ledger is to know of a transcript as it was just read."""
    return Sighting(
        session=file.session,
        path=str(file.path),
        inode=file.inode,
        size=file.size,
        mtime_ns=file.mtime_ns,
        cwd=reading.cwd,
        project_root=home.project_root,
        memory_dir=str(home.directory),
        offset=reading.cursor.offset,
        uuid=reading.cursor.uuid,
        resume=b"",
        unfinished=unfinished,
    )


def _files(supervisor: Supervisor, scope: Scope) -> Iterator[TranscriptFile]:
    for file in transcripts(supervisor.surroundings.config_home):
        if scope.session is None or file.session == scope.session:
            yield file


def current_file(supervisor: Supervisor, item: OpenStretch) -> TranscriptFile | None:
    """Return the session's transcript as it lies now, wherever the client has moved it meanwhile."""
    return file_of(supervisor, item.session, item.path)


def file_of(supervisor: Supervisor, session: str, path: Path | None) -> TranscriptFile | None:
    """Return a session's transcript, looked for first at ``path``; None if there is none any more."""
    if path is not None and (found := transcript_at(session, path)):
        return found
    return next((file for file in transcripts(supervisor.surroundings.config_home) if file.session == session), None)


def transcript_at(session: str, path: Path) -> TranscriptFile | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return TranscriptFile(session, path, status.st_size, status.st_mtime_ns, status.st_ino)


def subject_of(supervisor: Supervisor, scope: Scope, examined: Examined, stretch: Stretch, sighting: Sighting) -> Subject:
    """Return a stretch of an examined session with all that is needed to deal with it."""
    older = scope.older_ids(stretch)
    ids = typed_ids(stretch) - older
    handled = frozenset[str]() if scope.again else supervisor.ledger.handled(ids)
    since = supervisor.wall() if scope.again else 0.0
    return Subject(examined.reading, stretch, examined.plan.home, sighting, ids, handled, supervisor.clock.at(stretch.ended), older, since)
