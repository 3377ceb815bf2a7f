"""Which client processes run, and what they are at: ``<config home>/sessions/<pid>.json`` (facts §6).

Owns: reading those files, whether the process behind one is alive, and what that says of a session. The ``.key`` files beside
them hold a secret and are never opened. Leaves what follows from it to ``transcript.settled`` and the triggers.
"""

from __future__ import annotations

import contextlib
import enum
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from extractord.system.files import O_NOFOLLOW, O_NONBLOCK, open_path
from extractord.system.pids import runs

STALE = 6 * 3600.0
"""Seconds after its last update for which a client counts as alive where its process cannot be recognised (CONTRACTS)."""
FOLDER = "sessions"
_FILE = re.compile(r"([1-9][0-9]{0,9})\.json", re.ASCII)
_LARGEST = 1 << 20  # bytes; the client's own are about 1 KB
_NO_TIME = 1e16  # milliseconds: no clock shows this
_PROC = Path("/proc")
_START = 22 - 3  # field 22 of stat, counted from the state, which is field 3 and follows the name's closing parenthesis
_DEAD = frozenset("ZXx")  # states of a process that has ended and only waits for its parent


class Status(enum.Enum):
    """What a client says of itself: busy for a whole turn, idle between turns."""

    BUSY = "busy"
    IDLE = "idle"
    UNKNOWN = "unknown"


class Presence(enum.Enum):
    """What the living clients say of one session."""

    GONE = "gone"
    IDLE = "idle"
    BUSY = "busy"
    UNKNOWN = "unknown"


class Client(msgspec.Struct, frozen=True):
    """One file of the folder. Times are seconds since the epoch; ``session`` is None where the file could not be understood."""

    pid: int
    session: str | None
    status: Status
    status_since: float | None
    updated_at: float
    proc_start: int | None  # ticks since boot
    cwd: str | None


class Trace(msgspec.Struct, frozen=True):
    """What the system says of a pid; ``start`` (ticks since boot) is None where it does not tell."""

    running: bool
    start: int | None = None


class Clients(msgspec.Struct, frozen=True):
    """One look at the folder; ``known`` is whether it exists, so that a client which is not in it is gone."""

    known: bool
    living: tuple[Client, ...] = ()

    def presence(self, session: str) -> Presence:
        """Return what is known of the client that writes ``session``."""
        return presence(session, self.living, known_sessions_folder_exists=self.known)


def look_at_clients(config_home: Path, now: float) -> Clients:
    """Look once at the clients of ``config_home``; ``now`` is in seconds since the epoch."""
    try:
        known = stat.S_ISDIR((config_home / FOLDER).stat().st_mode) and os.access(config_home / FOLDER, os.R_OK | os.X_OK)
    except OSError:
        known = False
    return Clients(known, living(config_home, now) if known else ())


def living(config_home: Path, now: float) -> tuple[Client, ...]:
    """Return the clients whose process is alive, by pid; none where the folder is missing or may not be read."""
    return tuple(client for path in client_files(config_home) if (client := read_client(path)) and lives(client, now))


def presence(session: str, living: Iterable[Client], *, known_sessions_folder_exists: bool) -> Presence:
    """Return what ``living`` clients say of ``session``; of several that have it open, the one at work counts.

    Gone only where the client is known to leave such files, and while no living client's file is unreadable: it might be the one.
    """
    if not known_sessions_folder_exists:
        return Presence.UNKNOWN
    clients = tuple(living)
    found = {client.status for client in clients if client.session == session}
    if Status.BUSY in found:
        return Presence.BUSY
    if found:
        return Presence.IDLE if found == {Status.IDLE} else Presence.UNKNOWN
    return Presence.UNKNOWN if any(client.session is None for client in clients) else Presence.GONE


def client_files(config_home: Path) -> Iterator[Path]:
    """Yield the files of clients, alive or not, by pid."""
    try:
        names = os.listdir(config_home / FOLDER)  # noqa: PTH208 - names only: nothing here needs a look at the .key files
    except OSError:
        return
    found = sorted((pid, name) for name in names if (pid := pid_of(name)) is not None)
    yield from (config_home / FOLDER / name for _, name in found)


def pid_of(name: str) -> int | None:
    """Return the pid that a file's name stands for; None for every other file, ``.key`` files above all."""
    match = _FILE.fullmatch(name)
    return int(match[1]) if match else None


def read_client(path: Path) -> Client | None:
    """Read one file; None if it is gone, no plain file, not named like a client's, or not ours to read."""
    pid = pid_of(path.name)
    if pid is None:
        return None
    try:
        handle = open_path(path, os.O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return None
        return parse_client(pid, file.read(_LARGEST), written=status.st_mtime)


def parse_client(pid: int, raw: bytes, written: float) -> Client:
    """Understand as much of a file as can be; ``written`` is the file's own time, used where it names no update."""
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):  # caught while it was written, or not the client's
        found = None
    fields: dict[str, object] = found if isinstance(found, dict) else {}
    said = fields.get("status")
    return Client(
        pid=pid,
        session=_text(fields.get("sessionId")),
        status=Status(said) if said in ("busy", "idle") else Status.UNKNOWN,
        status_since=_seconds(fields.get("statusUpdatedAt")),
        updated_at=_seconds(fields.get("updatedAt")) or written,
        proc_start=_whole(fields.get("procStart")),
        cwd=_text(fields.get("cwd")),
    )


def lives(client: Client, now: float) -> bool:
    """Whether the process that wrote a file still runs, as far as this system tells."""
    return is_alive(client, trace(client.pid), now)


def is_alive(client: Client, found: Trace, now: float) -> bool:
    """Judge by what the system says of the pid: another start means that it was given to another program since."""
    if not found.running:
        return False
    if found.start is not None and client.proc_start is not None:
        return found.start == client.proc_start
    return now - client.updated_at < STALE


def trace(pid: int, proc: Path = _PROC) -> Trace:
    """Ask the system about a pid: /proc where there is one, else whether it runs."""
    try:
        return trace_of(os.fsdecode((proc / str(pid) / "stat").read_bytes()))
    except OSError:
        if (proc / "self" / "stat").exists():
            return Trace(running=False)
    return Trace(running=runs(pid))


def trace_of(line: str) -> Trace:
    """Understand a line of /proc/<pid>/stat; the program's name in it may hold blanks and parentheses."""
    fields = line.rpartition(")")[2].split()
    if not fields or fields[0] in _DEAD:
        return Trace(running=False)
    return Trace(running=True, start=_whole(fields[_START]) if len(fields) > _START else None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _whole(value: object) -> int | None:
    """Return a whole number, also one written as text."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _seconds(value: object) -> float | None:
    """Return milliseconds since the epoch as seconds."""
    return value / 1000 if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _NO_TIME else None
