"""Promises of the options of ``once``, of the question it asks first, and of how it ends."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import PIPE

import pytest

from extractord.memory.directory import MemoryDirectory
from tests.command import COMMAND_SECONDS, Answer, extractord
from tests.homes import SAYINGS, Home, lived_in, put, tree

COMMAND = (sys.executable, "-m", "extractord", "once")
LINE = {"session", "transcript", "memory_dir", "outcome", "reason", "topics", "input_tokens", "output_tokens", "cost_usd", "seconds"}
OUTCOMES = {"saved", "nothing_to_save", "skipped", "pending_review", "conflicted", "failed", "postponed"}
SUMMARY = OUTCOMES | {"sessions", "unchanged", "cost_usd", "seconds"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_dry_run_shows_what_a_run_would_do_and_writes_nothing(home: Home) -> None:
    """Not a byte anywhere, the state folder included, before the first run and after it; the outcomes are the run's."""
    lived_in(home)
    untouched = tree(home.root)
    dry = extractord(home, "once", "--dry-run", "--json")
    assert dry.status == 0, dry.stderr
    assert tree(home.root) == untouched
    sessions = [line for line in dry.lines if "session" in line]
    assert [set(line) - LINE - {"stretches"} for line in sessions] == [{"diff"}] * len(sessions)
    assert any(f"+{SAYINGS[4]}" in line["diff"] for line in sessions)
    real = extractord(home, "once", "--json")
    assert _told(real) == _told(dry)
    assert set(real.summary) == set(dry.summary) == SUMMARY
    home.talk("shop", SAYINGS[0])
    untouched = tree(home.root)
    assert extractord(home, "once", "--dry-run", "--json").summary["saved"] == 1
    assert tree(home.root) == untouched


def test_an_estimate_asks_nobody_and_writes_nothing(home: Home) -> None:
    """A line a session with tokens and price, and a summary."""
    home.talk("shop", SAYINGS[0])
    home.talk("site", SAYINGS[2])
    untouched = tree(home.root)
    answer = extractord(home, "once", "--estimate", "--json")
    assert tree(home.root) == untouched
    assert [set(line) for line in answer.lines[:-1]] == [{"session", "input_tokens", "output_tokens_guess", "cost_usd"}] * 2
    assert answer.summary["input_tokens"] == sum(line["input_tokens"] for line in answer.lines[:-1]) > 0
    assert extractord(home, "once", "--estimate", "--dry-run").status == 2


def test_scope_is_by_time_project_session_and_number(home: Home) -> None:
    """``--since``, ``--until``, ``--project``, ``--session`` and ``--limit`` choose; the rest stays for another time."""
    days = {name: home.talk(name, SAYINGS[n], days_ago=10.0 * n + 5) for n, name in enumerate(("new", "middle", "old"))}
    middle = (datetime.now(UTC) - timedelta(days=20)).isoformat()

    def chosen(*argv: str | Path) -> list[str]:
        answer = extractord(home, "once", "--dry-run", "--json", *argv)
        assert answer.status == 0, answer.stderr
        return sorted(name for line in answer.lines for name, talk in days.items() if line.get("session") == talk.session)

    assert chosen("--since", "10d") == ["new"]
    assert chosen("--until", middle) == ["old"]
    assert chosen("--since", "30d", "--until", (datetime.now(UTC) - timedelta(days=10)).isoformat()) == ["middle", "old"]
    assert chosen("--project", home.project("old")) == ["old"]
    assert chosen("--session", days["new"].session) == ["new"]
    assert len(chosen("--limit", "2")) == 2
    assert extractord(home, "once", "--since", "soon").status == 2
    assert extractord(home, "once", "--again").status == 2


def test_again_looks_once_more_and_makes_no_twin(home: Home) -> None:
    """``--session ID --again`` deals with a session that is done; what it said stands already."""
    talk = home.talk("shop", SAYINGS[0])
    home.talk("shop", SAYINGS[2])
    extractord(home, "once", "--json")
    before = home.memories()
    again = extractord(home, "once", "--session", talk.session, "--again", "--json")
    assert (again.status, again.summary["sessions"], again.summary["nothing_to_save"]) == (0, 1, 1)
    assert home.memories() == before


def test_a_session_that_is_not_settled_is_left_for_later(home: Home) -> None:
    """It is told as postponed, and the ledger does not know of it."""
    home.talk("shop", SAYINGS[0], days_ago=0.005)
    answer = extractord(home, "once", "--json")
    assert [(line["outcome"], line["reason"]) for line in answer.lines[:-1]] == [("postponed", "not settled")]
    assert extractord(home, "sessions", "--json").lines == ()
    assert "not settled yet" in extractord(home, "once").stderr


