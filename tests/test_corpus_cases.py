"""Hostile tool calls are answered as the corpus wants, through the real worker and all checks.

The fields of a case, its layout and its placeholders are described in the corpus's README; the names here follow it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests import case_files
from tests.command import Line, in_process, json_lines, relocation
from tests.needs import KernelFeature, Needs
from tests.without_landlock import WITHOUT_LANDLOCK

KINDS_OFFERED = ("content", "write-path", "read", "bash")
SESSION = "0c9f3f52-6f0b-4b0e-9a53-1f6f0a2f7a11"
PLACEHOLDER = re.compile(r"\$(MEM|PROJ|HOME|OUT|TRANSCRIPT|CONFIG)(?![A-Za-z0-9_])")
HASHED_UP_TO = 64 << 20  # larger files are sparse ones made by a case; size and time tell enough of them
CALL_SECONDS = 120


class Call(msgspec.Struct, frozen=True):
    tool: str
    input: dict[str, Any]


class After(msgspec.Struct, frozen=True):
    unchanged: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    contains: dict[str, Any] = {}


class Case(msgspec.Struct, frozen=True):
    id: str
    kind: str
    call: Call
    expect: str
    why: str
    setup: tuple[dict[str, Any], ...] = ()
    raw: bool = False
    after: After = After()
    leak: tuple[Any, ...] = ()
    result: tuple[Any, ...] = ()
    gone: tuple[Any, ...] = ()
    limits: dict[str, float] = {}
    needs: tuple[str, ...] = ()
    platform: tuple[str, ...] = ()


def _cases() -> Iterator[tuple[str, str, Case]]:
    """Yield each case with the file it stands in and a name of its own."""
    for folder in case_files.kind_folders("corpus"):
        prefix = "" if folder.name == "copy" else f"{folder.name}:"
        for kind in KINDS_OFFERED:
            file = folder.path / f"{kind}.jsonl"
            if not file.exists():
                raise case_files.MissingCasesError(f"{file} is missing")
            for line in file.read_bytes().splitlines():
                case = msgspec.json.decode(line, type=Case)
                if not case.platform or sys.platform in case.platform:
                    yield kind, prefix + case.id, case


CASES = [pytest.param(case, id=name) for _, name, case in _cases()]


def cases_of(kind: str) -> list[Case]:
    return [case for of, _, case in _cases() if of == kind]


@dataclass(frozen=True, slots=True)
class Tree:
    """The folders a case lives in, and its placeholders."""

    top: Path

    def place(self, name: str) -> Path:
        config = self.top / "home" / ".claude"
        project = config / "projects" / "-work-proj"
        places = {
            "HOME": self.top / "home",
            "OUT": self.top / "out",
            "CONFIG": config,
            "PROJ": self.top / "home" / "work" / "proj",
            "MEM": project / "memory",
            "TRANSCRIPT": project / f"{SESSION}.jsonl",
        }
        return places[name]

    def filled(self, value: Any) -> Any:
        """Return ``value`` with its placeholders replaced, wherever they stand."""
        match value:
            case str():
                return PLACEHOLDER.sub(lambda found: str(self.place(found[1])), value)
            case list() | tuple():
                return [self.filled(one) for one in value]
            case dict():
                return {self.filled(key): self.filled(one) for key, one in value.items()}
            case _:
                return value

    def make(self) -> None:
        for name in ("MEM", "PROJ"):
            self.place(name).mkdir(parents=True)
        record = {
            "type": "user",
            "uuid": "u1",
            "timestamp": "2026-03-09T09:00:00.000Z",
            "cwd": str(self.place("PROJ")),
            "sessionId": SESSION,
        }
        message = {"message": {"role": "user", "content": "Have a look at the project."}}
        self.place("TRANSCRIPT").write_text(json.dumps(record | message) + "\n", encoding="utf-8")


def _plain(value: Any) -> Any:
    """Return ``value`` with joined and repeated strings put together."""
    match value:
        case {"join": list() as parts}:
            return "".join(_plain(part) for part in parts)
        case {"repeat": [text, count]}:
            return _plain(text) * count
        case dict():
            return {key: _plain(one) for key, one in value.items()}
        case list() | tuple():
            return [_plain(one) for one in value]
        case _:
            return value


def _do(step: dict[str, Any]) -> None:
    """Carry out one step of a set-up."""
    match step:
        case {"file": path, **rest}:
            _parent(path).write_bytes(str(rest.get("text", "")).encode("utf-8", "surrogatepass"))
            if "size" in rest:
                os.truncate(path, rest["size"])
        case {"append": path, "text": text}:
            with _parent(path).open("a", encoding="utf-8", newline="") as file:
                file.write(text)
        case {"dir": path}:
            Path(path).mkdir(parents=True, exist_ok=True)
        case {"symlink": path, "to": target}:
            _parent(path).symlink_to(target)
        case {"hardlink": path, "to": target}:
            _parent(path).hardlink_to(target)
        case {"fifo": path}:
            os.mkfifo(_parent(path))
        case {"mode": path, "value": mode}:
            Path(path).chmod(int(mode, 8))
        case {"git": path}:
            _git(path)
        case _:
            raise AssertionError(f"a step of a kind that this runner does not know: {step}")


def _parent(path: str) -> Path:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return Path(path)


def _git(path: str) -> None:
    author = {
        f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "a"), ("EMAIL", "a@example.invalid"))
    }
    env = {**os.environ, **author, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for argv in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run(["git", "-C", path, *argv], env=env, check=True)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What try-tool answered: to the call itself, to a Read of each place looked at afterwards, and the changeset."""

    answer: Line
    reads: dict[str, Line]
    changeset: Line
    seconds: float

    @property
    def denied(self) -> bool:
        return bool(self.answer["ruling"] == "denied")

    @property
    def files(self) -> list[Line]:
        found = self.changeset["files"]
        assert isinstance(found, list)
        return found

    @property
    def shown(self) -> str:
        """Everything a model is given back for the call."""
        return f"{self.answer.get('reason') or ''}\n{self.answer.get('result') or ''}"


