"""Promises of ``review``, ``forget``, ``log``, ``show``, ``why`` and ``sessions``: a person sees everything and has the last word."""

from __future__ import annotations

import os
import tarfile
import time
from datetime import datetime
from pathlib import Path

import pytest

from extractord.ledger import copies
from tests.command import Answer, Line, extractord
from tests.homes import DAY, SAYINGS, Home, put, topic

LINTER = "feedback_linter_commit.md"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def saved(home: Home) -> Home:
    """Two projects with a topic or two each, all of them ours but one line."""
    home.talk("shop", SAYINGS[0], SAYINGS[2], days_ago=30)
    home.talk("site", SAYINGS[0], days_ago=20)
    assert extractord(home, "once", "--json").summary["saved"] == 2
    return home


# --- review ---


def test_what_waits_for_review_is_written_only_when_accepted(home: Home) -> None:
    """With ``memory.write = "review"`` nothing is written; ``--accept`` writes it with its evidence, once."""
    home.config('memory.write = "review"\n')
    home.talk("shop", SAYINGS[0])
    assert extractord(home, "once", "--json").summary["pending_review"] == 1
    assert not home.memory("shop").exists()
    waiting = extractord(home, "review", "--json").only
    assert set(waiting) >= {"id", "time", "session", "memory_dir", "files", "reason", "diff"}
    assert waiting["files"] == [{"path": LINTER, "change": "create"}]
    assert "+From now on always run the linter" in waiting["diff"]
    assert extractord(home, "review", "--accept", waiting["id"][:9]).status == 0
    assert (home.memory("shop") / LINTER).exists()
    assert LINTER in (home.memory("shop") / "MEMORY.md").read_text()
    assert [fact["quote"] for fact in _why(home, LINTER)] == [SAYINGS[0]]
    assert extractord(home, "review", "--json").lines == ()
    again = extractord(home, "review", "--accept", waiting["id"])
    assert (again.status, "extractord review" in again.stderr) == (1, True)
    assert extractord(home, "once", "--json").summary["unchanged"] == 1
    assert extractord(home, "log", "--json").lines[0]["kind"] == "review"


def test_what_was_accepted_can_be_undone(home: Home) -> None:
    """An accepted changeset is one like any other: ``undo --all`` leaves nothing of it."""
    home.config('memory.write = "review"\n')
    home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    extractord(home, "review", "--accept", extractord(home, "review", "--json").only["id"])
    assert extractord(home, "undo", "--all").status == 0
    assert not home.memory("shop").exists()


def test_what_was_rejected_does_not_come_back_from_older_sessions(home: Home) -> None:
    """``--reject`` writes nothing and leaves a tombstone; the person may say it anew later."""
    home.config('memory.write = "review"\n')
    home.talk("shop", SAYINGS[0], days_ago=10)
    extractord(home, "once", "--json")
    waiting = extractord(home, "review", "--json").only
    assert extractord(home, "review", "--reject", waiting["id"]).status == 0
    home.config("")
    home.talk("shop", SAYINGS[0], days_ago=9)
    assert extractord(home, "once", "--json").summary["saved"] == 0
    assert not home.memory("shop").exists()
    assert extractord(home, "review", "--reject", waiting["id"]).status == 1


def test_a_proposal_whose_topic_changed_meanwhile_goes_on_waiting(home: Home) -> None:
    """A file of that name made by somebody else: accepting is refused with status 1 and changes nothing."""
    home.config('memory.write = "review"\n')
    home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    waiting = extractord(home, "review", "--json").only
    put(home.memory("shop"), LINTER, topic("linter", "Mine."))
    before = home.memories()
    refused = extractord(home, "review", "--accept", waiting["id"])
    assert (refused.status, "--reject" in refused.stderr) == (1, True)
    assert home.memories() == before
    assert extractord(home, "review", "--json").only["id"] == waiting["id"]
    assert extractord(home, "review", "--accept", waiting["id"], "--reject", waiting["id"]).status == 2


# --- forget ---


def test_a_forgotten_topic_does_not_come_back(saved: Home) -> None:
    """``forget FILE`` shows it, removes file and index line, and older sessions do not bring it back; newer ones do."""
    answer = _forget(saved, LINTER, "--cwd", saved.project("shop"))
    assert "-From now on always run the linter" in answer.stderr
    assert not (saved.memory("shop") / LINTER).exists()
    assert LINTER not in (saved.memory("shop") / "MEMORY.md").read_text()
    saved.talk("shop", SAYINGS[0], days_ago=40)
    assert extractord(saved, "once", "--json").summary["saved"] == 0
    assert (saved.memory("site") / LINTER).exists()


