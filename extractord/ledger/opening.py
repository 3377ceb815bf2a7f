"""How the ledger's file comes into being and up to date.

Owns: the state folder's and file's permissions, the lock that tells whether others have the ledger open, the migrations, and
the check after an unclean end. Leaves transactions to ``store`` and copies to ``copies``.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import msgspec

from extractord.durable import make_private_folder
from extractord.errors import LedgerError
from extractord.ledger.mending import DOUBT, Mended, doubt, go_on, mend, no_doubt
from extractord.ledger.store import LedgerDamagedError, Store, connect, damaged_hint, newer, told
from extractord.system.files import lock_shared, open_path, share_lock, sync_folder, try_lock

LEDGER = "ledger.sqlite"
LOCK = "ledger.lock"
_UNSUPPORTED = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)  # flock on some network file systems


class Opened(msgspec.Struct, frozen=True):
    """An open store, and the descriptor whose shared lock tells others that it is open (None: in memory)."""

    store: Store
    lock: int | None = None
    mended: Mended | None = None  # the file was damaged

    def close(self) -> None:
        try:
            self.store.close()
        finally:
            if self.lock is not None:
                os.close(self.lock)


@cache
def migrations() -> tuple[str, ...]:
    """Return the scripts; the n-th, counted from 1, brings the schema to version n."""
    return tuple(script.read_text("utf-8") for script in sorted(Path(__file__).with_name("migrations").glob("*.sql")))


def open_file(state: Path, scripts: Sequence[str], now: float) -> Opened:
    """Open the ledger of a state folder, making both where they are missing; a damaged one is moved aside (``mending``).

    Raises ``LedgerError`` if the folder cannot be used or the ledger is newer than ``scripts``, ``LedgerDamagedError`` if
    the file is unsound and others have it open.
    """
    path = state / LEDGER
    try:
        _make_private(path)
        lock = open_path(state / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        hint = "make it a folder of your own that can be written, or name another one in EXTRACTORD_STATE_DIR"
        raise LedgerError(f"the state folder {state} cannot be used: {error.strerror or error}", hint=hint) from error
    try:
        alone = _lock(lock)
        store, mended = _open_alone(path, scripts, now) if alone else (_open(path, scripts, unclean=False), None)
        if alone:
            share_lock(lock)
    except BaseException as error:
        if isinstance(error, LedgerDamagedError):
            doubt(path)
        os.close(lock)
        raise
    return Opened(store, lock, mended)


def _open_alone(path: Path, scripts: Sequence[str], now: float) -> tuple[Store, Mended | None]:
    """Open the ledger while nobody else has it open, and mend it if it is damaged. Doubt stays until that is noted in it."""
    doubtful = path.with_name(DOUBT).exists()
    mended = go_on(path) if doubtful else None
    try:
        _make_private(path)
        store = _open(path, scripts, unclean=doubtful or _left_over(path))
    except LedgerDamagedError:
        mended = mend(path, now)
        _make_private(path)
        store = _open(path, scripts, unclean=False)
    if doubtful and mended is None:
        no_doubt(path.parent)
    return store, mended


def open_in_memory(state: Path | None, scripts: Sequence[str]) -> Opened:
    """Open a ledger that nobody else sees and that is gone when closed: a copy of the folder's, empty if there is none."""
    db = connect(":memory:")
    path = state / LEDGER if state else None
    with told(path):
        if path and path.is_file():
            # "rw" but nothing is written: a connection that may only read leaves SQLite's side files behind.
            with closing(connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as source:
                source.backup(db)
        _migrate(db, path, scripts)
    return Opened(Store(db, None, len(scripts)))


def _make_private(path: Path) -> None:
    """Make folder (0700) and file (0600). An existing folder keeps its mode: it may be shared with others."""
    make_private_folder(path.parent)
    try:
        os.close(open_path(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        return
    sync_folder(path.parent)


def _lock(lock: int) -> bool:
    """Lock the ledger for opening and return whether nobody else has it open (then others wait until we are done)."""
    try:
        try_lock(lock)
    except BlockingIOError:
        lock_shared(lock)
        return False
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return False
        raise
    return True


def _left_over(path: Path) -> bool:
    """Whether the last process that had it open did not close it: SQLite removes its log on a clean end."""
    wal = path.with_name(f"{path.name}-wal")
    return wal.exists() and wal.stat().st_size > 0


def _open(path: Path, scripts: Sequence[str], *, unclean: bool) -> Store:
    with told(path):
        db = connect(str(path))
        try:
            _refuse_newer(db, path, scripts)
            # Where the file system cannot do WAL, SQLite stays with its rollback journal: slower, equally safe.
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "fullfsync = ON", "foreign_keys = ON", "secure_delete = ON"):
                db.execute(f"PRAGMA {pragma}")
            if unclean:
                _check(db, path)
            _migrate(db, path, scripts)
            return Store(db, path, len(scripts))
        except BaseException:
            db.close()
            raise


def _check(db: sqlite3.Connection, path: Path) -> None:
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise LedgerDamagedError(f"the ledger {path} is damaged: {found}", hint=damaged_hint(path))


def _version(db: sqlite3.Connection) -> int:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def _refuse_newer(db: sqlite3.Connection, path: Path | None, scripts: Sequence[str]) -> None:
    if (found := _version(db)) > len(scripts):
        raise newer(path, found, len(scripts))


def _migrate(db: sqlite3.Connection, path: Path | None, scripts: Sequence[str]) -> None:
    """Run what is missing, in one transaction: an interrupted upgrade leaves the old schema."""
    if _version(db) == len(scripts):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        _refuse_newer(db, path, scripts)  # another process may have been faster
        for number in range(_version(db), len(scripts)):
            for statement in _statements(scripts[number]):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {number + 1}")
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def _statements(script: str) -> Iterator[str]:
    """Split a script; ``executescript`` would end the transaction that is to hold all of it."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
