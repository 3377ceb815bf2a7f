"""Promises about config homes that other tools keep in step between machines."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from extractord.claude_home import transcripts
from extractord.claude_home.transcript_files import is_session_name
from extractord.memory.snapshot import read
from tests.command import Answer, extractord
from tests.homes import SAYINGS, Home, put, topic

COPIES = (
    "linter.sync-conflict-20261201-120000-ABCDEFG{}",  # Syncthing
    "linter (conflicted copy 2026-12-01 120000){}",  # Nextcloud, ownCloud
    "linter (Kim's conflicted copy 2026-12-01){}",  # Dropbox
    "linter (SFConflict kim@example.org 2026-12-01-12-00-00){}",  # Seafile
    "linter [conflicted]{}",  # pCloud
    "linter (1){}",  # Google Drive
    "linter 2{}",  # iCloud
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "here")


def elsewhere(home: Home) -> Home:
    """Return the same config home on another machine, whose ledger knows nothing; projects lie at the same paths there."""
    return Home(shutil.copytree(home.root, home.root.parent / "there", ignore=shutil.ignore_patterns("state"), symlinks=True))


def once(home: Home) -> Answer:
    answer = extractord(home, "once", "--json")
    assert answer.status == 0, answer.stderr
    return answer


@pytest.mark.parametrize("copy", COPIES)
def test_a_conflict_copy_is_no_topic_and_stays_as_it_is(home: Home, copy: str) -> None:
    """It is neither read nor written, and the line that somebody made of it stays in the index."""
    memory = home.memory("shop")
    put(memory, "linter.md", topic("linter", "Run the linter first."))
    name = copy.format(".md")
    line = f"- [a copy](<{name}>) — to be looked at\n" if " " in name else f"- [a copy]({name}) — to be looked at\n"
    put(memory, "MEMORY.md", "- [linter](linter.md) — linter\n" + line)
    stays = put(memory, name, topic("linter", "Run the linter last."))
    assert sorted(read(memory).topics) == ["linter.md"]
    home.talk("shop", SAYINGS[2])
    assert once(home).summary["saved"] == 1
    assert stays.read_text() == topic("linter", "Run the linter last.")
    assert line in (memory / "MEMORY.md").read_text()


@pytest.mark.parametrize("name", ["phase 2.md", "plan (1).md", "conflict_rules.md", "conflicts-in-git.md", "version 10.md", "2.md"])
def test_what_only_looks_like_a_copy_is_a_topic(tmp_path: Path, name: str) -> None:
    """A number is no copy unless the file without it lies beside it, and people write about conflicts."""
    put(tmp_path, name, topic("x", "A word."))
    assert list(read(tmp_path).topics) == [name]


@pytest.mark.parametrize("copy", COPIES)
def test_a_conflict_copy_of_a_transcript_is_no_session(home: Home, copy: str) -> None:
    """Whatever a sync tool adds to a transcript's name, nothing of it is read."""
    talk = home.talk("shop", SAYINGS[2])
    name = copy.format(".jsonl").replace("linter", talk.session)
    shutil.copy(talk.path, talk.path.with_name(name))
    assert not is_session_name(name.removesuffix(".jsonl"))
    assert [file.path for file in transcripts(home.config_home)] == [talk.path]


def test_what_another_machine_saved_is_not_extracted_again(home: Home) -> None:
    """A topic with evidence of a stretch means that it is done; memory stays byte for byte, and the reason names the topic."""
    talk = home.talk("shop", SAYINGS[0], "thanks", days_ago=9)
    quiet = home.talk("shop", "why is the build slow?", days_ago=8)
    once(home)
    other = elsewhere(home)
    before = other.memories()
    answer = once(other)
    of = {line["session"]: line for line in answer.lines[:-1]}
    assert of[talk.session]["outcome"] == "skipped"
    assert "feedback_linter_commit.md" in of[talk.session]["reason"]
    assert of[quiet.session]["outcome"] == "nothing_to_save"
    assert other.memories() == before
    talk.prompt(SAYINGS[2], minutes=60).save()
    shutil.copy2(talk.path, other.projects / talk.path.parent.name)
    assert [line["topics"] for line in once(other).lines[:-1]] == [["reference_bugs_tracked_linear_project.md"]]


def test_who_asks_for_it_again_is_heard(home: Home) -> None:
    """The sign of another machine does not stop a person who names the session."""
    talk = home.talk("shop", SAYINGS[0])
    once(home)
    other = elsewhere(home)
    (other.memory("shop") if other.memory("shop").exists() else next(other.projects.glob("*/memory"))).joinpath("MEMORY.md").unlink()
    answer = extractord(other, "once", "--session", talk.session, "--again", "--json")
    assert answer.summary["skipped"] == 0, answer.stdout


def test_what_a_client_stamped_is_no_sign(home: Home) -> None:
    """A topic of the same session that was written at another time than anything was typed says nothing of an extraction."""
    talk = home.talk("shop", SAYINGS[0])
    once(home)
    (place,) = home.memory("shop").glob("feedback_*.md")
    stamped = re.sub(r"modified: (\S+)\.000Z", r"modified: \1.417Z", place.read_text())
    assert stamped != place.read_text()
    place.write_text(stamped.replace("linter", "spelling"))
    other = elsewhere(home)
    answer = once(other)
    assert {line["session"]: line["outcome"] for line in answer.lines[:-1]} == {talk.session: "saved"}
