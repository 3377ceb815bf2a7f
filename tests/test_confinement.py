"""Promises about confined workers and model processes in real runs: each layer holds alone, and less is never passed off as more."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from extractord.agent.confinement import worker_command
from extractord.agent.frames import CheckAnswer
from extractord.agent.protocol import Decision, ToolAnswer, ToolCall
from extractord.agent.supervise import Roots, Sandbox, ShellOffer, try_calls
from tests.command import Line, extractord
from tests.homes import SAYINGS, Home
from tests.model_runs import model_env, once, write
from tests.needs import KernelFeature, Needs
from tests.scripted_server import Answer as Reply
from tests.scripted_server import Asked, call, serving
from tests.test_corpus_cases import (
    Case,
    Outcome,
    Tree,
    _cases,
    _is_as_expected,
    _plain,
    _snapshot,
    laid_out,
)
from tests.without_landlock import WITHOUT_LANDLOCK

RAW_SECONDS = 6.0  # of a command that never ends
BASH = [(name, case) for _, name, case in _cases() if case.kind == "bash" and "\0" not in json.dumps(_plain(case.call.input))]


EVERY = 6  # of the commands that run with all layers on in test_corpus_cases anyway; all of them with --soak


def of(cases: list[tuple[str, Case]], every: int = 1) -> list[object]:
    """Return the cases as parameters; but each ``every``-th waits for ``--soak``."""
    rest = (pytest.mark.soak,)
    return [pytest.param(case, id=name, marks=() if number % every == 0 else rest) for number, (name, case) in enumerate(cases)]


@pytest.fixture
def landlock(needs: Needs) -> None:
    needs.kernel(KernelFeature.LANDLOCK)


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    tree = Tree(tmp_path.resolve() / "tmp")
    yield tree
    shutil.rmtree(tree.top, ignore_errors=True)


def roots_of(tree: Tree) -> Roots:
    return Roots(str(tree.place("PROJ")), str(tree.place("MEM")), (str(tree.place("CONFIG")),))


# --- the kernel alone


def raw(roots: Roots, *argv: str) -> tuple[int, str]:
    """Run any program as a confined worker would; return its status and all it said."""
    assert roots.project is not None
    command = worker_command(Sandbox.REQUIRED, roots, "extractord.agent.any_program", roots.project, *argv)
    env = {"PATH": "/usr/bin:/bin", "MARKED": "of-the-supervisor"}
    quiet, pipe = subprocess.DEVNULL, subprocess.PIPE
    process = subprocess.Popen(command, env=env, cwd="/", stdin=quiet, stdout=pipe, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        said, _ = process.communicate(timeout=RAW_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
    return process.returncode, said.decode("utf-8", "replace")


# What the kernel cannot know: that a file was committed. README says so; the policy looks at paths inside git.
SHOWN_BY_GIT = re.compile(r"\bgit\b")
NAMES_OF_VARIABLES = {"PATH", "PATH="}  # the environment may be shown: there is nothing in it


@pytest.mark.parametrize("case", of(BASH))
def test_with_the_policy_out_of_the_way_the_kernel_holds(case: Case, tree: Tree, landlock: None) -> None:
    """A real bash with the command of each hostile case writes nothing at all and shows nothing but what git has committed."""
    if sys.platform != "linux":
        pytest.skip("kernel feature: Landlock is missing")
    given = laid_out(tree, case)
    before = _snapshot(tree.top)
    status, said = raw(roots_of(tree), "bash", "-c", given.input["command"].replace("\0", ""))  # as bash reads a script
    assert _snapshot(tree.top) == before
    assert "of-the-supervisor" not in said
    shown = {text for text in _plain(case.leak) if text in said} - NAMES_OF_VARIABLES
    assert not shown or SHOWN_BY_GIT.search(given.input["command"]), (given.input["command"], said[-2000:])
    if case.expect == "allow":
        assert status == 0, said[-2000:]


def test_nothing_runs_unconfined_by_that_way(tmp_path: Path) -> None:
    """The hidden command refuses where the kernel does not hold what it would start."""
    place = Home(tmp_path)
    (tmp_path / "project").mkdir()
    argv = ("confined", "--project", tmp_path / "project", "--memory-dir", tmp_path / "memory", "--", "echo", "ran")
    assert extractord(place, *argv, before=WITHOUT_LANDLOCK).stdout == ""
    assert "confined" not in extractord(place, "--help").stdout


def test_the_hidden_command_runs_any_program_confined(tmp_path: Path, landlock: None) -> None:
    """It passes the program's output and status on."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text("inside")
    (tmp_path / "outside").write_text("outside")
    command = f"cat a.txt; cat {tmp_path}/outside; touch x; exit 7"
    place = Home(tmp_path)
    argv = ("confined", "--project", tmp_path / "project", "--memory-dir", tmp_path / "memory", "--", "bash", "-c", command)
    answer = extractord(place, *argv)
    assert (answer.status, answer.stdout) == (7, "inside")
    assert answer.stderr.count("Permission denied") == 2


