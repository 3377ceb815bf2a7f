"""A copy of a memory directory as it was before we first changed it.

Owns: its place and form in the state folder. Leaves when to make it to the callers.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from pathlib import Path

from extractord.durable import make_private_folder, write_atomically
from extractord.errors import MemoryDirectoryError

BACKUP_BYTES = 100_000_000  # of files; a memory directory is far smaller


def key_of(directory: Path) -> str:
    """Return the name under which a memory directory is known in the state folder: a hash of its real path."""
    return hashlib.sha256(os.fsencode(os.path.realpath(directory))).hexdigest()[:24]


def backup(directory: Path, state: Path) -> Path | None:
    """Copy ``directory`` to ``state/backups/<key>.tar.gz`` (0600), once: an older copy stays. Return its place.

    None if the directory is not there: there is nothing to bring back then. Raises MemoryDirectoryError.
    """
    real = Path(os.path.realpath(directory))
    place = state / "backups" / f"{key_of(real)}.tar.gz"
    if place.exists():
        return place
    if not real.is_dir():
        return None
    try:
        make_private_folder(place.parent)
        write_atomically(place, _packed(real), mode=0o600)
    except OSError as error:
        raise MemoryDirectoryError(
            f"{real} could not be copied to {place}: {error}", hint="Nothing was changed. Make room and try again."
        ) from error
    return place


def _packed(directory: Path) -> bytes:
    packed, total = io.BytesIO(), 0
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.add(directory, "memory", recursive=False)
        for folder, folders, files in os.walk(directory):
            folders.sort()
            for name in sorted([*folders, *files]):
                path = Path(folder) / name
                if not (path.is_symlink() or path.is_dir() or path.is_file()):
                    continue  # a pipe or socket would block, and holds nothing
                total += _added(archive, path, f"memory/{path.relative_to(directory)}")
                if total > BACKUP_BYTES:
                    raise MemoryDirectoryError(f"{directory} holds more than {BACKUP_BYTES} bytes", hint="Is it a memory directory?")
    return packed.getvalue()


def _added(archive: tarfile.TarFile, path: Path, name: str) -> int:
    """Add what lies at ``path`` as it is in one moment, and return its size: others may empty, fill or remove it meanwhile."""
    try:
        member = archive.gettarinfo(path, name)
        data = _content(path) if member.isreg() else b""
    except FileNotFoundError:
        return 0
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))
    return len(data)


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(BACKUP_BYTES + 1)
