"""The norms that people wrote for a project: what stands there is not saved again.

Owns: which files count (CLAUDE.md, AGENTS.md and their local forms from the session's folder upward) and their bounds.
Leaves the comparison to ``memory.checks``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from extractord.system.files import O_NONBLOCK, open_path
from extractord.transcript.records.events import LoadedText

NORM_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude/CLAUDE.md")
NORM_BYTES = 200_000  # a norm file is read up to here; the client warns about far smaller ones
INDEX_KIND = "AutoMem"  # a loaded text of this kind is memory itself, not a norm


def norms(cwd: Path, config_home: Path, loaded: tuple[LoadedText, ...]) -> tuple[str, ...]:
    """Return the texts of the norms that hold in ``cwd``: those on disk now and those the session had loaded."""
    texts = [text.content for text in loaded if text.kind != INDEX_KIND]
    texts += [text for path in _places(cwd, config_home) if (text := _read(path)) is not None]
    return tuple(dict.fromkeys(text for text in texts if text.strip()))


def _places(cwd: Path, config_home: Path) -> Iterator[Path]:
    for folder in (cwd, *cwd.parents):
        for name in NORM_FILES:
            yield folder / name
    yield config_home / "CLAUDE.md"


def _read(path: Path) -> str | None:
    """Return the text of a regular file, or None where there is none to read."""
    try:
        fd = open_path(path, os.O_RDONLY | O_NONBLOCK)
    except (OSError, ValueError):  # a ValueError for a NUL or half a character in the folder's name
        return None  # most of the places have no such file; one that cannot be read holds no norm for us
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        return file.read(NORM_BYTES).decode("utf-8", "replace")
