"""Which sessions are the daemon's business, and from where on.

Owns: the watermark of its first start, and telling by a file's times and size that there is nothing new in it. Opens no
transcript. Leaves the rule within a session to ``extraction.horizon``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from extractord.claude_home import TranscriptFile, transcripts
from extractord.claude_home.transcript_files import Stamp, transcripts_in
from extractord.daemon.copied import copied
from extractord.extraction.horizon import Horizon
from extractord.ledger import OlderSession
from extractord.supervisor import Supervisor
from extractord.transcript.span import Reading

KEPT = 30 * 86400.0
"""Seconds for which the client keeps transcripts by default: a file that holds older records was put there, not written."""
REWRITTEN = -1
"""The offset of a session whose file was replaced since the first start: there only the records' times tell."""


class Business:
    """The business of a daemon on one config home."""

    def __init__(self, supervisor: Supervisor) -> None:
        """Set the watermark if this is the first start: all that is there now is known by name and size, and left alone."""
        self._ledger = supervisor.ledger
        self._config_home = supervisor.surroundings.config_home
        began = self._ledger.watermark(str(self._config_home))
        if began is None:
            began = supervisor.wall()
            there = [OlderSession.of(file, file.size) for file in transcripts(self._config_home)]
            self._ledger.note_watermark(began, str(self._config_home), there)
        self._began = began

    def changed(self) -> tuple[TranscriptFile, ...]:
        """Return the transcripts with something new or unfinished in them, the oldest first.

        Raises TranscriptError if the projects folder may not be read.
        """
        dealt_with, older = self._ledger.stamps(), self._ledger.older_sessions()
        newest: dict[str, TranscriptFile] = {}  # of copies of one session the newest counts
        for file in transcripts(self._config_home):
            if file.session not in newest or newest[file.session].mtime_ns < file.mtime_ns:
                newest[file.session] = file
        new = [file for file in newest.values() if not _is_unchanged(file, dealt_with, older)]
        return tuple(sorted(new, key=lambda file: file.mtime_ns))

    def is_unchanged(self, file: TranscriptFile) -> bool:
        """Whether nothing in a transcript is new since it was last dealt with."""
        mark = self._ledger.older_session(file.session)
        return _is_unchanged(file, self._ledger.stamps(file.session), {file.session: mark} if mark else {})

    def horizon(self, file: TranscriptFile) -> Horizon:
        """Return where the business begins in a transcript, as far as its file tells.

        All that is appended to a file after the first start counts, whatever time it bears (but see ``KEPT``).
        """
        offset = self._offset(file)
        return Horizon(self._began) if offset == REWRITTEN else Horizon(self._began - KEPT, offset)

    def horizon_of_fork(self, file: TranscriptFile, reading: Reading) -> Horizon:
        """Return the same for a transcript that was just read: what it repeats of older ones is older too."""
        known = self._ledger.older_sessions()
        beside = transcripts_in(file.path.parent)
        older = [other.path for other in beside if other.session in known and other.session != file.session]
        return replace(self.horizon(file), copied=copied(reading, self._began, older))

    def leave(self, file: TranscriptFile) -> None:
        """Remember that all that is open in a transcript, as it was just read, is older than the business."""
        self._ledger.note_older(OlderSession.of(file, self._offset(file)))

    def _offset(self, file: TranscriptFile) -> int:
        """Return where in a file the business may begin, ``REWRITTEN`` where the file is not the one that was there."""
        mark = self._ledger.older_session(file.session)
        if mark is None:
            return file.size if file.mtime_ns / 1e9 <= self._began else 0  # put back from a backup, with its times
        return mark.offset if mark.inode == file.inode and mark.offset <= file.size else REWRITTEN


def _is_unchanged(file: TranscriptFile, dealt_with: Mapping[str, Stamp | None], older: Mapping[str, OlderSession]) -> bool:
    mark = older.get(file.session)
    return dealt_with.get(file.session) == file.stamp or (mark is not None and mark.is_unchanged(file))
