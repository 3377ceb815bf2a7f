"""Promises about what waits for review: later runs see it, nothing of it is proposed twice, written past it, or lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractord.agent.frames import CheckAnswer, EvidenceRule
from extractord.agent.overlay import Overlay
from extractord.agent.protocol import Decision, ToolCall
from extractord.ledger import ChangesetState, FileState, Ledger
from extractord.memory.manifest import PendingTopic
from extractord.memory.merge import merge_topics
from tests.command import extractord
from tests.homes import SAYINGS, Home, put, topic

LINTER = "feedback_linter_commit.md"
REVIEW = 'memory.write = "review"\n'


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.config(REVIEW)
    return made


def test_what_waits_is_not_proposed_again(home: Home) -> None:
    """A second session that says the same finds it in its manifest; one that says more builds on it, and waits too."""
    home.talk("shop", SAYINGS[0], days_ago=9)
    extractord(home, "once", "--json")
    home.talk("shop", SAYINGS[0], days_ago=5)
    again = extractord(home, "once", "--json")
    assert (again.summary["pending_review"], again.summary["nothing_to_save"]) == (0, 1)
    assert len(extractord(home, "review", "--json").lines) == 1
    home.config("")
    home.talk("shop", "Always run the linter before you commit, because CI is slow and a red build blocks everybody.", days_ago=2)
    more = extractord(home, "once", "--json")
    assert more.summary["saved"] == 0
    first, second = extractord(home, "review", "--json").lines
    assert f"builds on {first['id']}" in second["reason"]
    refused = extractord(home, "review", "--accept", second["id"])
    assert (refused.status, f"accept {first['id']} first" in refused.stderr) == (1, True)
    for waiting in (first, second):
        assert extractord(home, "review", "--accept", waiting["id"]).status == 0
    assert "CI is slow" in (home.memory("shop") / LINTER).read_text()


def test_accepting_merges_line_by_line_and_only_overlaps_conflict(home: Home) -> None:
    """A person's edit of another line stays beside what is accepted."""
    home.config("")
    home.talk("shop", SAYINGS[0], days_ago=9)
    extractord(home, "once", "--json")
    home.config(REVIEW)
    home.talk("shop", "Always run the linter before you commit, because CI is slow and a red build blocks everybody.", days_ago=2)
    assert extractord(home, "once", "--json").summary["pending_review"] == 1
    file = home.memory("shop") / LINTER
    file.write_text(file.read_text() + "\nA line of mine.\n")
    waiting = extractord(home, "review", "--json").only
    accepted = extractord(home, "review", "--accept", waiting["id"])
    assert accepted.status == 0, accepted.stderr
    text = file.read_text()
    assert ("A line of mine." in text, "CI is slow" in text) == (True, True)
    assert extractord(home, "undo", extractord(home, "log", "--json").lines[0]["id"]).status == 0
    assert ("A line of mine." in file.read_text(), "CI is slow" in file.read_text()) == (True, False)


@pytest.mark.parametrize("how", ["file", "text", "session", "project"])
def test_forgetting_takes_along_what_waits(home: Home, how: str) -> None:
    """Each form of ``forget`` shows and drops what waits of it, with a tombstone; the rest goes on waiting."""
    home.talk("shop", SAYINGS[0], days_ago=9, session="00000001-0000-4000-8000-000000000000")
    home.talk("site", SAYINGS[2], days_ago=8)
    extractord(home, "once", "--json")
    shop = home.project("shop")
    forms: dict[str, list[str | Path]] = {
        "file": [LINTER, "--cwd", shop],
        "text": ["--text", "run the linter", "--cwd", shop],
        "session": ["--session", "00000001-0000-4000-8000-000000000000"],
        "project": ["--project", shop],
    }
    answer = extractord(home, "forget", *forms[how], "--yes")
    assert (answer.status, "+From now on always run the linter" in answer.stderr) == (0, True), answer.stderr
    left = extractord(home, "review", "--json").only
    assert left["memory_dir"] == str(home.memory("site"))
    home.config("")
    home.talk("shop", SAYINGS[0], days_ago=7)
    assert extractord(home, "once", "--json").summary["saved"] == 0
    assert "1 changeset for your word" in extractord(home, "status").stdout


