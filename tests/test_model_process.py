"""Promises about the model process: it has what it needs and nothing else, and whatever it does is one failed call."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import extractord
from extractord.agent.model_frames import Fault, FaultKind, ModelAnswered
from extractord.agent.model_line import ModelLine, Patience
from extractord.agent.server import Server, read_credentials
from extractord.agent.wire import Message, Request, Text
from extractord.errors import AbandonedError, OtherVersionError, UsageError, WorkerError
from tests.scripted_server import Answer, serving, text

CLONE = Path(extractord.__file__).parent.parent
REQUEST = Request("m", 100, (Text("be brief"),), (), (Message("user", (Text("hello"),)),))
_CHILD = """
import json, os, sys, time
def read():
    head = sys.stdin.buffer.read(4)
    return json.loads(sys.stdin.buffer.read(int.from_bytes(head, "big"))) if head else sys.exit(0)
def send(data):
    sys.stdout.buffer.write(len(data).to_bytes(4, "big") + data)
    sys.stdout.buffer.flush()
def answer(number, said):
    heard = {"blocks": [{"type": "text", "text": said}], "stop": "end_turn", "usage": None}
    send(json.dumps({"type": "model_answered", "id": number, "heard": heard}).encode())
serve = read()
"""


def child(code: str) -> list[str]:
    """Return the command of a stand-in that speaks the frames."""
    return [sys.executable, "-I", "-c", _CHILD + textwrap.dedent(code)]


def ask(line: ModelLine, server: Server | None = None, seconds: float = 20.0) -> str:
    said = line.ask(server or Server(environment={"PATH": "/usr/bin:/bin"}), REQUEST, time.monotonic() + seconds)
    assert isinstance(said, ModelAnswered)
    return said.heard.text


@pytest.fixture
def line() -> Iterator[ModelLine]:
    made = ModelLine()
    yield made
    made.close()


def test_its_environment_holds_certificates_proxies_locale_and_what_belongs_to_the_sdk(tmp_path: Path) -> None:
    """Nothing else of ours gets there: no home, no path of ours, no other program's key, no switch that logs requests."""
    credentials = tmp_path / "credentials"
    credentials.write_text("# mine\n\nexport ANTHROPIC_API_KEY='from the file'\nPROXY_PASSWORD=x=y\n")
    ours = {
        "HTTPS_PROXY": "http://proxy:1",
        "no_proxy": "localhost",
        "SSL_CERT_FILE": "/ca.pem",
        "LC_ALL": "C.UTF-8",
        "ANTHROPIC_API_KEY": "from the environment",
        "ANTHROPIC_BASE_URL": "http://localhost:9",
        "ANTHROPIC_LOG": "debug",
        "ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE": "content",
        "HOME": "/home/kim",
        "PATH": "/home/kim/bin",
        "OPENAI_API_KEY": "other",
        "EXTRACTORD_STATE_DIR": "/state",
        "LD_PRELOAD": "/evil.so",
        "PYTHONPATH": "/evil",
    }
    server = Server.of(None, credentials, ours, tmp_path)
    line = ModelLine(child("number = read()['id']\nanswer(number, json.dumps(dict(os.environ)))\nread()"))
    try:
        seen = json.loads(ask(line, server))
    finally:
        line.close()
    assert server.base_url == "http://localhost:9"
    assert seen.pop("ANTHROPIC_API_KEY") == "from the file"
    assert (seen.pop("HOME"), seen.pop("PATH")) == ("/nonexistent", "/usr/bin:/bin")
    seen.pop("LC_CTYPE", None)  # the interpreter's own
    assert seen == {
        **{name: ours[name] for name in ("HTTPS_PROXY", "no_proxy", "SSL_CERT_FILE", "LC_ALL", "ANTHROPIC_BASE_URL")},
        "ANTHROPIC_OPEN_TELEMETRY": "false",
        "PROXY_PASSWORD": "x=y",
    }
    assert "from the file" not in repr(server)


def test_a_credentials_file_that_is_none_is_told_without_quoting_it(tmp_path: Path) -> None:
    """File and line are named, the value is not."""
    file = tmp_path / "credentials"
    file.write_text("ANTHROPIC_API_KEY=a\nsk-ant-lies-here-alone\n")
    with pytest.raises(UsageError) as caught:
        read_credentials(file)
    assert "line 2" in caught.value.message
    assert "lies-here" not in caught.value.message + caught.value.hint
    assert read_credentials(tmp_path / "missing") == {}


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("sys.exit(3)", "ended with status 3"),
        ("read(); os.kill(os.getpid(), 9)", "was killed by signal 9"),
        ("read(); time.sleep(60)", "did not answer in time"),
        ("time.sleep(60)", "did not answer in time"),
        ("read(); send(b'{')", "broke the rules"),
        ("read(); sys.stdout.write('hello there, this is no frame'); sys.stdout.flush(); time.sleep(60)", "broke the rules"),
        ("read()\nwhile True: sys.stdout.buffer.write(b'\\xff' * 65536)", "broke the rules"),
        ("read(); answer(99, 'to nobody')\ntime.sleep(60)", "answered what it was not asked"),
        ("n = read()['id']; send(json.dumps({'type': 'fault', 'id': n, 'kind': 'bribery'}).encode()); time.sleep(60)", "broke the rules"),
        (
            "n = read()['id']; send(json.dumps({'type': 'fault', 'id': n, 'kind': 'late', 'error': 'the user said'}).encode())",
            "broke the rules",
        ),
    ],
)
def test_one_that_dies_hangs_floods_or_lies_is_a_failed_call(code: str, told: str) -> None:
    """Its supervisor gets an error that says what it did, and the process is gone; a later call gets a fresh one."""
    line = ModelLine(child(code), Patience(grace=0.5))
    try:
        with pytest.raises(WorkerError, match=told):
            ask(line, seconds=0.5 if "in time" in told else 20)
    finally:
        line.close()
    assert not _children()


