"""The daemon in the foreground: what it saves, what it leaves alone, how it starts and ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.case_files import sanitized
from tests.command import extractord
from tests.daemons import QUICK, RULE, Daemon, appending, daemon, lines_of, now_talking, outcomes, until
from tests.homes import Home, Talk
from tests.model_runs import write
from tests.needs import Needs
from tests.scripted_server import Answer, Script, serving

OLD_RULE = "Never push to main without asking me first."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.projects.mkdir(parents=True)
    made.config(QUICK)
    return made


def topics(home: Home, project: str) -> dict[str, str]:
    return {path.name: path.read_text() for path in home.memory(project).glob("*.md")}


def test_a_first_start_leaves_old_sessions_alone_and_what_comes_later_is_saved_once(home: Home) -> None:
    """200 old sessions bring nothing; one that a process appends afterwards is saved after it settled, once."""
    for number in range(200):
        home.talk(f"old{number % 7}", OLD_RULE, days_ago=number % 30 + 1)
    with daemon(home) as running:
        talk = now_talking(home, "shop", RULE, "thanks")
        assert appending(talk.path, lines_of(talk)).wait() == 0
        until(lambda: outcomes(home), lambda: running.log)
        time.sleep(3)
        assert outcomes(home) == {talk.session: "saved"}
        assert len(extractord(home, "log", "--json").lines) == 1
        told = extractord(home, "status", "--json").only
        assert (told["older_sessions"], told["running"], told["sessions_known"]) == (200, True, 201)
        assert "200 older sessions not looked at: `extractord once --estimate`" in extractord(home, "status").stdout
    assert "linter" in "".join(topics(home, "shop").values())
    assert set(home.memories()) == {home.memory("shop").parent.name}
    assert "linter" not in running.log


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer(status=401, error="authentication_error"), "ANTHROPIC_API_KEY"),
        (Answer(status=403, error="permission_error", message="monthly spend limit"), "raise it at the vendor"),
        (Answer(status=400, error="invalid_request_error", message="Your credit balance is too low"), "raise it at the vendor"),
    ],
    ids=["login", "limit", "money"],
)
def test_a_login_or_limit_of_the_model_postpones_with_the_way_out(home: Home, answer: Answer, told: str) -> None:
    """Asked once for all sessions that wait; `status` says what to do; with another key they are extracted."""
    wrote = write("feedback_linter.md", "Always run the linter before a commit.", "always run the linter before you commit")
    good = "sk-test-" + "good" * 8
    script: Script = lambda asked, _: Answer((wrote,)) if good in str(asked.headers) else answer  # noqa: E731
    with serving(script) as server:
        home.config(f'backend = "anthropic"\nbase_url = "{server.url}"\n' + QUICK)
        with daemon(home, ANTHROPIC_API_KEY="k") as running:
            for project in ("shop", "site"):
                talk = now_talking(home, project, RULE, session=str(uuid.uuid4()))
                assert appending(talk.path, lines_of(talk)).wait() == 0
            until(lambda: list(outcomes(home).values()) == ["postponed"] * 2, lambda: running.log)
            assert told in extractord(home, "status").stdout
            assert len(server.asked) == 1
            assert RULE not in running.log
            (home.root / "credentials").write_text(f"ANTHROPIC_API_KEY={good}\n")
            until(lambda: "saved" in outcomes(home).values(), lambda: running.log)


def test_old_sessions_are_still_there_for_a_run_by_hand(home: Home) -> None:
    """After the daemon's first start `once` saves the old sessions, and none is older any more."""
    home.talk("shop", OLD_RULE)
    with daemon(home):
        pass
    assert extractord(home, "once", "--json").summary["saved"] == 1
    assert extractord(home, "status", "--json").only["older_sessions"] == 0


def test_a_session_that_grows_later_is_extracted_from_there_on(home: Home) -> None:
    """Of a session that straddles the first start only the new turns are the daemon's; the old ones stay for `once`."""
    talk = now_talking(home, "shop", OLD_RULE)
    talk.save()
    old = len(lines_of(talk))
    with daemon(home) as running:
        talk.now = datetime.now(UTC) + timedelta(seconds=1)
        talk.prompt(RULE, minutes=0)
        appending(talk.path, lines_of(talk)[old:]).wait()
        until(lambda: outcomes(home), lambda: running.log)
        saved = "".join(topics(home, "shop").values())
        assert "linter" in saved
        assert "push" not in saved
    extractord(home, "once", "--json", "--now", "session")
    assert "push" in "".join(topics(home, "shop").values())
    assert "".join(topics(home, "shop").values()).count("run the linter before") == saved.count("run the linter before")


def test_a_fork_of_an_old_session_brings_only_what_is_new(home: Home) -> None:
    """A fork copies the old records under their uuids into a new file: they are as old as in the first one."""
    old = home.talk("shop", OLD_RULE, days_ago=2)
    with daemon(home) as running:
        fork = Talk(home, old.cwd, "bbbbbbbb-0000-4000-8000-000000000001", old.now)
        fork._records = [{**record, "sessionId": fork.session} for record in old._records]
        copied = lines_of(fork)
        fork.path.write_bytes(b"".join(copied))
        fork.now = datetime.now(UTC)
        fork.prompt(RULE, minutes=0)
        appending(fork.path, lines_of(fork)[len(copied) :]).wait()
        until(lambda: outcomes(home), lambda: running.log)
        time.sleep(2)
        saved = "".join(topics(home, "shop").values())
    assert "linter" in saved
    assert "push" not in saved


