"""Changesets: what was proposed, prepared, applied, held, taken back.

Owns: that a changeset is durable before a file is touched, that its end and the cursor are one transaction, and which of its
writes an undo took back. Leaves touching files to ``memory.directory`` and finishing what a crash left to the one who asks
``unfinished``.
"""

from __future__ import annotations

import enum
import json
import sqlite3
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from extractord.errors import LedgerError
from extractord.ledger import changeset_rows as rows
from extractord.ledger.codec import from_row
from extractord.ledger.evidence import write_facts, write_own_lines
from extractord.ledger.rows import (
    Burial,
    ChangesetRow,
    ChangesetState,
    FactRow,
    FileState,
    FullChangeset,
    HeldChangeset,
    LogEntry,
    Spares,
    Unfinished,
)
from extractord.ledger.session_rows import Finish, Outcome
from extractord.ledger.sessions import write_finish
from extractord.ledger.store import Tx
from extractord.ledger.subject import Subject
from extractord.ledger.tombstones import write_burial
from extractord.memory.prepared import Applied, FileResult, Prepared, WriteState

# Crockford's base 32: sorts as its numbers do, and no two letters look alike.
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_DIGITS, _RANDOM_DIGITS = 9, 3  # milliseconds up to the year 3084; 32,768 ids in each