def test_reads_show_what_waits_and_say_so(tmp_path: Path) -> None:
    """Read, Grep and Glob see the waiting text in the place of the file, Read marks it, and a change is based on it."""
    from extractord.agent.places import Places
    from extractord.agent.policy import Roots
    from extractord.agent.tools import Toolbox

    memory = tmp_path / "memory"
    put(memory, "a.md", topic("a", "What stands."))
    pending = [PendingTopic("a.md", topic("a", "What waits."), "c1"), PendingTopic("new.md", topic("new", "Also waits."), "c2")]
    toolbox = Toolbox(
        Places(Roots(None, str(memory), ())), lambda _: CheckAnswer(Decision.ALLOWED), EvidenceRule.NOT_ASKED, pending=pending
    )
    read = toolbox.rule(ToolCall("1", "Read", {"file_path": str(memory / "a.md")})).result
    assert ("What waits." in read, "What stands." in read, "waits for the person's review" in read) == (True, False, True)
    assert "new.md" in toolbox.rule(ToolCall("2", "Glob", {"pattern": "*.md", "path": str(memory)})).result
    assert "new.md" in toolbox.rule(ToolCall("3", "Grep", {"pattern": "Also", "path": str(memory)})).result
    edit = {"file_path": "a.md", "old_string": "What waits.", "new_string": "What waits now."}
    assert toolbox.rule(ToolCall("4", "Edit", edit)).decision is Decision.ALLOWED
    [proposal] = toolbox.overlay.changeset().proposals
    assert (proposal.before, proposal.after) == (topic("a", "What waits."), topic("a", "What waits now."))


def test_an_overlay_loads_from_disk_what_does_not_wait() -> None:
    """Only the topics that wait are seen otherwise."""
    overlay = Overlay(lambda path: f"{path} on disk", pending={"a.md": "waits"})
    assert (overlay.now("a.md"), overlay.now("b.md")) == ("waits", "b.md on disk")
    assert (overlay.covers("a.md"), overlay.covers("b.md"), overlay.waits("b.md")) == (True, False, False)


def test_stamps_of_the_time_of_writing_are_no_conflict() -> None:
    """Two changes of different lines merge although both stamped the topic; the same line twice does not."""
    text = "---\nname: a\nmetadata:\n  modified: {}\n  type: user\n---\n\nOne.\n\nTwo.\n\nThree.\n"
    base, theirs = text.format("2026-01-01T00:00:00Z"), text.format("2026-02-02T00:00:00Z").replace("One.", "1.")
    today = text.format("2026-03-03T00:00:00Z").replace("Three.", "3.")
    merged = merge_topics(base, theirs, today)
    assert merged == today.replace("One.", "1.")
    assert merge_topics(base, theirs, today.replace("One.", "I.")) is None
    assert merge_topics(base, theirs, text.format("2026-03-03T00:00:00Z")) == theirs


def test_a_partly_accepted_changeset_goes_on_waiting_with_the_rest(tmp_path: Path) -> None:
    """What could not be written still waits, at once or when that shows late; what was turned down does not."""
    from extractord.ledger import HeldChangeset, HeldFile, Kind
    from extractord.memory.prepared import FileResult, WriteState
    from tests.ledger_rows import carry_out, head, write

    with Ledger.open(tmp_path) as ledger:
        files = (HeldFile("a.md", None, "a", "why"), HeldFile("b.md", None, "b", "why"), HeldFile("c.md", None, "c", "why"))
        ledger.hold(HeldChangeset(head("h1"), files))
        writes = [write(file.path, None, file.after) for file in files[:2]]
        carry_out(ledger, head("r1", Kind.REVIEW, accepts="h1"), *writes, conflicted=("b.md",))
        assert [file.path for file in ledger.held()[0].files] == ["b.md", "c.md"]
        ledger.reject("h1", "no", ["c.md"])
        assert [file.path for file in ledger.held()[0].files] == ["b.md"]
        carry_out(ledger, head("r2", Kind.REVIEW, accepts="h1"), write("b.md", None, "b"))
        assert ledger.held() == ()
        ledger.spares_settled("r2", [FileResult("b.md", WriteState.CONFLICTED)])
        assert [file.path for file in ledger.held()[0].files] == ["b.md"]
        assert (ledger.changeset("h1").files[0].result, ledger.changeset("h1").row.state) == (FileState.ACCEPTED, ChangesetState.HELD)
