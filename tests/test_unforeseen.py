"""Promises about what nobody foresaw: it has a name and a way out, and stands in nobody else's way."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from extractord.cli.moments import moment_of
from extractord.errors import UsageError
from extractord.extraction.plan import Scope, look
from extractord.extraction.sweep import SessionResult, sweep
from extractord.ledger import Outcome
from tests.command import extractord
from tests.homes import SAYINGS, Home, Talk
from tests.killed_once import Steps, supervising
from tests.needs import Needs

LONG_AGO = 1_600_000_000  # when a transcript was last written to, here


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def rewritten(talk: Talk, pattern: str, by: str) -> None:
    """Change what the records of a session say."""
    text, count = re.subn(pattern, lambda _: by, talk.path.read_text(encoding="utf-8"))
    assert count
    talk.path.write_text(text, encoding="utf-8")
    os.utime(talk.path, (LONG_AGO, LONG_AGO))


# --- transcripts ---


ODD_CWDS = (r"/a\u0000b", r"\u0000", "", "relative", r"/\ud800", "/" + "a" * 5000, "/" + "b" * 300, "/x" * 3000, "//", "/proc/self/fd/0")


def test_a_cwd_that_is_no_folder_of_this_machine_stops_no_run(home: Home) -> None:
    """Each such session has an outcome, with a reason if it is not saved; no other one is disturbed, and ``sessions`` shows them."""
    odd = {cwd: home.talk(f"odd-{number}", SAYINGS[2]) for number, cwd in enumerate(ODD_CWDS)}
    for cwd, talk in odd.items():
        rewritten(talk, r'"cwd": "[^"]*"', f'"cwd": "{cwd}"')
    home.talk("shop", SAYINGS[0])
    answer = extractord(home, "once", "--json")
    assert (answer.status, answer.summary["failed"]) == (0, 0), answer.stdout + answer.stderr
    assert (home.memory("shop") / "feedback_linter_commit.md").exists()
    outcomes = {line["session"]: (line["outcome"], bool(line["reason"])) for line in answer.lines[:-1]}
    assert {
        cwd: outcomes[talk.session] for cwd, talk in odd.items() if outcomes[talk.session] not in {("saved", False), ("skipped", True)}
    } == {}
    assert {line["session"] for line in extractord(home, "sessions", "--json").lines} == set(outcomes)
    assert len(outcomes) == len(odd) + 1


def test_a_time_at_the_end_of_all_time_stops_no_run(home: Home) -> None:
    """A session whose records lie there has an outcome, in a run and in ``inspect``; what it said is dated like any other."""
    times = ("0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999-14:00", "1969-01-01")
    odd = [home.talk(f"odd-{number}", SAYINGS[2], "The release is due tomorrow.") for number, _ in enumerate(times)]
    for talk, time in zip(odd, times, strict=True):
        rewritten(talk, r'"timestamp": "[^"]*"', f'"timestamp": "{time}"')
        assert extractord(home, "inspect", talk.path, "--json").only["prompts"] == 2
    home.talk("shop", SAYINGS[0])
    answer = extractord(home, "once", "--now", "session", "--json")
    assert (answer.status, answer.summary["saved"]) == (0, len(times) + 1), answer.stdout + answer.stderr
    for argv in (["sessions", "--json"], ["log", "--json"]):
        shown = extractord(home, *argv)
        assert (shown.status, len(shown.lines)) == (0, len(times) + 1), shown.stderr


def test_a_transcript_that_may_not_be_read_has_a_failed_row_and_is_tried_again(home: Home, needs: Needs) -> None:
    """It says which file and why; the others are saved; as soon as it may be read it is dealt with."""
    user = needs.ordinary_user()
    closed = home.talk("odd", SAYINGS[2])
    closed.path.chmod(0)
    home.talk("shop", SAYINGS[0])
    answer = extractord(home, "once", "--json", before=user)
    assert (answer.status, answer.summary["failed"], answer.summary["saved"]) == (1, 1, 1), answer.stdout + answer.stderr
    (row,) = extractord(home, "sessions", "--outcome", "failed", "--json").lines
    assert row["session"] == closed.session
    assert "Permission denied" in row["reason"]
    again = extractord(home, "once", "--json", before=user)
    assert (again.status, again.summary["failed"], again.summary["unchanged"]) == (1, 1, 1)
    closed.path.chmod(0o600)
    assert extractord(home, "once", "--json", before=user).summary["saved"] == 1
    assert extractord(home, "sessions", "--outcome", "failed", "--json").lines == ()


@pytest.mark.parametrize("kind", ["folder", "pipe", "dangling", "loop"])
def test_what_is_no_transcript_but_is_called_so_stands_in_nobodys_way(home: Home, kind: str) -> None:
    """It is no session, nothing waits for it, and the sessions beside it are saved."""
    place = home.talk("shop", SAYINGS[0]).path.with_name("00000000-0000-4000-8000-000000000001.jsonl")
    match kind:
        case "folder":
            place.mkdir()
        case "pipe":
            os.mkfifo(place)
        case "dangling":
            place.symlink_to("nowhere")
        case _:
            place.symlink_to(place.name)
    answer = extractord(home, "once", "--json")
    assert (answer.status, answer.summary["saved"], answer.summary["sessions"]) == (0, 1, 1), answer.stdout + answer.stderr


# --- faults of our own ---


class Faulty(Steps):
    """Steps of which the first with a certain name meets a fault that nobody foresaw."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __call__(self, name: str) -> None:
        super().__call__(name)
        if name == self._name and self.names.count(name) == 1:
            raise ZeroDivisionError(SAYINGS[0])


