"""Promises of ``undo``: everything can be taken back, byte for byte, and what cannot is left as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import Answer, extractord
from tests.homes import SAYINGS, Home, lived_in, tree, without_index_times


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_undo_all_leaves_every_memory_directory_as_it_was(home: Home) -> None:
    """Bytes and mtimes of topics and index, folders that were not there, files that are no topics: all as before."""
    lived_in(home)
    before = home.memories()
    once = extractord(home, "once", "--json")
    assert home.memories() != before
    undone = extractord(home, "undo", "--all")
    assert undone.status == 0, undone.stderr
    assert home.memories() == before
    log = extractord(home, "log", "--json").lines
    outcomes = [(line["kind"], line["outcome"]) for line in log]
    assert outcomes.count(("undo", "saved")) == outcomes.count(("extraction", "saved")) == once.summary["saved"]
    again = extractord(home, "once", "--json")
    assert again.summary["unchanged"] == once.summary["sessions"]
    assert home.memories() == before
    nothing = extractord(home, "undo", "--all")
    assert (nothing.status, "nothing to take back" in nothing.stderr) == (0, True)


def test_an_undo_can_be_undone_and_so_on(home: Home) -> None:
    """An undo is itself a changeset: undoing it brings the topic back, with its time; undoing that takes it away again."""
    home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    saved = home.memories()
    first = _newest(home)
    _undo(home, first[:8])
    assert not home.memory("shop").exists()
    _undo(home, _newest(home))
    assert without_index_times(home.memories()) == without_index_times(saved)
    _undo(home, _newest(home))
    assert not home.memory("shop").exists()
    _undo(home, _newest(home))
    everything = extractord(home, "undo", "--all")
    assert (everything.status, home.memory("shop").exists()) == (0, False), everything.stderr


def test_undone_in_any_order_nothing_of_ours_is_left(home: Home) -> None:
    """The changeset that made folder and index is taken back first; what it had to leave goes with the last one."""
    for number in range(3):
        home.talk("shop", SAYINGS[number], days_ago=9 - number)
    extractord(home, "once", "--json")
    newest, middle, oldest = (line["id"] for line in extractord(home, "log", "--json").lines)
    for changeset in (oldest, newest, middle):
        _undo(home, changeset)
    assert not home.memory("shop").exists()


def test_what_was_forgotten_is_not_undone_beneath_it(home: Home) -> None:
    """Taking back what made a topic that was forgotten since is refused and says what to undo first; all of it goes in its order."""
    home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    made = _newest(home)
    extractord(home, "forget", "feedback_linter_commit.md", "--cwd", home.project("shop"), "--yes")
    refused = extractord(home, "undo", made)
    assert (refused.status, _newest(home) in refused.stderr) == (1, True)
    assert extractord(home, "undo", "--all").status == 0
    assert not home.memory("shop").exists()


def test_an_undo_since_a_time_takes_back_only_what_came_after(home: Home) -> None:
    """``--since`` compares with the time of writing."""
    home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    assert extractord(home, "undo", "--since", "2100-01-01").status == 0
    assert home.memory("shop").exists()
    assert extractord(home, "undo", "--since", "1h").status == 0
    assert not home.memory("shop").exists()


def test_an_undo_where_its_lines_changed_since_is_refused(home: Home) -> None:
    """Status 1, the hint names ``forget``, not a byte changes; other changesets are taken back all the same."""
    home.talk("shop", SAYINGS[0])
    home.talk("site", SAYINGS[2])
    extractord(home, "once", "--json")
    mine = home.memory("shop") / "feedback_linter_commit.md"
    mine.write_text(mine.read_text().replace("always run the linter", "always run both linters"))
    before = home.memories()[home.memory("shop").parent.name]
    refused = extractord(home, "undo", "--all")
    assert refused.status == 1
    assert "forget" in refused.stderr
    assert home.memories() == {home.memory("shop").parent.name: before}


def test_an_undo_beside_a_persons_new_lines_keeps_them(home: Home) -> None:
    """A second changeset's lines go, a line that a person added to the topic meanwhile stays."""
    home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    index = home.memory("shop") / "MEMORY.md"
    index.write_text(index.read_text() + "\nMy own words.\n")
    assert extractord(home, "undo", "--all").status == 0
    assert [path.name for path in home.memory("shop").iterdir()] == ["MEMORY.md"]
    assert index.read_text().strip() == "My own words."


def test_an_unknown_or_ambiguous_id_says_what_to_do(home: Home) -> None:
    """Status 1 and a hint; no option at all, or two, is wrong usage."""
    assert extractord(home, "undo", "zzzz").status == 1
    assert "extractord log" in extractord(home, "undo", "zzzz").stderr
    assert extractord(home, "undo").status == 2
    assert extractord(home, "undo", "abc", "--all").status == 2
    assert extractord(home, "undo", "--since", "yesterday-ish").status == 2


def _newest(home: Home) -> str:
    return str(extractord(home, "log", "--json").lines[0]["id"])


def _undo(home: Home, changeset: str) -> Answer:
    answer = extractord(home, "undo", changeset)
    assert answer.status == 0, answer.stderr
    return answer


def test_a_line_of_the_index_that_somebody_worded_anew_is_not_taken_away(home: Home) -> None:
    """The undo that would remove topic and line refuses, writes nothing, and names the way out."""
    home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    index = home.memory("shop") / "MEMORY.md"
    index.write_text(index.read_text().rstrip() + " and more words of mine\n")
    saved = home.memories()
    undone = extractord(home, "undo", _newest(home))
    assert undone.status == 1
    assert "the index line of " in undone.stderr
    assert "extractord forget" in undone.stderr
    assert home.memories() == saved


def test_a_topic_that_became_a_link_is_left_alone_and_named(home: Home) -> None:
    """The undo refuses with the reason, and what the link leads to stays as it is."""
    home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    (place,) = (file for file in home.memory("shop").glob("*.md") if file.name != "MEMORY.md")
    target = home.root / "precious.md"
    place.rename(target)
    place.symlink_to(target)
    text = target.read_text()
    undone = extractord(home, "undo", _newest(home))
    assert undone.status == 1
    assert f"{place.name} in" in undone.stderr
    assert "is a link since: left alone" in undone.stderr
    assert place.is_symlink()
    assert target.read_text() == text


def test_an_undone_deletion_gives_the_old_mode_back(home: Home) -> None:
    """A topic that others may read is so again after it was forgotten and brought back; so is one that was only changed."""
    home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    [file] = home.memory("shop").glob("[!M]*.md")
    file.chmod(0o640)
    extractord(home, "forget", file, "--yes")
    _undo(home, _newest(home))
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_link_put_in_the_way_since_is_not_followed(home: Home) -> None:
    """The memory directory became a link to another folder: undo, forget and review leave that alone, and say so."""
    home.talk("shop", SAYINGS[0], days_ago=9)
    extractord(home, "once", "--json")
    home.config('memory.write = "review"\n')
    home.talk("shop", SAYINGS[2], days_ago=2)
    extractord(home, "once", "--json")
    elsewhere = home.root / "elsewhere"
    memory = home.memory("shop")
    memory.rename(elsewhere)
    memory.symlink_to(elsewhere)
    before = tree(elsewhere)
    waiting = extractord(home, "review", "--json").only["id"]
    for argv in (["undo", _newest(home)], ["undo", "--all"], ["forget", "--project", home.project("shop"), "--yes"]):
        assert extractord(home, *argv).status == 1, argv
    refused = extractord(home, "review", "--accept", waiting)
    assert (refused.status, "leads to" in refused.stderr) == (1, True)
    assert tree(elsewhere) == before
