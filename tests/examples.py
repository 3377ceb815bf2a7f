"""The examples in README and in the commands' help, and a home in which each of them has something to say.

Owns: finding them, and what stands for the names that examples use (an id, a topic, a transcript). Leaves what must come out to
``test_readme``.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from extractord.cli.commands import root
from tests.command import COMMAND_SECONDS
from tests.homes import Home
from tests.stand_ins import StandIns, console_script
from tests.teams import remote

README = Path(__file__).parent.parent / "README.md"
SAID = (
    "Don't mock the database in integration tests, we got burned when the migration failed in prod.",
    "Please remember: the old staging server is reset every night at two.",
)
_CLIENT = '#!/bin/sh\n[ "$1" = --version ] && echo "2.1.332 (Claude Code)" || exit 9\n'
_SPAN = re.compile(r"`(extractord [^`]+)`")
_EXAMPLES = re.compile(r"^ *Examples?: (.*?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)


def every_command() -> Iterator[tuple[str, click.Command]]:
    """Yield each command that help shows, by its whole name."""
    yield from _below("extractord", root)


def _below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            if not inner.hidden:
                yield from _below(f"{name} {inner.name}", inner)


def of_help(command: click.Command) -> tuple[str, ...]:
    """Return the examples in a command's help: one a line, a line that ends in a pipe goes on."""
    found = _EXAMPLES.search(command.help or "")
    lines = re.sub(r"\|\n\s+", "| ", found[1]).splitlines() if found else ()
    return tuple(line.strip() for line in lines if line.strip())


def blocks(language: str) -> tuple[str, ...]:
    """Return README's fenced blocks in a language."""
    return tuple(re.findall(rf"^```{language}\n(.*?)^```$", README.read_text("utf-8"), re.DOTALL | re.MULTILINE))


def of_readme() -> tuple[str, ...]:
    """Return README's commands of ours: lines of its shell blocks, and what stands in backquotes with an option or alone."""
    text = README.read_text("utf-8")
    lines = [line.partition(" #")[0].strip() for block in blocks("sh")[2:] for line in block.splitlines()]
    return tuple(dict.fromkeys([line for line in lines if line.startswith("extractord ")] + _SPAN.findall(text)))


class _PersonsHome(Home):
    """A home whose client keeps its files where it does by itself."""

    @property
    def config_home(self) -> Path:
        return self.root / ".claude"


@dataclass(frozen=True, slots=True)
class ExampleHome:
    """A home with memory, a changeset, one that waits, a client and stand-ins for the service manager; ``kept`` is how it was."""

    home: Home
    programs: Path

    @classmethod
    def at(cls, folder: Path) -> ExampleHome:
        home = _PersonsHome(folder / "home")
        (home.root / "bin").mkdir(parents=True)
        (home.root / "bin" / "claude").write_text(_CLIENT)
        (home.root / "bin" / "claude").chmod(0o755)
        StandIns.at(home.root / "stand-ins")
        made = cls(home, console_script(folder / "program").parent)
        home.project("secret-project")
        home.talk("shop", *SAID)
        made.run("extractord once --yes")
        home.talk("shop", "From now on always run the linter before you commit.", days_ago=1)
        (home.root / "review.toml").write_text('memory.write = "review"\n')
        made.run("EXTRACTORD_CONFIG=~/review.toml extractord once --yes")
        shared = remote(home.root)
        (home.root / "team.toml").write_text(f'[[project]]\nmatch = "~/work/shop"\nteam = "{shared}"\n')
        shutil.copytree(home.root, folder / "kept", symlinks=True)
        return made

    def as_before(self) -> ExampleHome:
        shutil.rmtree(self.home.root)
        shutil.copytree(self.home.root.parent / "kept", self.home.root, symlinks=True)
        return self

    def run(self, line: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a line of shell as its person would, in the project."""
        env = {**self.environ(), "SESSION": "5f0c2f5e-8d6b-4a3a-9a53-0d3f7a1d2c11"}
        shop = self.home.project("shop")
        return subprocess.run(
            ["bash", "-c", line], cwd=shop, env=env, input=stdin, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False
        )

    def environ(self) -> dict[str, str]:
        places = (self.home.root / "stand-ins", self.programs, self.home.root / "bin")
        return {"HOME": str(self.home.root), "LANG": "C.UTF-8", "PATH": os.pathsep.join([*map(str, places), os.defpath])}

    def filled(self, example: str) -> str:
        """Return an example with names of this home for those it uses."""
        memory = self.home.root / ".claude" / "projects"
        (topic,) = memory.glob("*/memory/feedback_*.md")
        transcript = shlex.quote(str(min(memory.glob("*/*.jsonl"))))
        names: dict[str, Callable[[], str]] = {
            "3f9k2a": lambda: self._id("review" if " review " in example else "log"),
            "~/.claude/projects/-home-sam-shop/0c9f….jsonl": lambda: transcript,
            "feedback_testing.md": lambda: topic.name,
            "off --cwd DIR": lambda: "off --cwd ~/work/shop",
            "inspect FILE": lambda: f"inspect {transcript}",
            "FILE": lambda: topic.name,
            "--session ID": lambda: '--session "$SESSION"',
            "undo ID": lambda: f"undo {self._id('log')}",
        }
        for name, meant in names.items():
            if name in example:
                example = example.replace(name, meant())
        return f"EXTRACTORD_CONFIG=~/team.toml {example}" if " team " in example else example

    def _id(self, command: str) -> str:
        oldest = self.run(f"extractord {command} --json").stdout.splitlines()[-1]
        return str(json.loads(oldest)["id"])
