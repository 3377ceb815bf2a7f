"""The configuration in force while the daemon runs.

Owns: reading it again when the file changes or somebody asks, and keeping the old one when the new one is wrong. Leaves its
meaning to ``config``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from extractord.config import Config, load
from extractord.errors import UsageError

Stamp = tuple[int, int, int] | None


class Settings:
    """Read once at the start (raises UsageError), then on ``refresh`` and ``reload``."""

    def __init__(self, file: Path, environ: Mapping[str, str]) -> None:
        self._file = file
        self._environ = environ
        self._stamp = _stamp(file)
        self.config = load(file, environ)
        self.problem = ""
        """Why the file as it is now was refused; "" if it is in force."""

    def refresh(self) -> bool:
        """Read the file again if it changed since; return whether it did."""
        changed = _stamp(self._file) != self._stamp
        if changed:
            self.reload()
        return changed

    def reload(self) -> Config:
        """Read the file again and return what is in force now: the old configuration if the new one is refused."""
        self._stamp = _stamp(self._file)
        try:
            self.config, self.problem = load(self._file, self._environ), ""
        except UsageError as error:
            self.problem = error.message
        return self.config


def _stamp(file: Path) -> Stamp:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def switches(config: Config) -> tuple[object, ...]:
    """Return what decides whether a project is extracted at all."""
    return config.off, config.project, config.exclude
