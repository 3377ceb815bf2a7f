"""A memory directory: reading it, locking it, and the one way in which it is changed.

Owns: carrying out a prepared changeset (also finishing one that was interrupted: the same call), and settling what came out.
The only module that writes below a memory directory; ``exchange``, ``index_file`` and ``folders`` are its hands. Leaves what is
to be changed to ``checks``, ``extraction`` and ``history``, the record of it to the ledger.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec.structs import replace

from extractord.durable import FileLock, make_private_folder
from extractord.errors import MemoryDirectoryError
from extractord.memory.age import log_date
from extractord.memory.backup import backup, key_of
from extractord.memory.daily_log import added
from extractord.memory.exchange import FileExchange, Step
from extractord.memory.folders import make_folders, missing_folders, remove_folders
from extractord.memory.index import Around
from extractord.memory.index_file import IndexChange, IndexOutcome, bring_up_to_date
from extractord.memory.kept import Kept
from extractord.memory.paths import is_plain
from extractord.memory.prepared import (
    Applied,
    FileResult,
    IndexLine,
    IndexRestore,
    IndexSeen,
    IndexTexts,
    Prepared,
    Settled,
    TopicWrite,
    WriteState,
)
from extractord.memory.prepared import spare_name as spare_name
from extractord.memory.settling import settle_index, settle_topic
from extractord.memory.snapshot import INDEX, TEAM_INDEX, ReadLimits, Remark, Snapshot, TopicFile, manifest, read
from extractord.memory.team import TeamIndexChange, is_team, team_change
from extractord.memory.writing import completing
from extractord.open_folders import ExchangeSupport, open_folder

__all__ = ["MemoryDirectory", "ReadLimits", "Remark", "Snapshot", "Step", "TopicFile", "backup", "manifest", "no_step"]

_SETTLE_ROUNDS = 5  # of 2 s: two are the usual; a client that writes all the time is not waited for


def no_step(name: str) -> None:
    """Nothing hooks in."""


class MemoryDirectory:
    """One memory directory. ``state`` is the state folder, where its lock and copies lie.

    ``step`` is called with a name before each change of the system (tests end the process there). ``support`` COMPARE does
    without atomic exchange, as where the system has none.
    """

    def __init__(self, path: Path, state: Path, *, support: ExchangeSupport = ExchangeSupport.ATOMIC, step: Step = no_step) -> None:
        self.path = Path(os.path.realpath(path))
        self._dangling = path.is_symlink() and not path.exists()
        self._state = state
        self._support = support
        self._step = step

    def read(self) -> Snapshot:
        """Read topics and index; one that is not there is empty. Raises MemoryDirectoryError."""
        return read(self.path)

    def make(self) -> None:
        """Make the directory where it is missing. Raises MemoryDirectoryError."""
        self._refuse_dangling()
        try:
            make_private_folder(self.path)
            if not self.path.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        except OSError as error:
            raise MemoryDirectoryError(f"{self.path} cannot be made: {error.strerror}", hint="Check what is in its place.") from error

    @contextlib.contextmanager
    def lock(self, wait_seconds: float = 0.0) -> Iterator[None]:
        """Hold the lock on this directory, which lies in the state folder. Raises BusyError."""
        with FileLock(self._state / "locks" / f"{key_of(self.path)}.lock").hold(wait_seconds):
            yield

    def prepare(
        self,
        id: str,  # noqa: A002 - the record's own word
        writes: tuple[TopicWrite, ...],
        index: tuple[IndexLine, ...],
        snapshot: Snapshot,
        *,
        ours: tuple[str, ...] = (),
        restore: IndexRestore | None = None,
        last: tuple[str, ...] = (),
        team_index: IndexTexts | None = None,
    ) -> Prepared:
        """Return the record of what is to be done, with all that finishing it after a crash needs of ``snapshot``.

        ``last`` are topics that lose what others of the changeset take up, in their order.
        """
        self._refuse_dangling()
        seen = IndexSeen(snapshot.index, snapshot.index_mtime_ns)
        index = tuple(one for one in index if one.line is None or not is_team(one.file))  # team memory has an index of its own
        team_seen = IndexSeen(snapshot.team_index) if team_index or any(is_team(write.path) for write in writes) else None
        return Prepared(
            id,
            str(self.path),
            writes,
            (*index, *completing(snapshot, index)),
            spare_name(id, "index"),
            restore,
            ours,
            seen,
            missing_folders(self.path, writes),
            team_seen=team_seen,
            team_index=team_index,
            last=last,
        )

    def apply(self, prepared: Prepared) -> Applied:
        """Carry a changeset out, or finish it: however often this is called and killed, the end is that of one whole call.

        The caller holds the lock. A topic that is neither as before nor as after is left and CONFLICTED by itself. What came
        out lies beside as dot-files until ``settle_spares``. Raises MemoryDirectoryError, after which it can be called again.
        """
        _checked(prepared)
        with self._telling(prepared):
            made = () if self._dangling else make_folders(self.path, prepared, self._step)
            if not self.path.is_dir():
                return Applied(tuple(FileResult(write.path, _where_nothing_is(write)) for write in prepared.writes), None)
            with open_folder(self.path) as root:
                files, notes = self._write_topics(root, prepared)
                outcome, told = self._bring_indexes_up_to_date(root, prepared, files)
            remove_folders(self.path, prepared, self._step)
            return Applied(files, outcome.result, made, (*notes, *told, *outcome.told), prepared.team_seen is not None)

    def settle(self, prepared: Prepared, now: float) -> Settled:
        """Look again at the spares of an applied changeset that are at least 2 s old, and remove them; do that until none waits.

        ``now`` in seconds since the epoch. The caller holds the lock.
        """
        _checked(prepared)
        if not self.path.is_dir():
            return Settled()
        with self._telling(prepared), open_folder(self.path) as root:
            results, waits, notes = [], [], []
            for exchange, settle in self._settling(root, prepared):
                wait = exchange.wait_seconds(now)
                if not wait:
                    if settle():
                        results.append(FileResult(exchange.path, WriteState.CONFLICTED))
                    wait = exchange.left_seconds()
                waits.append(wait)
                notes += [_kept_note(exchange.path, place) for place in exchange.kept.places() if not wait]
        if not any(waits):
            remove_folders(self.path, prepared, self._step)
        return Settled(tuple(results), max(waits, default=0.0), tuple(notes))

    def _settling(self, root: int, prepared: Prepared) -> Iterator[tuple[FileExchange, Callable[[], bool]]]:
        for write in prepared.writes:
            exchange = self._exchange(root, write.path, write.spare)
            yield exchange, functools.partial(settle_topic, exchange, write.before, write.after)
        index, team = self._exchange(root, INDEX, prepared.index_spare), self._team_exchange(root, prepared)
        index_open, team_open = index.is_open(), team.is_open()
        if not (index_open or team_open):
            return
        change, change_of_team = self._index_changes(prepared, frozenset())
        if index_open:
            yield index, functools.partial(settle_index, index, change, prepared.index_seen)
        if team_open and change_of_team is not None:
            yield team, functools.partial(settle_index, team, change_of_team, prepared.team_seen)

    def settle_spares(
        self, prepared: Prepared, *, clock: Callable[[], float] = time.time, sleep: Callable[[float], None] = time.sleep
    ) -> Settled:
        """Settle all spares of a changeset, waiting until they are old enough (2 s, more only while somebody writes into them).

        Return the topics that proved to be conflicted late. If somebody never stops writing, ``wait_seconds`` is not 0 even at
        the end: what is left is to be settled another time.
        """
        late: dict[str, FileResult] = {}
        rounds = 1
        while True:
            settled = self.settle(prepared, clock())
            late |= {result.path: result for result in settled.results}
            if not settled.wait_seconds or rounds == _SETTLE_ROUNDS:
                return replace(settled, results=tuple(late.values()))
            sleep(settled.wait_seconds)
            rounds += 1

    def _refuse_dangling(self) -> None:
        if self._dangling:
            raise MemoryDirectoryError(f"the memory directory is a link that leads nowhere: to {self.path}", hint="Remove the link.")

    # --- topics ---

    def _write_topics(self, root: int, prepared: Prepared) -> tuple[tuple[FileResult, ...], tuple[str, ...]]:
        """Write each topic; those that go last only where none before them conflicted, or where an earlier call began with it."""
        results: dict[str, FileResult] = {}
        notes: list[str] = []
        for write in sorted(prepared.writes, key=lambda write: _turn(prepared, write)):
            exchange = self._exchange(root, write.path, write.spare)
            conflicts = any(result.state is WriteState.CONFLICTED for result in results.values())
            try:
                if conflicts and write.path in prepared.last and not exchange.has_begun(_data(write.after)):
                    state = WriteState.CONFLICTED
                else:
                    state = _carry_out(exchange, write)
            except OSError as error:
                if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EXDEV):
                    raise
                state = WriteState.CONFLICTED  # a folder on the way became a link or a file
                notes.append(f"{write.path} lies behind a link or a file: left alone")
            results[write.path] = FileResult(write.path, state)
        return tuple(results[write.path] for write in prepared.writes), tuple(notes)

    def _exchange(self, root: int, path: str, spare: str) -> FileExchange:
        kept = Kept(self._state / "kept" / key_of(self.path), spare)
        return FileExchange(root, path, spare, kept, self._support, self._step)

    # --- indexes ---

    def _bring_indexes_up_to_date(
        self, root: int, prepared: Prepared, files: tuple[FileResult, ...]
    ) -> tuple[IndexOutcome, tuple[str, ...]]:
        """Bring the index, and that of team memory, in step; return what came of the one, and what is to be told of the other."""
        outcome, told = IndexOutcome(None), tuple[str, ...]()
        is_wanted = bool(prepared.index) or prepared.restore is not None
        if not is_wanted and prepared.team_seen is None:
            return outcome, told
        conflicted = frozenset(file.path for file in files if file.state is WriteState.CONFLICTED)
        change, change_of_team = self._index_changes(prepared, conflicted)
        if is_wanted:
            outcome = bring_up_to_date(self._exchange(root, INDEX, prepared.index_spare), change, prepared.index_seen)
        if change_of_team is not None and (self.path / TEAM_INDEX).parent.is_dir():
            told = bring_up_to_date(self._team_exchange(root, prepared), change_of_team, prepared.team_seen).notes
        return outcome, told

    def _index_changes(self, prepared: Prepared, conflicted: frozenset[str]) -> tuple[IndexChange, TeamIndexChange | None]:
        """Return what is to be done to the index, and to that of team memory if anything is, the topics being as they are now."""
        snapshot = self.read()
        times = {file: there.time for file, there in snapshot.topics.items()}
        around = Around(times, snapshot.names if snapshot.complete else None, frozenset(prepared.index_ours))
        team = None if prepared.team_seen is None else team_change(prepared.writes, conflicted, snapshot, prepared.team_index)
        return IndexChange(prepared, conflicted, around), team

    def _team_exchange(self, root: int, prepared: Prepared) -> FileExchange:
        return self._exchange(root, TEAM_INDEX, spare_name(prepared.id, "team"))

    @contextlib.contextmanager
    def _telling(self, prepared: Prepared) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            what = f"{self.path} cannot be changed: {error.strerror or error}"
            raise MemoryDirectoryError(what, hint=f"Changeset {prepared.id} is finished at the next start, once that works.") from error


def _kept_note(file: str, place: Path) -> str:
    return f"{file} was written by somebody else at the same moment; some of their words found no place in it: see {place}"


def _turn(prepared: Prepared, write: TopicWrite) -> int:
    return prepared.last.index(write.path) + 1 if write.path in prepared.last else 0


def _carry_out(exchange: FileExchange, write: TopicWrite) -> WriteState:
    lines = added(write.before, write.after) if log_date(write.path) is not None else None
    if lines is not None:
        return exchange.add_lines(lines, write.mode)
    return exchange.carry_out(_data(write.before), _data(write.after), write.after_mtime_ns, write.mode)


def _data(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogatepass")


def _where_nothing_is(write: TopicWrite) -> WriteState:
    return WriteState.WRITTEN if write.after is None else WriteState.CONFLICTED


def _checked(prepared: Prepared) -> None:
    """Refuse paths that no check can have let through: the last look before the disk."""
    for write in prepared.writes:
        if not (is_plain(write.path) and write.path.endswith(".md") and write.path.rpartition("/")[2] != INDEX):
            raise MemoryDirectoryError(f"{write.path!r} is no topic of a memory directory")
    for spare in (*(write.spare for write in prepared.writes), prepared.index_spare):
        if not (is_plain(spare) and spare.rpartition("/")[2].startswith(".") and not spare.endswith(".md")):
            raise MemoryDirectoryError(f"{spare!r} is no name for a spare")
