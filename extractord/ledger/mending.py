"""What becomes of a ledger whose file is damaged: moved aside, never removed, and the newest sound copy put in its place.

Owns: the order of these steps, written down before the first, so that after a kill between any two the next one goes on. Leaves finding
the damage to ``opening`` and what follows for sessions where there was no copy to ``extraction``.
"""

from __future__ import annotations

import itertools
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec

from extractord.durable import write_atomically
from extractord.errors import LedgerError
from extractord.ledger.copies import copies
from extractord.ledger.store import connect
from extractord.system.files import sync_folder

DOUBT = "ledger.doubt"  # stands there from the moment damage was met until the file was checked, or what became of it was noted
_BESIDE = ("-wal", "-shm")


class Mended(msgspec.Struct, frozen=True):
    """A ledger was damaged: where its file is now, and which copy stands in its place (None: a new, empty one)."""

    aside: Path
    copy: Path | None
    moment: float = 0.0  # seconds since the epoch

    @property
    def told(self) -> str:
        """What happened, in a sentence for people."""
        place = f"{self.copy} is in its place" if self.copy else "there was no copy of it, so everything said until then counts as seen"
        return f"the ledger was damaged and lies in {self.aside} now; {place}"


def doubt(path: Path) -> None:
    """Have the ledger at ``path`` checked when it is opened the next time."""
    with suppress(OSError):  # on a disk that takes nothing the damage is met again
        (path.parent / DOUBT).touch(mode=0o600)


def no_doubt(state: Path) -> None:
    """The ledger is sound, and what became of a damaged one stands in it."""
    (state / DOUBT).unlink(missing_ok=True)


def mend(path: Path, now: float) -> Mended:
    """Move the damaged ledger at ``path`` aside and put the newest sound copy there; nobody else may have it open.

    Raises LedgerError where the folder cannot be written.
    """
    aside = _unused(path.with_name(time.strftime("ledger.damaged-%Y%m%d-%H%M%S.sqlite", time.localtime(now))))
    copy = next((one for one in copies(path.parent) if _is_sound(one)), None)
    mended = Mended(aside, copy, now)
    with _telling(path):
        if copy is not None:
            _copied(copy, _draft(path))
        write_atomically(path.with_name(DOUBT), f"{now!r}\n{aside.name}\n{copy or ''}".encode())
        _exchange(path, mended)
    return mended


def go_on(path: Path) -> Mended | None:
    """Finish what a killed process began to mend; None where nothing was begun. Nobody else may have the ledger open.

    Raises LedgerError as ``mend`` does.
    """
    with _telling(path):
        try:
            moment, aside, copy = path.with_name(DOUBT).read_text("utf-8").split("\n", 2)
        except (FileNotFoundError, ValueError):
            return None
        mended = Mended(path.with_name(aside), Path(copy) if copy else None, float(moment))
        _exchange(path, mended)
        return mended


def _exchange(path: Path, mended: Mended) -> None:
    """Move the damaged file aside and what takes its place to it, as far as that is not done."""
    if not mended.aside.exists():
        for suffix in _BESIDE:  # before the other file stands there: its log would be played into it
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(mended.aside.with_name(mended.aside.name + suffix))
        path.rename(mended.aside)
    if mended.copy is not None:
        with suppress(FileNotFoundError):  # it stands there already
            _draft(path).rename(path)
    sync_folder(path.parent)


def _unused(place: Path) -> Path:
    names = itertools.chain([place], (place.with_stem(f"{place.stem}-{number}") for number in itertools.count(2)))
    return next(name for name in names if not name.exists())


def _draft(path: Path) -> Path:
    return path.with_name("ledger.mending")


def _copied(copy: Path, draft: Path) -> None:
    import shutil

    shutil.copyfile(copy, draft)
    draft.chmod(0o600)
    with draft.open("rb+") as file:
        os.fsync(file.fileno())


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = f"move it aside and put the newest file of {path.parent / 'copies'} in its place"
        raise LedgerError(f"the ledger {path} is damaged and cannot be moved aside: {error.strerror or error}", hint=hint) from error


def _is_sound(copy: Path) -> bool:
    try:
        with closing(connect(f"{copy.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok" and db.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error:
        return False
