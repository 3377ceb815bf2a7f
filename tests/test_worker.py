"""The worker as a real child process, and what its supervisor makes of one that dies, hangs, floods or lies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from extractord.agent.briefing import Briefing
from extractord.agent.confinement import worker_command
from extractord.agent.frames import Backend
from extractord.agent.loop import Ending
from extractord.agent.protocol import Decision, Reply, Ruling, ToolAnswer, ToolCall, Usage
from extractord.agent.supervise import AgentLimits, AgentResult, CheckAnswer, EvidenceRule, Roots, Sandbox, extract, try_calls
from extractord.errors import WorkerError
from extractord.memory.changeset import Changeset, Proposal
from extractord.memory.manifest import TopicHead
from extractord.transcript.digest import Digest, Entry
from extractord.transcript.messages import Origin

CANARY = "CANARY-" + "5K2P"
TOPIC = "---\nname: tabs\ndescription: tabs\ntype: feedback\n---\n\nUse tabs.\n"
SAID = [{"message": "m1", "quote": "always use tabs"}]


def briefing(*manifest: TopicHead) -> Briefing:
    entry = Entry("m1", Origin.PROMPT, f"always use tabs {CANARY}", "2026-03-01T10:00:00+00:00", 0.0, "u1", 0)
    return Briefing(Digest("s1", "/home/dev/proj", (entry,), 10, 0), manifest, "", "2026-03-02T10:00:00+00:00")


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    for name in ("proj", "mem"):
        (tmp_path / name).mkdir()
    (tmp_path / "proj/app.py").write_text("print('hello')\n")
    return Roots(str(tmp_path / "proj"), str(tmp_path / "mem"))


def allow(_: Proposal) -> CheckAnswer:
    return CheckAnswer(Decision.ALLOWED)


def call(tool: str, name: str = "1", **written: object) -> ToolCall:
    return ToolCall(name, tool, written)


def tried(calls: Sequence[ToolCall], roots: Roots, check: Callable[[Proposal], CheckAnswer] = allow) -> tuple[list[Ruling], Changeset]:
    *answers, changeset = try_calls(calls, roots, check)
    assert isinstance(changeset, Changeset)
    assert [a.id for a in answers if isinstance(a, ToolAnswer)] == [c.id for c in calls]
    return [a.ruling for a in answers if isinstance(a, ToolAnswer)], changeset


def scripted(*replies: Reply) -> tuple[Callable[[int, tuple[ToolAnswer, ...]], Reply], list[tuple[ToolAnswer, ...]]]:
    """A model at the seam: says what it was told, keeps what it hears."""
    heard: list[tuple[ToolAnswer, ...]] = []

    def answer(turn: int, answers: tuple[ToolAnswer, ...]) -> Reply:
        heard.append(answers)
        return replies[turn]

    return answer, heard


def run(roots: Roots, *replies: Reply, check: Callable[[Proposal], CheckAnswer] = allow) -> AgentResult:
    return extract(briefing(), roots, check, backend=Backend.RELAYED, answer=scripted(*replies)[0])


# --- honest work


def test_calls_are_answered_in_order_over_one_overlay(roots: Roots) -> None:
    """Each call sees what the ones before it staged; at the end comes what they come to, and the disk is as it was."""
    calls = [
        call("Read", "a", file_path="app.py"),
        call("Write", "b", file_path="tabs.md", content=TOPIC),
        call("Edit", "c", file_path="tabs.md", old_string="tabs.", new_string="spaces."),
        call("Read", "d", file_path=f"{roots.memory}/tabs.md"),
        call("Write", "e", file_path="../x.md", content=TOPIC),
        call("Bash", "f", command="ls"),
    ]
    rulings, changeset = tried(calls, roots)
    assert [r.decision.value for r in rulings] == ["allowed"] * 4 + ["denied"] * 2
    assert "hello" in rulings[0].result
    assert "Use spaces." in rulings[3].result
    assert changeset.proposals == (Proposal("tabs.md", None, TOPIC.replace("tabs.", "spaces.")),)
    assert list(Path(roots.memory).iterdir()) == []


def test_an_answer_comes_before_the_next_call_is_read(roots: Roots) -> None:
    """Calls may depend on answers: nothing is read ahead."""
    given: list[str] = []

    def lazily() -> Iterator[ToolCall]:
        for name in "012":
            given.append(name)
            yield call("Read", name, file_path="app.py")

    stream = try_calls(lazily(), roots, allow)
    next(stream)
    assert given == ["0"]


def test_every_change_is_checked_by_the_supervisor(roots: Roots) -> None:
    """The supervisor sees each resulting proposal before the call is answered, and its word is final."""
    seen: list[Proposal] = []

    def check(proposal: Proposal) -> CheckAnswer:
        seen.append(proposal)
        secret = "hunter" in (proposal.after or "")
        return CheckAnswer(Decision.DENIED, "a password is in it") if secret else CheckAnswer(Decision.ALLOWED, "", ("looks doubtful",))

    rulings, changeset = tried(
        [
            call("Write", "1", file_path="a.md", content="fine"),
            call("Edit", "2", file_path="a.md", old_string="fine", new_string="hunter2"),
        ],
        roots,
        check,
    )
    assert "looks doubtful" in rulings[0].result
    assert (rulings[1].decision, rulings[1].reason) == (Decision.DENIED, "a password is in it")
    assert [p.after for p in seen] == ["fine", "hunter2"]
    assert [p.after for p in changeset.proposals] == ["fine"]


def test_evidence_is_asked_for_where_told(roots: Roots) -> None:
    """With a transcript evidence is wanted, without one it is not."""
    calls = [call("Write", "1", file_path="a.md", content="x"), call("Write", "2", file_path="a.md", content="x", evidence=SAID)]
    answers = [a.ruling.decision.value for a in try_calls(calls, roots, allow, evidence=EvidenceRule.ASKED) if isinstance(a, ToolAnswer)]
    assert answers == ["denied", "allowed"]


def test_input_that_no_frame_takes_is_denied(roots: Roots) -> None:
    """Fifty megabytes, lone surrogates and endless nesting are answered, and the next call works."""
    deep: object = "x"
    for _ in range(5000):
        deep = [deep]
    calls = [
        call("Write", "a", file_path="a.md", content="x" * (50 << 20)),
        call("Write", "b", file_path="a.md", content="\ud800"),
        call("Write", "c", file_path="a.md", content=deep),
        call("Read", "d", file_path="app.py"),
    ]
    rulings, changeset = tried(calls, roots)
    assert [r.decision.value for r in rulings] == ["denied"] * 3 + ["allowed"]
    assert changeset.proposals == ()


def test_a_run_over_the_pipe_comes_to_a_changeset(roots: Roots) -> None:
    """A relayed model reads, writes with evidence, and is not asked again once all was accepted."""
    answer, heard = scripted(
        Reply(calls=(call("Read", "r", file_path="app.py"),), usage=Usage(10, 1)),
        Reply(calls=(call("Write", "w", file_path="tabs.md", content=TOPIC, evidence=SAID),), usage=Usage(20, 2)),
    )
    result = extract(briefing(), roots, allow, backend=Backend.RELAYED, answer=answer)
    assert (result.ending, result.turns, result.usage) == (Ending.SETTLED, 2, Usage(30, 3))
    assert [(p.path, len(p.evidence)) for p in result.changeset.proposals] == [("tabs.md", 1)]
    assert [(r.turn, r.tool, r.subject, r.decision) for r in result.rulings] == [
        (0, "Read", "app.py", Decision.ALLOWED),
        (1, "Write", "tabs.md", Decision.ALLOWED),
    ]
    assert "hello" in heard[1][0].ruling.result
    assert result.seconds > 0


def test_topics_in_the_briefing_count_as_read(roots: Roots) -> None:
    """A body that the model was given needs no Read before it is edited."""
    (Path(roots.memory) / "tabs.md").write_text(TOPIC)
    edit = call("Edit", file_path="tabs.md", old_string="tabs.", new_string="spaces.", evidence=SAID)
    answer, _ = scripted(Reply(calls=(edit,)))
    head = TopicHead("tabs.md", "tabs", "tabs", "feedback", 0.0, "Use tabs.\n")
    result = extract(briefing(head), roots, allow, backend=Backend.RELAYED, answer=answer)
    assert [p.before for p in result.changeset.proposals] == [TOPIC]


def test_a_hostile_model_comes_to_nothing(roots: Roots, tmp_path: Path) -> None:
    """Escapes, floods and nonsense over all turns leave no proposal, show nothing and end in time."""
    (tmp_path / "out.txt").write_text(CANARY)
    (tmp_path / "proj/.env").write_text(CANARY)
    (tmp_path / "proj/link").symlink_to(tmp_path / "out.txt")
    calls = (
        call("Read", file_path=str(tmp_path / "out.txt")),
        call("Read", file_path="link"),
        call("Read", file_path=".env"),
        call("Grep", pattern=CANARY[:6]),
        call("Read", file_path="/proc/self/environ"),
        call("Write", file_path="../out.md", content=CANARY, evidence=SAID),
        call("Write", file_path="MEMORY.md", content="x", evidence=SAID),
        call("Bash", command=f"cat {tmp_path}/out.txt"),
        call("Write", file_path={"a": 1}),
        *(call("Write", str(n), file_path=f"{n}.txt", content="x", evidence=SAID) for n in range(10_000)),
    )
    answer, heard = scripted(*[Reply(calls=calls)] * 5)
    result = extract(briefing(), roots, allow, backend=Backend.RELAYED, answer=answer)
    assert result.changeset.proposals == ()
    assert (result.ending, result.turns) == (Ending.TURNS, 5)
    assert all(CANARY not in a.ruling.result + a.ruling.reason for answers in heard for a in answers)
    assert len(result.rulings) == 5 * 101


def test_the_worker_starts_with_nothing(roots: Roots, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Environment, descriptors, working directory and session of the supervisor do not reach the worker, and it cannot write."""
    monkeypatch.setenv("MARKED_SECRET", CANARY)
    leaked = os.open(tmp_path / "proj/app.py", os.O_RDONLY)
    os.set_inheritable(leaked, True)
    found: dict[str, object] = {}

    def look(_: Proposal) -> CheckAnswer:
        (pid,) = _children()
        proc = Path(f"/proc/{pid}")
        found["environ"] = sorted(line.split(b"=")[0].decode() for line in (proc / "environ").read_bytes().split(b"\0") if line)
        found["files"] = sorted(str(link.readlink()) for link in (proc / "fd").iterdir())
        found["cwd"], found["session"] = str((proc / "cwd").readlink()), os.getsid(pid)
        found["pid"], found["limits"] = pid, (proc / "limits").read_text()
        return CheckAnswer(Decision.ALLOWED)

    if not sys.platform.startswith("linux"):
        look = allow
    tried([call("Write", file_path="a.md", content="x")], roots, look)
    os.close(leaked)
    if sys.platform.startswith("linux"):
        assert found["environ"] == ["HOME", "LANG", "PATH"]
        files = found["files"]
        assert isinstance(files, list)
        assert not [name for name in files if name.endswith("app.py")]
        assert (found["cwd"], found["session"]) == ("/", found["pid"])
        assert "Max file size             0" in str(found["limits"])