def test_a_backup_that_is_put_back_is_not_the_daemons_business(home: Home) -> None:
    """Old transcripts that appear later with their old times are older sessions; they are opened neither then nor later."""
    with daemon(home) as running:
        home.talk("shop", OLD_RULE, days_ago=2)
        home.talk("shop", OLD_RULE, days_ago=90)
        until(lambda: extractord(home, "status", "--json").only["older_sessions"] == 2, lambda: running.log)
        assert outcomes(home) == {}
    assert extractord(home, "once", "--json").summary["sessions"] == 2


def test_what_failed_is_tried_again_by_itself(home: Home) -> None:
    """A memory directory that cannot be written fails; when it can be, the retry saves the session, once."""
    with daemon(home) as running:
        talk = now_talking(home, "shop", RULE)
        home.memory("shop").parent.mkdir(parents=True, exist_ok=True)
        home.memory("shop").write_text("a file in its place")
        appending(talk.path, lines_of(talk)).wait()
        until(lambda: outcomes(home).get(talk.session) == "failed", lambda: running.log)
        assert "last error" in extractord(home, "status").stdout
        home.memory("shop").unlink()
        until(lambda: outcomes(home).get(talk.session) == "saved", lambda: running.log)
        assert len(extractord(home, "log", "--json").lines) == 1


def test_a_client_whose_format_changed_is_told(home: Home) -> None:
    """Twenty transcripts without one recognised prompt: `status` says degraded and names the client's version."""
    with daemon(home) as running:
        for number in range(20):
            talk = now_talking(home, "shop", "hello", session=f"cccccccc-0000-4000-8000-{number:012d}")
            lines = [line.replace(b'"type": "user"', b'"type": "person"') for line in lines_of(talk)]
            talk.path.parent.mkdir(parents=True, exist_ok=True)
            talk.path.write_bytes(b"".join(lines))
        until(lambda: "2.1.332" in extractord(home, "status", "--json").only["watching"], lambda: running.log)
        assert extractord(home, "status", "--json").only["watching"].startswith("degraded")


def test_a_ledger_that_is_taken_away_ends_the_daemon(home: Home) -> None:
    """Without its ledger it does not go on as if it had one: status 1, so that the service starts it anew."""
    with daemon(home) as running:
        for file in home.state.glob("ledger.sqlite*"):
            file.unlink()
        talk = now_talking(home, "shop", RULE)
        appending(talk.path, lines_of(talk)).wait()
        assert running.wait() == 1
        assert "removed" in running.log


def test_a_session_that_is_renamed_into_a_worktree_folder_is_saved_once(home: Home) -> None:
    """The client moves a transcript in mid-session; it goes on in the other folder and is one session."""
    with daemon(home) as running:
        talk = now_talking(home, "shop", RULE, "and now?")
        writer = appending(talk.path, lines_of(talk)[:2])
        writer.wait()
        moved = home.projects / f"{sanitized(str(talk.cwd))}--claude-worktrees-x" / talk.path.name
        moved.parent.mkdir()
        talk.path.rename(moved)
        appending(moved, lines_of(talk)[2:]).wait()
        until(lambda: outcomes(home), lambda: running.log)
        time.sleep(3)
        assert outcomes(home) == {talk.session: "saved"}
        assert len(extractord(home, "log", "--json").lines) == 1


def test_a_killed_daemon_loses_nothing_and_does_nothing_twice(home: Home) -> None:
    """kill -9 at several moments of an extraction, then a new start: one changeset, one outcome."""
    with daemon(home):
        pass
    talk = now_talking(home, "shop", RULE)
    appending(talk.path, lines_of(talk)).wait()
    time.sleep(2.5)
    for delay in (0.0, 0.15, 0.3, 0.45):
        with daemon(home) as running:
            time.sleep(delay)
            running.signal(signal.SIGKILL)
            running.wait()
    with daemon(home) as running:
        until(lambda: outcomes(home), lambda: running.log)
        time.sleep(2)
        assert outcomes(home) == {talk.session: "saved"}
        assert len(extractord(home, "log", "--json").lines) == 1


def test_a_second_daemon_is_refused(home: Home) -> None:
    """One daemon per state folder: the second one ends with status 1 and names the first."""
    with daemon(home) as running:
        second = extractord(home, "run")
        assert second.status == 1
        assert str(running.process.pid) in second.stderr
        assert running.process.poll() is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_in_time_when_told_to(home: Home, number: signal.Signals) -> None:
    """Told to end, it says so, ends with status 0, and takes its account of itself away."""
    with daemon(home) as running:
        running.signal(number)
        assert running.wait(10) == 0
    told = extractord(home, "status", "--json").only
    assert (told["running"], told["pid"], told["watching"]) == (False, None, "not running")
    assert not (home.state / "status.json").exists()