# --- the policy alone


def ruled(case: Case, tree: Tree, sandbox: Sandbox) -> None:
    """Try a case's call in a worker of its own and hold the answer to the case."""
    given = laid_out(tree, case)
    before, roots = _snapshot(tree.top), roots_of(tree)
    calls = [ToolCall("call", given.tool, given.input)]
    check = lambda _: CheckAnswer(Decision.DENIED, "not here")  # noqa: E731
    answers = [one for one in try_calls(calls, roots, check, shell=ShellOffer.OFFERED, sandbox=sandbox) if isinstance(one, ToolAnswer)]
    ruling = answers[0].ruling
    line = {"ruling": ruling.decision.value, "reason": ruling.reason, "result": ruling.result}
    outcome = Outcome(line, {}, {"files": [], "held": [], "refused": []}, 0.0)
    _is_as_expected(case, outcome)
    shown = outcome.shown
    assert [text for text in _plain(case.leak) if text in shown] == []
    if not outcome.denied:
        assert [text for text in _plain(case.result) if text not in shown] == [], shown[:2000]
    assert _snapshot(tree.top) == before


@pytest.mark.parametrize("case", of(BASH, EVERY))
def test_with_the_kernel_out_of_the_way_the_policy_holds(case: Case, tree: Tree) -> None:
    """With the sandbox typed off each hostile command is answered as wanted as well."""
    ruled(case, tree, Sandbox.OFF)


# --- a kernel without Landlock


def test_without_landlock_no_bash_is_carried_out_and_all_else_is(tmp_path: Path) -> None:
    """Every command of the corpus is refused with the reason, innocent ones too; Read, Grep, Glob and Write work as ever."""
    place = Home(tmp_path)
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text("needle\n")
    calls = [{"id": name, "tool": "Bash", "input": _plain(case.call.input)} for name, case in BASH]
    topic = "---\nname: a\ndescription: a thing\ntype: user\n---\n\nThe user likes tea.\n"
    calls += [
        {"id": "read", "tool": "Read", "input": {"file_path": "a.txt"}},
        {"id": "grep", "tool": "Grep", "input": {"pattern": "needle"}},
        {"id": "glob", "tool": "Glob", "input": {"pattern": "*.txt"}},
        {"id": "write", "tool": "Write", "input": {"file_path": "user_a.md", "content": topic}},
    ]
    *answers, last = tool_lines(place, calls, WITHOUT_LANDLOCK)
    bash, others = answers[: len(BASH)], answers[len(BASH) :]
    assert {line["ruling"] for line in bash} == {"denied"}
    assert {line["reason"] for line in bash} == {"Bash is not offered: no kernel sandbox holds this run; Read, Grep and Glob are"}
    assert {line["ruling"] for line in others} == {"allowed"}, others
    assert [file["path"] for file in last["changeset"]["files"]] == ["user_a.md"]


def tool_lines(place: Home, calls: list[dict[str, object]], prefix: tuple[str, ...] = ()) -> tuple[Line, ...]:
    lines = "".join(json.dumps(line) + "\n" for line in calls)
    argv = ("try-tool", "--project", place.root / "project", "--memory-dir", place.root / "memory")
    return extractord(place, *argv, stdin=lines, before=prefix).lines


def test_where_confinement_is_required_and_missing_nothing_runs(tmp_path: Path) -> None:
    """``sandbox = "required"``: no call is tried, no session extracted; the reason and the way out are told, and status is honest."""
    home = Home(tmp_path)
    home.talk("shop", SAYINGS[0])
    (tmp_path / "project").mkdir()
    home.config('sandbox = "required"\n')
    argv = ("try-tool", "--project", tmp_path / "project", "--memory-dir", tmp_path / "memory")
    tried = extractord(home, *argv, stdin='{"id":"1","tool":"Glob","input":{"pattern":"*"}}\n', before=WITHOUT_LANDLOCK)
    assert (tried.status, tried.lines) == (1, ())
    assert "not confined by the kernel" in tried.stderr
    assert "extractord doctor" in tried.stderr
    ran = extractord(home, "once", "--yes", "--json", before=WITHOUT_LANDLOCK)
    assert ran.status == 1
    assert ran.summary["postponed"] == 1
    assert "not confined by the kernel" in ran.lines[0]["reason"]
    assert not home.memory("shop").exists()
    assert extractord(home, "status", "--json", before=WITHOUT_LANDLOCK).only["sandbox"] == "none"
    again = extractord(home, "once", "--yes", "--json")
    if extractord(home, "status", "--json").only["sandbox"] == "full":
        assert again.summary["saved"] == 1, again.stdout


