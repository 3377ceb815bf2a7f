"""What is seen on Windows: run there by ``test_windows``, one scene at a time, and silent where all is as it should be.

Owns: the scenes. They know nothing of pytest, which is not there, and take their home from the environment.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from extractord.__main__ import run
from extractord.claude_home import sanitize
from extractord.durable import FileLock, write_atomically
from extractord.errors import BusyError
from extractord.ledger import Ledger
from extractord.memory.directory import MemoryDirectory
from extractord.memory.prepared import Prepared
from extractord.system import files, folders, pids, processes
from tests import made_records
from tests.memory_directories import LATER, contents, prepared, put_file, topic, undo_of

HOME = Path(os.environ.get("SCENE_HOME", "."))
STATE = HOME / "state"
PROJECT = HOME / "shop"
RULE = "Please never use tabs in this project, always four spaces, because the linter rejects tabs."
PERSON = "by the way, I'm a data engineer with ten years of Python, new to Rust"
STATUS_QUO = "what is the difference between a list and a tuple?"


class KilledError(BaseException):
    """Stands for the end of the process at a step."""


def said(*argv: str) -> tuple[int, str, str]:
    """Run a command here; return its status and what it said."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run([*argv])
    return status, out.getvalue(), err.getvalue()


def objects(*argv: str) -> list[Any]:
    """Return the objects that a command tells."""
    status, out, err = said(*argv, "--json")
    assert status == 0, (argv, status, err)
    return [json.loads(line) for line in out.splitlines()]


def session(name: str, *prompts: str) -> Path:
    """Put a settled session of the project where a client would."""
    made = made_records.Session()
    for prompt in prompts:
        made.prompt(prompt)
        made.agent("Understood.")
    records = [{**record, "cwd": str(PROJECT), "sessionId": name} for record in made.records]
    records = [{**record, "uuid": name[:8] + record["uuid"][8:]} for record in records]
    for before, record in zip([None, *records], records, strict=False):
        record["parentUuid"] = before and before["uuid"]
    place = HOME / ".claude" / "projects" / sanitize(str(PROJECT)) / f"{name}.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in records))
    long_ago = time.time() - 86_400
    os.utime(place, (long_ago, long_ago))
    return place


