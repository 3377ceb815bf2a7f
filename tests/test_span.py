"""A session's messages, turns and stretches; whether it is settled."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from extractord.transcript.messages import Origin
from extractord.transcript.settled import ClientState, SettleLimits, settled
from extractord.transcript.span import Cursor, Pending, Reading, after, read_session, turn_of
from tests import case_files
from tests.made_records import CWD, MEMORY, SESSION, Session

ACCEPTED = {"decision": "accept", "source": "user_temporary"}


def prompts(reading: Reading) -> list[list[str]]:
    return [[m.text for m in s.messages if m.origin.opens_turn] for s in reading.stretches]


def read(session: Session, folder: Path) -> Reading:
    return read_session(session.save(folder))


@pytest.mark.parametrize("folder", case_files.cases("transcripts"), ids=lambda f: f.name)
def test_recorded_sessions_are_read_as_their_case_says(folder: case_files.Folder) -> None:
    """Prompts, conversation, typed words, stretches and calls of every recorded session."""
    case = folder.transcript_case()
    for expected in case.sessions:
        reading = read_session(folder.path / expected.file)
        said = [m.text.strip() for m in reading.messages if m.origin.opens_turn or (not m.origin.typed and m.text)]
        assert (reading.session, reading.cwd, reading.prompts, reading.message_count) == (
            expected.session_id,
            case.cwd,
            expected.real_user_prompts,
            len(expected.conversation),
        )
        assert said == [entry.text.strip() for entry in expected.conversation]


def test_a_turn_goes_from_prompt_to_prompt(tmp_path: Path) -> None:
    """Queued words open one too, words in dialogs do not; numbers run over the session."""
    session = Session()
    session.agent("hello")
    session.prompt("a")
    session.call("t", "Bash", command="x")
    session.result("t", beside=[{"type": "text", "text": "aside"}], permissionDecision=ACCEPTED)
    session.attach(type="queued_command", prompt="b", commandMode="prompt")
    session.wait(hours=1)
    last = session.prompt("c")
    reading = read(session, tmp_path)
    found = [(m.text or "call", m.turn, m.ordinal) for m in reading.messages]
    assert found == [("hello", 0, 1), ("a", 0, 2), ("call", 0, 3), ("aside", 0, 4), ("b", 1, 5), ("c", 2, 6)]
    assert [(s.first_turn, s.last_turn, s.first_ordinal) for s in reading.stretches] == [(0, 1, 1), (2, 2, 6)]
    assert turn_of(reading.stretches[1], last) == 2


@pytest.mark.parametrize(("seconds", "count"), [(29 * 60 + 50, 1), (30 * 60, 2), (26 * 3600, 2)])
def test_a_stretch_begins_with_a_prompt_after_half_an_hour(tmp_path: Path, seconds: int, count: int) -> None:
    """Measured from the conversation record before it; attachments and bookkeeping in between do not matter."""
    session = Session()
    session.prompt("a")
    session.agent("b")
    pause = session.now
    session.wait(seconds=seconds - 60)
    session.attach(type="date", date="2026-03-09")
    session.system("away_summary")
    session.now = pause + timedelta(seconds=seconds - 7)
    session.prompt("c")
    session.agent("d")
    assert len(read(session, tmp_path).stretches) == count


def test_work_of_the_agent_is_no_pause(tmp_path: Path) -> None:
    """A result that took long, and was too long to decode, counts as a conversation record."""
    session = Session()
    session.prompt("a")
    session.call("t", "Bash", command="make")
    session.wait(minutes=40)
    session.result("t", "x" * 30_000, toolUseResult={"stdout": "x"})
    session.prompt("b")
    assert prompts(read(session, tmp_path)) == [["a", "b"]]


def test_an_answer_after_a_long_pause_begins_no_stretch(tmp_path: Path) -> None:
    """Only prompts do."""
    session = Session()
    session.prompt("a")
    session.wait(hours=2)
    session.agent("b")
    assert len(read(session, tmp_path).stretches) == 1


def test_of_two_prompts_with_one_parent_the_earlier_is_rewound(tmp_path: Path) -> None:
    """With what hangs from it, its dialogs and queued words; ids of the others stay."""
    session = Session()
    session.prompt("a")
    fork = session.agent("b")
    session.prompt("taken back")
    session.agent("in vain")
    session.attach(type="queued_command", prompt="also in vain", commandMode="prompt")
    session.agent("and on")
    session.prompt("further down the wrong way")
    session.prompt("instead", parent=fork)
    session.agent("good")
    reading = read(session, tmp_path)
    assert [(m.text, m.ordinal) for m in reading.messages] == [("a", 1), ("b", 2), ("instead", 8), ("good", 9)]
    assert (reading.prompts, reading.message_count) == (2, 4)


def test_prompts_without_a_parent_do_not_rewind_each_other(tmp_path: Path) -> None:
    """No parent is no common parent, and a parent that is not there decides nothing."""
    session = Session()
    for text in "abc":
        session.prompt(text)
        session.records[-1]["parentUuid"] = None
        session.agent("x")
        session.records[-1]["parentUuid"] = "99999999-0000-4000-8000-000000000000"
    assert prompts(read(session, tmp_path)) == [["a", "b", "c"]]


def test_parallel_answers_and_a_compaction_are_not_rewound(tmp_path: Path) -> None:
    """Two results may have one parent; what was said before a compaction stays."""
    session = Session()
    session.prompt("a")
    fork = session.agent("b")
    session.parent = fork
    session.attach(type="queued_command", prompt="q1", commandMode="prompt")
    session.parent = fork
    session.attach(type="queued_command", prompt="q2", commandMode="prompt")
    session.parent = None
    session.system("compact_boundary", logicalParentUuid=fork)
    session.prompt("a summary that says the opposite", isCompactSummary=True)
    session.prompt("c")
    assert prompts(read(session, tmp_path)) == [["a", "q1", "q2", "c"]]


def test_what_is_written_twice_counts_once(tmp_path: Path) -> None:
    """Repeated records, at once or much later."""
    session = Session()
    session.prompt("a")
    session.agent("b")
    session.write("w", f"{MEMORY}/x.md")
    session.records += session.records
    reading = read(session, tmp_path)
    assert ([m.text for m in reading.messages], len(reading.stretches[0].writes)) == (["a", "b", ""], 1)


def test_memory_writes_know_their_turn_and_whether_they_succeeded(tmp_path: Path) -> None:
    """True, false, or unknown while there is no result; a result the client made up at resuming is none that succeeded."""
    session = Session()
    session.prompt("a")
    session.write("w1", f"{MEMORY}/x.md")
    session.prompt("b")
    session.write("w2", f"{MEMORY}/x.md", error=True)
    session.call("w3", "Write", file_path=f"{MEMORY}/x.md")
    session.result("w3", "[Tool call interrupted: the client was closed]")
    session.call("w4", "Edit", file_path=f"{MEMORY}/x.md")
    [stretch] = read(session, tmp_path).stretches
    assert [(w.tool_use_id, w.turn, w.ok) for w in stretch.writes] == [("w1", 0, True), ("w2", 1, False), ("w3", 1, False), ("w4", 1, None)]


def test_long_results_of_memory_writes_are_looked_at(tmp_path: Path) -> None:
    """Also where the call's id stands at neither end, by the uuid of its record."""
    session = Session()
    session.prompt("a")
    uuid = session.call("w1", "Edit", file_path=f"{MEMORY}/x.md")
    session.result("w1", "x" * 9000, toolUseResult={"originalFile": "y" * 9000})
    block = {"type": "tool_result", "content": "no " * 4000, "is_error": True, "tool_use_id": "w2"}
    uuid = session.call("w2", "Write", file_path=f"{MEMORY}/y.md")
    session.chained(
        {"type": "user", "message": {"role": "user", "content": [block]}}, {"toolUseResult": "no " * 4000, "sourceToolAssistantUUID": uuid}
    )
    [stretch] = read(session, tmp_path).stretches
    assert [(w.tool_use_id, w.ok) for w in stretch.writes] == [("w1", True), ("w2", False)]