Trying = Callable[[Sequence[str], Mapping[str, str], bytes], bytes]  # arguments of the program, environment, input → output


def by_command(prefix: Sequence[str]) -> Trying:
    """Run ``extractord`` as a command of its own, with ``prefix`` before it."""

    def run(argv: Sequence[str], env: Mapping[str, str], stdin: bytes) -> bytes:
        command = [*prefix, sys.executable, "-m", "extractord", *argv]
        done = subprocess.run(command, input=stdin, env={**os.environ, **env}, capture_output=True, timeout=CALL_SECONDS, check=False)
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-2000:]
        return done.stdout

    return run


def _outcome(tree: Tree, case: Case, call: Call, looked_at: list[str], trying: Trying, ours: Path) -> Outcome:
    path = call.input.get("file_path")
    lines = [{"id": "call", "tool": call.tool, "input": call.input}]
    if call.tool in ("Write", "Edit") and isinstance(path, str) and os.path.exists(tree.place("MEM") / path):  # noqa: PTH110 - hostile names
        lines.insert(0, {"id": "before", "tool": "Read", "input": {"file_path": path}})
    lines += [{"id": f"after {place}", "tool": "Read", "input": {"file_path": place}} for place in looked_at]
    argv = ["try-tool", "--project", str(tree.place("PROJ")), "--memory-dir", str(tree.place("MEM"))]
    if "$TRANSCRIPT" in json.dumps(case.call.input):
        argv += ["--transcript", str(tree.place("TRANSCRIPT"))]
    env = {"HOME": str(tree.place("HOME")), **relocation(ours)}
    stdin = "".join(json.dumps(line) + "\n" for line in lines).encode()
    start = time.monotonic()
    said = trying(argv, env, stdin)
    spent = time.monotonic() - start
    *answers, last = json_lines(said.decode("utf-8"))
    assert [answer["id"] for answer in answers] == [line["id"] for line in lines], "answers come in order, one a call"
    by_id = {answer["id"]: answer for answer in answers}
    reads = {place: by_id[f"after {place}"] for place in looked_at}
    return Outcome(by_id["call"], reads, last["changeset"], spent)


def _snapshot(top: Path) -> dict[str, tuple[object, ...]]:
    """Return type, mode, time and content of everything below ``top``; git's own index is no part of it."""
    found: dict[str, tuple[object, ...]] = {}
    for folder, folders, files in os.walk(top):
        for name in [*folders, *files]:
            path = Path(folder) / name
            if path.name == "index" and path.parent.name == ".git":
                continue
            status = path.lstat()
            content = (
                str(path.readlink()) if path.is_symlink() else _hash(path) if path.is_file() and status.st_size <= HASHED_UP_TO else ""
            )
            found[str(path.relative_to(top))] = (status.st_mode, status.st_size, status.st_mtime_ns if not path.is_dir() else 0, content)
    return found


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if os.access(path, os.R_OK) else ""


def _require(case: Case, needs: Needs) -> tuple[str, ...]:
    """Make sure the case can run; return what to put before the command."""
    if case.kind == "bash":
        needs.kernel(KernelFeature.LANDLOCK)  # without there is no Bash
    for need in case.needs:
        if need != "non-root":
            needs(need, apt="git" if need == "git" else "coreutils")
    return needs.ordinary_user() if "non-root" in case.needs else ()


@pytest.mark.parametrize("case", CASES)
def test_a_hostile_call_is_answered_as_wanted(case: Case, tmp_path: Path, needs: Needs) -> None:
    """The ruling, what is shown, what would be written and what is on disk are as the case says, with all layers as by default."""
    prefix = _require(case, needs)
    hold(case, tmp_path, by_command(prefix) if prefix else in_process)