def in_another(code: str, *arguments: str) -> str:
    """Run Python in another process; return what it printed."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


# --- scenes


def demo() -> None:
    """The whole pipeline, worker and all."""
    status, out, _ = said("demo")
    assert status == 0
    assert out.count(": saved") == 5, out
    assert "Bash is not offered" in out
    assert "5 changesets taken back, 0 topics left" in out


def once() -> None:
    """Old sessions become memory, once; all of it is shown, explained and taken back."""
    (PROJECT / ".git").mkdir(parents=True)
    name = "11111111-1111-4111-8111-111111111111"
    transcript = session(name, RULE, STATUS_QUO)
    memory = HOME / ".claude" / "projects" / sanitize(str(PROJECT)) / "memory"
    assert (told := objects("memory-dir", "--cwd", str(PROJECT))[0])["memory_dir"] == str(memory), told
    assert objects("inspect", str(transcript))[0]["verdict"] == "extract"
    assert not (STATE / "ledger.sqlite").exists()
    first, summary = objects("once", "--dry-run")
    assert (first["outcome"], memory.exists()) == ("saved", False)
    first, summary = objects("once")
    assert (first["outcome"], summary["summary"]["failed"]) == ("saved", 0)
    (file,) = first["topics"]
    assert file in (memory / "MEMORY.md").read_text("utf-8")
    assert "\r" not in (memory / file).read_bytes().decode()
    assert objects("once")[-1]["summary"]["unchanged"] == 1
    assert [one["outcome"] for one in objects("sessions")] == ["saved"]
    assert objects("why", str(memory / file))[0]["quote"] in RULE
    assert objects("recall", "tabs or spaces", "--cwd", str(PROJECT))[0]["file"] == file
    assert (objects("status")[0]["sandbox"], objects("status")[0]["sessions_known"]) == ("none", 1)
    (changeset,) = objects("log")
    assert "+Never use tabs" in said("show", changeset["id"])[1]
    session("22222222-2222-4222-8222-222222222222", PERSON, STATUS_QUO)
    second = objects("once")[0]
    (other,) = second["topics"]
    assert said("forget", str(memory / file))[0] == 0
    assert not (memory / file).exists()
    index = (memory / "MEMORY.md").read_text("utf-8")
    assert (file in index, other in index) == (False, True)
    newest = next(one for one in objects("log") if (one["session"] or "").startswith("2"))
    assert said("undo", newest["id"])[0] == 0
    assert not (memory / other).exists()
    assert not [left.name for left in memory.rglob(".*")] if memory.exists() else True


def review() -> None:
    """What waits for a word is listed, saved and dropped by its id; extraction is switched off and on."""
    (PROJECT / ".git").mkdir(parents=True)
    (HOME / "config.toml").write_text('memory.write = "review"\n')
    for number, prompt in enumerate((RULE, PERSON)):
        session(f"{number}1111111-1111-4111-8111-111111111111", prompt, STATUS_QUO)
    assert [one["outcome"] for one in objects("once")[:-1]] == ["pending_review"] * 2
    first, second = objects("review")
    assert said("review", "--accept", first["id"])[0] == said("review", "--reject", second["id"])[0] == 0
    assert objects("review") == []
    (saved,) = [file["path"] for file in first["files"]]
    assert [place.name for place in (HOME / ".claude").rglob("*.md") if place.name != "MEMORY.md"] == [saved]
    assert said("off", "--cwd", str(PROJECT))[0] == 0
    session("31111111-1111-4111-8111-111111111111", "Always run the formatter before you commit, because CI checks it.", STATUS_QUO)
    assert "switched off for this project" in objects("once")[0]["reason"]
    assert said("on", "--cwd", str(PROJECT))[0] == 0


def refused() -> None:
    """What is not to be had here is said in words: the service, the daemon, other backends."""
    for command in ("install", "uninstall", "run"):
        status, _, err = said(command)
        assert status == 1
        assert "there is no service here" in err
        assert "WSL" in err
    assert said("setup")[0] == 1
    session("11111111-1111-4111-8111-111111111111", RULE)
    status, _, err = said("once", "--backend", "anthropic", "--yes")
    assert (status, "only the offline backend works on Windows" in err) == (2, True)
    (HOME / "config.toml").write_text('sandbox = "required"\n')
    assert "not confined by the kernel" in said("once", "--json")[1]


def paths() -> None:
    """No name reaches anything but the file that it seems to name."""
    memory = HOME / "memory"
    for folder in (PROJECT, memory):
        folder.mkdir()
    (PROJECT / "notes.txt").write_bytes(b"hello\n")
    (PROJECT / ".env").write_bytes(b"K=1\n")
    (HOME / "outside.txt").write_bytes(b"hello\n")
    inside, outside = memory.as_posix(), str(HOME / "outside.txt")
    names = ["a.md:x.md", "NUL.md", "con.md", "a*.md", "x.md.", "a.md ", "TOPICS~1.md", "..\\x.md", f"{inside}/x.md", "//server/x.md"]
    places = [".env", ".ENV", ".env.", ".env::$DATA", "../outside.txt", "C:outside.txt", outside, "nul", "CONIN$"]
    allowed = [("Write", "ok.md"), ("Write", f"/{inside}/sub/ok.md"), ("Read", "notes.txt"), ("Read", f"/{PROJECT.as_posix()}/notes.txt")]
    calls = [*(("Write", name) for name in names), *(("Read", place) for place in places), *allowed]
    form = "---\nname: x\ndescription: y\nmetadata:\n  type: user\n---\n\nz\n"
    asked: list[tuple[str, dict[str, str]]] = []
    asked += [(tool, {"file_path": path, **({"content": form} if tool == "Write" else {})}) for tool, path in calls]
    asked += [("Glob", {"pattern": "*.txt"}), ("Bash", {"command": "ls"})]
    lines = [json.dumps({"id": str(number), "tool": tool, "input": given}) for number, (tool, given) in enumerate(asked)]
    argv = [sys.executable, "-m", "extractord", "try-tool", "--project", str(PROJECT), "--memory-dir", str(memory)]
    done = subprocess.run(argv, input="\n".join(lines).encode(), capture_output=True, check=True)
    *rulings, last = map(json.loads, done.stdout.splitlines())
    for (tool, path), ruling in zip(calls, rulings, strict=False):
        assert (ruling["ruling"] == "allowed") is ((tool, path) in allowed), (tool, path, ruling)
    assert "notes.txt" in rulings[-2]["result"]
    assert "Bash is not offered" in rulings[-1]["reason"]
    assert [file["path"] for file in last["changeset"]["files"]] == ["ok.md", "sub/ok.md"]
    with contextlib.ExitStack() as stack:
        root = files.open_path(memory, os.O_RDONLY | files.O_DIRECTORY)
        stack.callback(os.close, root)
        for name in ("a:b", "nul", "../outside.txt", "/outside.txt", "a.", "x/../y"):
            with contextlib.suppress(OSError):
                folders.open_beneath(root, name, os.O_WRONLY | os.O_CREAT)
                raise AssertionError(name)
    assert list(memory.iterdir()) == []


def locks() -> None:
    """A lock keeps others out, in this process and elsewhere, without hiding what the file holds; the ledger is for many."""
    lock = FileLock(STATE / "locks" / "a.lock")
    taking = (
        "import sys\nfrom pathlib import Path\nfrom extractord.durable import FileLock\nfrom extractord.errors import BusyError\n"
        "try:\n    FileLock(Path(sys.argv[1])).acquire()\n    print('free')\nexcept BusyError:\n    print('busy')"
    )
    with lock.hold():
        lock.path.write_text("12")
        assert lock.path.read_text() == "12"
        assert in_another(taking, str(lock.path)) == "busy"
        try:
            FileLock(lock.path).acquire()
        except BusyError:
            pass
        else:
            raise AssertionError("taken twice")
    assert in_another(taking, str(lock.path)) == "free"
    opening = (
        "import sys\nfrom pathlib import Path\nfrom extractord.ledger import Ledger\n"
        "Ledger.open(Path(sys.argv[1])).close()\nprint('opened')"
    )
    with Ledger.open(STATE), Ledger.open(STATE):
        assert in_another(opening, str(STATE)) == "opened"
    place = STATE / "whole"
    with place.open("wb"):
        pass
    reading = files.open_path(place, os.O_RDONLY)
    threading.Timer(0.1, os.close, [reading]).start()
    write_atomically(place, b"new")  # one who looks into it for a moment is not in the way
    assert place.read_bytes() == b"new"


def children() -> None:
    """A process is told from a later one of its number, and a child ends with its supervisor, however that ends."""
    assert pids.runs(os.getpid())
    assert pids.started_at(os.getpid()) == pids.started_at(os.getpid()) != ""
    waiting = "import time; time.sleep(300)"
    supervising = (
        "import os, time\nfrom extractord.system import processes\n"
        f"child, end = processes.start([processes.PYTHON, '-c', {waiting!r}], os.environ)\nprint(child.pid, flush=True)\ntime.sleep(300)"
    )
    with subprocess.Popen([sys.executable, "-c", supervising], stdout=subprocess.PIPE) as supervisor:
        assert supervisor.stdout is not None
        child = int(supervisor.stdout.readline())
        assert pids.runs(child)
        supervisor.kill()
        supervisor.wait()
        assert (pids.runs(supervisor.pid), pids.started_at(supervisor.pid)) == (False, "")
        until = time.monotonic() + 60
        while pids.runs(child) and time.monotonic() < until:
            time.sleep(0.05)
        assert not pids.runs(child)
    deaf, end = processes.start([processes.PYTHON, "-c", waiting], os.environ)
    assert deaf.stdin is not None
    assert deaf.stdout is not None
    with contextlib.suppress(TimeoutError):
        assert processes.receive(deaf.stdout.fileno(), 1, 0.1) is None
    with contextlib.suppress(TimeoutError):
        while processes.send(deaf.stdin.fileno(), memoryview(bytes(1 << 16)), 1.0):
            pass
    end()
    assert deaf.wait() != 0
    assert processes.receive(deaf.stdout.fileno(), 1, 60.0) == b""


def kills() -> None:
    """Ended at any step of a changeset or its undo and finished by the same call, a directory is as if never disturbed."""
    for number, scene in enumerate((_changing, _undoing)):
        whole = HOME / f"whole{number}"
        steps: list[str] = []
        _finish(whole, scene(whole), steps.append)
        wanted = contents(whole / "memory") if (whole / "memory").exists() else {}
        assert len(steps) > 8
        for at in range(1, len(steps) + 1):
            root = HOME / f"killed{number}-{at}"
            job = scene(root)
            try:
                _finish(root, job, _ending(at))
            except KilledError:
                _finish(root, job, lambda _: None)
            found = contents(root / "memory") if (root / "memory").exists() else {}
            assert found == wanted, (at, steps[at - 1], found, wanted)


def _ending(at: int) -> Callable[[str], None]:
    left = iter(range(at - 1))

    def step(name: str) -> None:
        if next(left, None) is None:
            raise KilledError(name)

    return step


def _changing(root: Path) -> Prepared:
    directory = MemoryDirectory(root / "memory", root / "state")
    for name in ("old", "gone"):
        put_file(directory.path, f"{name}.md", topic(name, "before"))
    put_file(directory.path, "MEMORY.md", "# Mine\n\n- [gone](gone.md) — x\n- [old](old.md) — y\n")
    return prepared(directory, "c1", ("sub/new.md", topic("new", "x")), ("old.md", topic("old", "after")), ("gone.md", None))


def _undoing(root: Path) -> Prepared:
    done = _changing(root)
    directory = MemoryDirectory(root / "memory", root / "state")
    applied = directory.apply(done)
    directory.settle(done, LATER)
    return undo_of(directory, done, applied, "c2")


def _finish(root: Path, job: Prepared, step: Callable[[str], None]) -> None:
    directory = MemoryDirectory(root / "memory", root / "state", step=step)
    directory.apply(job)
    settled = directory.settle(job, LATER)
    assert settled.results == ()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print("as it should be")
