"""The transcripts of a config home, as files.

Owns: which files are transcripts (``projects/*/*.jsonl``, depth 2 only: below lie subagents' files and spilled outputs, facts §4).
Leaves their content to ``transcript``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from extractord.errors import TranscriptError
from extractord.system.files import entry_status

_SESSION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
# What sync tools and people make of a session's file keeps its id and adds to it: "<id> (1)", "<id>-laptop", "<id>.sync-conflict-…".
_LONGER_THAN_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}.+", re.IGNORECASE | re.DOTALL)
_SUBAGENT = "agent-"  # older clients kept subagents' files beside the transcripts


Stamp = tuple[int, int, int]
"""Inode, size in bytes, time of the last write in nanoseconds: a transcript that was written to bears another one."""


class TranscriptFile(msgspec.Struct, frozen=True):
    """One transcript as it lies there. The session's identity is its id, never the path: the client moves files."""

    session: str  # from the file's name
    place: str  # its path
    size: int  # bytes
    mtime_ns: int
    inode: int

    @property
    def path(self) -> Path:
        return Path(self.place)

    @property
    def stamp(self) -> Stamp:
        return (self.inode, self.size, self.mtime_ns)


def transcripts(config_home: Path) -> Iterator[TranscriptFile]:
    """Yield the transcripts of ``config_home`` in the order of their paths; none if it does not exist.

    Raises TranscriptError if ``projects`` is there and may not be read.
    """
    projects = config_home / "projects"
    try:
        folders = _entries(projects)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise TranscriptError(f"{projects} cannot be read: {error.strerror}", hint="Give yourself read access to it.") from error
    seen: set[tuple[int, int]] = set()  # a project folder reached twice over a link counts once
    for folder in folders:
        try:
            if not folder.is_dir():
                continue
            status = Path(folder.path).stat()
        except OSError:  # gone, or a link that loops
            continue
        if (status.st_dev, status.st_ino) not in seen:
            seen.add((status.st_dev, status.st_ino))
            yield from transcripts_in(Path(folder.path))


def is_session_name(stem: str) -> bool:
    """Whether a file's name without ``.jsonl`` is a session's id, rather than a conflict copy's or a subagent's."""
    return bool(_SESSION.fullmatch(stem)) and not _LONGER_THAN_ID.fullmatch(stem) and not stem.startswith(_SUBAGENT)


def transcripts_in(folder: Path) -> Iterator[TranscriptFile]:
    """Yield the transcripts of one project folder."""
    try:
        entries = _entries(folder)
    except OSError:  # removed since, or not ours to read: the other folders still count
        return
    for entry in entries:
        stem, dot, suffix = entry.name.rpartition(".")
        if not dot or suffix != "jsonl" or not is_session_name(stem):
            continue
        try:
            if not entry.is_file(follow_symlinks=False):
                continue
            status = entry_status(entry)
        except OSError:  # moved or removed since the folder was listed; the next look finds it
            continue
        yield TranscriptFile(stem, entry.path, status.st_size, status.st_mtime_ns, status.st_ino)


def _entries(folder: str | Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)