def _children() -> list[int]:
    """Return this process's children (Linux)."""
    tasks = Path("/proc/self/task").iterdir()
    return [int(pid) for task in tasks for pid in (task / "children").read_text().split()]


# --- what goes wrong


def python(code: str, first: str | None = None) -> tuple[str, ...]:
    """A worker of another kind: speaks the frames by hand, does as ``code`` says."""
    prelude = """
        import json, os, signal, sys, time
        def read():
            size = int.from_bytes(sys.stdin.buffer.read(4), "big")
            return json.loads(sys.stdin.buffer.read(size))
        def send(**frame):
            body = json.dumps(frame).encode()
            sys.stdout.buffer.write(len(body).to_bytes(4, "big") + body)
            sys.stdout.buffer.flush()
        PROPOSAL = {"path": "a.md", "before": None, "after": "x", "evidence": []}
        CONVERSATION = {"ending": "silent", "stop": "end", "turns": 1, "usage": {}, "rulings": []}
    """
    confined = "send(type='confined', attained={'level': 'full'})\n" if first is None else first
    return (sys.executable, "-c", textwrap.dedent(prelude) + confined + textwrap.dedent(code))


BAD_STARTS = {
    "dies before": "sys.exit(3)\n",
    "starts with something else": "send(type='ask', turn=0, answers=[])\n",
    "says that of no level": "send(type='confined', attained={'level': 'perfect'})\n",
}


