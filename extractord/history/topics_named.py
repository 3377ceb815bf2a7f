"""Which topic a person means by a name on the command line.

Owns: reading ``FILE``, ``FILE:LINE`` and paths into a memory directory and a path in it. Leaves what is done with it to others.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from extractord.errors import UsageError
from extractord.supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class NamedTopic:
    """A topic, and perhaps one line of it (from 1)."""

    memory_dir: Path
    path: str  # relative, with /
    line: int | None = None


def topic_named(supervisor: Supervisor, name: str, cwd: str) -> NamedTopic:
    """Return the topic that ``name`` means: a path, whole or from here, into a memory directory; else a file of the project's memory."""
    file, colon, number = name.rpartition(":")
    line = int(number) if colon and number.isdigit() else None
    wanted = file if line is not None else name
    path = Path(wanted)
    if not path.is_absolute():
        here = Path(os.path.normpath(Path.cwd() / path))
        if len(path.parts) == 1 or not here.is_file():
            return NamedTopic(supervisor.home_of(cwd).directory, wanted, line)
        path = here
    for known in sorted(supervisor.ledger.memory_dirs(), key=len, reverse=True):
        if path.is_relative_to(known):
            return NamedTopic(Path(known), path.relative_to(known).as_posix(), line)
    raise UsageError(f"{wanted} lies in no memory directory that extractord knows", hint="name it by its file name with --cwd PROJECT")
