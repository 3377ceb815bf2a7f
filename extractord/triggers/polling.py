"""Noticing changes without events: all transcripts' names, sizes and times, compared with those of the look before.

Owns: the comparison. Opens no transcript. Leaves how often to ``clock``, and which files are transcripts to ``claude_home``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from extractord.claude_home import TranscriptFile, transcripts
from extractord.errors import TranscriptError

Mark = tuple[str, int, int, int]  # session, inode, size, mtime in ns


@dataclass(frozen=True, slots=True)
class Changed:
    """A session whose transcript is new or not as it was."""

    session: str
    path: Path


class Poller:
    """Compares each look with the one before; the first look is the yardstick and finds nothing."""

    def __init__(self, config_home: Path) -> None:
        self._config_home = config_home
        self._marks: frozenset[Mark] | None = None
        self.trouble = ""  # why the last look failed, for people

    @property
    def began(self) -> bool:
        """Whether there is a yardstick."""
        return self._marks is not None

    def look(self) -> tuple[Changed, ...]:
        """Return what changed since the last look."""
        try:
            files = list(transcripts(self._config_home))
        except TranscriptError as error:
            self.trouble = error.message
            return ()
        self.trouble = ""
        before, self._marks = self._marks, frozenset(map(mark_of, files))
        return () if before is None else tuple(changes(before, files))

    def forget(self) -> None:
        """Let the next look be the yardstick again."""
        self._marks = None


def mark_of(file: TranscriptFile) -> Mark:
    """Return what changes when a transcript does; its folder is not part of it, since the client moves files."""
    return (file.session, file.inode, file.size, file.mtime_ns)


def changes(before: frozenset[Mark], files: list[TranscriptFile]) -> Iterator[Changed]:
    """Yield the sessions that were not there or looked otherwise."""
    return (Changed(file.session, file.path) for file in files if mark_of(file) not in before)