def test_a_forgotten_line_goes_and_the_rest_stays(saved: Home) -> None:
    """``forget FILE:LINE`` by its absolute path removes that line only."""
    file = saved.memory("shop") / LINTER
    lines = file.read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if line.startswith("**How to apply:**"))
    _forget(saved, f"{file}:{number}")
    assert file.read_text().splitlines() == lines[: number - 1] + lines[number:]
    assert extractord(saved, "forget", f"{file}:999", "--yes").status == 2


def test_forgotten_text_goes_wherever_it_stands(saved: Home) -> None:
    """``forget --text`` removes every line of the project's memory that holds it; a topic left empty goes whole."""
    _forget(saved, "--text", "Linear project INGEST", "--cwd", saved.project("shop"))
    assert [path.name for path in saved.memory("shop").glob("[!M]*.md")] == [LINTER]
    nothing = extractord(saved, "forget", "--text", "no such words", "--yes", "--cwd", saved.project("shop"))
    assert (nothing.status, "nothing in memory matches" in nothing.stderr) == (0, True)


def test_a_forgotten_session_leaves_what_others_wrote(saved: Home) -> None:
    """``forget --session`` takes what was saved from it; a person's line in the same topic stays."""
    file = saved.memory("shop") / LINTER
    file.write_text(file.read_text() + "\nA line of mine.\n")
    session = extractord(saved, "log", "--json").lines[-1]["session"]
    _forget(saved, "--session", session)
    body = file.read_text()
    assert ("A line of mine." in body, "run the linter before" in body.partition("\n---\n")[2]) == (True, False)
    assert [path.name for path in saved.memory("shop").glob("[!M]*.md")] == [LINTER]
    assert (saved.memory("site") / LINTER).exists()


def test_a_forgotten_project_keeps_only_what_is_not_ours(saved: Home) -> None:
    """``forget --project`` takes everything we saved there, and undoing that brings it back."""
    mine = put(saved.memory("shop"), "mine.md", topic("mine", "Words of mine."))
    _forget(saved, "--project", saved.project("shop"))
    assert list(saved.memory("shop").glob("[!M]*.md")) == [mine]
    undone = extractord(saved, "undo", extractord(saved, "log", "--json").lines[0]["id"])
    assert undone.status == 0, undone.stderr
    assert len(list(saved.memory("shop").glob("[!M]*.md"))) == 3


def test_forget_wants_exactly_one_thing(home: Home) -> None:
    """None or two of FILE, ``--text``, ``--session``, ``--project`` is wrong usage, as is a file that is not there."""
    assert extractord(home, "forget").status == 2
    assert extractord(home, "forget", "a.md", "--text", "b").status == 2
    assert extractord(home, "forget", "a.md", "--cwd", home.project("shop")).status == 2


def test_what_was_deleted_by_hand_comes_back_only_if_it_is_said_again(saved: Home) -> None:
    """The deletion counts from when it happened, though it is noticed only later: older sessions bring nothing, newer ones do."""
    memory = saved.memory("shop")
    (memory / "reference_bugs_tracked_linear_project.md").unlink()
    moment = time.time() - 10 * DAY
    os.utime(memory, (moment, moment))
    saved.talk("shop", SAYINGS[2], days_ago=15)
    assert extractord(saved, "once", "--json").summary["saved"] == 0
    saved.talk("shop", SAYINGS[2], days_ago=5)
    assert extractord(saved, "once", "--json").summary["saved"] == 1


def test_a_line_taken_out_by_hand_does_not_come_back(saved: Home) -> None:
    """A person who empties a topic of what we wrote, and leaves the file, is not told the same again from an older session."""
    file = saved.memory("shop") / "reference_bugs_tracked_linear_project.md"
    file.write_text(file.read_text().replace("\nBugs are tracked in the Linear project INGEST.\n", "\nAsk Kim.\n"))
    before = file.read_bytes()
    saved.talk("shop", SAYINGS[2], days_ago=15)
    assert extractord(saved, "once", "--json").summary["saved"] == 0
    assert file.read_bytes() == before


# --- what can be seen ---


