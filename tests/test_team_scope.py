"""Promises about whose memory a fact becomes: the person's own, or the team's."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec import structs

from extractord.agent.briefing import Briefing
from extractord.agent.prompting import first_message
from extractord.config import parse, rule_for
from extractord.memory.changeset import Proposal
from extractord.memory.checks import check
from extractord.memory.facts import CheckLimits, Facts, Fate, Sharing
from extractord.transcript.digest import Digest
from tests.command import extractord
from tests.homes import Home, put, topic

ON = '[[project]]\nmatch = "**/work/shop"\nteam = "/nowhere/memory.git"\n'
NOW = datetime(2026, 3, 9, 9, 0, tzinfo=UTC)
MINE = "Never push to main without asking me, because the release manager tags it by hand."
OURS = "Always use pnpm instead of npm in this repository."
POINTER = "Bugs are tracked in the Linear project INGEST."
PERSON = "I'm a backend developer, twelve years of Go, and this is my first React project."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def _files(home: Home) -> set[str]:
    memory = home.memory("shop")
    return {str(place.relative_to(memory)) for place in memory.rglob("*.md")}


def test_each_fact_goes_where_its_type_and_words_say(home: Home) -> None:
    """A person and a rule of one person stay private; pointers and the project's conventions are the team's. Each index names its own."""
    home.config(ON)
    home.talk("shop", MINE, POINTER)
    home.talk("shop", OURS, PERSON, days_ago=2)
    assert extractord(home, "once", "--yes").status == 0
    files = _files(home)
    assert {file.partition("_")[0] for file in files if "/" not in file and file != "MEMORY.md"} == {"feedback", "user"}
    assert {file.partition("_")[0] for file in files if file.startswith("team/") and not file.endswith("MEMORY.md")} == {
        "team/feedback",
        "team/reference",
    }
    memory = home.memory("shop")
    own, shared = (memory / "MEMORY.md").read_text(), (memory / "team/MEMORY.md").read_text()
    assert "team/" not in own
    assert own.count("](") == 2
    assert "team/" not in shared
    assert shared.count("](") == 2
    assert all(f"]({Path(file).name})" in (shared if "/" in file else own) for file in files if not file.endswith("MEMORY.md"))


def test_without_a_remote_nothing_is_shared(home: Home) -> None:
    """Where no rule names a remote all memory is private, as it always was."""
    home.talk("shop", OURS, POINTER)
    assert extractord(home, "once", "--yes").status == 0
    assert not any(file.startswith("team/") for file in _files(home))


def test_what_was_shared_can_be_taken_back_without_a_trace(home: Home) -> None:
    """An undo removes the topic, its line, and the folder and index that were made for it."""
    home.config(ON)
    put(home.memory("shop"), "MEMORY.md", "# Mine\n")
    home.talk("shop", POINTER)
    assert extractord(home, "once", "--yes").status == 0
    assert "team/MEMORY.md" in _files(home)
    assert extractord(home, "undo", "--all").status == 0
    assert _files(home) == {"MEMORY.md"}
    assert not (home.memory("shop") / "team").exists()


def test_an_undo_leaves_the_words_of_others_in_the_team_index(home: Home) -> None:
    """Headings, prose and lines of others stay, byte for byte."""
    home.config(ON)
    memory = home.memory("shop")
    put(memory, "team/rule.md", topic("rule", "Ship on Mondays.", "project"))
    index = "# Ours\n\n- [rule](rule.md) — rule\n\nAsk Kim.\n"
    put(memory, "team/MEMORY.md", index)
    home.talk("shop", POINTER)
    assert extractord(home, "once", "--yes").status == 0
    assert (memory / "team/MEMORY.md").read_text() != index
    assert extractord(home, "undo", "--all").status == 0
    assert (memory / "team/MEMORY.md").read_text() == index


def _text(kind: str, body: str = "Ship on Mondays.\n\n**Why:** x\n**How to apply:** y\n") -> str:
    return f"---\nname: n\ndescription: d\nmetadata:\n  type: {kind}\n---\n\n{body}"


@pytest.mark.parametrize(
    ("path", "kind", "sharing", "fate"),
    [
        ("team/a.md", "project", Sharing.ON, Fate.ACCEPTED),
        ("team/a.md", "feedback", Sharing.ON, Fate.ACCEPTED),
        ("team/a.md", "user", Sharing.ON, Fate.REFUSED),
        ("team/a.md", "project", Sharing.OFF, Fate.REFUSED),
        ("team/MEMORY.md", "project", Sharing.ON, Fate.REFUSED),
        ("team/../../a.md", "project", Sharing.ON, Fate.REFUSED),
        ("team/%2e%2e/%2e%2e/a.md", "project", Sharing.ON, Fate.REFUSED),
        ("team/\uff0e\uff0e/a.md", "project", Sharing.ON, Fate.REFUSED),
        ("team\\a.md", "project", Sharing.ON, Fate.REFUSED),
        ("team/a\0.md", "project", Sharing.ON, Fate.REFUSED),
        ("a.md", "user", Sharing.ON, Fate.ACCEPTED),
    ],
)
def test_the_checks_hold_what_is_private(path: str, kind: str, sharing: Sharing, fate: Fate) -> None:
    """Whoever proposes it: nothing about one person, nothing where there is no team memory, no path that leads elsewhere."""
    facts = Facts(NOW, Path("/memory"), sharing=sharing)
    assert check(Proposal(path, None, _text(kind)), facts, CheckLimits()).fate is fate


def test_a_secret_is_never_shared() -> None:
    """Any secret refuses the whole text."""
    facts = Facts(NOW, Path("/memory"), sharing=Sharing.ON)
    body = "The key is sk-ant-" + "api03-" + "q7" * 40 + "\n"
    assert check(Proposal("team/a.md", None, _text("reference", body)), facts, CheckLimits()).fate is Fate.REFUSED


def test_a_model_is_told_of_team_memory_only_where_there_is_one() -> None:
    """The words about it, and its index, stand in the message of such a project alone."""
    alone = Briefing(Digest("s", "/w", (), 0, 0), (), "", NOW.isoformat())
    assert "team/" not in first_message(alone)
    told = first_message(structs.replace(alone, team_index="- [rule](rule.md) — Mondays"))
    assert "always the person's own" in told
    assert "[rule](rule.md)" in told


def test_of_several_rules_the_last_names_the_remote() -> None:
    """As with every key of a project's rule; a rule that is silent changes nothing."""
    named = (("/w", 'team = "a"\n'), ("/w/x", 'team = "b"\n'), ("/w/x", ""))
    config = parse("".join(f'[[project]]\nmatch = "{match}"\n{team}' for match, team in named), Path("c"))
    assert rule_for("/w/x", config, Path("/h")).team == "b"
    assert rule_for("/w/y", config, Path("/h")).team == "a"
    assert rule_for("/v", config, Path("/h")).team is None


def test_doctor_tells_what_is_shared(home: Home) -> None:
    """The remote is named under what leaves, without a login in its address."""
    home.config(ON.replace("/nowhere/memory.git", "https://kim:pass" + "word@git.example/memory.git"))
    found = next(line for line in extractord(home, "doctor", "--json").lines if line["check"] == "what leaves")
    assert "https://git.example/memory.git" in found["detail"]
    assert "kim" not in found["detail"]