def test_work_in_hand_is_abandoned_in_time(home: Home) -> None:
    """Told to end while a worker hangs, it ends within 10 s; nothing is written and the session is open as before."""
    with daemon(home) as running:
        talk = now_talking(home, "shop", RULE)
        appending(talk.path, lines_of(talk)).wait()
        worker = held_worker(running)
        assert "at work on 1" in running.hears("at work")
        running.signal(signal.SIGTERM)
        assert running.wait(10) == 0
    assert not Path(f"/proc/{worker}").exists()
    assert outcomes(home) == {}
    with daemon(home) as running:
        until(lambda: outcomes(home) == {talk.session: "saved"}, lambda: running.log)


def test_off_counts_at_once(home: Home) -> None:
    """`extractord off` while a worker is at it: what it came to is not written."""
    with daemon(home) as running:
        talk = now_talking(home, "shop", RULE)
        appending(talk.path, lines_of(talk)).wait()
        held_worker(running)
        assert extractord(home, "off").status == 0
        until(lambda: outcomes(home) == {talk.session: "skipped"}, lambda: running.log)
    assert topics(home, "shop") == {}


def held_worker(running: Daemon) -> int:
    """Wait for the daemon's worker process, stop it as it is, and return its number."""
    while True:
        assert running.process.poll() is None, running.log
        for task in Path(f"/proc/{running.process.pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                if "agent.worker" in Path(f"/proc/{child}/cmdline").read_text():
                    os.kill(int(child), signal.SIGSTOP)
                    return int(child)


def test_a_new_configuration_is_taken_and_a_bad_one_refused(home: Home) -> None:
    """SIGHUP reloads; a bad file changes nothing and is told in log and `status`."""
    with daemon(home) as running:
        home.config(QUICK + "workers = many\n")
        running.signal(signal.SIGHUP)
        until(lambda: "config_refused" in running.log)
        until(lambda: "refused" in extractord(home, "status").stdout)
        home.config("workers = 2\n" + QUICK)
        running.signal(signal.SIGHUP)
        until(lambda: "config_reloaded" in running.log)
        until(lambda: "refused" not in extractord(home, "status").stdout)


def test_it_does_not_start_with_a_bad_configuration(home: Home) -> None:
    """A wrong configuration at the start is wrong usage: status 2."""
    home.config("wokers = 2\n")
    refused = extractord(home, "run")
    assert refused.status == 2
    assert "workers" in refused.stderr


def test_unchanged_sessions_are_not_opened_at_start(home: Home, needs: Needs) -> None:
    """Start-up over 1,000 known sessions opens none of them: names, sizes and times are enough."""
    strace = needs("strace", apt="strace")
    for number in range(1000):
        home.talk(f"p{number % 20}", "hello there", days_ago=number % 50 + 1)
    with daemon(home) as running:
        until(lambda: (home.state / "status.json").exists())
    trace = home.root / "trace"
    command = [str(strace), "-f", "-e", "trace=open,openat,openat2", "-o", str(trace), sys.executable, "-m", "extractord", "run"]
    traced = subprocess.Popen(command, env={**os.environ, **home.env()}, stderr=subprocess.PIPE)
    until(lambda: trace.exists() and "status.json" in trace.read_text(errors="replace"))
    time.sleep(2)
    child = int(Path(f"/proc/{traced.pid}/task/{traced.pid}/children").read_text().split()[0])
    os.kill(child, signal.SIGTERM)
    traced.communicate(timeout=60)
    assert running.process.returncode is not None
    assert [line for line in trace.read_text(errors="replace").splitlines() if ".jsonl" in line] == []


def test_the_running_daemon_carries_no_command_line(home: Home) -> None:
    """`run` loads neither click nor rich nor a model's SDK."""
    code = (
        "import sys, json\nfrom extractord import daemon, journal\njournal.Journal.of({})\n"
        "print(json.dumps(sorted(n.partition('.')[0] for n in sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **home.env()}, capture_output=True, text=True, check=True)
    assert not {"click", "rich", "anthropic", "httpx", "pydantic"} & set(json.loads(done.stdout))


def test_a_worker_of_another_version_ends_the_daemon(home: Home, tmp_path: Path) -> None:
    """The package upgraded underneath: the daemon finishes with status 75, and the new one does the work, once."""
    package = tmp_path / "site"
    shutil.copytree(Path(__file__).parent.parent / "extractord", package / "extractord", ignore=shutil.ignore_patterns("__pycache__"))
    running = Daemon(home, cwd=package, PYTHONPATH=str(package))
    try:
        running.ready()
        init = package / "extractord" / "__init__.py"
        init.write_text(init.read_text().replace("__version__ = ", "__version__ = '9' + "))
        talk = now_talking(home, "shop", RULE)
        appending(talk.path, lines_of(talk)).wait()
        assert running.wait() == 75
        assert outcomes(home) == {}
    finally:
        running.close()
    with daemon(home) as after:
        until(lambda: outcomes(home) == {talk.session: "saved"}, lambda: after.log)