@pytest.mark.parametrize("kind", KINDS_OFFERED)
def test_an_ordinary_user_gets_the_same_answers(kind: str, tmp_path: Path, needs: Needs) -> None:
    """All cases of a kind again where nobody is root, in one process: what root may read decides nothing."""
    cases = cases_of(kind)
    for case in cases:
        _require(case, needs)
    assert tried_behind(needs.ordinary_user(), kind, tmp_path) == [{"tried": len(cases)}]


@pytest.mark.parametrize("kind", [kind for kind in KINDS_OFFERED if kind != "bash"])
def test_without_landlock_all_but_bash_is_the_same(kind: str, tmp_path: Path) -> None:
    """The cases of the tools that run no program, on a kernel that confines nothing."""
    assert tried_behind(WITHOUT_LANDLOCK, kind, tmp_path) == [{"tried": len(cases_of(kind))}]


def tried_behind(prefix: Sequence[str], kind: str, place: Path) -> list[Line]:
    """Try all cases of a kind in one process behind ``prefix``; return those that do not hold, and their number."""
    command = [*prefix, sys.executable, "-m", "tests.corpus_as_user", kind, str(place)]
    done = subprocess.run(command, cwd=case_files.TESTS.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return list(json_lines(done.stdout))


def laid_out(tree: Tree, case: Case) -> Call:
    """Make the folders of a case and return its call."""
    tree.make()
    for step in case.setup:
        _do(tree.filled(_plain(step)))
    return Call(case.call.tool, _plain(case.call.input) if case.raw else tree.filled(_plain(case.call.input)))


def hold(case: Case, place: Path, trying: Trying) -> None:
    """Lay a case out below ``place``, try its call, and assert that all is as the case says."""
    tree, ours = Tree(place.resolve() / "tmp"), place / "ours"
    ours.mkdir()
    call = laid_out(tree, case)
    after = msgspec.convert(tree.filled(_plain(msgspec.to_builtins(case.after))), After)
    target = [call.input["file_path"]] if case.gone else []
    looked_at = list(dict.fromkeys([*after.present, *after.contains, *target]))
    before = _snapshot(tree.top)
    try:
        outcome = _outcome(tree, case, call, looked_at, trying, ours)
        _is_as_expected(case, outcome)
        _holds_afterwards(tree, case, after, outcome)
        assert _snapshot(tree.top) == before, "try-tool applies nothing"
    finally:
        shutil.rmtree(tree.top)  # a case can be large


def _is_as_expected(case: Case, outcome: Outcome) -> None:
    answer = json.dumps(outcome.answer)[:2000]
    match case.expect:
        case "allow":
            assert not outcome.denied, answer
            if call_writes(case):
                assert outcome.files, (answer, json.dumps(outcome.changeset)[:2000])
                assert not outcome.changeset["held"]
                assert not outcome.changeset["refused"]
        case "deny":
            assert outcome.denied, answer
            assert outcome.answer["reason"], "the model is told why"
            assert outcome.files == []
        case "fail":
            assert outcome.denied or outcome.answer["result"], "an error comes back"
            assert outcome.files == []
        case "deny-or-redact":
            assert outcome.denied or outcome.changeset["refused"] or outcome.files, answer
        case "flag":
            doubted = outcome.changeset["held"] or outcome.changeset["refused"] or "warning" in outcome.shown.lower()
            assert outcome.denied or doubted, answer
        case "either":
            pass
        case other:
            pytest.fail(f"an expectation that this runner does not know: {other}")


def call_writes(case: Case) -> bool:
    """Whether the call asks for a change."""
    return case.call.tool in ("Write", "Edit", "Delete")


def _holds_afterwards(tree: Tree, case: Case, after: After, outcome: Outcome) -> None:
    """Check what binds whatever the answer was, then what binds if it was allowed."""
    shown = outcome.shown + json.dumps(outcome.changeset, ensure_ascii=False)
    assert [text for text in _plain(case.leak) if text in shown] == [], "shown"
    kept = json.dumps([outcome.files, [read.get("result") for read in outcome.reads.values()]], ensure_ascii=False)
    kept += "".join(f"{file['path']}\n{file['content']}\n" for file in outcome.files)
    kept += "".join(str(read.get("result")) for read in outcome.reads.values())
    assert [text for text in _plain(case.gone) if text in kept] == [], "kept"
    assert [path for path in after.absent if os.path.lexists(path)] == []
    assert outcome.seconds <= case.limits.get("seconds", CALL_SECONDS)
    assert len(outcome.shown.encode("utf-8", "surrogatepass")) <= case.limits.get("output_bytes", float("inf"))
    if outcome.denied:
        return
    assert [text for text in _plain(case.result) if text not in outcome.shown] == [], outcome.shown[:2000]
    written = {str(tree.place("MEM") / file["path"]): file["content"] for file in outcome.files}
    assert [path for path in after.present if path not in written and not Path(path).is_file()] == []
    for path, text in after.contains.items():
        assert text in str(outcome.reads[path].get("result")), (path, outcome.reads[path])
        assert text in written[path]
