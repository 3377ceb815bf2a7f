"""Who may read our files.

Owns: finding what is open to others (folders 0700, files 0600), and closing it. Links are never followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from extractord.doctor.finding import Visit
from extractord.errors import ExtractordError
from extractord.system.files import O_NOFOLLOW, O_NONBLOCK, open_path, set_mode

FOLDER, FILE = 0o700, 0o600
_READ, _WRITE = 0o077, 0o022  # what others must not have: any access, or the right to change


def open_to_others(visit: Visit) -> Iterator[Path]:
    """Yield what others may look into: state folder, what is in it, credentials; and a configuration that they may write.

    The configuration holds no secret, and editors make files 0644; but who writes it could send digests elsewhere.
    """
    for place, forbidden in _places(visit):
        mode = place.lstat().st_mode
        if (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) and mode & forbidden:
            yield place


def correct(visit: Visit) -> Iterator[str]:
    """Close what is open to others, and yield what was done. Raises ExtractordError for what is not ours to change."""
    for place in list(open_to_others(visit)):
        mode = FOLDER if place.is_dir() else FILE
        try:
            fd = open_path(place, os.O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            try:
                set_mode(fd, mode)
            finally:
                os.close(fd)
        except OSError as error:
            hint = f"Whoever owns it types `chmod {mode:o}`."
            raise ExtractordError(f"the mode of {place} cannot be changed: {error.strerror}", hint=hint) from error
        yield f"{place} is now {mode:04o}"


def _places(visit: Visit) -> Iterator[tuple[Path, int]]:
    state = visit.locations.state
    if state.is_dir():
        yield state.resolve(), _READ
        for folder, folders, files in os.walk(state.resolve()):
            yield from ((Path(folder) / name, _READ) for name in (*folders, *files))
    for place, forbidden in ((visit.locations.config_file, _WRITE), (visit.locations.credentials, _READ)):
        if place.is_file():
            yield place.resolve(), forbidden
