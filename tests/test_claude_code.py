"""Promises about the user's own client as a backend, kept with the real client from npm against a server on loopback."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from extractord.agent.claude_code.program import GUARD, ClientTerms, environment
from tests.client_runs import FOREIGN_KEY, PACKAGE, TOKEN, changes, client_env, log_in, once, settle
from tests.command import Line, extractord
from tests.homes import SAYINGS, Home, put, topic, tree
from tests.model_runs import spent, write
from tests.needs import Needs
from tests.scripted_server import Answer, call, serving, text

LINTER = write("feedback_linter.md", "Always run the linter before a commit.", "always run the linter before you commit")
NOTHING = Answer((text('{"changes": []}'),))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture(scope="module")
def claude(needs: Needs) -> Path:
    return needs("claude", npm=PACKAGE)


def line_of(lines: tuple[Line, ...]) -> Line:
    (line,) = (one for one in lines if "session" in one)
    return line


def own_runs(home: Home) -> list[str]:
    with sqlite3.connect(home.state / "ledger.sqlite") as db:
        return [row[0] for row in db.execute("SELECT session FROM own_runs ORDER BY time")]


def test_one_shot_saves_what_tool_calls_would(home: Home, claude: Path) -> None:
    """A new topic, an edit and a removal in one answer: same checks, same evidence, tokens counted, nothing charged."""
    home.talk(
        "shop", SAYINGS[0], "Use pnpm from version nine on, not just any pnpm.", "Forget the staging rule, we have no staging any more."
    )
    put(home.memory("shop"), "feedback_pnpm.md", topic("pnpm", "Use pnpm.\n\n**Why:** not stated\n**How to apply:** always."))
    pnpm = [{"message": "m3", "quote": "Use pnpm from version nine on"}]
    edit = call("Edit", file_path="feedback_pnpm.md", old_string="Use pnpm.", new_string="Use pnpm, from version 9 on.", evidence=pnpm)
    invented = write("feedback_other.md", "Never use tabs.", "never ever use tabs")
    with serving(changes(LINTER, edit, invented)) as server:
        settle(home, server)
        answer = once(home, claude)
        assert len(server.asked) == 1, "one shot is one request"
    line = line_of(answer.lines)
    assert (line["outcome"], line["topics"]) == ("saved", ["feedback_linter.md", "feedback_pnpm.md"]), answer.stdout + answer.stderr
    assert "from version 9 on" in (home.memory("shop") / "feedback_pnpm.md").read_text()
    assert not (home.memory("shop") / "feedback_other.md").exists(), "a quote that nobody typed is refused here as anywhere"
    ((tokens, _, cost),) = spent(home)
    assert (tokens, cost, line["input_tokens"], line["cost_usd"]) == (server.tokens, 0.0, tokens, 0.0)
    (fact,) = extractord(home, "why", "feedback_linter.md", "--cwd", home.project("shop"), "--json").lines
    assert fact["quote"] == "always run the linter before you commit"


def test_its_request_has_no_tools_no_instructions_and_no_memory(home: Home, claude: Path) -> None:
    """Nothing but our two texts: neither CLAUDE.md, nor an index, nor hooks, wherever the client might find them."""
    home.talk("shop", SAYINGS[0])
    marks = {name: f"never-to-be-sent-{number}" for number, name in enumerate(("user", "project", "run", "index", "hook"))}
    with serving(NOTHING) as server:
        settle(home, server)
        (home.config_home / "CLAUDE.md").write_text(marks["user"])
        (home.project("shop") / "CLAUDE.md").write_text(marks["project"])
        run = home.state / "run"
        run.mkdir(parents=True)
        (run / "CLAUDE.md").write_text(marks["run"])
        put(home.projects / str(run).replace("/", "-").replace("_", "-").replace(".", "-") / "memory", "MEMORY.md", marks["index"])
        settings = json.loads((home.config_home / "settings.json").read_text())
        hook = {"hooks": [{"type": "command", "command": f"echo {marks['hook']}; touch {home.root}/hooked"}]}
        settings["hooks"] = {"UserPromptSubmit": [hook], "SessionStart": [hook]}
        (home.config_home / "settings.json").write_text(json.dumps(settings))
        assert once(home, claude).summary["nothing_to_save"] == 1
        (asked,) = server.asked
    assert asked.body.get("tools", []) == []
    sent = asked.raw.decode()
    assert not [name for name, mark in marks.items() if mark in sent]
    assert "# Memory\n" not in json.loads(json.dumps(asked.body["system"]))[-1]["text"]
    assert not (home.root / "hooked").exists()
    first = [block for message in asked.messages[:1] for block in _blocks(message["content"])]
    assert any(block["text"].startswith("<extractord-run>") for block in first)


def _blocks(content: object) -> list[dict[str, str]]:
    return [{"text": content}] if isinstance(content, str) else content if isinstance(content, list) else []


def test_no_key_of_ours_reaches_it(home: Home, claude: Path) -> None:
    """The gateway of its own settings is asked with its own token; a key in our environment or file stays with us."""
    home.talk("shop", SAYINGS[0])
    (home.root / "credentials").write_text(f"ANTHROPIC_API_KEY={FOREIGN_KEY}\n")
    with serving(NOTHING) as server:
        settle(home, server)
        assert once(home, claude, ANTHROPIC_CUSTOM_HEADERS="x-ours: yes").summary["nothing_to_save"] == 1
        (asked,) = server.asked
    assert asked.headers["authorization"] == f"Bearer {TOKEN}"
    assert FOREIGN_KEY not in asked.raw.decode() + json.dumps(asked.headers)
    assert "x-ours" not in asked.headers


def test_its_environment_is_made_from_nothing(tmp_path: Path) -> None:
    """Only what is on the list; nothing named ANTHROPIC_ whatever stands in the environment or the credentials file."""
    file = tmp_path / "credentials"
    file.write_text("ANTHROPIC_API_KEY=abc\nCLAUDE_CODE_OAUTH_TOKEN=from-file\nAWS_SECRET_ACCESS_KEY=x\n")
    given = {
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_AUTH_TOKEN": "t",
        "ANTHROPIC_BASE_URL": "u",
        "ANTHROPIC_MODEL": "m",
        "NODE_OPTIONS": "-r x",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "CLAUDECODE": "1",
        "https_proxy": "http://p",
        "CLAUDE_CONFIG_DIR": "/c",
        "SECRET": "s",
        "PATH": "/bin",
    }
    made = environment(tmp_path / "bin" / "claude", file, given, tmp_path)
    assert not [name for name in made if name.startswith(("ANTHROPIC_", "AWS_", "NODE_OPTIONS"))]
    assert {"SECRET", "CLAUDE_CODE_USE_BEDROCK", "CLAUDECODE"}.isdisjoint(made)
    assert (made["CLAUDE_CONFIG_DIR"], made["https_proxy"], made["CLAUDE_CODE_OAUTH_TOKEN"]) == ("/c", "http://p", "from-file")
    assert made["PATH"] == f"{tmp_path / 'bin'}{os.pathsep}/bin"
    assert "from-file" not in repr(ClientTerms(tmp_path, "m", tmp_path, made))


def test_its_own_transcript_never_becomes_a_session(home: Home, claude: Path) -> None:
    """It leaves none; and one that a client left all the same, in our folder or with our first words, is skipped as our own run."""
    home.talk("shop", SAYINGS[0])
    with serving(NOTHING) as server:
        settle(home, server)
        before = home.transcripts()
        assert once(home, claude).status == 0
        assert home.transcripts() == before
        (session,) = own_runs(home)
        assert session in server.asked[0].raw.decode(), "the id that stood in the ledger is the one it ran under"
        for folder, words in (
            (home.state / "run", "always run the linter"),
            (home.project("other"), "<extractord-run>\nalways run the linter"),
        ):
            _left_by_a_client(claude, home, folder, words)
        left = [path for path in home.transcripts() if path not in before]
        assert len(left) == 2, "the client kept transcripts where it was not told otherwise"
        later = datetime.now(UTC) + timedelta(hours=8)
        for path in left:
            os.utime(path, (later.timestamp() - 90_000, later.timestamp() - 90_000))
            found = extractord(home, "inspect", path, "--now", later.isoformat(), "--json").only
            assert (found["verdict"], "our own" in found["reason"]) == ("skip", True), found


def _left_by_a_client(claude: Path, home: Home, folder: Path, words: str) -> None:
    env = {"HOME": str(home.root), "PATH": os.environ["PATH"], "CLAUDE_CONFIG_DIR": str(home.config_home), "DISABLE_AUTOUPDATER": "1"}
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}
    done = subprocess.run(
        [str(claude), "-p", "--tools", ""], input=words, text=True, cwd=folder, env=env | quiet, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_it_is_refused_where_the_sandbox_is_required(home: Home, claude: Path) -> None:
    """What stands outside the guarantee is not run under it: wrong configuration, and nothing is started."""
    home.talk("shop", SAYINGS[0])
    home.config('sandbox = "required"\n')
    with serving(NOTHING) as server:
        settle(home, server)
        answer = once(home, claude)
        assert not server.asked
    assert (answer.status, 'sandbox = "required" forbids' in answer.stderr) == (2, True), answer.stderr


def test_without_the_client_it_is_said_where_it_was_looked_for(home: Home) -> None:
    """Wrong configuration, with the key that names the program."""
    home.talk("shop", SAYINGS[0])
    home.config('claude = "/nonexistent/claude"\n')
    answer = extractord(home, "once", "--yes", "--json", env={"EXTRACTORD_BACKEND": "claude-code"})
    assert answer.status == 2
    assert "/nonexistent/claude is no program" in answer.stderr


def test_so_many_runs_a_day_and_no_more(home: Home, claude: Path) -> None:
    """The run over the limit is never started; what is left waits for the next day."""
    for number in range(3):
        home.talk("shop", SAYINGS[number], days_ago=9 - number)
    home.config("budget.sessions_per_day = 2\n")
    with serving(NOTHING) as server:
        settle(home, server)
        answer = once(home, claude)
        assert len(server.asked) == 2
    assert [line["outcome"] for line in answer.lines[:-1]] == ["nothing_to_save", "nothing_to_save", "postponed"], answer.stdout
    assert (answer.status, "sessions_per_day of 2 is used up" in answer.stderr) == (1, True)
    assert len(own_runs(home)) == 2


def test_nothing_while_a_client_is_at_work(home: Home, claude: Path) -> None:
    """A person's own turn comes first; when it is over the same session is dealt with."""
    home.talk("shop", SAYINGS[0])
    sessions = home.config_home / "sessions"
    sessions.mkdir(parents=True)
    start = Path("/proc/self/stat")
    entry = {
        "pid": os.getpid(),
        "sessionId": "11111111-1111-4111-8111-111111111111",
        "status": "busy",
        "updatedAt": int(time.time() * 1000),
    }
    if start.exists():
        entry["procStart"] = start.read_text().rpartition(")")[2].split()[19]
    file = sessions / f"{os.getpid()}.json"
    file.write_text(json.dumps(entry))
    with serving(changes(LINTER)) as server:
        settle(home, server)
        busy = once(home, claude)
        assert not server.asked
        assert (line_of(busy.lines)["outcome"], "at work" in busy.stderr) == ("postponed", True), busy.stderr
        assert own_runs(home) == []
        file.write_text(json.dumps({**entry, "status": "idle"}))
        assert line_of(once(home, claude).lines)["outcome"] == "saved"