@pytest.mark.parametrize("first", BAD_STARTS.values(), ids=BAD_STARTS)
def test_a_worker_that_does_not_say_how_it_is_confined_is_told_nothing(roots: Roots, first: str) -> None:
    """The level is the first thing a worker says; before that it gets no word of what is to be worked on."""
    heard = Path(roots.memory).parent / "heard"
    code = f"import select\nready, _, _ = select.select([0], [], [], 0.3)\nif ready and os.read(0, 1): open({str(heard)!r}, 'w')\n"
    with pytest.raises(WorkerError):
        extract(briefing(), roots, allow, limits=AgentLimits(seconds=5.0), command=python(code, first))
    assert not heard.exists()


BAD_WORKERS = {
    "dies at once": "sys.exit(3)",
    "dies after the start": "read(); os.kill(os.getpid(), signal.SIGKILL)",
    "closes its pipe": "read(); os.close(1); time.sleep(60)",
    "hangs": "read(); time.sleep(60)",
    "never reads": "time.sleep(60)",
    "sends garbage": "read(); sys.stdout.write('Traceback: ' + 'x' * 100); sys.stdout.flush(); time.sleep(60)",
    "announces too much": "read(); sys.stdout.buffer.write(b'\\xff' * 4); sys.stdout.flush(); time.sleep(60)",
    "floods bytes": "read()\nwhile True: sys.stdout.buffer.write((1 << 24).to_bytes(4, 'big') + b' ' * (1 << 24))",
    "floods checks": "read()\nwhile True: send(type='check', proposal=PROPOSAL)",
    "sends half a frame": "read(); sys.stdout.buffer.write(b'\\0\\0\\1\\0abc'); sys.stdout.flush()",
    "asks for a model": "read(); send(type='ask', turn=0, answers=[]); time.sleep(60)",
    "answers what was not asked": "read(); send(type='answered', answer={'id': '1', 'ruling': {'decision': 'allowed'}}); time.sleep(60)",
    "is done without a record": "read(); send(type='done', changeset={'proposals': []})",
    "proposes what was not checked": "read(); send(type='done', changeset={'proposals': [PROPOSAL]}, conversation=CONVERSATION)",
    "proposes other than was checked": (
        "read(); send(type='check', proposal=PROPOSAL); read()\n"
        "send(type='done', changeset={'proposals': [PROPOSAL | {'after': 'y'}]}, conversation=CONVERSATION)"
    ),
    "proposes one topic twice": (
        "read(); send(type='check', proposal=PROPOSAL); read()\n"
        "send(type='done', changeset={'proposals': [PROPOSAL, PROPOSAL]}, conversation=CONVERSATION)"
    ),
    "gives up with words": "read(); send(type='broken', kind='the person said Traceback', file='tools.py', line=1)",
    "gives up": "read(); send(type='broken', kind='ValueError', file='tools.py', line=1)",
}


