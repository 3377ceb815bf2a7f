"""What there is to do: which stretches of which sessions are still open.

Owns: the look at the config home and the choice of stretches, as values. Opens only transcripts that changed since the
ledger last saw them. Leaves doing anything to ``unit`` and ``sweep``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
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
    again: bool = False  # also what was dealt with or parked before; a run only with ``session``
    limit: int | None = None  # at most so many sessions
    horizon: Horizon | None = None  # only what comes after it: a daemon has one for each session, a run by hand after a loss (``by_hand``)

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


Seen = SessionPlan | Unreadable | None  # None: it belongs to another project


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


def by_hand(supervisor: Supervisor, scope: Scope) -> Scope:
    """Return the scope of a run by hand: what a ledger knew that was lost without a copy counts as seen, unless it is asked for."""
    lost = None if scope.again else supervisor.ledger.seen_until()
    return scope if lost is None else replace(scope, horizon=Horizon(lost))


def look(supervisor: Supervisor, scope: Scope) -> Plan:
    """Look at every transcript of the config home once."""
    new, unchanged = changed(supervisor, scope)
    return gathered(supervisor, scope, unchanged, len(new), map(Looking(supervisor, scope).at, new))


def changed(supervisor: Supervisor, scope: Scope) -> tuple[list[TranscriptFile], int]:
    """Return the transcripts in which the ledger knows of something new or unfinished, and how many others there are."""
    dealt_with = supervisor.ledger.stamps()
    files = list(_files(supervisor, scope))
    new = [file for file in files if scope.again or dealt_with.get(file.session) != file.stamp]
    return new, len(files) - len(new)


def gathered(supervisor: Supervisor, scope: Scope, unchanged: int, new: int, seen: Iterable[Seen]) -> Plan:
    """Return as a plan what was seen in so many new transcripts, as far as the scope's limit wants; notes those without anything open."""
    looked_at = unchanged + new
    sessions: list[SessionPlan] = []
    unreadable: list[Unreadable] = []
    for one in seen:
        match one:
            case None:
                looked_at -= 1
            case Unreadable():
                unreadable.append(one)
            case SessionPlan() if one.open or one.waiting:
                sessions.append(one)
            case SessionPlan():
                unchanged += 1
                supervisor.ledger.note_sighting(one.sighting)
        if len(sessions) == scope.limit:
            break
    return Plan(looked_at, unchanged, tuple(sessions), tuple(unreadable))


class Looking:
    """A look at many transcripts: what is the same for all is found out once."""

    def __init__(self, supervisor: Supervisor, scope: Scope) -> None:
        self._supervisor = supervisor
        self._scope = scope
        self._clients = look_at_clients(supervisor.surroundings.config_home, supervisor.wall())
        self._home_of = functools.cache(supervisor.home_of)

    def at(self, file: TranscriptFile) -> Seen:
        """Return what is to be done about one transcript."""
        seen = self.examined(file)
        return seen.plan if isinstance(seen, Examined) else seen

    def examined(self, file: TranscriptFile) -> Examined | Unreadable | None:
        """Return the same with what was read."""
        try:
            return examine(self._supervisor, self._scope, file, self._clients, self._home_of)
        except TranscriptError as error:
            return Unreadable(file, error)
        except (ValueError, OSError, RecursionError) as error:  # a transcript that nobody foresaw must not hide the others
            return Unreadable(file, UnexpectedError.of(error))


@dataclass(frozen=True, slots=True)
class Examined:
    """A transcript as it was just read, and what is to be done about it."""

    reading: Reading
    plan: SessionPlan
    unfinished: int  # stretches that still wait for an outcome, in scope or not


def examine(
    supervisor: Supervisor,
    scope: Scope,
    file: TranscriptFile,
    clients: Clients | None = None,
    home_of: Callable[[str], MemoryHome] | None = None,
) -> Examined | None:
    """Read one transcript and say which of its stretches are open; None if it is out of scope. Raises TranscriptError.

    ``clients`` is the caller's look at them, ``home_of`` what it knows of memory homes; without them they are looked at now.
    """
    reading = read_session(file.path)
    home = (home_of or supervisor.home_of)(reading.cwd)
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
    return TranscriptFile(session, str(path), status.st_size, status.st_mtime_ns, status.st_ino)


def subject_of(supervisor: Supervisor, scope: Scope, examined: Examined, stretch: Stretch, sighting: Sighting) -> Subject:
    """Return a stretch of an examined session with all that is needed to deal with it."""
    older = scope.older_ids(stretch)
    ids = typed_ids(stretch) - older
    handled = frozenset[str]() if scope.again else supervisor.ledger.handled(ids)
    since = supervisor.wall() if scope.again else 0.0
    return Subject(examined.reading, stretch, examined.plan.home, sighting, ids, handled, supervisor.clock.at(stretch.ended), older, since)
