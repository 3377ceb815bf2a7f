"""The one error tree.

Owns: what an error must tell (what happened, to which file, what to do now) and the exit status it ends a command with.
Leaves to the command line how it is printed; it is printed once, at the outside.
"""

from __future__ import annotations

import os
import traceback
from pathlib import Path


class ExtractordError(Exception):
    """Something went wrong that a person can act on.

    ``message`` says what happened and to which file, ``hint`` what to do now (one sentence, may be empty).
    """

    exit_status = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ExtractordError):
    """The command line or the configuration is wrong."""

    exit_status = 2


class TranscriptError(ExtractordError):
    """A transcript cannot be read."""


class MemoryDirectoryError(ExtractordError):
    """A memory directory cannot be read or written."""


class LedgerError(ExtractordError):
    """The ledger cannot be read or written, or was written by a newer version."""


class WorkerError(ExtractordError):
    """A worker died, hung, flooded or lied."""


class PostponedError(ExtractordError):
    """What was to be done has to wait for something that is nobody's fault: a budget, a login, a busy server.

    ``until`` is from when on another try makes sense (seconds since the epoch), None if nobody knows.
    """

    def __init__(self, message: str, *, hint: str = "", until: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.until = until


class StoppedError(PostponedError):
    """The same, and everything else that needs a model has to wait too: a run with a plan ends here."""


class NotConfinedError(StoppedError):
    """The kernel does not confine what the configuration asks it to confine."""


class RunEndedError(ExtractordError):
    """The run ends here; what was being worked on has no outcome and is open as before."""


class AbandonedError(RunEndedError):
    """The supervisor was told to stop and ended the worker."""


class OtherVersionError(RunEndedError):
    """The program on disk is not the one that runs: it was upgraded or removed underneath."""


class UnexpectedError(ExtractordError):
    """A fault of this program: an exception that nobody foresaw, told without the words that were being worked on."""

    @classmethod
    def of(cls, error: Exception) -> UnexpectedError:
        """Return ``error`` by kind and place: its own text may hold what was read."""
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if f"{os.sep}extractord{os.sep}" in frame.filename] or frames
        place = f" in {Path(ours[-1].filename).name}, line {ours[-1].lineno}" if ours else ""
        return cls(f"unexpected {type(error).__name__}{place}", hint="This is a fault of extractord; please report it.")


class BusyError(ExtractordError):
    """Another process holds what this one needs; trying again later is right."""


class ChangedMeanwhileError(ExtractordError):
    """What was to be changed is no longer what the change was based on."""