@pytest.mark.parametrize(("sandbox", "prefix", "level"), [("auto", (), "full"), ("auto", WITHOUT_LANDLOCK, "none"), ("off", (), "off")])
def test_the_ledger_keeps_how_far_each_run_was_confined(
    tmp_path: Path, sandbox: str, prefix: tuple[str, ...], level: str, landlock: None
) -> None:
    """With each outcome stands the level of its worker."""
    home = Home(tmp_path)
    home.talk("shop", SAYINGS[0])
    home.config(f'sandbox = "{sandbox}"\n')
    assert extractord(home, "once", "--yes", "--json", before=prefix).summary["saved"] == 1
    with sqlite3.connect(home.state / "ledger.sqlite") as db:
        assert db.execute("SELECT sandbox FROM outcomes").fetchall() == [(level,)]


# --- whole runs


def test_a_model_is_offered_bash_where_the_kernel_holds_it(tmp_path: Path, landlock: None) -> None:
    """By default a model has Bash; without Landlock it is not even told of it."""
    home = Home(tmp_path)
    home.talk("shop", SAYINGS[0])
    (home.project("shop") / "README.md").write_text("# Shop")

    def script(asked: Asked, number: int) -> Reply:
        return Reply((call("Bash", command="cat README.md"),)) if number == 0 else LINTER

    with serving(script) as server:
        answer = once(home, server)
        assert answer.summary["saved"] == 1, answer.stdout + answer.stderr
        assert "# Shop" in str(server.asked[1].results[0]["content"])
    other = Home(tmp_path / "other")
    other.talk("shop", SAYINGS[0])
    with serving(LINTER) as server:
        argv = ("once", "--yes", "--json")
        extractord(other, *argv, env=model_env(server), before=WITHOUT_LANDLOCK)
        assert "Bash" not in [tool["name"] for tool in server.asked[0].body["tools"]]


def test_git_works_in_a_linked_work_tree(tmp_path: Path, landlock: None) -> None:
    """The repository that a work tree belongs to lies elsewhere and can be read, its files beside it cannot."""
    home = Home(tmp_path)
    home.project("shop")
    project = worktree(home)
    roots = Roots(str(project), str(tmp_path / "memory"))
    assert "first commit" in raw(roots, "git", "log")[1]
    assert raw(roots, "git", "status", "--porcelain") == (0, "?? .env\n")
    for place in (home.root / "main" / "README.md", project / ".env"):
        assert raw(roots, "cat", str(place))[0] == 1
    commands = ("git log --oneline", "git diff HEAD", "cat .env")
    calls = [ToolCall(str(number), "Bash", {"command": command}) for number, command in enumerate(commands)]
    check = lambda _: CheckAnswer(Decision.DENIED, "not here")  # noqa: E731
    answers = [one.ruling for one in try_calls(calls, roots, check, shell=ShellOffer.OFFERED) if isinstance(one, ToolAnswer)]
    assert [one.decision.value for one in answers] == ["allowed", "allowed", "denied"], answers
    assert "first commit" in answers[0].result


def test_what_is_barred_inside_a_project_stays_so(tmp_path: Path, landlock: None) -> None:
    """A project that lies round the config home, a home under git for one, is read but for that; the memory directory is."""
    config, memory = tmp_path / ".claude", tmp_path / ".claude" / "projects" / "x" / "memory"
    memory.mkdir(parents=True)
    for place in (tmp_path / "notes.txt", config / "history.jsonl", memory / "a.md", memory.parent / "b.jsonl"):
        place.write_text("text")
    roots = Roots(str(tmp_path), str(memory), (str(config),))
    shown = {
        place: raw(roots, "cat", place)[0] for place in ("notes.txt", ".claude/history.jsonl", f"{memory}/a.md", f"{memory.parent}/b.jsonl")
    }
    assert list(shown.values()) == [0, 1, 0, 1], shown
    inside = Roots(str(config / "projects"), str(memory), (str(config),))
    assert raw(inside, "cat", f"{memory.parent}/b.jsonl")[0] == 1