@pytest.mark.parametrize("code", BAD_WORKERS.values(), ids=BAD_WORKERS)
def test_a_worker_that_dies_hangs_floods_or_lies_is_an_error(roots: Roots, code: str) -> None:
    """Whatever it does, its supervisor gets a WorkerError in time, that quotes nothing of what was worked on."""
    with pytest.raises(WorkerError) as caught:
        extract(briefing(), roots, allow, limits=AgentLimits(seconds=2.0), command=python(code))
    assert caught.value.hint
    assert CANARY not in caught.value.message
    assert "Traceback" not in caught.value.message


CHECKED_AND_DONE = """
read(); send(type='check', proposal=PROPOSAL); read()
send(type='done', changeset={'proposals': [PROPOSAL]}, conversation=CONVERSATION)
"""


def test_a_worker_that_does_what_it_should_is_believed(roots: Roots) -> None:
    """The by-hand worker of these tests speaks the frames rightly: the errors above are not for want of that."""
    assert len(extract(briefing(), roots, allow, command=python(CHECKED_AND_DONE)).changeset.proposals) == 1


def test_what_was_denied_is_not_believed_afterwards(roots: Roots) -> None:
    """A changeset with a proposal that the check refused is a lie."""
    with pytest.raises(WorkerError, match="not what was checked"):
        extract(briefing(), roots, lambda _: CheckAnswer(Decision.DENIED, "no"), command=python(CHECKED_AND_DONE))


@pytest.mark.parametrize("turns", ["[0, 1, 2, 3, 4, 5]", "[0, 0]", "[1]"])
def test_a_worker_cannot_ask_a_model_more_than_its_turns(roots: Roots, turns: str) -> None:
    """Replies cost money: each turn is asked for once, in order, and no more than there are."""
    answer, heard = scripted(*[Reply()] * 10)
    code = f"read()\nfor turn in {turns}: send(type='ask', turn=turn, answers=[]); read()"
    with pytest.raises(WorkerError, match="does not give"):
        extract(briefing(), roots, allow, backend=Backend.RELAYED, answer=answer, command=python(code))
    assert len(heard) <= 5


