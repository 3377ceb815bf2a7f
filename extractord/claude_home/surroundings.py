"""What the client would find around it: variables, home, platform.

Owns: the places of the config home, ``.claude.json`` and the managed settings. Leaves reading them to ``settings``.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import msgspec

_POLICY_FOLDERS = {
    "darwin": Path("/Library/Application Support/ClaudeCode"),
    "win32": Path("C:/Program Files/ClaudeCode"),
}
_POLICY_FOLDER = Path("/etc/claude-code")


class Surroundings(msgspec.Struct, frozen=True):
    """The environment that places and switches are read from; passed in, so that nothing below reads the process by itself."""

    environ: Mapping[str, str]
    home: Path
    platform: str = sys.platform
    policy: Path | None = None  # where managed settings lie instead of the platform's place

    @classmethod
    def of_process(cls) -> Surroundings:
        """Return those of this process (``HOME`` decides, as it does for the client)."""
        home = os.environ.get("HOME", "")
        return cls(environ=dict(os.environ), home=Path(home) if home else Path.home())

    @property
    def config_home(self) -> Path:
        """``CLAUDE_CONFIG_DIR`` in NFC (facts §0.5; a trailing slash goes), else ``~/.claude``."""
        if named := self.environ.get("CLAUDE_CONFIG_DIR"):
            return Path(unicodedata.normalize("NFC", named)).absolute()
        return prefer_existing(self.home / ".claude")

    @property
    def state_file(self) -> Path:
        """The client's ``.claude.json``: inside a named config home, else beside the ordinary one (facts §1)."""
        folder = self.config_home if self.environ.get("CLAUDE_CONFIG_DIR") else self.home
        return folder / ".claude.json"

    @property
    def policy_folder(self) -> Path:
        """Where an organisation's managed settings lie."""
        return self.policy or _POLICY_FOLDERS.get(self.platform, _POLICY_FOLDER)


def prefer_existing(path: Path) -> Path:
    """Return the NFC twin of ``path`` if that is the one on disk (some builds of the client normalise), else ``path``."""
    composed = Path(unicodedata.normalize("NFC", str(path)))
    return composed if composed != path and not resolved(path) and resolved(composed) else path


def resolved(path: Path) -> Path | None:
    """Return the real path of something that exists; None for what is missing, looping, unreadable or no path at all."""
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):  # a loop is a RuntimeError before Python 3.13, NUL and lone surrogates are ValueErrors
        return None
