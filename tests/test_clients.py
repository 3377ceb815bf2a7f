"""Which clients run, by the files they leave and the processes behind them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from extractord.claude_home.clients import (
    Client,
    Clients,
    Presence,
    Status,
    Trace,
    is_alive,
    living,
    look_at_clients,
    parse_client,
    trace_of,
)
from tests.command import extractord
from tests.homes import Home

HOUR = 3600.0
SLEEPER = [sys.executable, "-c", "import sys; sys.stdin.read()"]


def _start_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def _file(home: Path, pid: int, session: str, **fields: Any) -> Path:
    """Leave a file as the client does (facts §6)."""
    now = time.time() * 1000
    said = {"pid": pid, "sessionId": session, "cwd": "/home/dev/work", "status": "idle", "statusUpdatedAt": now, "updatedAt": now}
    path = home / "sessions" / f"{pid}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**said, "procStart": _start_of(pid) if Path(f"/proc/{pid}").exists() else 1, **fields}))
    return path


def _client(pid: int, session: str | None, status: Status = Status.IDLE, **changed: Any) -> Client:
    return Client(
        **{
            "pid": pid,
            "session": session,
            "status": status,
            "status_since": None,
            "updated_at": 0.0,
            "proc_start": 5,
            "cwd": None,
            **changed,
        }
    )


def test_a_running_client_is_living_and_a_killed_one_is_not(tmp_path: Path) -> None:
    """A client that was killed leaves its file behind; the process tells."""
    with subprocess.Popen(SLEEPER, stdin=subprocess.PIPE) as process:
        _file(tmp_path, process.pid, "s-1", status="busy")
        (client,) = living(tmp_path, time.time())
        assert (client.pid, client.session, client.status, client.cwd) == (process.pid, "s-1", Status.BUSY, "/home/dev/work")
        assert look_at_clients(tmp_path, time.time()).presence("s-1") is Presence.BUSY
        process.kill()
        while Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.01)
        assert living(tmp_path, time.time()) == (), "a process that only waits for its parent does not run"
    assert look_at_clients(tmp_path, time.time()).presence("s-1") is Presence.GONE


def test_a_pid_that_was_given_to_another_program_is_no_client(tmp_path: Path) -> None:
    """Our own pid, with another start time than ours, is not that client."""
    _file(tmp_path, os.getpid(), "s-1", procStart=_start_of(os.getpid()) + 1)
    assert living(tmp_path, time.time()) == ()


def test_key_files_are_never_opened(tmp_path: Path) -> None:
    """The secret beside a client's file is neither opened nor even looked at, whatever it is called."""
    _file(tmp_path, os.getpid(), "s-1")
    for name in (f"{os.getpid()}.0a1b.key", f"{os.getpid()}.key", "12.json.key", "x.json", ".5.json", "05.json"):
        (tmp_path / "sessions" / name).write_text("never")
    code = f"""
import sys, time
from pathlib import Path
from extractord.claude_home.clients import look_at_clients
touched = []
sys.addaudithook(lambda event, args: touched.append(str(args[0])) if event in ("open", "os.stat") else None)
found = look_at_clients(Path({str(tmp_path)!r}), time.time())
print(len(found.living), sorted({{Path(place).name for place in touched if {str(tmp_path)!r} in place}}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"1 ['{os.getpid()}.json']\n"


def test_a_client_seen_by_strace_opens_its_file_and_no_key(tmp_path: Path, needs: Any) -> None:
    """What the kernel sees of a look agrees: of all names below the folder only the client's file is used."""
    strace = needs("strace", apt="strace")
    _file(tmp_path, os.getpid(), "s-1")
    key = tmp_path / "sessions" / f"{os.getpid()}.0a1b.key"
    key.write_text("never")
    key.chmod(0)
    code = f"from pathlib import Path; from extractord.claude_home.clients import living; living(Path({str(tmp_path)!r}), 0.0)"
    log = tmp_path / "trace"
    subprocess.run([strace, "-f", "-e", "trace=file", "-o", log, sys.executable, "-c", code], check=True, capture_output=True)
    assert f"{os.getpid()}.json" in log.read_text()
    assert ".key" not in log.read_text()


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 5000, b'{"sessionId": 7, "updatedAt": "now", "procStart": {}, "status": ["busy"]}'],
)
def test_a_file_that_cannot_be_understood_is_still_a_client(raw: bytes) -> None:
    """A damaged or half-written file names no session and no status; its own time stands for the update."""
    assert parse_client(7, raw, written=50.0) == _client(7, None, Status.UNKNOWN, updated_at=50.0, proc_start=None)


