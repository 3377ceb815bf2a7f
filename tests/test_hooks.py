"""Promises of ``hook``: agents that call us get what they ask for, and are never held up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractord.transcript.tools_in_use import TAIL, tools_in_use
from tests.command import Answer, extractord
from tests.homes import SAYINGS, Home, put, topic

BODY = "Integration tests run against a real database."
CLAUDE = '{"type":"assistant","message":{"content":[{"type":"text"},{"type":"tool_use","id":"t","name":"%s","input":{"a":[1]}}]}}'
CODEX = '{"timestamp":"2026-11-01T09:00:00Z","type":"response_item","payload":{"type":"function_call","name":"%s","arguments":"{}"}}'
GEMINI = '{"id":"1","type":"gemini","content":"x","toolCalls":[{"id":"c","name":"%s","args":{},"status":"success"}]}'


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    put(made.memory("shop"), "db.md", topic("testing database", BODY), days_ago=5.5)
    put(made.memory("shop"), "psql.md", topic("psql usage", "psql -h", "reference", "psql database command reference"))
    return made


def _hook(home: Home, name: str, /, *, guard: str = "", **event: object) -> Answer:
    sent = {"session_id": "s1", "cwd": str(home.project("shop")), "transcript_path": None, **event}
    return extractord(home, "hook", name, stdin=json.dumps(sent), env={"EXTRACTORD_OWN_RUN": guard})


def _context(answer: Answer, event: str) -> str:
    assert answer.status == 0, answer.stderr
    found: dict[str, Any] = json.loads(answer.stdout)
    assert set(found) == {"hookSpecificOutput"}
    assert set(found["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert found["hookSpecificOutput"]["hookEventName"] == event
    return str(found["hookSpecificOutput"]["additionalContext"])


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
def test_a_session_gets_its_memory_section(home: Home, source: str) -> None:
    """The same as ``prompt`` prints for it."""
    said = _context(_hook(home, "session-start", hook_event_name="SessionStart", source=source, model="m"), "SessionStart")
    assert said == extractord(home, "prompt", "--cwd", home.project("shop"), "--session", "s1").stdout


def test_a_resumed_session_has_its_section_already(home: Home) -> None:
    """It is given once; a session that began before the hook was there gets it when it is resumed."""
    assert "# Memory" in _context(_hook(home, "session-start", source="resume"), "SessionStart")
    assert _hook(home, "session-start", source="resume").stdout == "{}\n"


def test_what_is_new_is_said_in_a_line(home: Home) -> None:
    """Only where there is something."""
    assert "extractord log" not in _context(_hook(home, "session-start", session_id="a"), "SessionStart")
    home.talk("shop", SAYINGS[0], SAYINGS[1])
    extractord(home, "once")
    said = _context(_hook(home, "session-start", session_id="b"), "SessionStart")
    assert said.splitlines()[-1] == "2 new memories since yesterday (`extractord log`)"
    extractord(home, "undo", "--all")
    assert "extractord log" not in _context(_hook(home, "session-start", session_id="c"), "SessionStart")


@pytest.mark.parametrize("event", ["UserPromptSubmit", "BeforeAgent"])
def test_a_prompt_gets_the_topics_it_calls_for_once_a_session(home: Home, event: str) -> None:
    """With age, warning and text; what was shown is not shown again; another session is shown it."""
    asked = {"hook_event_name": event, "prompt": "how do we test the database?"}
    said = _context(_hook(home, "user-prompt", **asked), event)
    assert "## testing database (db.md, feedback, 5 days ago)\nWritten 5 days ago" in said
    assert BODY in said
    assert _hook(home, "user-prompt", **asked).stdout == "{}\n"
    assert BODY in _context(_hook(home, "user-prompt", session_id="s2", **asked), event)


@pytest.mark.parametrize("record", [CLAUDE, CODEX, GEMINI])
def test_documentation_of_tools_in_the_transcript_is_left_out(home: Home, record: str) -> None:
    """Whichever agent wrote it."""
    transcript = home.root / "talk.jsonl"
    asked = {"prompt": "run the psql command against the database", "transcript_path": str(transcript)}
    transcript.write_text(record % "other" + "\n")
    assert "psql.md" in _context(_hook(home, "user-prompt", session_id="a", **asked), "UserPromptSubmit")
    transcript.write_text("not json\n" + record % "mcp__psql__query" + "\n")
    assert "psql.md" not in _hook(home, "user-prompt", session_id="b", **asked).stdout


def test_tools_are_read_from_the_end_of_whatever_lies_there(tmp_path: Path) -> None:
    """The newest last; of a long transcript the end, of a JSON document the whole; nothing from what is neither."""
    place = tmp_path / "talk.jsonl"
    place.write_text(CLAUDE % "Early" + "\n" + "x" * TAIL + "\n" + CODEX % "shell" + "\n" + CLAUDE % "Bash" + "\n" + CODEX % "shell")
    assert tools_in_use(place) == ("shell", "Bash")
    whole = tmp_path / "session.json"
    whole.write_text('{\n "sessionId": "1",\n "messages": [\n  ' + GEMINI % "read_file" + "\n ]\n}\n")
    assert tools_in_use(whole) == ("read_file",)
    for nothing in (tmp_path, tmp_path / "no", Path("/dev/null")):
        assert tools_in_use(nothing) == ()


@pytest.mark.parametrize("stdin", ["", "no json", "[]", '{"cwd": 5}'])
@pytest.mark.parametrize("name", ["session-start", "user-prompt"])
def test_a_hook_that_fails_holds_nobody_up(home: Home, name: str, stdin: str) -> None:
    """Status 1 and a word on stderr: at 2 an agent would refuse the session or the prompt."""
    answer = extractord(home, "hook", name, stdin=stdin)
    assert (answer.status, answer.stdout) == (1, "")
    assert "JSON" in answer.stderr


def test_a_wrong_configuration_holds_nobody_up(home: Home) -> None:
    """It is told, and the agent goes on."""
    home.config("nonsense = 1\n")
    answer = _hook(home, "user-prompt", prompt="how do we test the database?")
    assert (answer.status, answer.stdout) == (1, "")
    assert "nonsense" in answer.stderr


def test_our_own_runs_are_given_nothing(home: Home) -> None:
    """By the guard in the environment or by the folder they run in."""
    assert _hook(home, "session-start", guard="1").stdout == "{}\n"
    assert _hook(home, "session-start", cwd="/home/sam/.local/state/extractord/run").stdout == "{}\n"


def test_a_long_topic_is_cut_and_says_where_the_rest_is(home: Home) -> None:
    """Agents cut what a hook says: we do it where it is told."""
    put(home.memory("shop"), "long.md", topic("kangaroo importer", "kangaroo " * 2_000, "project"))
    said = _context(_hook(home, "user-prompt", prompt="tell me about the kangaroo importer"), "UserPromptSubmit")
    assert len(said) < 5_000
    assert said.endswith(f"[cut; the whole is in {home.memory('shop') / 'long.md'}]")