def test_the_first_cwd_is_the_sessions(tmp_path: Path) -> None:
    """It changes within a file; also a session without any message has one."""
    session = Session()
    session.system("local_command", content="<command-name>/context</command-name>")
    session.prompt("a")
    session.records[-1]["cwd"] = "/elsewhere"
    assert read(session, tmp_path).cwd == CWD
    session.records = session.records[:1]
    reading = read(session, tmp_path)
    assert (reading.cwd, reading.stretches, reading.session) == (CWD, (), SESSION)


def test_the_cursor_finds_its_place_by_uuid(tmp_path: Path) -> None:
    """What comes after the message it names; everything where that is gone."""
    session = Session()
    session.prompt("a")
    cursor = read(session, tmp_path).cursor
    session.agent("b")
    session.prompt("c")
    reading = read(session, tmp_path)
    assert [m.text for m in after(reading, cursor)] == ["b", "c"]
    assert [m.text for m in after(reading, Cursor(5, "gone"))] == ["a", "b", "c"]


def said(path: Path, zone: str) -> list[str]:
    """Local times of the messages, as a process in ``zone`` reads them."""
    program = "import sys; from pathlib import Path; from extractord.transcript.span import read_session\n"
    program += "print(*(m.said.isoformat() for m in read_session(Path(sys.argv[1])).messages))"
    ran = subprocess.run(
        [sys.executable, "-c", program, str(path)], env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=True
    )
    return ran.stdout.split()


def test_words_were_said_in_the_local_zone(tmp_path: Path) -> None:
    """With the rules of that day."""
    session = Session()
    session.prompt("winter")
    session.wait(days=120)
    session.prompt("summer")
    path = session.save(tmp_path)
    assert said(path, "Asia/Tokyo") == ["2026-03-09T18:00:07+09:00", "2026-07-07T18:00:14+09:00"]
    assert said(path, "Europe/Berlin") == ["2026-03-09T10:00:07+01:00", "2026-07-07T11:00:14+02:00"]


