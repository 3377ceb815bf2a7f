"""What install and uninstall do, as values.

Owns: the kinds of steps and how each is told. Leaves which are taken to ``plan``, doing them to ``carrying_out``.
"""

from __future__ import annotations

import enum
import shlex
from dataclasses import dataclass
from pathlib import Path

from extractord.errors import ExtractordError


class ServiceError(ExtractordError):
    """The user service cannot be set up or asked."""


class OnFailure(enum.Enum):
    """What follows where a command fails."""

    STOP = "stop"
    GO_ON = "go on"  # what it was to undo may not be there any more


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Replace a file by ``text``; the folders above it are made."""

    path: Path
    text: str

    def __str__(self) -> str:
        return f"write {self.path}"


@dataclass(frozen=True, slots=True)
class MakeFolder:
    """Make a private folder (0700) if it is missing."""

    path: Path

    def __str__(self) -> str:
        return f"make {self.path}"


@dataclass(frozen=True, slots=True)
class RemoveFile:
    """Remove a file or link; one that is gone already is fine."""

    path: Path

    def __str__(self) -> str:
        return f"remove {self.path}"


@dataclass(frozen=True, slots=True)
class Run:
    """Run a command of the system; ``hint`` is what to do where it fails."""

    argv: tuple[str, ...]
    on_failure: OnFailure = OnFailure.STOP
    hint: str = ""

    def __str__(self) -> str:
        return f"run {shlex.join(self.argv)}"


@dataclass(frozen=True, slots=True)
class AwaitDaemon:
    """Wait until a daemon runs on the state folder, for a supervisor that cannot be told when it is ready."""

    state: Path
    seconds: float
    hint: str = ""

    def __str__(self) -> str:
        return "wait until it runs"


Step = WriteFile | MakeFolder | RemoveFile | Run | AwaitDaemon


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps in their order, and what a person is to know."""

    steps: tuple[Step, ...]
    remarks: tuple[str, ...] = ()
