"""What becomes of a ledger whose file is damaged: moved aside, never removed, and the newest sound copy put in its place.

Owns: the order of these steps, so that a kill between any two leaves a ledger that is looked at again. Leaves finding the damage to
``opening`` and what follows for sessions where there was no copy to ``extraction``.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from extractord.durable import sync_folder
from extractord.errors import LedgerError
from extractord.ledger.copies import copies
from extractord.ledger.store import connect

DOUBT = "ledger.doubt"  # stands there from the moment damage was met until the file was checked
_BESIDE = ("-wal", "-shm")


class Mended(msgspec.Struct, frozen=True):
    """A ledger was damaged: where its file is now, and which copy stands in its place (None: a new, empty one)."""

    aside: Path
    copy: Path | None

    @property
    def told(self) -> str:
        """What happened, in a sentence for people."""
        place = f"{self.copy} is in its place" if self.copy else "there was no copy of it, so everything said until then counts as seen"
        return f"the ledger was damaged and lies in {self.aside} now; {place}"


def doubt(path: Path) -> None:
    """Have the ledger at ``path`` checked when it is opened the next time."""
    with suppress(OSError):  # on a disk that takes nothing the damage is met again
        (path.parent / DOUBT).touch(mode=0o600)


def mend(path: Path, now: float) -> Mended:
    """Move the damaged ledger at ``path`` aside and put the newest sound copy there; nobody else may have it open.

    Raises LedgerError where the folder cannot be written.
    """
    doubt(path)
    aside = path.with_name(time.strftime("ledger.damaged-%Y%m%d-%H%M%S.sqlite", time.localtime(now)))
    draft = path.with_name("ledger.mending")
    copy = next((one for one in copies(path.parent) if _is_sound(one)), None)
    try:
        if copy is not None:
            import shutil

            shutil.copyfile(copy, draft)
            draft.chmod(0o600)
            with draft.open("rb+") as file:
                os.fsync(file.fileno())
        for suffix in _BESIDE:  # before the other file stands there: its log would be played into it
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
        path.rename(aside)
        if copy is not None:
            draft.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        hint = f"move it aside and put the newest file of {path.parent / 'copies'} in its place"
        raise LedgerError(f"the ledger {path} is damaged and cannot be moved aside: {error.strerror or error}", hint=hint) from error
    return Mended(aside, copy)


def _is_sound(copy: Path) -> bool:
    try:
        with closing(connect(f"{copy.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok" and db.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error:
        return False