class Changesets(Subject):
    """The ledger's part about changesets. Ids may be given by their beginning wherever a person gives them."""

    def new_id(self) -> str:
        """Return an id that is not taken; later ones sort after earlier ones."""
        with self._store.reading() as tx:
            return _new_id(tx, self._now())

    def prepare(
        self,
        row: ChangesetRow,
        prepared: Prepared,
        facts: Iterable[FactRow] = (),
        *,
        held: HeldChangeset | None = None,
        burials: Iterable[Burial] = (),
        finish: Finish | None = None,
    ) -> None:
        """Make a changeset durable before the first file is touched.

        ``held`` is the part that waits for review, with an id of its own; what waits there already is left out of it.
        ``burials`` hold as soon as, and as long as, this changeset's write of their path does. ``finish`` is kept for whoever
        has to finish the changeset after a crash.
        """
        assert row.id == prepared.id
        with self._store.writing() as tx:
            rows.write_head(tx, replace(row, state=ChangesetState.PREPARED))
            rows.write_prepared(tx, prepared, finish)
            write_own_lines(tx, row, prepared.writes)
            write_facts(tx, row.id, facts)
            for burial in burials:
                write_burial(tx, row.memory_dir, replace(burial, changeset=row.id))
            if held is not None:
                rows.write_held(tx, held)

    def hold(self, held: HeldChangeset, finish: Finish | None = None) -> bool:
        """Keep a changeset for review and end its stretch, as one; return whether any of it did not wait there already."""
        with self._store.writing() as tx:
            kept = rows.write_held(tx, held)
            if finish is not None:
                end = finish.row if kept or finish.row.changeset != held.row.id else replace(finish.row, changeset=None)
                write_finish(tx, replace(finish, row=end), self._owner.token)
            return kept

    def applied(self, id: str, applied: Applied, finish: Finish | None = None) -> ChangesetState:  # noqa: A002 - the record's word
        """Record what applying came to and end the stretch (None: it stays open), as one; return the changeset's state.

        A changeset with a conflicted topic has the outcome conflicted; if nothing was written its state is CONFLICTED, and
        what it was to undo or accept stays as it is.
        """
        with self._store.writing() as tx:
            head = from_row(ChangesetRow, rows.read_head(tx, id))
            if head.state is not ChangesetState.PREPARED:
                raise LedgerError(f"changeset {id} is {head.state.value} already", hint="another extractord finished it: look again")
            state = _record(tx, head, applied, self._now())
            if state is ChangesetState.APPLIED:
                _settle_others(tx, head, applied)
            if finish is not None:
                write_finish(tx, finish, self._owner.token)
        return state

    def unfinished(self, memory_dir: str | None = None) -> tuple[Unfinished, ...]:
        """Return what was prepared and not applied, oldest first. Ask under the directory's lock: another may be at it now."""
        with self._store.reading() as tx:
            heads = tx.all("heads_in_state", {"state": ChangesetState.PREPARED.value, "memory_dir": memory_dir})
            return tuple(rows.read_unfinished(tx, columns) for columns in heads)

    def spares(self, memory_dir: str | None = None) -> tuple[Spares, ...]:
        """Return the applied changesets whose dot-files are not settled, oldest first."""
        with self._store.reading() as tx:
            heads = tx.all("heads_with_spares", {"memory_dir": memory_dir})
            return tuple(Spares(columns["id"], rows.read_applied_over(tx, columns), columns["applied_at"]) for columns in heads)

    def spares_settled(self, id: str, results: Iterable[FileResult] = ()) -> None:  # noqa: A002
        """Record that a changeset's dot-files are gone; ``results`` are the topics that proved to be conflicted late."""
        with self._store.writing() as tx:
            _conflicted_late(tx, id, results)
            tx.run("spares_gone", {"id": id})

    def conflicted_late(self, id: str, results: Iterable[FileResult]) -> None:  # noqa: A002
        """Record the topics that proved to be conflicted late while other dot-files of the changeset still wait."""
        with self._store.writing() as tx:
            _conflicted_late(tx, id, results)

    def reject(self, id: str, reason: str, paths: Iterable[str] | None = None, burials: Iterable[Burial] = ()) -> None:  # noqa: A002
        """Turn a held changeset down, or the topics ``paths`` of it, and keep what is not to come back, as one."""
        with self._store.writing() as tx:
            head = from_row(ChangesetRow, rows.read_head(tx, id))
            if head.state is not ChangesetState.HELD:
                raise LedgerError(f"changeset {id} does not wait for review", hint="extractord review lists those that do")
            waiting = [file.path for file in rows.read_files(tx, id) if file.result is FileState.HELD]
            _set_held(tx, id, waiting if paths is None else set(waiting) & set(paths), FileState.REJECTED)
            if rows.read_head(tx, id)["state"] == ChangesetState.REJECTED.value:
                tx.run("set_reason", {"id": id, "reason": reason})
            for burial in burials:
                write_burial(tx, head.memory_dir, burial)

    def changesets(self, *, limit: int | None = None, since: float | None = None, memory_dir: str | None = None) -> tuple[LogEntry, ...]:
        """Return changesets in whatever state, newest first."""
        with self._store.reading() as tx:
            return rows.log_entries(tx, tx.all("heads", {"limit": limit, "since": since, "memory_dir": memory_dir}))

    def changeset(self, prefix: str) -> FullChangeset:
        """Return one changeset by its id or the beginning of it; raises ``LedgerError`` if there is none, or several."""
        with self._store.reading() as tx:
            return rows.read_full(tx, rows.find(tx, prefix))

    def held(self, memory_dir: str | None = None) -> tuple[HeldChangeset, ...]:
        """Return what waits for review, oldest first."""
        with self._store.reading() as tx:
            heads = tx.all("heads_in_state", {"state": ChangesetState.HELD.value, "memory_dir": memory_dir})
            return tuple(rows.read_held(tx, columns) for columns in heads)

    def places(self, memory_dir: str) -> frozenset[str]:
        """Return the real paths at which changesets of a memory directory were carried out."""
        with self._store.reading() as tx:
            return frozenset(row["place"] for row in tx.all("places", {"memory_dir": memory_dir}))

    def text(self, digest: str) -> str | None:
        """Return the topic's text that has this digest, if one of ours had it."""
        with self._store.reading() as tx:
            return rows.get_text(tx, digest)


def _new_id(tx: Tx, now: float) -> str:
    import secrets  # loads OpenSSL, which a run that finds nothing new does without

    while True:
        chance = secrets.randbelow(len(_DIGITS) ** _RANDOM_DIGITS)
        made = _base32(int(now * 1000), _TIME_DIGITS) + _base32(chance, _RANDOM_DIGITS)
        if tx.one("id_taken", {"id": made}) is None:
            return made


def _record(tx: Tx, head: ChangesetRow, applied: Applied, now: float) -> ChangesetState:
    conflicted = _record_files(tx, head.id, applied.files)
    nothing = bool(applied.files) and conflicted == len(applied.files)
    state = ChangesetState.CONFLICTED if nothing else ChangesetState.APPLIED
    outcome = Outcome.CONFLICTED if conflicted else head.outcome
    fixed = {
        "id": head.id,
        "state": state.value,
        "outcome": outcome.value,
        "applied_at": now,
        "spares_left": int(bool(applied.files or applied.index or applied.team_index)),
    }
    tx.run("set_applied", rows.applied_columns(tx, applied) | fixed)
    return state


