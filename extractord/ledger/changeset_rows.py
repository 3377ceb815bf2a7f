"""How a changeset lies in the tables.

Owns: a changeset's columns, files and texts, there and back. Leaves when they are written, and what a state means, to
``changesets``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from msgspec.structs import replace

from extractord.errors import LedgerError
from extractord.ledger.codec import from_json, from_row, to_json, to_params
from extractord.ledger.evidence import write_facts
from extractord.ledger.rows import (
    ChangedFile,
    ChangesetRow,
    ChangesetState,
    FactRow,
    FileRow,
    FileState,
    FullChangeset,
    HeldChangeset,
    HeldFile,
    LogEntry,
    Unfinished,
)
from extractord.ledger.session_rows import Finish
from extractord.ledger.store import Tx, Value
from extractord.memory.changeset import Proposal, digest_of
from extractord.memory.prepared import Applied, IndexSeen, Prepared, TopicWrite


def put_text(tx: Tx, text: str | None) -> str | None:
    """Keep a text, once per content, and return its name (None for no file)."""
    if text is None:
        return None
    digest = digest_of(text)
    tx.run("put_text", {"digest": digest, "body": text})
    return digest


def get_text(tx: Tx, digest: str | None) -> str | None:
    """Return the text of a name."""
    row = tx.one("text", {"digest": digest}) if digest else None
    return row["body"] if row else None


def write_head(tx: Tx, row: ChangesetRow) -> None:
    tx.run("add_changeset", to_params(row))


def write_prepared(tx: Tx, prepared: Prepared, finish: Finish | None) -> None:
    """Write all that carrying the changeset out, or finishing that after a crash, needs."""
    restore = prepared.restore
    bare = replace(prepared, writes=(), restore=replace(restore, before=None, after=None) if restore else None)
    tx.run(
        "set_prepared",
        {
            "id": prepared.id,
            "prepared": to_json(bare),
            "restore_before": put_text(tx, restore.before) if restore else None,
            "restore_after": put_text(tx, restore.after) if restore else None,
            "finish": to_json(finish) if finish else None,
        },
    )
    for position, write in enumerate(prepared.writes):
        _write_file(tx, prepared.id, position, file_row(write))


def write_held(tx: Tx, held: HeldChangeset) -> bool:
    """Write a changeset that waits for review, without what waits there already; return whether anything is left of it."""
    pending = {(known["path"], known["after"]) for known in tx.all("pending_files", {"memory_dir": held.row.memory_dir})}
    new = [file for file in held.files if (file.path, digest_of(file.after) or None) not in pending]
    if not new:
        return False
    write_head(tx, replace(held.row, state=ChangesetState.HELD))
    for position, file in enumerate(new):
        change = Proposal(file.path, file.before, file.after).kind
        kept = FileRow(file.path, change, file.before, file.after, None, None, FileState.HELD, reason=file.reason)
        _write_file(tx, held.row.id, position, kept)
    paths = {file.path for file in new}
    write_facts(tx, held.row.id, (fact for fact in held.facts if fact.file in paths))
    return True


def file_row(write: TopicWrite) -> FileRow:
    change = Proposal(write.path, write.before, write.after).kind
    return FileRow(
        path=write.path,
        change=change,
        before=write.before,
        after=write.after,
        before_mtime_ns=write.before_mtime_ns,
        after_mtime_ns=write.after_mtime_ns,
        result=FileState.PREPARED,
        spare=write.spare,
        mode=write.mode,
    )


def applied_columns(tx: Tx, applied: Applied) -> dict[str, Value]:
    """Return the columns that tell what applying came to."""
    index = applied.index
    bare = replace(applied, files=(), index=replace(index, before=None, after=None) if index else None)
    return {
        "applied": to_json(bare),
        "index_before": put_text(tx, index.before) if index else None,
        "index_after": put_text(tx, index.after) if index else None,
    }


def read_head(tx: Tx, id: str) -> sqlite3.Row:  # noqa: A002 - it is the record's word
    """Return the columns of a changeset; raises ``LedgerError`` if there is none."""
    row = tx.one("head", {"id": id})
    if row is None:
        raise LedgerError(f"there is no changeset {id}", hint="extractord log lists them")
    return row


def find(tx: Tx, prefix: str) -> sqlite3.Row:
    """Return the columns of the only changeset whose id begins so, or is so."""
    wanted = prefix.strip().lower()
    ids = [row["id"] for row in tx.all("heads_with_prefix", {"prefix": wanted})]
    if wanted in ids or (len(ids) == 1 and wanted):
        return read_head(tx, wanted if wanted in ids else ids[0])
    if not ids or not wanted:
        raise LedgerError(f"there is no changeset {prefix!r}", hint="extractord log lists them")
    raise LedgerError(f"{prefix!r} is the beginning of several changesets: {', '.join(ids)}", hint="give more of the id")


def log_entries(tx: Tx, heads: Iterable[sqlite3.Row]) -> tuple[LogEntry, ...]:
    """Return changesets with what they change, without texts."""
    rows = [from_row(ChangesetRow, columns) for columns in heads]
    files: dict[str, list[ChangedFile]] = {row.id: [] for row in rows}
    for columns in tx.all("changed_files", {"ids": json.dumps(list(files))}):
        files[columns["changeset"]].append(from_row(ChangedFile, columns))
    return tuple(LogEntry(row, tuple(files[row.id])) for row in rows)


def read_files(tx: Tx, id: str) -> tuple[FileRow, ...]:  # noqa: A002
    return tuple(from_row(FileRow, row) for row in tx.all("files", {"changeset": id}))


def read_facts(tx: Tx, id: str) -> tuple[FactRow, ...]:  # noqa: A002
    return tuple(from_row(FactRow, row) for row in tx.all("facts_of_changeset", {"changeset": id}))


def read_full(tx: Tx, columns: sqlite3.Row) -> FullChangeset:
    applied = _read_applied(tx, columns)
    return FullChangeset(
        row=from_row(ChangesetRow, columns),
        files=read_files(tx, columns["id"]),
        facts=read_facts(tx, columns["id"]),
        index=applied.index,
        made_folders=applied.made_folders,
        notes=applied.notes,
    )


def read_held(tx: Tx, columns: sqlite3.Row) -> HeldChangeset:
    """Return what still waits of a held changeset."""
    waiting = [f for f in read_files(tx, columns["id"]) if f.result is FileState.HELD]
    paths = {f.path for f in waiting}
    facts = tuple(fact for fact in read_facts(tx, columns["id"]) if fact.file in paths)
    return HeldChangeset(from_row(ChangesetRow, columns), tuple(HeldFile(f.path, f.before, f.after, f.reason) for f in waiting), facts)


def read_unfinished(tx: Tx, columns: sqlite3.Row) -> Unfinished:
    finish = from_json(columns["finish"], Finish) if columns["finish"] else None
    return Unfinished(from_row(ChangesetRow, columns), read_prepared(tx, columns), finish)


def read_prepared(tx: Tx, columns: sqlite3.Row) -> Prepared:
    """Return a changeset as it was given to ``prepare``."""
    bare = from_json(columns["prepared"], Prepared)
    files = read_files(tx, columns["id"])
    writes = tuple(TopicWrite(f.path, f.before, f.after, f.before_mtime_ns, f.after_mtime_ns, f.spare, f.mode) for f in files)
    if bare.restore is None:
        return replace(bare, writes=writes)
    before, after = get_text(tx, columns["restore_before"]), get_text(tx, columns["restore_after"])
    return replace(bare, writes=writes, restore=replace(bare.restore, before=before, after=after))


def read_applied_over(tx: Tx, columns: sqlite3.Row) -> Prepared:
    """Return an applied changeset with the index that it took the place of: what came out later is compared with that, not with what
    was seen when it was prepared, since a program that was just writing may have emptied it in between.
    """
    prepared, index = read_prepared(tx, columns), _read_applied(tx, columns).index
    return prepared if index is None else replace(prepared, index_seen=IndexSeen(index.before, index.before_mtime_ns))


def _read_applied(tx: Tx, columns: sqlite3.Row) -> Applied:
    """Return what applying came to, without the files; nothing for a changeset that was not applied."""
    if columns["applied"] is None:
        return Applied(files=(), index=None)
    bare = from_json(columns["applied"], Applied)
    if bare.index is None:
        return bare
    before, after = get_text(tx, columns["index_before"]), get_text(tx, columns["index_after"])
    return replace(bare, index=replace(bare.index, before=before, after=after))


def _write_file(tx: Tx, changeset: str, position: int, file: FileRow) -> None:
    columns = {name: value for name, value in to_params(file).items() if name != "let_go"}
    texts = {"before": put_text(tx, file.before), "after": put_text(tx, file.after)}
    tx.run("add_file", columns | texts | {"changeset": changeset, "position": position})
