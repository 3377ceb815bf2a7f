"""What the service is to run, and with which places.

Owns: which variables of the shell go into the unit. Never a key: what holds one stands in the credentials file.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from extractord.errors import UsageError

# Places: relative ones are read against the folder of the install, not that of the service.
PLACES = ("CLAUDE_CONFIG_DIR", "EXTRACTORD_CONFIG", "EXTRACTORD_STATE_DIR", "EXTRACTORD_CREDENTIALS", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
# What else decides whether and where there is memory (``claude_home``): the client sees it in the person's shell, and so must we.
WORDS = (
    "EXTRACTORD_BACKEND",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_REMOTE",
    "CLAUDE_CODE_REMOTE_MEMORY_DIR",
    "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE",
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The service as it is to be."""

    executable: Path  # absolute
    environment: tuple[tuple[str, str], ...]
    state: Path
    version: str


def carried_over(environ: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the variables of ``environ`` that the service needs to work on the same places. Raises UsageError for one no unit can hold."""
    return tuple(_carried(environ))


def _carried(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in (*PLACES, *WORDS):
        value = environ.get(name)
        if not value:
            continue
        if any(unicodedata.category(character) in ("Cc", "Cs") for character in value):
            raise UsageError(f"{name} holds a character that no service file can hold", hint="Name another place.")
        yield name, str(Path(value).absolute()) if name in PLACES else value