def test_an_unreadable_file_of_a_living_client_makes_nobody_gone(tmp_path: Path) -> None:
    """It might be the client of the session that is asked for."""
    path = _file(tmp_path, os.getpid(), "s-1")
    assert look_at_clients(tmp_path, time.time()).presence("s-2") is Presence.GONE
    path.write_text('{"pid": ')
    assert look_at_clients(tmp_path, time.time()).presence("s-2") is Presence.UNKNOWN


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("7 (claude) S 1 7 7 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 11 0 4242 99 1", Trace(running=True, start=4242)),
        ("7 (a) b (c) R 9) S 1 7 7 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 11 0 4242 99 1", Trace(running=True, start=4242)),
        ("7 (claude) Z 1 7 7 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 11 0 4242 99 1", Trace(running=False)),
        ("7 (claude) S 1 7", Trace(running=True)),
        ("", Trace(running=False)),
    ],
)
def test_the_start_of_a_process_is_read_whatever_its_name(line: str, found: Trace) -> None:
    """Field 22 is counted from the last parenthesis, since a program may have any name."""
    assert trace_of(line) == found


@pytest.mark.parametrize(
    ("found", "updated", "alive"),
    [
        (Trace(running=True, start=5), 0.0, True),  # the same process, however long it said nothing
        (Trace(running=True, start=6), 100 * HOUR, False),
        (Trace(running=True), 100 * HOUR - 5.9 * HOUR, True),  # no start to compare: by the last update
        (Trace(running=True), 100 * HOUR - 6.1 * HOUR, False),
        (Trace(running=False), 100 * HOUR, False),
    ],
)
def test_a_client_lives_by_its_start_or_else_by_its_last_update(found: Trace, updated: float, alive: bool) -> None:
    """Where the system tells when a process began, that decides; elsewhere six hours do (CONTRACTS)."""
    assert is_alive(_client(7, "s-1", updated_at=updated), found, 100 * HOUR) is alive


@pytest.mark.parametrize(
    ("known", "living", "presence"),
    [
        (False, (), Presence.UNKNOWN),  # a client that leaves no such files
        (True, (), Presence.GONE),
        (True, (_client(1, "other", Status.BUSY),), Presence.GONE),
        (True, (_client(1, "s-1"),), Presence.IDLE),
        (True, (_client(1, "s-1"), _client(2, "s-1", Status.BUSY)), Presence.BUSY),
        (True, (_client(1, "s-1"), _client(2, "s-1", Status.UNKNOWN)), Presence.UNKNOWN),
        (True, (_client(1, None, Status.UNKNOWN),), Presence.UNKNOWN),
    ],
)
def test_presence(known: bool, living: tuple[Client, ...], presence: Presence) -> None:
    """Gone only if clients are known to leave files and none alive has the session; the one at work counts."""
    assert Clients(known, living).presence("s-1") is presence


def test_a_session_whose_client_is_gone_is_settled_after_a_minute(tmp_path: Path) -> None:
    """``once`` asks the clients: five minutes of quiet are enough if the client has left, not if it is open or unknown."""
    home = Home(tmp_path)
    talk = home.talk("shop", "Always run the tests with make check, never directly.", days_ago=5.5 / 1440, minutes=0.1)

    def outcome() -> str:
        answer = extractord(home, "once", "--json", "--session", talk.session, "--dry-run", env={"EXTRACTORD_BACKEND": "offline"})
        return str(answer.lines[0]["outcome"])

    assert outcome() == "postponed", "without the folder nothing is known of the client"
    with subprocess.Popen(SLEEPER, stdin=subprocess.PIPE) as process:
        _file(home.config_home, process.pid, talk.session)
        assert outcome() == "postponed", "the client is open"
        process.kill()
    assert outcome() != "postponed"
