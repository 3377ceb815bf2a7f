"""README and help promise what is true: their examples run, their configuration is right, and the picture shows what commands say."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import click
import pytest

from extractord.config import parse
from tests.examples import ExampleHome, blocks, every_command, of_help, of_readme
from tests.picture import PICTURE, drawn, recorded, words

COMMANDS = dict(every_command())
EXAMPLES = tuple(dict.fromkeys([line for command in COMMANDS.values() for line in of_help(command)] + list(of_readme())))
STAYS = "extractord run"
HOOK = json.dumps({"session_id": "5f0c2f5e", "cwd": "{cwd}", "prompt": "how do we test the database?", "hook_event_name": "SessionStart"})
NOT_KEPT = "temporary folder"  # why `install` refuses a program that lies where the tests' does


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> ExampleHome:
    return ExampleHome.at(tmp_path_factory.mktemp("examples"))


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one != STAYS])
def test_each_example_runs(example: str, examples: ExampleHome) -> None:
    """Each example of README and help does what it is there for, in a home that has what it names."""
    home = examples.as_before()
    stdin = HOOK.replace("{cwd}", str(home.home.project("shop"))) if " hook " in example else ""
    done = home.run(home.filled(example), stdin)
    told = done.stdout + done.stderr
    assert done.returncode == 0 or (example == "extractord install" and NOT_KEPT in told), told
    assert told.strip() or example.endswith("user-prompt"), "an example shows something"


def test_the_daemon_of_the_example_runs_until_it_is_interrupted(examples: ExampleHome) -> None:
    """`extractord run` stays, `status` says so, and Ctrl-C ends it with success."""
    home = examples.as_before()
    child = subprocess.Popen([str(home.programs / "extractord"), "run"], env=home.environ(), stderr=subprocess.PIPE)
    try:
        began = time.monotonic()
        while not json.loads(home.run("extractord status --json").stdout)["running"] and time.monotonic() - began < 60:
            time.sleep(0.2)
        os.kill(child.pid, signal.SIGINT)
        assert child.wait(60) in (0, 130)
    finally:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if not isinstance(command, click.Group)])
def test_each_command_teaches(name: str) -> None:
    """Each command's help has a first sentence, a word for each option, and an example that calls it."""
    command = COMMANDS[name]
    assert re.match(r"[A-Z][^\n]+", command.help or "")
    assert [option.name for option in command.params if isinstance(option, click.Option) and not option.help] == []
    assert any(name in example for example in of_help(command)), "an example that calls it"


def test_configuration_in_the_readme_is_right(tmp_path: Path) -> None:
    """README's TOML is a configuration of ours, and its hooks are JSON that calls hooks there are."""
    for block in blocks("toml"):
        parse(block, tmp_path / "config.toml")
    called = set()
    for block in blocks("json"):
        called |= set(re.findall(r"extractord [^\"]*", json.dumps(json.loads(block))))
    assert called == {name for name in COMMANDS if name.startswith("extractord hook ")}


def test_the_quick_start_comes_first() -> None:
    """The first two shell blocks are those of the Quick start: the demo, then the tests."""
    demo, tests = blocks("sh")[:2]
    assert demo.strip().endswith("extractord demo")
    assert tests.strip().endswith("pytest")


def test_the_picture_shows_what_the_commands_say() -> None:
    """The commands in the picture still answer so; `python -m tests.picture` draws it anew."""
    assert words(PICTURE.read_text("utf-8")) == words(drawn(recorded()))


def test_the_picture_asks_no_server() -> None:
    """Who looks at the picture fetches nothing: it names no address but those of the form and its maker."""
    addresses = PICTURE.read_text("utf-8").split("http")[1:]
    assert all(address.startswith(("://www.w3.org/", "s://www.textualize.io")) for address in addresses)


def test_a_topic_is_named_by_its_path_from_here(examples: ExampleHome) -> None:
    """A path from the folder one stands in means the same topic as its name; one that does not exist is refused with a way out."""
    home = examples.as_before()
    by_name = home.run(home.filled("extractord why feedback_testing.md"))
    memory = home.run("extractord memory-dir").stdout.strip()
    by_path = home.run(f"cd {memory}/.. && {home.filled('extractord why memory/feedback_testing.md')}")
    assert (by_path.returncode, by_path.stdout) == (0, by_name.stdout)
    nothing = home.run("extractord why nowhere.md")
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "memory-dir" in nothing.stderr