def test_one_that_cannot_be_started_says_why() -> None:
    """A missing program, or another version on the disk, is told as such and not as a model that failed."""
    with pytest.raises(WorkerError, match="cannot be started: No such file"):
        ask(ModelLine(["/nonexistent/python"]))
    with pytest.raises(OtherVersionError):
        ask(ModelLine([sys.executable, "-I", "-c", "import sys; sys.exit(75)"]))


def test_it_is_shared_and_ends_when_idle(line: ModelLine) -> None:
    """Calls of several threads are answered by one process at the same time; after a while without any it is gone, then made anew."""
    code = """
    first, second = read()["id"], read()["id"]
    answer(second, str(os.getpid())); answer(first, str(os.getpid()))
    read()
    """
    shared = ModelLine(child(code), Patience(idle=0.3))
    pids: list[str] = []
    threads = [threading.Thread(target=lambda: pids.append(ask(shared))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pids) == 2
    assert len(set(pids)) == 1
    until = time.monotonic() + 20
    while _children() and time.monotonic() < until:
        time.sleep(0.05)
    assert not _children()
    shared.close()
    with serving(Answer((text("hello"),))) as server:
        env = {"ANTHROPIC_API_KEY": "k"}
        assert [ask(line, Server(server.url, env)) for _ in range(2)] == ["hello", "hello"]


def test_a_run_that_is_stopped_gets_its_call_back_at_once() -> None:
    """``abandon`` from another thread ends the process; the waiting call raises AbandonedError."""
    line = ModelLine(child("read(); time.sleep(60)"))
    threading.Timer(1.0, line.abandon).start()
    with pytest.raises(AbandonedError):
        ask(line, seconds=50)
    line.close()


def test_a_login_that_was_refused_is_not_tried_for_every_session(line: ModelLine) -> None:
    """The same login is refused here at once for some minutes; another one is another matter."""
    with serving(lambda asked, _: Answer((text("hello"),)) if "good" in str(asked.headers) else Answer(status=401)) as server:
        bad = Server(server.url, {"ANTHROPIC_API_KEY": "bad"})
        said = [line.ask(bad, REQUEST, time.monotonic() + 20) for _ in range(3)]
        assert [one.kind for one in said if isinstance(one, Fault)] == [FaultKind.LOGIN] * 3
        assert len(server.asked) == 1
        assert ask(line, Server(server.url, {"ANTHROPIC_API_KEY": "good"})) == "hello"


def test_another_server_gets_another_process(line: ModelLine) -> None:
    """A changed configuration counts from the next call on; a key never reaches the server of another."""
    with serving(Answer((text("one"),))) as one, serving(Answer((text("two"),))) as two:
        assert ask(line, Server(one.url, {"ANTHROPIC_API_KEY": "first-key"})) == "one"
        assert ask(line, Server(two.url, {"ANTHROPIC_API_KEY": "second-key"})) == "two"
        assert "first-key" not in str([asked.headers for asked in two.asked])


@pytest.mark.skipif(sys.platform != "linux", reason="kernel: PR_SET_PDEATHSIG is Linux's")
def test_it_dies_with_its_supervisor() -> None:
    """A supervisor that is killed in the middle of a call leaves no process with a key behind."""
    with serving(Answer((text("slowly"),), drip=1.0)) as server:
        code = f"""
        import sys, time
        sys.path.insert(0, {str(CLONE)!r})
        from tests.test_model_process import ModelLine, REQUEST, Server
        ModelLine().ask(Server({server.url!r}, {{"ANTHROPIC_API_KEY": "k"}}), REQUEST, time.monotonic() + 600)
        """
        supervisor = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)])
        until = time.monotonic() + 60
        while not server.asked:
            assert time.monotonic() < until
            time.sleep(0.05)
        (pid,) = _children(supervisor.pid)
        supervisor.send_signal(signal.SIGKILL)
        supervisor.wait()
        while _alive(pid):
            assert time.monotonic() < until
            time.sleep(0.05)


@pytest.mark.parametrize(
    ("modules", "stay_out"),
    [
        ("extractord.daemon.running, extractord.agent.worker", {"anthropic", "httpx2", "pydantic", "click", "rich"}),
        ("extractord.cli.once", {"anthropic", "httpx2", "pydantic"}),
        ("extractord.agent.model_process", {"click", "rich", "sqlite3"}),
    ],
)
def test_the_sdk_is_loaded_in_the_model_process_only(modules: str, stay_out: set[str]) -> None:
    """``anthropic`` and what it brings stay out of the supervisor, the worker and the command line, whatever imports what."""
    code = f"import {modules}, sys; print(sorted(sys.modules))"
    seen = subprocess.run([sys.executable, "-c", code], cwd=CLONE, capture_output=True, text=True, check=True).stdout
    assert not stay_out & set(ast.literal_eval(seen))


def _children(of: int = 0) -> list[int]:
    """Return the living processes that this one, or another, started."""
    listed = subprocess.run(["ps", "-o", "pid=,stat=,comm=", "--ppid", str(of or os.getpid())], capture_output=True, text=True, check=False)
    rows = [line.split() for line in listed.stdout.splitlines()]
    return [int(pid) for pid, state, name, *_ in rows if not state.startswith("Z") and name != "ps"]


def _alive(pid: int) -> bool:
    try:
        return not Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0].startswith("Z")
    except OSError:
        return False