def test_a_worker_that_does_not_listen_is_not_waited_for(roots: Roots) -> None:
    """A briefing larger than a pipe holds does not make the supervisor hang with its worker."""
    large = briefing(TopicHead("a.md", "a", "a", "project", 0.0, "word " * 200_000))
    with pytest.raises(WorkerError, match="did not listen in time"):
        extract(large, roots, allow, limits=AgentLimits(seconds=1.0), command=python("time.sleep(60)"))


def test_a_worker_that_cannot_be_started_is_an_error(roots: Roots) -> None:
    """A missing interpreter is told of, not raised as it comes."""
    with pytest.raises(WorkerError, match="cannot be started"):
        extract(briefing(), roots, allow, command=("/nonexistent/python",))


def test_a_real_worker_killed_in_the_middle_is_an_error(roots: Roots) -> None:
    """kill -9 of a working worker is told as such, and nothing is left of it."""
    killed: list[int] = []

    def kill(_: Proposal) -> CheckAnswer:
        killed.extend(_children())
        os.kill(killed[0], signal.SIGKILL)
        return CheckAnswer(Decision.ALLOWED)

    write = call("Write", file_path="a.md", content=TOPIC, evidence=SAID)
    with pytest.raises(WorkerError, match="signal 9"):
        run(roots, Reply(calls=(write,)), check=kill)
    assert not _alive(killed[0])


def test_a_failing_check_ends_the_worker(roots: Roots) -> None:
    """An error of the supervisor's own passes through, and the worker is gone."""
    pids: list[int] = []

    def fail(_: Proposal) -> CheckAnswer:
        pids.extend(_children())
        raise LookupError("ledger")

    with pytest.raises(LookupError):
        tried([call("Write", file_path="a.md", content="x")], roots, fail)
    assert not _alive(pids[0])


def test_children_of_a_worker_end_with_it(roots: Roots, tmp_path: Path) -> None:
    """At the deadline the whole group is ended, not only its leader."""
    note = tmp_path / "child"
    code = f"read(); import subprocess; c = subprocess.Popen(['sleep', '60']); open({str(note)!r}, 'w').write(str(c.pid)); time.sleep(60)"
    with pytest.raises(WorkerError, match="in time"):
        extract(briefing(), roots, allow, limits=AgentLimits(seconds=2.0), command=python(code))
    assert not _alive(int(note.read_text()))


def test_a_worker_dies_with_its_supervisor(roots: Roots, tmp_path: Path) -> None:
    """kill -9 of the supervisor leaves no worker behind."""
    note = tmp_path / "worker"
    code = f"""
        import sys, time
        from pathlib import Path
        from extractord.agent.protocol import ToolCall
        from extractord.agent.supervise import Roots, try_calls
        def check(_):
            pids = [p for t in Path("/proc/self/task").iterdir() for p in (t / "children").read_text().split()]
            Path({str(note)!r}).write_text(pids[0])
            time.sleep(60)
        calls = [ToolCall("1", "Write", {{"file_path": "a.md", "content": "x"}})]
        list(try_calls(calls, Roots({roots.project!r}, {roots.memory!r}), check))
    """
    path = os.pathsep.join(entry for entry in sys.path if entry)
    supervisor = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], env={**os.environ, "PYTHONPATH": path})
    _until(lambda: note.exists() and note.read_text() != "")
    supervisor.kill()
    supervisor.wait()
    _until(lambda: not _alive(int(note.read_text())))


def test_an_error_inside_the_worker_is_told_by_kind_and_place(roots: Roots) -> None:
    """What breaks in the worker reaches people as the kind of error and where, without its text."""
    with pytest.raises(WorkerError, match=r"gave up: \w+Error at confinement\.py:\d+") as caught:
        tried([], Roots(f"/{CANARY}\0", roots.memory))
    assert CANARY not in caught.value.message


def test_the_command_names_absolute_paths_only(roots: Roots) -> None:
    """A worker imports nothing from where it happens to be started."""
    command = worker_command(Sandbox.AUTO, roots)
    assert command[1:5] == ("-I", "-S", "-B", "-c")
    assert all(Path(path).is_absolute() for path in json.loads(command[6]))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{pid}/stat").exists() or Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def _until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not done():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
