"""Sessions: what was seen of their transcripts, which prompts are dealt with, how their stretches ended.

Owns: sightings, handled uuids, outcomes, and that the end of a stretch is one transaction. Leaves what follows from an
outcome (retry, parking) to ``extraction``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from extractord.claude_home.transcript_files import Stamp
from extractord.ledger.codec import from_row, to_params
from extractord.ledger.rows import Totals
from extractord.ledger.session_rows import Finish, Outcome, SessionRow, Sighting, StretchRow, weightiest
from extractord.ledger.store import Tx
from extractord.ledger.subject import Subject


class Sessions(Subject):
    """The ledger's part about sessions."""

    def sightings(self) -> dict[str, Sighting]:
        """Return what was last seen of each transcript, by session id."""
        with self._store.reading() as tx:
            return {row["session"]: _sighting(row) for row in tx.all("sightings", {"session": None})}

    def stamps(self, session: str | None = None) -> dict[str, Stamp | None]:
        """Return the state of each transcript that was dealt with, by session id; None: something is still open in it.

        A transcript that bears its stamp holds nothing new.
        """
        with self._store.reading() as tx:
            return {
                name: None if unfinished else (inode % (1 << 64), size, mtime_ns)
                for name, inode, size, mtime_ns, unfinished in tx.all("stamps", {"session": session})
            }

    def sighting(self, session: str) -> Sighting | None:
        with self._store.reading() as tx:
            row = tx.one("sightings", {"session": session})
            return _sighting(row) if row else None

    def note_sighting(self, sighting: Sighting) -> None:
        with self._store.writing() as tx:
            write_sighting(tx, sighting)

    def root_seen(self, cwd: str) -> str | None:
        """Return the project root of the newest session that ran in ``cwd``, for a folder that is gone."""
        with self._store.reading() as tx:
            row = tx.one("root_seen", {"cwd": cwd})
            return str(row["project_root"]) if row else None

    def memory_dirs(self) -> tuple[str, ...]:
        """Return every memory directory that a session or a changeset is known of."""
        with self._store.reading() as tx:
            return tuple(row["memory_dir"] for row in tx.all("memory_dirs", {}))

    def sessions_since(self, memory_dir: str, since: float) -> int:
        """Return how many sessions of a memory directory were dealt with after ``since`` (seconds since the epoch)."""
        with self._store.reading() as tx:
            row = tx.one("sessions_since", {"memory_dir": memory_dir, "since": since})
            assert row is not None
            return int(row["sessions"])

    def handled(self, uuids: Iterable[str], *, other_than: str | None = None) -> frozenset[str]:
        """Return those of ``uuids`` that were dealt with, in whatever file; with ``other_than`` not counting that session's."""
        with self._store.reading() as tx:
            rows = tx.all("handled", {"uuids": json.dumps(list(uuids)), "other_than": other_than})
            return frozenset(row["uuid"] for row in rows)

    def finish(self, row: StretchRow, sighting: Sighting | None = None, handled: Iterable[str] = ()) -> None:
        """Record the end of a stretch: outcome, cursor, handled uuids and the claim's release are kept as one."""
        self.end(Finish(row, sighting, tuple(handled)))

    def end(self, finish: Finish) -> None:
        """Record the same, with all that ends with it."""
        with self._store.writing() as tx:
            write_finish(tx, finish, self._owner.token)

    def stretch_rows(self, session: str) -> tuple[StretchRow, ...]:
        """Return the newest outcome of each stretch of a session, in the stretches' order."""
        with self._store.reading() as tx:
            return _rows(tx.all("current_outcomes", {"session": session}))

    def stretch_row(self, session: str, key: str) -> StretchRow | None:
        """Return the newest outcome of one stretch."""
        with self._store.reading() as tx:
            row = tx.one("current_outcome", {"session": session, "key": key})
            return from_row(StretchRow, row) if row else None

    def history(self, session: str, key: str) -> tuple[StretchRow, ...]:
        """Return all outcomes of one stretch, newest first."""
        with self._store.reading() as tx:
            return _rows(tx.all("outcome_history", {"session": session, "key": key}))

    def retries(self) -> tuple[StretchRow, ...]:
        """Return the stretches that failed or were postponed and are not parked, the one that is due first in front."""
        with self._store.reading() as tx:
            return _rows(tx.all("retries", {}))

    def unpark(self, session: str) -> int:
        """Let the parked stretches of a session be tried again from the first attempt; return how many they were."""
        with self._store.writing() as tx:
            freed = tx.run("unpark", {"session": session}).rowcount
            tx.run("reopen_sighting", {"session": session})
            return freed

    def sessions(self, outcome: Outcome | None = None) -> tuple[SessionRow, ...]:
        """Return each session that has an outcome, newest first; with ``outcome`` only those that stand at it."""
        with self._store.reading() as tx:
            current: dict[str, list[StretchRow]] = {}
            for row in _rows(tx.all("current_outcomes", {"session": None})):
                current.setdefault(row.session, []).append(row)
            every = [_session(current[sums["session"]], sums) for sums in tx.all("session_sums", {})]
        return tuple(session for session in every if outcome in (None, session.outcome))

    def totals(self) -> Totals:
        with self._store.reading() as tx:
            counts, last = tx.all("totals", {})[0], tx.one("last_outcome", {})
            return Totals(**dict(counts), last_outcome=from_row(StretchRow, last) if last else None)


def write_sighting(tx: Tx, sighting: Sighting) -> None:
    """Write what was seen of a transcript; that it could not be read at some time, which no stretch stands for, is over then."""
    tx.run("drop_unreadable", {"session": sighting.session})
    # st_ino has 64 bits without a sign, a column has one.
    tx.run("put_sighting", to_params(replace(sighting, inode=_signed(sighting.inode))))


def write_finish(tx: Tx, finish: Finish, token: str) -> None:
    """Write the end of a stretch within a transaction; ``token`` is the owner whose claim ends."""
    row = finish.row
    tx.run("add_outcome", to_params(row))
    if finish.sighting is not None:
        write_sighting(tx, finish.sighting)
    tx.run("add_handled", {"session": row.session, "uuids": json.dumps(list(finish.handled))})
    tx.run("drop_claim", {"session": row.session, "key": row.key, "token": token})
    if row.outcome.moves_cursor:
        tx.run("drop_batch_items_of", {"session": row.session, "key": row.key})
    for other in finish.also:
        write_finish(tx, other, token)


def _sighting(row: sqlite3.Row) -> Sighting:
    return from_row(Sighting, row, inode=row["inode"] % (1 << 64))


def _signed(inode: int) -> int:
    return inode - (1 << 64) if inode >= 1 << 63 else inode


def _rows(rows: Sequence[sqlite3.Row]) -> tuple[StretchRow, ...]:
    return tuple(from_row(StretchRow, row) for row in rows)


def _session(stretches: Sequence[StretchRow], sums: sqlite3.Row) -> SessionRow:
    worst = weightiest(row.outcome for row in stretches)
    shown = max((row for row in stretches if row.outcome is worst), key=lambda row: row.time)
    return SessionRow(
        session=shown.session,
        memory_dir=shown.memory_dir,
        project=shown.project,
        transcript=shown.transcript,
        outcome=worst,
        reason=shown.reason,
        time=max(row.time for row in stretches),
        topics=tuple(dict.fromkeys(topic for row in stretches for topic in row.topics)),
        input_tokens=sums["input_tokens"],
        output_tokens=sums["output_tokens"],
        cost_usd=sums["cost_usd"],
        seconds=sums["seconds"],
        stretches=len(stretches),
        parked=any(row.parked for row in stretches),
    )
