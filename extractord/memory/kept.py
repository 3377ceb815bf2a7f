"""Copies of texts that somebody else wrote at the very moment at which we exchanged a file.

Owns: keeping them in the state folder from that moment until it is certain that their words are in the memory directory.
Leaves bringing them in to ``settling``.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from extractord.durable import make_private_folder, write_atomically


class Kept:
    """The copies that belong to one spare."""

    def __init__(self, folder: Path, spare: str) -> None:
        self._folder = folder
        self._name = f"{spare.replace('/', '-').lstrip('.')}-"

    def keep(self, text: bytes | None) -> None:
        """Keep a text; None is what cannot be read as one."""
        if text:
            make_private_folder(self._folder)
            write_atomically(self._folder / (self._name + hashlib.sha256(text).hexdigest()[:16]), text)

    def texts(self) -> tuple[bytes, ...]:
        return tuple(place.read_bytes() for place in self.places())

    def places(self) -> tuple[Path, ...]:
        return tuple(sorted(self._folder.glob(f"{self._name}*"))) if self._folder.is_dir() else ()

    def times(self) -> tuple[float, ...]:
        """When they were kept, in seconds since the epoch."""
        return tuple(place.stat().st_mtime for place in self.places())

    def drop(self) -> None:
        """Forget the texts: their words are where they belong."""
        for place in self.places():
            place.unlink(missing_ok=True)