def test_a_home_without_sessions_says_so(home: Home) -> None:
    """A missing or empty config home is no failure: what was looked for is named."""
    answer = extractord(home, "once")
    assert (answer.status, str(home.projects) in answer.stderr) == (0, True)


def test_a_memory_directory_that_cannot_be_written_fails_alone_and_is_tried_again(home: Home) -> None:
    """A file stands where the directory should: failed with status 1; once it is gone, the same session is saved."""
    home.talk("shop", SAYINGS[0])
    home.talk("site", SAYINGS[2])
    in_the_way = put(home.memory("shop").parent, "memory", "no directory")
    answer = extractord(home, "once", "--json")
    assert (answer.status, answer.summary["failed"], answer.summary["saved"]) == (1, 1, 1), answer.stdout
    in_the_way.unlink()
    assert extractord(home, "once", "--json").summary["saved"] == 1


def test_the_first_run_on_a_terminal_shows_the_plan_and_asks(home: Home) -> None:
    """No: status 1 and nothing written. Yes: it runs, and the next run does not ask."""
    home.talk("shop", SAYINGS[0], SAYINGS[2])
    status, said = _on_a_terminal(home, "n\n")
    assert (status, home.memories()) == (1, {}), said
    assert [part in said for part in ("1 session", "2 prompts", str(home.project("shop")))] == [True] * 3
    status, said = _on_a_terminal(home, "y\n")
    assert (status, len(home.memories())) == (0, 1), said
    home.talk("shop", SAYINGS[4], days_ago=2)
    status, said = _on_a_terminal(home, "")
    assert (status, "[y/N]" in said) == (0, False), said


def test_ctrl_c_stops_cleanly(home: Home) -> None:
    """Status 130, nothing half, no traceback; the next run does the rest."""
    home.talk("shop", SAYINGS[0], days_ago=10)
    for number, said in enumerate(SAYINGS[1:4]):
        home.talk("site", said, days_ago=9 - number)
    waited_for = MemoryDirectory(home.memory("site"), home.state).lock()
    with waited_for, subprocess.Popen([*COMMAND, "--json"], env=_env(home), stdout=PIPE, stderr=PIPE, text=True) as running:
        assert running.stdout is not None
        assert "session" in running.stdout.readline()  # the first session is done
        running.send_signal(signal.SIGINT)
        _, stderr = running.communicate(timeout=COMMAND_SECONDS)
    assert (running.returncode, "Traceback" in stderr) == (130, False), stderr
    assert [len(list(home.memory(name).glob("[!M]*.md"))) for name in ("shop", "site")] == [1, 0]
    assert extractord(home, "once", "--json").status == 0
    assert [len(list(home.memory(name).glob("[!M]*.md"))) for name in ("shop", "site")] == [1, 3]
    assert [path for name in ("shop", "site") for path in home.memory(name).glob(".*")] == []


@pytest.mark.parametrize("argv", [["once", "--json"], ["once"], ["sessions"], ["log", "--json"]], ids=" ".join)
def test_a_broken_pipe_is_silent(home: Home, argv: list[str]) -> None:
    """A reader that goes away ends the command without a word on stderr."""
    home.talk("shop", SAYINGS[0])
    if argv[0] != "once":
        extractord(home, "once", "--json")
    with subprocess.Popen([*COMMAND[:3], *argv], env=_env(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        stderr = running.stderr.read()
    assert [word for word in ("Traceback", "BrokenPipe", "Exception", "Errno") if word in stderr] == []


def _told(answer: Answer) -> list[tuple[str, str, list[str]]]:
    return sorted((line["session"], line["outcome"], line["topics"]) for line in answer.lines if "session" in line)


def _env(home: Home) -> dict[str, str]:
    return {**os.environ, **home.env()}


def _on_a_terminal(home: Home, typed: str) -> tuple[int, str]:
    """Run ``once`` on a terminal of its own; return its status and what the terminal showed."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(COMMAND, env=_env(home), stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    os.write(ours, typed.encode())
    said, until = b"", time.monotonic() + COMMAND_SECONDS
    while time.monotonic() < until:
        if not select.select([ours], [], [], 0.2)[0]:
            continue
        try:
            said += os.read(ours, 65_536)
        except OSError:  # EIO: the other side is closed
            break
    os.close(ours)
    return running.wait(timeout=COMMAND_SECONDS), said.decode("utf-8", "replace")