LINTER = Reply((write("feedback_linter.md", "Always run the linter before a commit.", "always run the linter before you commit"),))


def worktree(home: Home) -> Path:
    """Make the project a linked work tree of a repository elsewhere, with a secret file and something outside."""
    project, main = home.root / "work" / "shop", home.root / "main"
    shutil.rmtree(project)
    main.mkdir()
    (main / "README.md").write_text("# Shop\n")
    (home.root / "outside").write_text("hidden outside")
    who = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {"PATH": os.environ["PATH"], "HOME": str(home.root), "GIT_CONFIG_NOSYSTEM": "1", **who}
    words = (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "first commit"), ("worktree", "add", "-q", str(project)))
    for argv in words:
        subprocess.run(["git", "-C", str(main), *argv], env=env, check=True)
    for folder in (project, main):
        (folder / ".env").write_text("hidden in the project")
    return project


CONFINED = re.compile(r"^(\d+) +landlock_restrict_self\(.*= 0$")
STARTED = re.compile(r"^(\d+) +.*(?:clone|clone3|fork|vfork)\b.*= (\d+)$")
OPENED = re.compile(r'^(\d+) +open(?:at2?)?\((?:\S+, )?"([^"]*)".*= \d+(<[^>]*>)?$')


def test_no_file_outside_the_roots_is_opened_after_confinement(tmp_path: Path, landlock: None, needs: Needs) -> None:
    """In a whole run, traced: worker, what it runs, and model process open nothing but what they may reach once they are confined."""
    strace = str(needs("strace", apt="strace"))
    home, log = Home(tmp_path), tmp_path / "trace"
    home.talk("shop", SAYINGS[0])
    worktree(home)
    hostile = ("git log -p", "cat README.md ../../outside", "grep -r hidden .", "ls -la /", "git status")

    def script(asked: Asked, number: int) -> Reply:
        blocks = [call("Bash", f"b{n}", command=command) for n, command in enumerate(hostile)]
        blocks += [call("Read", f"r{n}", file_path=place) for n, place in enumerate(("/etc/passwd", "README.md", ".env", "../../outside"))]
        return Reply((*blocks, call("Grep", "g", pattern="hidden"))) if number == 0 else LINTER

    trace = "trace=open,openat,openat2,landlock_restrict_self,clone,clone3,fork,vfork"
    prefix = (strace, "-f", "-y", "-qq", "-s", "4096", "-o", str(log), "-e", trace)
    with serving(script) as server:
        ran = extractord(home, "once", "--yes", "--json", env=model_env(server), before=prefix)
    assert ran.summary["saved"] == 1, ran.stdout + ran.stderr
    opened = opened_after_confinement(log.read_text(errors="replace").splitlines())
    assert any(path.endswith("/README.md") for path in opened)
    python = (sys.prefix, sys.base_prefix, str(Path(__file__).parent.parent / "extractord"))
    own = (str(home.root / "main"), str(home.memory("shop")))  # the project of a work tree is the repository it belongs to
    system = ("/usr", "/lib", "/lib64", "/bin", "/dev/null", "/dev/urandom", "/etc/ssl", "/etc/ld.so.cache")
    resolver = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf")
    allowed = (*python, *own, *system, *resolver)
    assert {path for path in opened if not any(path == one or path.startswith(f"{one}/") for one in allowed)} == set()
    assert not any(path.endswith("/.env") for path in opened)


def opened_after_confinement(lines: list[str]) -> set[str]:
    """Return the paths that confined processes, and what they started, opened with success."""
    confined: set[str] = set()
    opened: set[str] = set()
    for line in _whole(lines):
        if found := CONFINED.match(line):
            confined.add(found[1])
        elif (found := STARTED.match(line)) and found[1] in confined:
            confined.add(found[2])
        elif (found := OPENED.match(line)) and found[1] in confined:
            opened.add(found[3].strip("<>") if found[3] else found[2])
    assert len(confined) >= 5, "two workers (one tried what there is), the model process, and what they started"
    return opened


def _whole(lines: list[str]) -> Iterator[str]:
    """Yield strace's lines with those put together that another process's came between."""
    begun: dict[str, str] = {}
    for line in lines:
        pid = line.split(" ", 1)[0]
        if line.endswith("<unfinished ...>"):
            begun[pid] = line.removesuffix("<unfinished ...>").rstrip()
        elif "resumed>" in line:
            yield begun.pop(pid, pid) + line.split("resumed>", 1)[1]
        else:
            yield line
