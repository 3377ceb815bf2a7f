"""Things that happened once and are remembered.

Owns: backups made, consents given, the daemon's watermark with the sessions older than it, the session ids of our own runs,
consolidations, a ledger that was damaged.
Leaves what follows from them to those who ask.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from extractord.ledger.copies import made_on
from extractord.ledger.mending import Mended
from extractord.ledger.session_rows import OlderSession
from extractord.ledger.spend import LOST_DAY, days_since
from extractord.ledger.store import Tx
from extractord.ledger.subject import Subject

PAID = "paid backend"  # the consent to spend, on a state folder
SURFACED_SECONDS = 30 * 86_400.0  # a session is not gone on with later than that


class Marks(Subject):
    """The ledger's part about such things. ``None`` stands for: it did not happen."""

    def note_own_run(self, session: str) -> None:
        """Remember a session as one of ours, before it starts."""
        with self._store.writing() as tx:
            tx.run("add_own_run", {"session": session, "time": self._now()})

    def begin_own_run(self, session: str, *, since: float, most: int) -> bool:
        """Remember a session as one of ours unless ``most`` started at or after ``since``; return whether it may start."""
        with self._store.writing() as tx:
            run = tx.run("begin_own_run", {"session": session, "time": self._now(), "since": since, "most": most})
            return run.rowcount == 1

    def own_runs(self, since: float = 0.0) -> frozenset[str]:
        """Return the session ids of our own runs that started at or after ``since``."""
        with self._store.reading() as tx:
            return frozenset(row["session"] for row in tx.all("own_runs", {"since": since}))

    def note_backup(self, memory_dir: str, place: str) -> None:
        """Remember where a memory directory was backed up before its first change; a later one does not replace it."""
        self._add("backup", memory_dir, place)

    def backup_made(self, memory_dir: str) -> str | None:
        """Return where the backup of a memory directory lies."""
        mark = self._mark("backup", memory_dir)
        return mark[1] if mark else None

    def note_consent(self, kind: str) -> None:
        """Remember that a person agreed, say to a paid backend on this state folder."""
        self._add("consent", kind, "")

    def consent(self, kind: str) -> float | None:
        """Return when a person agreed."""
        mark = self._mark("consent", kind)
        return mark[0] if mark else None

    def note_limit(self, backend: str, until: float, reason: str) -> None:
        """Remember that a backend is to be left alone until then, and why, in words of ours."""
        with self._store.writing() as tx:
            tx.run("put_mark", {"kind": "limit", "subject": backend, "time": self._now(), "value": f"{until!r} {reason}"})

    def limit(self, backend: str) -> tuple[float, str] | None:
        """Return until when a backend is to be left alone, and why; None where there never was a reason."""
        mark = self._mark("limit", backend)
        if mark is None:
            return None
        until, _, reason = mark[1].partition(" ")
        return float(until), reason

    def note_surfaced(self, session: str, files: Iterable[str]) -> None:
        """Remember which topics a session was shown; what was shown long ago is forgotten."""
        with self._store.writing() as tx:
            tx.run("drop_marks_before", {"kind": "surfaced", "time": self._now() - SURFACED_SECONDS})
            for file in files:
                tx.run("add_mark", {"kind": "surfaced", "subject": f"{session}\n{file}", "time": self._now(), "value": session})

    def surfaced(self, session: str) -> frozenset[str]:
        """Return the topics that a session was shown."""
        with self._store.reading() as tx:
            rows = tx.all("subjects_of_value", {"kind": "surfaced", "value": session})
            return frozenset(row["subject"].removeprefix(f"{session}\n") for row in rows)

    def note_opening(self, opening: str, session: str) -> int:
        """Remember how a session that a program drove opens (a hash); return how many sessions are known to open so."""
        self._add("opening", session, opening)
        with self._store.reading() as tx:
            row = tx.one("marks_of_value", {"kind": "opening", "value": opening})
            assert row is not None
            return int(row["marks"])

    def note_watermark(self, moment: float, config_home: str = "", older: Iterable[OlderSession] = ()) -> None:
        """Remember from when on sessions of a config home are the daemon's business, and what was there before, as one."""
        with self._store.writing() as tx:
            tx.run("put_mark", {"kind": "watermark", "subject": config_home, "time": moment, "value": ""})
            for session in older:
                _put_older(tx, session, moment)

    def watermark(self, config_home: str = "") -> float | None:
        mark = self._mark("watermark", config_home)
        return mark[0] if mark else None

    def note_night(self) -> None:
        """Remember that the nightly work was done now, so that it is caught up on after a restart."""
        with self._store.writing() as tx:
            tx.run("put_mark", {"kind": "night", "subject": "", "time": self._now(), "value": ""})

    def last_night(self) -> float | None:
        """Return when the nightly work was last done."""
        mark = self._mark("night", "")
        return mark[0] if mark else None

    def note_dream(self, memory_dir: str, value: str, moment: float | None = None) -> None:
        """Remember a consolidation: when it began (None: now) and what it left, as text of its own making."""
        self._put("dream", memory_dir, value, moment)

    def dream(self, memory_dir: str) -> tuple[float, str] | None:
        """Return when the last consolidation of a memory directory began and what was noted of it."""
        return self._mark("dream", memory_dir)

    def note_dreaming(self, memory_dir: str, value: str) -> None:
        """Remember that a consolidation is in hand and what is to be given back if it is killed; "" once it is over."""
        self._put("dreaming", memory_dir, value)

    def dreaming(self, memory_dir: str) -> str:
        """Return what a consolidation that was killed has to give back, "" if there is nothing."""
        mark = self._mark("dreaming", memory_dir)
        return mark[1] if mark else ""

    def note_damage(self, mended: Mended) -> None:
        """Remember that the ledger before this one was damaged. Without a copy all that was said until then counts as seen.

        What was spent since the copy is lost too: these days of the month count as days on which all was spent that may be.
        """
        subject, value = "" if mended.copy is None else "copy", f"{mended.aside}\n{mended.copy or ''}"
        with self._store.writing() as tx:
            tx.run("put_mark", {"kind": "damaged", "subject": subject, "time": mended.moment, "value": value})
            for day in days_since(made_on(mended.copy) if mended.copy else 0.0, mended.moment):
                tx.run("put_mark", {"kind": LOST_DAY, "subject": repr(day), "time": day, "value": ""})

    def damage(self) -> tuple[float, Mended] | None:
        """Return when a damaged ledger was last replaced, where it is, and which copy took its place."""
        marks = [mark for mark in (self._mark("damaged", ""), self._mark("damaged", "copy")) if mark]
        if not marks:
            return None
        moment, value = max(marks)
        aside, _, copy = value.partition("\n")
        return moment, Mended(Path(aside), Path(copy) if copy else None, moment)

    def seen_until(self) -> float | None:
        """Return until when everything counts as seen, since what was known of it is lost; None: nothing is lost."""
        mark = self._mark("damaged", "")
        return mark[0] if mark else None

    def note_older(self, session: OlderSession) -> None:
        """Remember that nothing of a transcript, as it is now, is the daemon's business."""
        with self._store.writing() as tx:
            _put_older(tx, session, self._now())

    def older_sessions(self) -> dict[str, OlderSession]:
        """Return what is not the daemon's business, by session id."""
        with self._store.reading() as tx:
            return {row["subject"]: _older(row["subject"], row["value"]) for row in tx.all("marks", {"kind": "older"})}

    def older_session(self, session: str) -> OlderSession | None:
        mark = self._mark("older", session)
        return _older(session, mark[1]) if mark else None

    def older_without_outcome(self) -> frozenset[str]:
        """Return those older sessions that no run has looked at."""
        with self._store.reading() as tx:
            return frozenset(row["subject"] for row in tx.all("older_without_outcome", {}))

    def _add(self, kind: str, subject: str, value: str) -> None:
        with self._store.writing() as tx:
            tx.run("add_mark", {"kind": kind, "subject": subject, "time": self._now(), "value": value})

    def _put(self, kind: str, subject: str, value: str, moment: float | None = None) -> None:
        with self._store.writing() as tx:
            tx.run("put_mark", {"kind": kind, "subject": subject, "time": self._now() if moment is None else moment, "value": value})

    def _mark(self, kind: str, subject: str) -> tuple[float, str] | None:
        with self._store.reading() as tx:
            row = tx.one("mark", {"kind": kind, "subject": subject})
            return (row["time"], row["value"]) if row else None


def _put_older(tx: Tx, older: OlderSession, moment: float) -> None:
    value = f"{older.offset} {older.inode} {older.size} {older.mtime_ns}"
    tx.run("put_mark", {"kind": "older", "subject": older.session, "time": moment, "value": value})


def _older(session: str, value: str) -> OlderSession:
    return OlderSession(session, *map(int, value.split()))
