"""Promises of ``off``, ``on``, ``exclude`` and ``[[project]]``: where a person said no, nothing is looked into."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import Answer, extractord
from tests.homes import SAYINGS, Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.talk("shop", SAYINGS[0])
    made.talk("site", SAYINGS[2])
    return made


def test_off_for_all_and_on_again(home: Home) -> None:
    """``off`` skips every session with a reason; ``on`` brings extraction back for what comes then."""
    assert extractord(home, "off").status == 0
    assert _outcomes(extractord(home, "once", "--json")) == ["skipped", "skipped"]
    assert home.memories() == {}
    assert all(row["reason"] for row in extractord(home, "sessions", "--json").lines)
    assert extractord(home, "on").status == 0
    home.talk("shop", SAYINGS[4], days_ago=2)
    assert _outcomes(extractord(home, "once", "--json")) == ["saved"]


def test_off_for_one_project_leaves_the_others(home: Home) -> None:
    """``off --cwd`` means the project of that folder, wherever in it one stands."""
    inside = home.project("shop") / "src" / "deep"
    inside.mkdir(parents=True)
    assert extractord(home, "off", "--cwd", inside).status == 0
    assert sorted(_outcomes(extractord(home, "once", "--json"))) == ["saved", "skipped"]
    assert list(home.memories()) == [home.memory("site").parent.name]
    assert extractord(home, "on", "--cwd", home.project("shop")).status == 0
    home.talk("shop", SAYINGS[4], days_ago=2)
    assert _outcomes(extractord(home, "once", "--json")) == ["saved"]


@pytest.mark.parametrize(
    "config",
    ['exclude = ["{root}/work/shop"]', 'exclude = ["**/shop"]', '[[project]]\nmatch = "{root}/work/sho*"\noff = true'],
    ids=["path", "glob", "project off"],
)
def test_an_excluded_project_is_skipped_with_the_reason(home: Home, config: str) -> None:
    """By path, by glob, or by a ``[[project]]`` that is off."""
    home.config(config.format(root=home.root) + "\n")
    answer = extractord(home, "once", "--json")
    skipped = [line for line in answer.lines if line.get("outcome") == "skipped"]
    assert [line["memory_dir"] for line in skipped] == [str(home.memory("shop"))]
    assert skipped[0]["reason"]
    assert list(home.memories()) == [home.memory("site").parent.name]


def test_what_was_saved_before_can_be_forgotten_later(home: Home) -> None:
    """Switching a project off, or excluding it, keeps its memory and offers to remove it; the offer does so."""
    extractord(home, "once", "--json")
    shop = home.project("shop")
    offered = extractord(home, "off", "--cwd", shop)
    assert f"extractord forget --project {shop}" in offered.stderr
    home.config(f'exclude = ["{shop}"]\n')
    found = {line["check"]: line for line in extractord(home, "doctor", "--json").lines}
    assert (found["left alone"]["ok"], f"forget --project {shop}" in found["left alone"]["fix"]) == (True, True)
    assert extractord(home, "forget", "--project", shop, "--yes").status == 0
    assert [*home.memory("shop").glob("[!M]*.md")] == []
    assert home.memory("site").exists()
    assert "left alone" not in {line["check"] for line in extractord(home, "doctor", "--json").lines}
    assert "forget" not in extractord(home, "off", "--cwd", shop).stderr


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ("", "nothing: sessions are read"),
        ('backend = "anthropic"\n', "to api.anthropic.com: what was typed"),
        ('backend = "anthropic"\nbase_url = "http://127.0.0.1:9"\n', "127.0.0.1 is this machine"),
        ('backend = "claude-code"\n', "your own Claude Code"),
        ('[[project]]\nmatch = "~/work"\nbackend = "anthropic"\n', "for ~/work: to api.anthropic.com"),
    ],
    ids=["offline", "vendor", "loopback", "client", "one project"],
)
def test_doctor_tells_what_leaves_the_machine(home: Home, config: str, told: str) -> None:
    """To whom, and what: for each backend and each project that has another."""
    home.config(config)
    found = {line["check"]: line for line in extractord(home, "doctor", "--json").lines}
    assert told in found["what leaves"]["detail"]


def test_a_rule_for_one_project_chooses_its_backend(home: Home) -> None:
    """A paid backend for one project alone: the other one is extracted offline, this one is refused without consent."""
    home.config(f'[[project]]\nmatch = "{home.project("shop")}"\nbackend = "anthropic"\n')
    refused = extractord(home, "once", "--json", env={"ANTHROPIC_API_KEY": "none"})
    assert (refused.status, "--yes" in refused.stderr) == (2, True)
    only = extractord(home, "once", "--project", home.project("site"), "--json")
    assert only.summary["saved"] == 1


def test_a_wrong_configuration_is_told_before_anything_happens(home: Home) -> None:
    """An unknown key ends with status 2, names the nearest one and the line; no state and no memory is made."""
    home.config("# mine\nexclud = []\n")
    answer = extractord(home, "once", "--json")
    assert (answer.status, answer.stdout) == (2, "")
    assert ("exclude" in answer.stderr, "2" in answer.stderr) == (True, True)
    assert (home.memories(), home.state.exists()) == ({}, False)
    assert extractord(home, "config", "--check").status == 2


def test_off_keeps_the_rest_of_the_configuration(home: Home) -> None:
    """Comments and keys of the person stay; switching on again leaves a file that still says what it said."""
    home.config('# mine\nworkers = 2  # two\n\n[settle]\nidle = "10m"\n')
    extractord(home, "off", "--cwd", home.project("shop"))
    extractord(home, "on", "--cwd", home.project("shop"))
    text = (home.root / "config.toml").read_text()
    assert [line in text for line in ("# mine", "workers = 2  # two", 'idle = "10m"')] == [True] * 3
    assert extractord(home, "config", "--check").status == 0


def _outcomes(answer: Answer) -> list[str]:
    return [str(line["outcome"]) for line in answer.lines if "outcome" in line]
