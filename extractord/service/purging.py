"""Removing our own files for good: the state folder, the configuration, the credentials. Never memory.

Owns: which names in the state folder are ours (the folder may be shared with others' files), and that texts of others which
were saved there are not lost. Leaves the question to the command line.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from extractord.config import Locations
from extractord.service.steps import ServiceError

_NAMES = frozenset({"copies", "backups", "locks", "kept", "prompts", "run", "status.json", "team"})
_BEGINNINGS = ("ledger.", "daemon.", ".status.json.")
KEPT = "kept"  # what somebody wrote at the moment of an exchange, until it is in memory again


@dataclass(frozen=True, slots=True)
class Purge:
    """What is removed, and what is left and why."""

    removed: tuple[Path, ...]
    left: tuple[str, ...]


def purge_plan(locations: Locations) -> Purge:
    """Return what would be removed; nothing is done."""
    ours = _ours(locations.state)
    texts = [place for place in ours if _holds_texts(place)]
    removed = [place for place in ours if place not in texts]
    left = [f"{place}: holds texts that were in memory and are not yet back in it" for place in texts]
    left += [f"{place}: not ours" for place in _entries(locations.state) if place not in ours]
    removed += [place for place in (locations.config_file, locations.credentials) if place.is_file()]
    return Purge(tuple(removed), tuple(left))


def purge(plan: Purge, locations: Locations) -> None:
    """Remove what the plan names, and the folders that are empty then. Raises ServiceError for what cannot be removed."""
    for place in plan.removed:
        try:
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
        except OSError as error:
            raise ServiceError(f"{place} cannot be removed: {error.strerror or error}", hint="Remove it by hand.") from error
    for folder in dict.fromkeys((locations.state, locations.config_file.parent, locations.credentials.parent)):
        if folder == locations.state or folder.name == "extractord":
            _remove_if_empty(folder)


def _ours(state: Path) -> tuple[Path, ...]:
    return tuple(place for place in _entries(state) if place.name in _NAMES or place.name.startswith(_BEGINNINGS))


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return


def _holds_texts(place: Path) -> bool:
    return place.name == KEPT and any(below.is_file() for below in place.rglob("*"))


def _remove_if_empty(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
        folder.rmdir()
