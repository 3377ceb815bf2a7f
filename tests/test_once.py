"""Promises of ``once``: a second run changes nothing, memory is only files, and nothing is saved twice."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.command import Answer, extractord
from tests.homes import SAYINGS, Home, lived_in, put, topic, tree


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_second_run_saves_nothing_and_touches_nothing(home: Home) -> None:
    """Over projects of every kind: no byte and no mtime below the config home changes, transcripts included."""
    lived_in(home)
    transcripts = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in home.transcripts()}
    first = extractord(home, "once", "--json")
    assert (first.status, first.summary["failed"]) == (0, 0), first.stderr
    assert (first.summary["saved"], first.summary["pending_review"], first.summary["nothing_to_save"]) == (6, 1, 1)
    after_first = tree(home.config_home)
    second = extractord(home, "once", "--json")
    assert second.status == 0
    assert [line for line in second.lines if "session" in line] == []
    assert second.summary | {"seconds": 0} == {
        **dict.fromkeys(first.summary, 0),
        "sessions": first.summary["sessions"],
        "unchanged": first.summary["sessions"],
    }
    assert tree(home.config_home) == after_first
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in home.transcripts()} == transcripts


def test_a_transcript_that_was_only_touched_or_moved_brings_nothing_new(home: Home) -> None:
    """A new mtime, or a new place under the same name, is no new session."""
    talk = home.talk("shop", SAYINGS[0])
    assert extractord(home, "once", "--json").summary["saved"] == 1
    talk.path.touch()
    before = home.memories()
    moved = home.projects / "-somewhere-else" / talk.path.name
    moved.parent.mkdir()
    shutil.move(talk.path, moved)
    later = extractord(home, "once", "--json")
    assert (later.summary["saved"], later.status) == (0, 0)
    assert home.memories() == before


def test_a_session_that_goes_on_brings_only_what_is_new(home: Home) -> None:
    """What was dealt with in a stretch is not dealt with again when the stretch, or another one, follows."""
    talk = home.talk("shop", SAYINGS[0], days_ago=3)
    extractord(home, "once", "--json")
    talk.prompt(SAYINGS[2], minutes=5).save()
    same_stretch = extractord(home, "once", "--json")
    assert _topics(same_stretch) == [["reference_bugs_tracked_linear_project.md"]]
    talk.prompt(SAYINGS[4], minutes=100).save()
    another_stretch = extractord(home, "once", "--json")
    assert len(_topics(another_stretch)) == 1
    assert len(list(home.memory("shop").glob("[!M]*.md"))) == 3


def test_a_fork_of_a_session_brings_nothing_twice(home: Home) -> None:
    """A prompt handled once is handled, in whatever file its uuid comes again."""
    talk = home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    shutil.copytree(home.memory("shop"), home.root / "kept")
    fork = "77777777-7777-4777-8777-777777777777"
    copy = talk.path.with_name(f"{fork}.jsonl")
    copy.write_text(talk.path.read_text().replace(f'"sessionId": "{talk.session}"', f'"sessionId": "{fork}"'))
    answer = extractord(home, "once", "--json")
    assert answer.summary["saved"] == 0
    assert {p.name: p.read_bytes() for p in home.memory("shop").iterdir()} == {
        p.name: p.read_bytes() for p in (home.root / "kept").iterdir()
    }


def test_memory_is_only_files(home: Home) -> None:
    """With the ledger deleted memory reads whole, and looking at everything again makes no twins of what is there."""
    home.talk("shop", SAYINGS[0], SAYINGS[1], days_ago=5)
    home.talk("shop", SAYINGS[2], days_ago=4)
    home.talk("site", SAYINGS[3])
    put(home.memory("site"), "mine.md", topic("mine", "Words of mine.", "project"))
    extractord(home, "once", "--json")
    before = home.memories()
    shutil.rmtree(home.state)
    assert home.memories() == before
    again = extractord(home, "once", "--json")
    assert again.status == 0
    after = home.memories()
    assert {name: set(inside) for name, inside in after.items()} == {name: set(inside) for name, inside in before.items()}
    for name, inside in after.items():
        for file, (_, data, _) in inside.items():
            assert data == before[name][file][1], f"{file} in {name} changed: {data.decode()}"


def test_what_stands_in_memory_or_claude_md_is_not_saved_again(home: Home) -> None:
    """A statement that the client's memory, or the project's CLAUDE.md, holds already makes no topic."""
    home.talk("shop", SAYINGS[4])
    put(home.memory("shop"), "feedback_pnpm.md", topic("pnpm", f"{SAYINGS[4]}\n\n**Why:** not stated\n**How to apply:** always."))
    home.talk("site", SAYINGS[0])
    (home.project("site") / "CLAUDE.md").write_text("# Rules\n\nAlways run the linter before you commit.\n")
    before = home.memories()
    answer = extractord(home, "once", "--json")
    assert (answer.summary["saved"], answer.summary["nothing_to_save"]) == (0, 2), answer.stdout
    assert home.memories() == before


def test_a_broken_topic_is_left_alone(home: Home) -> None:
    """A topic that cannot be parsed is not touched, and the others of its directory are written."""
    home.talk("shop", SAYINGS[4])
    broken = put(home.memory("shop"), "broken.md", "---\nname: &a [*a\n---\nbody")
    before = (broken.read_bytes(), broken.stat().st_mtime_ns)
    assert extractord(home, "once", "--json").summary["saved"] == 1
    assert (broken.read_bytes(), broken.stat().st_mtime_ns) == before


def _topics(answer: Answer) -> list[list[str]]:
    return [line["topics"] for line in answer.lines if line.get("topics")]