def test_after_the_first_limit_message_nothing_until_its_reset(home: Home, claude: Path) -> None:
    """One request; the next run asks nothing at all, and each session says until when."""
    for number in range(3):
        home.talk("shop", SAYINGS[number], days_ago=9 - number)
    reset = int(time.time()) + 7200
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(reset),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "retry-after": "7200",
    }
    with serving(Answer(status=429, error="rate_limit_error", message="limited", headers=headers)) as server:
        log_in(home, server)
        first = once(home, claude)
        again = once(home, claude)
        assert len(server.asked) == 1
    assert [line["outcome"] for line in first.lines[:-1]] == ["postponed"] * 3, first.stdout
    assert (first.status, again.status, "limit" in again.stderr) == (1, 1, True)
    with sqlite3.connect(home.state / "ledger.sqlite") as db:
        (until,) = db.execute("SELECT value FROM marks WHERE kind = 'limit'").fetchone()
        (next_try,) = db.execute("SELECT max(next_try) FROM outcomes").fetchone()
    until = until.split()[0]
    assert abs(float(until) - reset) <= 60, "the sentence names minutes"
    assert next_try == float(until)


def test_an_expired_login_is_tried_once_not_by_every_session(home: Home, claude: Path) -> None:
    """All are postponed with the way out; the next run a moment later asks nothing."""
    for number in range(2):
        home.talk("shop", SAYINGS[number], days_ago=9 - number)
    with serving(Answer(status=401, error="authentication_error", message="OAuth token has expired")) as server:
        log_in(home, server)
        first = once(home, claude)
        requests = len(server.asked)
        again = once(home, claude)
        assert 0 < requests == len(server.asked) <= 3
    assert [line["outcome"] for line in first.lines[:-1]] == ["postponed"] * 2
    assert (first.status, again.status) == (1, 1)
    assert "run `claude` and log in again" in first.stderr
    assert "login is not accepted or has expired" in again.stderr


