"""The SQLite file: connection, transactions, statements by name, errors.

Owns: how SQL is reached (``ledger.sql`` by name), that several threads and processes take turns, that every text survives,
and that every error says which file and what to do. Leaves bringing the file into being to ``opening``, and what is asked of
it to the modules by subject.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NewType

from extractord.errors import BusyError, LedgerError

Value = str | bytes | int | float | None
Params = Mapping[str, Value]
Tx = NewType("Tx", "Store")
"""A store within a transaction: what takes one is part of a whole that is kept or dropped as one."""

BUSY_SECONDS = 20.0  # how long one process waits for another's transaction; ours last milliseconds
_NAMED = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class LedgerDamagedError(LedgerError):
    """The ledger's file is no sound database (any more)."""


@cache
def statements() -> Mapping[str, str]:
    """Return the statements of ``ledger.sql`` by name."""
    parts = _NAMED.split(Path(__file__).with_name("ledger.sql").read_text("utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def connect(target: str, *, uri: bool = False) -> sqlite3.Connection:
    """Return a connection without implicit transactions whose texts may hold lone surrogates."""
    db = sqlite3.connect(target, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=uri)
    db.text_factory = lambda raw: raw.decode("utf-8", "surrogatepass")
    db.row_factory = sqlite3.Row
    return db


class Store:
    """One open ledger file. Threads take turns; each call of ``writing`` or ``reading`` is one transaction."""

    def __init__(self, db: sqlite3.Connection, path: Path | None, schema: int) -> None:
        """``path`` is None for a ledger in memory; ``schema`` is the ``user_version`` that this program knows."""
        self.path = path
        self._db = db
        self._schema = schema
        self._turn = threading.RLock()
        self._file = _identity(path) if path else None

    @contextmanager
    def writing(self) -> Generator[Tx, None, None]:
        """Hold the only write transaction of all processes; kept durably at the end, dropped whole if anything is raised."""
        yield from self._transaction("BEGIN IMMEDIATE")

    @contextmanager
    def reading(self) -> Generator[Tx, None, None]:
        """See one state of the ledger, whatever others write meanwhile."""
        yield from self._transaction("BEGIN")

    def _transaction(self, begin: str) -> Iterator[Tx]:
        with self._turn, told(self.path):
            self._check_still_there()
            self._db.execute(begin)
            try:
                self._check_schema()
                yield Tx(self)
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def run(self, name: str, params: Params) -> sqlite3.Cursor:
        """Run a statement of ``ledger.sql``."""
        sql = statements()[name]
        broken = [key for key, value in params.items() if isinstance(value, str) and _LONE_SURROGATE.search(value)]
        if not broken:
            return self._db.execute(sql, params)
        # Such a text (a file name that is no UTF-8, half an emoji cut by a client) cannot be bound; its bytes can.
        for key in broken:
            sql = re.sub(rf":{key}\b", f"CAST(:{key} AS TEXT)", sql)
        return self._db.execute(sql, {key: _as_bytes(value) if key in broken else value for key, value in params.items()})

    def all(self, name: str, params: Params) -> Sequence[sqlite3.Row]:
        return self.run(name, params).fetchall()

    def one(self, name: str, params: Params) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self.run(name, params).fetchone()
        return row

    def copy_to(self, target: Path) -> None:
        """Write a compact copy into ``target``, an empty file."""
        with self._turn, told(self.path):
            self._check_still_there()
            self._db.execute("VACUUM INTO ?", (str(target),))

    def close(self) -> None:
        with self._turn, told(self.path):
            self._db.close()

    def _check_still_there(self) -> None:
        """SQLite would go on writing into a removed file without a word."""
        if self.path is not None and _identity(self.path) != self._file:
            raise LedgerDamagedError(
                f"the ledger {self.path} was removed or replaced while it was in use; nothing was written to it",
                hint="start extractord again: it makes a new ledger; memory itself is untouched",
            )

    def _check_schema(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version != self._schema:
            raise newer(self.path, version, self._schema)


@contextmanager
def told(path: Path | None) -> Generator[None, None, None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise explained(error, path) from error


def explained(error: sqlite3.Error, path: Path | None) -> LedgerError | BusyError:
    """Say which file it is about and what to do now."""
    what = f"the ledger {path or 'in memory'}: {error}"
    match getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return BusyError(what, hint="another extractord has been writing for a long time; try again")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return LedgerDamagedError(what, hint=damaged_hint(path))
        case sqlite3.SQLITE_FULL:
            return LedgerError(what, hint="free some space on that disk")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_IOERR:
            return LedgerError(what, hint="check that the state folder exists, is yours and can be written")
        case _:
            return LedgerError(what)


def damaged_hint(path: Path | None) -> str:
    """Say what happens to a damaged file: ``mending`` does it as soon as nobody has it open."""
    if path is None:
        return ""
    return f"the next start of the daemon or of `once` moves it aside and puts the newest of {path.parent / 'copies'} in its place"


def newer(path: Path | None, found: int, known: int) -> LedgerError:
    """The file's schema is not the one this program knows."""
    return LedgerError(
        f"the ledger {path} has schema {found}; this extractord knows schemas up to {known}",
        hint="it was written by a newer extractord: upgrade this one, or stop it if it still runs from before an upgrade",
    )


def _as_bytes(value: Value) -> Value:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
