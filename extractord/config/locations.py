"""Where our own files lie, and that only their owner reads them.

Owns: the places (CONTRACTS, "Relocation") and the modes 0600 and 0700. Leaves what is in them to their owners.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from extractord.durable import make_private_folder, write_atomically

_NAME = "extractord"


class Locations(msgspec.Struct, frozen=True):
    """The three places that are ours."""

    config_file: Path
    state: Path  # folder: ledger, locks, backups
    credentials: Path  # ``NAME=value`` lines, given to the model process only

    @property
    def run(self) -> Path:
        """Folder in which our own runs of a client take place: whatever ran in it is ours (DESIGN §5)."""
        return self.state / "run"

    @classmethod
    def of_process(cls) -> Locations:
        """Return the places of this process."""
        return cls.of(os.environ)

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Locations:
        """Return the places that ``environ`` names, else the platform's."""
        return cls(
            config_file=_named(environ, "EXTRACTORD_CONFIG") or _config_folder() / "config.toml",
            state=_named(environ, "EXTRACTORD_STATE_DIR") or _state_folder(),
            credentials=_named(environ, "EXTRACTORD_CREDENTIALS") or _config_folder() / "credentials",
        )


def write_private(path: Path, text: str) -> None:
    """Replace the file at ``path`` by ``text`` in one step (0600); a link is followed, so that dot files kept elsewhere stay linked."""
    target = path.resolve()
    make_private_folder(target.parent)
    write_atomically(target, text.encode("utf-8"))


def _named(environ: Mapping[str, str], name: str) -> Path | None:
    value = environ.get(name)
    return Path(value).absolute() if value else None


def _config_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_config_dir(_NAME, appauthor=False))


def _state_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_state_dir(_NAME, appauthor=False))
