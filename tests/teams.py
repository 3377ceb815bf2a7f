"""Homes that share team memory by a bare remote beside them, for tests.

Owns: laying them out, edits as people make them, syncing as a command that may be killed. Leaves what must hold to the tests.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.command import COMMAND_SECONDS, Answer, extractord
from tests.homes import Home

PROJECT = "shop"
# Runs one sync and ends the process, as kill -9 would, before the step of this number.
_KILLED = """
import os, signal, sys
from dataclasses import replace
from extractord.applying import recover
from extractord.cli import opening
from extractord.sharing.sync import sync
left = int(sys.argv[2])
def step(name):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
with opening.supervisor() as supervisor:
    supervisor = replace(supervisor, step=step)
    recover(supervisor)
    sync(supervisor, supervisor.home_of(sys.argv[1]))
"""


@dataclass(frozen=True, slots=True)
class Mate(Home):
    """One home whose project has team memory."""

    @property
    def team(self) -> Path:
        return self.memory(PROJECT) / "team"

    @property
    def cwd(self) -> Path:
        return self.root / "work" / PROJECT

    def sync(self, *options: str) -> Answer:
        """Run ``team sync`` to its end."""
        return extractord(self, "team", "sync", "--cwd", self.cwd, *options)

    def quick(self, steps: int = 1_000_000) -> int:
        """Run a sync without the wait for spares, killed before a step; return the status of the process."""
        argv = [sys.executable, "-c", _KILLED, str(self.cwd), str(steps)]
        done = subprocess.run(argv, env={**os.environ, **self.env()}, capture_output=True, timeout=COMMAND_SECONDS, check=False)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
        return done.returncode

    def killed_after(self, seconds: float) -> None:
        """Run the real command and kill it, git and all, after so long."""
        argv = [sys.executable, "-m", "extractord", "team", "sync", "--cwd", str(self.cwd)]
        child = subprocess.Popen(
            argv, env={**os.environ, **self.env()}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()

    def put(self, file: str, text: str) -> None:
        place = self.team / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def files(self) -> dict[str, bytes]:
        """Return team memory, and nothing else may lie there."""
        return {str(place.relative_to(self.team)): place.read_bytes() for place in sorted(self.team.rglob("*")) if place.is_file()}


def remote(root: Path) -> Path:
    place = root / "memory.git"
    subprocess.run(["git", "init", "-q", "--bare", str(place)], check=True)
    return place


def mates(root: Path, *names: str) -> tuple[Mate, ...]:
    """Return homes that share one new remote."""
    shared = remote(root)
    made = tuple(Mate(root / name) for name in names)
    for mate in made:
        mate.project(PROJECT)
        mate.config_home.mkdir(parents=True)
        mate.config(f'[[project]]\nmatch = "**/work/{PROJECT}"\nteam = "{shared}"\n')
    return made


def objects(shared: Path) -> bytes:
    """Return all that a repository holds, whatever refers to it."""
    return subprocess.run(
        ["git", f"--git-dir={shared}", "cat-file", "--batch-all-objects", "--batch"], check=True, capture_output=True
    ).stdout


class Editor:
    """Random edits by people: every line is one of its kind, and it is known which may have been taken out."""

    def __init__(self, chance: random.Random) -> None:
        self._chance, self._count = chance, 0
        self.written: set[str] = set()
        self.taken_out: set[str] = set()

    def edit(self, mate: Mate) -> None:
        """Change one file of a home: make it, add to it, change or take out a line, remove it, add prose to the index."""
        file = f"project_{self._chance.randrange(4)}.md"
        place = mate.team / file
        text = place.read_text(encoding="utf-8") if place.exists() else ""
        lines = text.splitlines()
        own = [number for number, line in enumerate(lines) if line.startswith("fact ")]
        match self._chance.randrange(8):
            case 0 if own:
                self.taken_out |= {lines[number] for number in own}
                place.unlink()
            case 1 if own:
                gone = self._chance.choice(own)
                self.taken_out.add(lines.pop(gone))
                mate.put(file, "\n".join(lines) + "\n")
            case 2 if own:
                changed = self._chance.choice(own)
                self.taken_out.add(lines[changed])
                lines[changed] = self._line()
                mate.put(file, "\n".join(lines) + "\n")
            case 3:
                index = mate.team / "MEMORY.md"
                mate.put("MEMORY.md", (index.read_text(encoding="utf-8") if index.exists() else "# Ours\n") + f"\n{self._line()}\n")
            case _ if text:
                lines.insert(self._chance.choice([number + 1 for number in own] or [len(lines)]), self._line())
                mate.put(file, "\n".join(lines) + "\n")
            case _:
                year = self._chance.choice([2016, 2026, 2036])  # clocks that are far apart
                stamp = f"{year}-03-0{self._chance.randrange(1, 9)}T10:00:00.000Z"
                header = f"---\nname: n{file[-4]}\ndescription: {file}\nmetadata:\n  type: project\n  modified: {stamp}\n---\n\n"
                mate.put(file, f"{header}{self._line()}\n")

    def _line(self) -> str:
        self._count += 1
        line = f"fact {self._count} of its own"
        self.written.add(line)
        return line
