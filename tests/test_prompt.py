"""Promises of ``prompt``: the memory section as a session would load it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from extractord.memory.daily_log import bullets_in
from extractord.memory.prompt import SectionFacts, Variant, section
from tests.command import extractord
from tests.homes import SAYINGS, Home, put, topic


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def _prompt(home: Home, *argv: str, env: dict[str, str] | None = None) -> str:
    answer = extractord(home, "prompt", "--cwd", home.project("shop"), *argv, env=env)
    assert answer.status == 0, answer.stderr
    return answer.stdout


def test_only_prompt_makes_the_memory_directory(home: Home) -> None:
    """Looking and dry runs make nothing; ``prompt`` makes it, and says that it exists, so that nobody runs mkdir."""
    talk = home.talk("shop", SAYINGS[0])
    memory = home.memory("shop")
    for argv in (
        ("inspect", talk.path),
        ("memory-dir", "--cwd", home.project("shop")),
        ("once", "--dry-run"),
        ("recall", "x", "--cwd", talk.cwd),
    ):
        extractord(home, *argv)
        assert not memory.exists(), argv
    said = _prompt(home)
    assert memory.is_dir()
    assert memory.stat().st_mode & 0o777 == 0o700
    assert f"`{memory}/`. That directory exists" in said


def test_the_section_says_all_that_a_session_needs(home: Home) -> None:
    """Types, how to save, what not to save, when to read, that it may be stale, and the index as it would be loaded."""
    lines = "".join(f"- [t{number}](t{number}.md) — hook\n" for number in range(201))
    put(home.memory("shop"), "MEMORY.md", lines)
    said = _prompt(home)
    for part in (
        "**user**",
        "**feedback**",
        "**project**",
        "**reference**",
        "How to save",
        "What is not saved",
        "When to read",
        "look whether it is still there",
    ):
        assert part in said
    assert "t199.md" in said
    assert "t200.md" not in said
    assert said.rstrip().splitlines()[-1].startswith("> WARNING: MEMORY.md has 201 lines")


def test_it_is_built_once_a_session(home: Home) -> None:
    """The same bytes on the next call, whatever happened to memory since; another session gets what is there by then."""
    first = _prompt(home, "--session", "one")
    put(home.memory("shop"), "MEMORY.md", "- [new](new.md) — new\n")
    assert _prompt(home, "--session", "one") == first
    assert "new.md" in _prompt(home, "--session", "two")
    assert "new.md" in _prompt(home)


def test_daily_logs_are_asked_for_by_the_pattern_of_their_path(home: Home) -> None:
    """The section of a long-lived session names no day, and its example is a line that we read."""
    home.config('[memory]\nstyle = "daily-log"\n')
    put(home.memory("shop"), "team/MEMORY.md", "- [t](t.md)\n")
    put(home.memory("shop"), "MEMORY.md", "- [x](x.md) — x\n")
    said = _prompt(home)
    assert "logs/YYYY/MM/YYYY-MM-DD.md" in said
    assert date.today().isoformat() not in said  # noqa: DTZ011
    assert "- [x](x.md) — x" in said
    assert "How to save" in said
    assert "name: short-name" not in said
    (bullet,) = (one for one in bullets_in(said, date(2026, 3, 1)) if one.said.hour == 14)
    assert (bullet.type, bullet.said.minute, bool(bullet.reason)) == ("feedback", 5, True)


def test_team_memory_is_shown_where_there_is_some(home: Home) -> None:
    """Both indexes are loaded, and what belongs where is said."""
    put(home.memory("shop"), "MEMORY.md", "- [mine](mine.md) — mine\n")
    assert "Whose memory" not in _prompt(home)
    put(home.memory("shop"), "team/MEMORY.md", "- [ours](ours.md) — ours\n")
    said = _prompt(home)
    assert said.index("Whose memory") < said.index("mine.md") < said.index("## team/MEMORY.md") < said.index("ours.md")


def test_where_memory_is_off_nothing_is_said_and_nothing_made(home: Home) -> None:
    """As a session of the client's would load nothing."""
    answer = extractord(home, "prompt", "--cwd", home.project("shop"), env={"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"})
    assert (answer.status, answer.stdout) == (0, "")
    assert "CLAUDE_CODE_DISABLE_AUTO_MEMORY" in answer.stderr
    assert not home.memory("shop").exists()


def test_a_place_that_cannot_be_made_is_told(home: Home) -> None:
    """A file where the directory should be."""
    memory = home.memory("shop")
    memory.parent.mkdir(parents=True)
    memory.write_text("")
    answer = extractord(home, "prompt", "--cwd", home.project("shop"))
    assert answer.status == 1
    assert str(memory) in answer.stderr


@pytest.mark.parametrize("variant", Variant)
def test_the_same_facts_give_the_same_bytes(variant: Variant) -> None:
    """Nothing in it depends on the moment."""
    facts = SectionFacts(Path("/m"), variant, "- [a](a.md)\n", "")
    assert section(facts) == section(facts)
    assert section(facts).startswith("# Memory\n")


def test_an_index_that_we_make_names_every_topic_there_is(home: Home) -> None:
    """The client adds to no index that exists: with our lines alone it would hide what lay there before. Undone, nothing is left of it."""
    home.talk("shop", SAYINGS[0])
    memory = home.memory("shop")
    put(memory, "old.md", topic("old", "Something of mine.", description="of mine"), days_ago=50)
    put(memory, "deep/er.md", topic("deeper", "Deeper down."), days_ago=60)
    put(memory, "plain.md", "no header\n", days_ago=70)
    put(memory, "logs/2026/03/2026-03-01.md", "- 09:00 a log\n")
    put(memory, "team/shared.md", topic("shared", "Shared."))
    before = home.memories()
    extractord(home, "once")
    ours, *others = (memory / "MEMORY.md").read_text("utf-8").splitlines()
    assert "feedback_" in ours
    assert others == ["- [old](old.md) — of mine", "- [deeper](deep/er.md) — deeper", "- [plain](plain.md)"]
    extractord(home, "undo", "--all")
    assert home.memories() == before


def test_an_index_we_made_stays_while_somebody_elses_line_is_in_it(home: Home) -> None:
    """Undone after somebody added a line: ours goes, theirs and those of topics that were there stay."""
    home.talk("shop", SAYINGS[0])
    memory = home.memory("shop")
    put(memory, "old.md", topic("old", "Something of mine."))
    extractord(home, "once")
    index = memory / "MEMORY.md"
    index.write_text(index.read_text("utf-8") + "- [theirs](theirs.md)\n", encoding="utf-8")
    undone = extractord(home, "undo", "--all")
    assert undone.status == 0, undone.stderr
    assert index.read_text("utf-8").splitlines() == ["- [old](old.md) — old", "- [theirs](theirs.md)"]