def test_a_run_leaves_the_clients_folder_as_it_was(home: Home, claude: Path) -> None:
    """But for the client's own state file and its copies: no history, no transcript, no memory directory."""
    home.talk("shop", SAYINGS[0])
    with serving(NOTHING) as server:
        settle(home, server)
        before = set(tree(home.config_home))
        assert once(home, claude).status == 0
    new = {name.split("/")[0] for name in set(tree(home.config_home)) - before}
    assert new <= {".claude.json", "backups", "sessions", "plugins", ".last-cleanup"}
    assert not list((home.config_home / "sessions").glob("*")) if "sessions" in new else True


def test_a_client_that_hangs_is_ended_with_all_it_started(home: Home, tmp_path: Path) -> None:
    """Its own time is up: failed, tried again, and no process of it is left."""
    stuck = tmp_path / "bin" / "claude"
    stuck.parent.mkdir()
    stuck.write_text(f"#!/bin/sh\ntrap '' TERM\necho $$ > {tmp_path}/pid\nenv > {tmp_path}/env\nsleep 300 &\nwait\nsleep 300\n")
    stuck.chmod(0o755)
    home.config("limits.extraction_seconds = 4\n")
    home.talk("shop", SAYINGS[0])
    line = line_of(once(home, stuck).lines)
    assert (line["outcome"], line["reason"]) == ("failed", "the model did not answer in time")
    pid = int((tmp_path / "pid").read_text())
    assert _alive_in_group(pid) == []
    seen = (tmp_path / "env").read_text()
    assert FOREIGN_KEY not in seen
    assert f"{GUARD}=1" in seen