def _record_files(tx: Tx, id: str, results: Iterable[FileResult]) -> int:  # noqa: A002
    """Write what became of each topic and return how many are conflicted."""
    conflicted = 0
    for result in results:
        state = FileState.WRITTEN if result.state is WriteState.WRITTEN else FileState.CONFLICTED
        tx.run("set_file_result", {"changeset": id, "path": result.path, "result": state.value})
        conflicted += state is FileState.CONFLICTED
    return conflicted


def _conflicted_late(tx: Tx, id: str, results: Iterable[FileResult]) -> None:  # noqa: A002
    """Let stand again what the conflicted topics of an undo, or of an accepted changeset, had not really settled."""
    late = [result for result in results if result.state is WriteState.CONFLICTED]
    if not _record_files(tx, id, late):
        return
    tx.run("set_outcome", {"id": id, "outcome": Outcome.CONFLICTED.value})
    head = from_row(ChangesetRow, rows.read_head(tx, id))
    paths = {result.path for result in late}
    if head.undoes is not None:
        known = tx.all("changed_files", {"ids": json.dumps([head.undoes])})
        _pass_on(tx, head, [f["path"] for f in known if f["path"] in paths and f["undone_by"] == id], _Turn.STANDS)
    if head.accepts is not None:
        _set_held(tx, head.accepts, paths, FileState.HELD)


def _settle_others(tx: Tx, head: ChangesetRow, applied: Applied) -> None:
    """Let the changesets that this one undoes or accepts know."""
    written = [file.path for file in applied.files if file.state is WriteState.WRITTEN]
    if head.accepts is not None:
        _set_held(tx, head.accepts, written, FileState.ACCEPTED)
    if head.undoes is not None:
        _pass_on(tx, head, written, _Turn.TAKEN_BACK)


# What a held changeset is by its topics: the first that applies.
_HELD_STATES = (
    (FileState.HELD, ChangesetState.HELD),
    (FileState.ACCEPTED, ChangesetState.ACCEPTED),
    (FileState.REJECTED, ChangesetState.REJECTED),
)


def _set_held(tx: Tx, held: str, paths: Iterable[str], state: FileState) -> None:
    """Note what became of topics that waited; the changeset waits as long as one of them does."""
    for path in paths:
        tx.run("set_file_result", {"changeset": held, "path": path, "result": state.value})
    files = tx.all("changed_files", {"ids": json.dumps([held])})
    found = {FileState(file["result"]) for file in files}
    become = next(of for file, of in _HELD_STATES if file in found)
    tx.run("set_state", {"id": held, "state": become.value})


class _Turn(enum.Enum):
    """What a write is from now on, seen from the one above it in a chain of undos."""

    TAKEN_BACK = True
    STANDS = False


def _pass_on(tx: Tx, head: ChangesetRow, paths: Sequence[str], turn: _Turn) -> None:
    """Note per topic what an undo took back; an undo of an undo gives back what that one took, and so on down."""
    target, by, gone = head.undoes, head.id, turn.value
    while target is not None and paths:
        tx.run("set_undone_by", {"changeset": target, "undone_by": by if gone else None, "paths": json.dumps(paths)})
        columns = rows.read_head(tx, target)
        state = ChangesetState.UNDONE if gone and not _still_stands(tx, target) else ChangesetState.APPLIED
        tx.run("set_state", {"id": target, "state": state.value})
        target, by, gone = columns["undoes"], target, not gone


def _still_stands(tx: Tx, id: str) -> bool:  # noqa: A002
    """Whether a topic's write in it was not taken back."""
    files: Sequence[sqlite3.Row] = tx.all("changed_files", {"ids": json.dumps([id])})
    return any(file["result"] == FileState.WRITTEN.value and file["undone_by"] is None for file in files)


def _base32(number: int, digits: int) -> str:
    return "".join(_DIGITS[(number >> 5 * place) % 32] for place in reversed(range(digits)))
