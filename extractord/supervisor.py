"""What a supervising process works with.

Owns: the one record that a daemon or a ``once`` run hands down: ledger, configuration, places and clock. Leaves all
decisions to the modules that take it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from extractord.agent.model_line import ModelLine
from extractord.claude_home import MemoryHome, Surroundings, memory_home
from extractord.config import Config, Locations, rule_for
from extractord.ledger import Ledger
from extractord.memory.directory import MemoryDirectory, Step, no_step


@dataclass(frozen=True, slots=True)
class Shadow:
    """Copies of memory directories, each made when it is first asked for."""

    folder: Path

    def of(self, path: Path) -> Path:
        copy = self.folder / hashlib.sha256(os.fsencode(path)).hexdigest()[:24]
        if not copy.exists() and path.is_dir():
            shutil.copytree(path, copy, symlinks=True)
        return copy


class SessionClock:
    """``--now session``: each stretch is dealt with as if at its own end."""

    def at(self, ended: float) -> datetime:
        return datetime.fromtimestamp(ended, UTC).astimezone()


@dataclass(frozen=True, slots=True)
class FixedClock:
    """``--now ISO``: one moment for all stretches."""

    moment: datetime

    def at(self, ended: float) -> datetime:  # noqa: ARG002 - the protocol's argument
        return self.moment


class WallClock:
    """The machine's clock."""

    def at(self, ended: float) -> datetime:  # noqa: ARG002 - the protocol's argument
        return datetime.now().astimezone()


Clock = SessionClock | FixedClock | WallClock
"""Says what counts as now for past dates and ages, given the end of the stretch (seconds since the epoch)."""


@dataclass(frozen=True, slots=True)
class Supervisor:
    """The daemon or a ``once`` process: all that its units of work need."""

    ledger: Ledger
    config: Config
    surroundings: Surroundings
    locations: Locations
    clock: Clock = field(default_factory=WallClock)
    wall: Callable[[], float] = time.time
    shadow: Shadow | None = None  # set for a dry run: memory directories are copies
    models: ModelLine = field(default_factory=ModelLine)
    spending: Ledger | None = None  # what pays for models, where that is another ledger: a dry run spends real money
    step: Step = no_step  # called before each change of a memory directory; tests end the process there

    def home_of(self, cwd: str) -> MemoryHome:
        """Return where the memory of a session that began in ``cwd`` lies, also when that folder is gone."""
        return memory_home(cwd, self.surroundings, seen=self.ledger.root_seen)

    def team_remote(self, project_root: str) -> str | None:
        """Return the git remote with which a project's team memory is shared, None if it has none."""
        return rule_for(project_root, self.config, self.surroundings.home).team

    def directory(self, path: Path) -> MemoryDirectory:
        """Return the memory directory at ``path``, or its copy in a dry run."""
        return MemoryDirectory(self.shadow.of(path) if self.shadow else path, self.locations.state, step=self.step)


@contextmanager
def dry(
    real: Locations, config: Config, surroundings: Surroundings, clock: Clock, *, spending: Ledger | None = None
) -> Iterator[Supervisor]:
    """Open a supervisor for a dry run: the same work, on copies in a temporary folder and a ledger in memory.

    ``spending`` is the real ledger where models are asked: what they cost is recorded there, and counts.
    """
    with tempfile.TemporaryDirectory(prefix="extractord-dry-") as folder, closing(ModelLine()) as models:
        locations = Locations(real.config_file, Path(folder) / "state", real.credentials)
        with Ledger.in_memory(real.state) as ledger:
            shadow = Shadow(Path(folder) / "memory")
            yield Supervisor(ledger, config, surroundings, locations, clock, shadow=shadow, models=models, spending=spending)