def _alive_in_group(group: int) -> list[str]:
    """Return the processes of a group that have not ended; ones that only wait for their parent have."""
    listed = subprocess.run(["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in listed if line.split()[0] == str(group) and not line.split()[1].startswith("Z")]


def test_a_client_that_is_too_old_is_told_so(home: Home, tmp_path: Path) -> None:
    """It does not know one of the options: everything waits, and the way out is named."""
    old = tmp_path / "bin" / "claude"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho \"error: unknown option '--safe-mode'\" >&2\nexit 1\n")
    old.chmod(0o755)
    home.talk("shop", SAYINGS[0])
    answer = once(home, old)
    assert line_of(answer.lines)["outcome"] == "postponed"
    assert "update it: 2.1.197 or newer" in answer.stderr


def test_a_dry_run_counts_and_notes_its_runs(home: Home, claude: Path) -> None:
    """It shows the diff and writes nothing but that a run was made: the day's count holds for it too."""
    home.talk("shop", SAYINGS[0])
    with serving(changes(LINTER)) as server:
        settle(home, server)
        before = home.memories()
        answer = once(home, claude, "--dry-run")
    assert "+Always run the linter before a commit." in line_of(answer.lines)["diff"]
    assert home.memories() == before
    assert len(own_runs(home)) == 1


def test_without_consent_it_is_not_asked(home: Home, claude: Path) -> None:
    """What a login allows is spent as unwillingly as money; the sentence about the guarantee stands where one decides."""
    home.talk("shop", SAYINGS[0])
    with serving(NOTHING) as server:
        settle(home, server)
        answer = extractord(home, "once", "--json", env=client_env(claude))
        estimate = extractord(home, "once", "--estimate", env=client_env(claude))
        assert not server.asked
    assert (answer.status, "nobody agreed to it" in answer.stderr) == (2, True)
    assert "outside the guarantee of three confined processes" in estimate.stdout
