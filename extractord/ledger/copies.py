"""Daily copies of the ledger.

Owns: the folder ``copies`` beside the ledger, when a copy is due, how many are kept. Leaves putting one back to the person
(the hint of ``LedgerDamagedError``) and to ``doctor``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from extractord.durable import FileLock
from extractord.errors import BusyError, LedgerError
from extractord.ledger.store import Store
from extractord.system.files import open_path, sync_folder

KEPT = 3
FOLDER = "copies"
LOCK = "locks/copies.lock"
_NAME = "ledger-%Y%m%d.sqlite"


def copies(state: Path) -> tuple[Path, ...]:
    """Return the copies, newest first."""
    return tuple(sorted((state / FOLDER).glob("ledger-????????.sqlite"), reverse=True))


def made_on(copy: Path) -> float:
    """Return when the local day began on which a copy was made."""
    return time.mktime((*time.strptime(copy.name, _NAME)[:3], 0, 0, 0, 0, 0, -1))


def copy_daily(store: Store, now: Callable[[], float]) -> Path | None:
    """Make today's copy if there is none, drop all but the newest ``KEPT``, and return the new one."""
    if store.path is None:
        return None
    state = store.path.parent
    name = time.strftime(_NAME, time.localtime(now()))
    made = state / FOLDER / name
    if made.exists():
        return None
    try:
        made.parent.mkdir(mode=0o700, exist_ok=True)
        with FileLock(state / LOCK).hold():
            if made.exists():
                return None
            _copy(store, made)
            for old in copies(state)[KEPT:]:
                old.unlink()
    except BusyError:
        return None  # another process copies at this moment
    except OSError as error:
        raise LedgerError(f"no copy of the ledger could be made as {made}: {error.strerror}", hint="free some space there") from error
    return made


def _copy(store: Store, made: Path) -> None:
    draft = made.with_suffix(".new")
    draft.unlink(missing_ok=True)  # of a process that was killed
    os.close(open_path(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        store.copy_to(draft)
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        draft.rename(made)
        sync_folder(made.parent)
    finally:
        draft.unlink(missing_ok=True)