def test_a_date_the_session_shows_beats_the_machines_zone(tmp_path: Path) -> None:
    """The nearest zone by whole hours in which the told date is right, also for the words before it."""
    session = Session()
    session.wait(hours=13, minutes=30)
    session.prompt("late")
    session.attach(type="date", date="2026-03-10")
    path = session.save(tmp_path)
    assert said(path, "UTC") == ["2026-03-10T00:30:07+02:00"]
    assert said(path, "Asia/Tokyo") == ["2026-03-10T07:30:07+09:00"]


def test_evidence_time_never_goes_back(tmp_path: Path) -> None:
    """It is the largest time up to a message; one without a time has that of those before it, or of the file."""
    session = Session()
    session.prompt("a")
    session.now -= timedelta(hours=1)
    session.prompt("b")
    session.prompt("c")
    session.records[-1]["timestamp"] = "not a time"
    first, second, third = read(session, tmp_path).messages
    assert first.evidence_time == second.evidence_time == third.evidence_time == first.said.timestamp()
    session.records = [{**session.records[0], "timestamp": None}]
    path = session.save(tmp_path)
    os.utime(path, (1000, 1000))
    assert next(iter(read_session(path).messages)).evidence_time == 1000


# --- settled ---


def pending(session: Session, folder: Path) -> Pending:
    return read(session, folder).pending


def test_what_is_pending_at_the_end(tmp_path: Path) -> None:
    """An unanswered prompt, call or result; not a call that a later message follows, nor anything after an interruption."""
    session = Session()
    session.prompt("a")
    assert pending(session, tmp_path) is Pending.REPLY
    session.agent("let me see", stop="tool_use")
    assert pending(session, tmp_path) is Pending.CALL
    session.call("t", "Bash", command="x")
    assert pending(session, tmp_path) is Pending.CALL
    session.result("t", "x" * 9000)
    assert pending(session, tmp_path) is Pending.REPLY
    session.call("t2", "Bash", command="x")
    session.agent("done")
    assert pending(session, tmp_path) is Pending.NOTHING
    session.call("t3", "Bash", command="x")
    session.prompt([{"type": "text", "text": "[Request interrupted by user]"}])
    assert pending(session, tmp_path) is Pending.NOTHING


def test_an_agent_in_the_background_is_pending_until_it_comes_back(tmp_path: Path) -> None:
    """Also over later messages; its notice names the call or the agent."""
    session = Session()
    session.prompt("a")
    session.call("t", "Agent", description="look")
    session.result("t", toolUseResult={"status": "async_launched", "agentId": "a1"})
    session.agent("it is looking")
    assert pending(session, tmp_path) is Pending.AGENT
    session.prompt("<task-notification><task-id>a1</task-id></task-notification>", origin={"kind": "task-notification"})
    session.agent("it found nothing")
    assert pending(session, tmp_path) is Pending.NOTHING


MINUTE = 60.0


@pytest.mark.parametrize(
    ("client", "is_pending", "minutes", "ok"),
    [
        (ClientState.UNKNOWN, False, 29, False),
        (ClientState.UNKNOWN, False, 30, True),
        (ClientState.IDLE, False, 30, True),
        (ClientState.IDLE, True, 59, False),
        (ClientState.UNKNOWN, True, 60, True),
        (ClientState.GONE, True, 0.5, False),
        (ClientState.GONE, True, 1, True),
        (ClientState.BUSY, False, 120, False),
        (ClientState.BUSY, True, 360, True),
    ],
)
def test_how_long_it_must_be_quiet(tmp_path: Path, client: ClientState, is_pending: bool, minutes: float, ok: bool) -> None:
    """By what the client does and what is pending; six hours always do."""
    session = Session()
    session.prompt("a")
    if not is_pending:
        session.agent("b")
    path = session.save(tmp_path)
    os.utime(path, (session.now.timestamp(),) * 2)
    reading = read_session(path)
    found = settled(reading, session.now.timestamp() + minutes * MINUTE, client, SettleLimits())
    assert found.ok is ok
    assert found.reason
    assert found.until > reading.last_record_time


def test_settling_goes_by_the_later_of_file_time_and_record_time(tmp_path: Path) -> None:
    """A file time after the asked moment tells nothing; quiet is never negative."""
    session = Session()
    session.prompt("a")
    session.agent("b")
    path = session.save(tmp_path)
    last = session.now.timestamp()
    os.utime(path, (last + 20 * MINUTE,) * 2)
    reading = read_session(path)
    assert not settled(reading, last + 40 * MINUTE, ClientState.UNKNOWN).ok
    assert settled(reading, last + 50 * MINUTE, ClientState.UNKNOWN).ok
    os.utime(path, (last + 100 * MINUTE,) * 2)
    reading = read_session(path)
    assert settled(reading, last + 40 * MINUTE, ClientState.UNKNOWN).ok
    assert not settled(reading, last - 10 * MINUTE, ClientState.UNKNOWN).ok
    assert "quiet for 0 s" in settled(reading, last - MINUTE, ClientState.UNKNOWN).reason


def test_origins_tell_what_was_typed() -> None:
    """Everything but the agent's own."""
    assert [o for o in Origin if not o.typed] == [Origin.AGENT]