def test_every_write_can_be_seen_and_explained(saved: Home) -> None:
    """``log``, ``show``, ``why`` and ``sessions`` tell each changeset, its diff, its sentences and each session's outcome."""
    log = extractord(saved, "log", "--json").lines
    assert [set(line) for line in log] == [{"id", "time", "session", "memory_dir", "outcome", "kind", "files"}] * 2
    assert log[0]["files"] == [{"path": LINTER, "change": "create"}]
    assert datetime.fromisoformat(log[0]["time"]) >= datetime.fromisoformat(log[1]["time"])
    shown = extractord(saved, "show", log[0]["id"][:10])
    assert (shown.status, SAYINGS[0] in shown.stdout, "+++ b/" in shown.stdout) == (0, True, True)
    [fact] = _why(saved, LINTER)
    assert (set(fact), fact["quote"]) == ({"file", "session", "time", "message", "quote", "changeset"}, SAYINGS[0])
    assert fact["changeset"] == log[1]["id"]
    rows = extractord(saved, "sessions", "--json").lines
    assert [set(row) for row in rows] == [{"session", "project", "outcome", "reason", "time", "cost_usd"}] * 2
    assert {row["project"] for row in rows} == {str(saved.project("shop")), str(saved.project("site"))}
    assert extractord(saved, "sessions", "--outcome", "skipped", "--json").lines == ()
    assert extractord(saved, "sessions", "--outcome", "nonsense").status == 2
    assert extractord(saved, "show", "zzz").status == 1


def test_why_tells_line_by_line_while_the_transcript_exists_where_it_was_said(saved: Home) -> None:
    """Our lines with sentence and transcript line, other people's as such; one line alone by its number; later without the place."""
    file = saved.memory("shop") / LINTER
    file.write_text(file.read_text() + "\nA line of mine.\n")
    lines = file.read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if line.startswith("From now on"))
    shown = extractord(saved, "why", LINTER, "--cwd", saved.project("shop")).stdout
    assert f"{number:4}  {lines[number - 1]}" in shown
    assert shown.endswith(f"{len(lines):4}  A line of mine.\n      not written by extractord\n")
    one = extractord(saved, "why", f"{file}:{number}")
    assert (SAYINGS[0] in one.stdout, "A line of mine." in one.stdout) == (True, False)
    place = next(line.strip() for line in one.stdout.splitlines() if ".jsonl:" in line)
    transcript, _, at = place.rpartition(":")
    assert SAYINGS[0] in Path(transcript).read_text().splitlines()[int(at) - 1]
    assert extractord(saved, "why", f"{file}:{len(lines)}", "--json").lines == ()
    assert extractord(saved, "why", f"{file}:999").status == 2
    Path(transcript).unlink()
    again = extractord(saved, "why", f"{file}:{number}").stdout
    assert (SAYINGS[0] in again, ".jsonl" in again) == (True, False)


def test_looking_makes_no_state(home: Home) -> None:
    """Commands that only look leave no state folder behind, and say in a word that there is nothing."""
    for argv in (["log", "--json"], ["sessions", "--json"], ["review", "--json"], ["why", "a.md", "--json"]):
        assert (extractord(home, *argv).status, extractord(home, *argv).stdout) == (0, ""), argv
    assert not home.state.exists()


def test_a_memory_directory_is_copied_before_its_first_change(home: Home) -> None:
    """The copy in the state folder holds every file as it was; state is the person's alone."""
    mine = put(home.memory("shop"), "mine.md", topic("mine", "Words of mine."))
    home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    [archive] = (home.state / "backups").iterdir()
    with tarfile.open(archive) as packed:
        found = packed.extractfile("memory/mine.md")
        assert found is not None
        assert found.read() == mine.read_bytes()
        assert [name for name in packed.getnames() if name.endswith(".md")] == ["memory/mine.md"]
    assert home.state.stat().st_mode & 0o077 == 0
    assert [path for path in home.state.rglob("*") if path.is_file() and path.stat().st_mode & 0o077] == []


def test_the_ledger_is_copied_once_a_day(saved: Home) -> None:
    """The next command of a day on which something is known makes one copy, and the one after none."""
    extractord(saved, "once", "--json")
    made = copies(saved.state)
    assert len(made) == 1
    before = made[0].stat().st_mtime_ns
    extractord(saved, "once", "--json")
    assert (copies(saved.state), made[0].stat().st_mtime_ns) == (made, before)


def _forget(home: Home, *argv: str | Path) -> Answer:
    answer = extractord(home, "forget", *argv, "--yes")
    assert answer.status == 0, answer.stderr
    return answer


def _why(home: Home, file: str) -> tuple[Line, ...]:
    return extractord(home, "why", file, "--cwd", home.project("shop"), "--json").lines