def swept(home: Home, steps: Steps) -> list[SessionResult]:
    with supervising(home.root, steps) as supervisor:
        return list(sweep(supervisor, Scope(), look(supervisor, Scope())))


@pytest.mark.parametrize("step", ["before prepare", "after prepare", "write feedback_linter_commit.md", "put in feedback_linter_commit.md"])
def test_a_fault_of_our_own_is_the_outcome_of_its_session_alone(home: Home, step: str) -> None:
    """The session failed, with kind and place of the fault and none of its words; the next one is saved, the next run mends the first."""
    first = home.talk("shop", SAYINGS[0], days_ago=5)
    home.talk("site", SAYINGS[2], days_ago=4)
    results = swept(home, Faulty(step))
    assert [result.outcome for result in results] == [Outcome.FAILED, Outcome.SAVED]
    assert "unexpected ZeroDivisionError in " in results[0].reason
    assert "linter" not in results[0].reason
    (row,) = extractord(home, "sessions", "--outcome", "failed", "--json").lines
    assert (row["session"], row["reason"]) == (first.session, results[0].reason)
    swept(home, Steps())
    assert {line["outcome"] for line in extractord(home, "sessions", "--json").lines} == {"saved"}
    assert SAYINGS[0] in (home.memory("shop") / "feedback_linter_commit.md").read_text()
    assert len(extractord(home, "log", "--json").lines) == 2


# --- what people type, and where it goes ---


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_forgetting_nothing_is_wrong_usage(home: Home, text: str) -> None:
    """Empty words stand everywhere: the command says so with status 2 and removes nothing."""
    home.talk("shop", SAYINGS[0])
    extractord(home, "once", "--json")
    before = home.memories()
    answer = extractord(home, "forget", "--text", text, "--yes", "--cwd", home.project("shop"))
    assert (answer.status, "empty" in answer.stderr) == (2, True), answer.stderr
    assert home.memories() == before


@pytest.mark.parametrize(
    "argv", [["once", "--json"], ["sessions"], ["log", "--json"], ["status"], ["--help"], ["config", "--show"]], ids=" ".join
)
def test_an_output_that_is_full_is_told_with_status_1(home: Home, argv: list[str]) -> None:
    """One message on stderr, no traceback, and what was done stays done."""
    home.talk("shop", SAYINGS[0])
    if argv[0] != "once":
        extractord(home, "once", "--json")
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "extractord", *argv]
        done = subprocess.run(command, env={**os.environ, **home.env()}, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, "cannot be written" in done.stderr) == (1, True), done.stderr
    assert [word for word in ("Traceback", "Exception") if word in done.stderr] == []
    assert len(home.memories()) == 1


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_a_configuration_that_is_no_file_is_refused_at_once(home: Home, kind: str) -> None:
    """A pipe would be waited for, a folder cannot be read: status 2, with the path."""
    place = home.root / "config.toml"
    match kind:
        case "pipe":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case _:
            place.symlink_to("/dev/zero")
    answer = extractord(home, "once", "--json")
    assert (answer.status, str(place) in answer.stderr) == (2, True), answer.stderr


@pytest.mark.parametrize(
    "text", ["0001-01-01", "9999-12-31", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "99999999999d", "9" * 5000 + "d", "٣d"]
)
def test_a_time_that_cannot_be_reckoned_is_wrong_usage(text: str) -> None:
    """Beyond the first and the last day that a program can name there is no answer but the way out."""
    with pytest.raises(UsageError) as caught:
        moment_of(text)
    assert caught.value.hint


@pytest.mark.parametrize("option", ["--since", "--until", "--now"])
def test_a_run_that_is_given_such_a_time_says_so(home: Home, option: str) -> None:
    """Status 2, before anything is looked at."""
    answer = extractord(home, "once", option, "0001-01-01", "--json")
    assert (answer.status, answer.stdout, "0001-01-01" in answer.stderr) == (2, "", True), answer.stderr
