"""Faults that comparable programs had in public do not happen here.

``test_*_of_the_case`` read ``expected`` of every folder, new ones included; ``@behaviour`` adds what a case says in words.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests import case_files
from tests.case_files import BugCase, Folder
from tests.command import Answer, Line, Place, extractord
from tests.measure import Spent, spent

CASES = case_files.cases("bugs")
SHOP = "/home/kim/shop"  # the cwd of most transcripts; it need not exist
SESSION = "7c1d0c1e-2f0a-4a54-9a11-64c1b4a7c001"
IDLE, MARCH = 31 * 60, datetime(2026, 3, 9, 9, tzinfo=UTC).timestamp()
PROBE = Path(__file__).with_name("probe.py")


@dataclass(frozen=True, slots=True)
class Laid:
    """A bug case laid out in a throw-away config home."""

    folder: Folder
    case: BugCase
    place: Place
    transcript: Path | None

    @property
    def memory(self) -> Path:
        return self.place.config_home / "projects" / case_files.sanitized(SHOP) / "memory"

    def run(self, *argv: str | Path) -> Answer:
        return extractord(self.place, *argv, env=self.case.expected.env)

    def inspect(self, after: float = IDLE) -> Line:
        assert self.transcript is not None
        now = datetime.fromtimestamp(case_files.last_time(self.transcript) + after, UTC).isoformat()
        answer = self.run("inspect", self.transcript, "--json", "--now", now)
        assert answer.status == 0, answer.stderr
        return answer.only

    def once(self) -> Answer:
        answer = self.run("once", "--now", "session", "--json")
        assert answer.status == 0, f"{answer.stderr}\n{answer.stdout}"
        assert "Traceback" not in answer.stderr
        return answer

    def probe(self) -> Line:
        """Return what the package reads of the transcript, beyond what inspect shows."""
        env = {**os.environ, **self.place.env(), **self.case.expected.env}
        done = subprocess.run([sys.executable, str(PROBE), str(self.transcript)], env=env, capture_output=True, check=True)
        found = json.loads(done.stdout)
        assert isinstance(found, dict)
        return found

    def try_tool(self, *calls: Line) -> tuple[Line, ...]:
        """Run tool calls against the memory directory; the answers, last the changeset."""
        project = self.place.root / "work"
        project.mkdir(exist_ok=True)
        stdin = "".join(json.dumps(call) + "\n" for call in calls)
        answer = extractord(self.place, "try-tool", "--project", project, "--memory-dir", self.memory, stdin=stdin)
        assert answer.status == 0, answer.stderr
        return answer.lines


@pytest.fixture
def laid(request: pytest.FixtureRequest, tmp_path: Path) -> Laid:
    """Lay the case out; one that is only a memory directory or settings gets a plain session beside it."""
    folder: Folder = request.param
    case, place = folder.bug_case(), Place(tmp_path)
    if (folder.path / "home").is_dir():
        shutil.copytree(folder.path / "home", place.config_home)
        return Laid(folder, case, place, None)
    place.config_home.mkdir()
    if (folder.path / "settings.json").exists():
        shutil.copyfile(folder.path / "settings.json", place.config_home / "settings.json")
    found = Laid(folder, case, place, _transcript(folder.path, place, tmp_path))
    if (folder.path / "memory").is_dir():
        shutil.copytree(folder.path / "memory", found.memory)
        case_files.set_memory_times(found.memory, MARCH - 86400)
    return found


def _transcript(folder: Path, place: Place, scratch: Path) -> Path:
    if (folder / "make.py").exists():
        shutil.copyfile(folder / "make.py", scratch / "make.py")
        subprocess.run([sys.executable, str(scratch / "make.py")], check=True)
        return case_files.place_transcript(scratch / "transcript.jsonl", place.config_home)
    for name in ("transcript.jsonl", "first.jsonl"):
        if (folder / name).exists():
            return case_files.place_transcript(folder / name, place.config_home)
    lone = scratch / "plain.jsonl"
    lone.write_text("".join(json.dumps(record) + "\n" for record in _plain_session()), encoding="utf-8")
    return case_files.place_transcript(lone, place.config_home)


def _plain_session() -> list[Line]:
    """Two records of a session that says something worth saving."""
    envelope = {"isSidechain": False, "userType": "external", "entrypoint": "cli", "cwd": SHOP, "sessionId": SESSION, "version": "2.1.332"}
    said = {"role": "user", "content": "Remember: release notes are always written before the tag, support reads them first."}
    heard = {"id": "msg_1", "role": "assistant", "model": "claude-opus-5-5", "content": [{"type": "text", "text": "Yes."}]}
    ids = ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"]
    prompt = {
        "type": "user",
        "uuid": ids[0],
        "parentUuid": None,
        "timestamp": "2026-03-09T09:00:07.000Z",
        "message": said,
        "promptSource": "typed",
    }
    reply = {"type": "assistant", "uuid": ids[1], "parentUuid": ids[0], "timestamp": "2026-03-09T09:00:14.000Z", "message": heard}
    return [{**envelope, **prompt}, {**envelope, **reply}]


def _selected(holds: Callable[[Folder, BugCase], bool]) -> pytest.MarkDecorator:
    chosen = [folder for folder in CASES if holds(folder, folder.bug_case())]
    return pytest.mark.parametrize("laid", chosen, ids=[folder.name for folder in chosen], indirect=True)


def _has_transcript(folder: Folder) -> bool:
    return any((folder.path / name).exists() for name in ("transcript.jsonl", "first.jsonl", "make.py"))


def _agrees(answer: Line, wanted: Line) -> bool:
    return all(answer[key] == value for key, value in wanted.items())


# --- what every folder may expect -------------------------------------------------------------------------------------------


@_selected(lambda folder, case: bool(case.expected.inspect or case.expected.inspect_any))
def test_inspect_shows_the_fields_of_the_case(laid: Laid) -> None:
    """inspect --json has the expected fields; of alternatives, those of one."""
    answer, expected = laid.inspect(), laid.case.expected
    assert {key: answer[key] for key in expected.inspect} == expected.inspect
    assert not expected.inspect_any or any(_agrees(answer, wanted) for wanted in expected.inspect_any), answer


@_selected(lambda folder, case: case.expected.memory_dir is not None)
def test_memory_dir_shows_the_fields_of_the_case(laid: Laid) -> None:
    """memory-dir --json has the expected fields, or names the ordinary directory of the project and why."""
    project = laid.place.root / "work" / "shop"
    project.mkdir(parents=True)
    answer = laid.run("memory-dir", "--cwd", project, "--json").only
    wanted = laid.case.expected.memory_dir
    if isinstance(wanted, dict):
        assert _agrees(answer, wanted), answer
        assert answer["reason"]
    else:
        ordinary = laid.place.config_home / "projects" / case_files.sanitized(str(project)) / "memory"
        assert Path(answer["memory_dir"]) == ordinary


@_selected(lambda folder, case: bool(case.expected.once))
def test_once_shows_the_fields_of_the_case(laid: Laid) -> None:
    """The summary of once has the expected fields, and the exit status is the expected one."""
    wanted = dict(laid.case.expected.once)
    answer = laid.run("once", "--json")
    assert answer.status == wanted.pop("exit", 0)
    assert _agrees(answer.summary, wanted), answer.summary


@_selected(lambda folder, case: _has_transcript(folder))
def test_a_damaged_transcript_never_fails_a_run(laid: Laid) -> None:
    """once over the transcript of the case fails nowhere, and a second run saves nothing and changes no byte."""
    first = laid.once()
    assert first.summary["failed"] == 0
    assert first.summary["sessions"] == 1
    kept = _state_of(laid.place.config_home)
    second = laid.once()
    assert second.summary["saved"] == 0
    assert second.summary["unchanged"] == 1, second.lines
    assert _state_of(laid.place.config_home) == kept


@_selected(lambda folder, case: (folder.path / "memory").is_dir())
def test_a_run_leaves_odd_topics_byte_for_byte(laid: Laid) -> None:
    """once saves beside topics of an odd form and touches none of them."""
    found = {path: state for path, state in _state_of(laid.memory).items() if not path.endswith("MEMORY.md")}
    answer = laid.once()
    assert answer.summary["saved"] == 1, answer.lines
    after = _state_of(laid.memory)
    assert {path: after.get(path) for path in found} == found


@_selected(lambda folder, case: bool(case.expected.limits))
def test_time_and_memory_stay_within_the_limits_of_the_case(laid: Laid) -> None:
    """inspect needs no more processor time than the limit, and no more added memory than the limit."""
    assert laid.transcript is not None
    small = laid.place.root / "small.jsonl"
    small.write_text("".join(json.dumps(record) + "\n" for record in _plain_session()), encoding="utf-8")
    base, large = _measured(laid, small), _measured(laid, laid.transcript)
    limits = laid.case.expected.limits
    assert large.cpu <= limits.get("seconds", float("inf"))
    assert large.peak_mib - base.peak_mib <= limits.get("added_memory_mib", float("inf"))


def _measured(laid: Laid, transcript: Path) -> Spent:
    argv = [sys.executable, "-m", "extractord", "inspect", str(transcript), "--json"]
    return spent(argv, env={**os.environ, **laid.place.env()})


def _state_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return bytes and mtime of every file below ``folder``."""
    return {str(p.relative_to(folder)): (p.read_bytes(), p.stat().st_mtime_ns) for p in sorted(folder.rglob("*")) if p.is_file()}


# --- what a case says in words ----------------------------------------------------------------------------------------------

Check = Callable[[Laid], None]
BEHAVIOURS: dict[str, Check] = {}


def behaviour(case: str) -> Callable[[Check], Check]:
    """Register the check of one case's ``behaviour``; its docstring says what is promised."""

    def register(check: Check) -> Check:
        BEHAVIOURS[case] = check
        return check

    return register


def _topics_text(laid: Laid) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(laid.memory.glob("*.md")))


@behaviour("content-shapes")
def _(laid: Laid) -> None:
    """Text comes together from all its blocks, and image bytes never reach the digest."""
    read = laid.probe()
    said = [text for origin, text, _ in read["messages"] if origin == "prompt"]
    assert said[1].split() == ["As", "a", "list", "of", "blocks:", "the", "staging", "host", "is", "lark.example."]
    assert said[2] == "This is how the page should look."
    assert "iVBORw0KGgo" not in json.dumps(read)


@behaviour("crlf-transcript")
def _(laid: Laid) -> None:
    """What is read, quoted and written holds no carriage return."""
    assert "\\r" not in json.dumps(laid.probe())
    laid.once()
    assert "\r" not in _topics_text(laid)


@behaviour("dense-text")
def _(laid: Laid) -> None:
    """The token figure is an upper bound for dense text too."""
    assert laid.inspect()["digest_tokens"] >= 12_000


@behaviour("eight-megabyte-line")
def _(laid: Laid) -> None:
    """Not a byte of a screenshot reaches the digest."""
    assert "AAAAAAAA" not in json.dumps(laid.probe())


@behaviour("exploded-message")
def _(laid: Laid) -> None:
    """A message that is a map of numbered characters is never text."""
    read = laid.probe()
    assert [text for origin, text, _ in read["messages"] if origin == "agent" and text] == [
        "Understood. I will run them against the real database."
    ]


@behaviour("grows-later")
def _(laid: Laid) -> None:
    """What is added to a finished session is looked at, what was saved stays, and half a line waits for its end."""
    assert laid.transcript is not None
    first = laid.once()
    assert first.summary["saved"] == 1, first.lines
    before = _topics_text(laid)
    added = (laid.folder.path / "second.jsonl").read_bytes()
    _append(laid, added[:-40])  # the last line is not complete yet
    half = laid.inspect()
    assert half["prompts"] == 3
    second = laid.once()
    assert second.summary["unchanged"] == 0
    _append(laid, added[-40:])
    assert laid.inspect()["messages"] == half["messages"] + 1
    assert laid.once().summary["failed"] == 0
    assert second.summary["failed"] == 0
    assert "mock the database" in _topics_text(laid)
    assert _topics_text(laid).count("Never mock the database") == before.count("Never mock the database")


def _append(laid: Laid, more: bytes) -> None:
    assert laid.transcript is not None
    with laid.transcript.open("ab") as file:
        file.write(more)
    case_files.set_times(laid.place.config_home)


@behaviour("lone-surrogate-output")
def _(laid: Laid) -> None:
    """Half a surrogate pair stops nothing: the other facts are saved, and every file of ours is sound UTF-8."""
    answer = laid.once()
    assert answer.summary["saved"] == 1, answer.lines
    assert "UnicodeEncodeError" not in answer.stderr
    assert "mock the database" in _topics_text(laid)
    assert "\\ud83d" not in json.dumps(laid.probe())


@behaviour("no-client-installed")
def _(laid: Laid) -> None:
    """An empty or missing config home is named, nothing is created in it, and the status is 0."""
    for _ in range(2):
        answer = laid.run("once")
        assert answer.status == 0
        assert str(laid.place.config_home) in answer.stderr + answer.stdout
        shutil.rmtree(laid.place.config_home, ignore_errors=True)
        laid.run("once", "--json")
        assert not laid.place.config_home.exists()


@behaviour("orphan-tool-use")
def _(laid: Laid) -> None:
    """An unanswered call that is followed by a later message does not keep a session open."""
    assert laid.inspect(IDLE)["settled"] is True
    assert laid.inspect(60)["settled"] is False


@behaviour("relative-memory-directory")
def _(laid: Laid) -> None:
    """A relative autoMemoryDirectory is ignored, and the reason says so."""
    answer = laid.run("memory-dir", "--cwd", laid.place.root / "work" / "shop", "--json").only
    assert answer["enabled"] is True
    assert "autoMemoryDirectory" in answer["reason"] or "relative" in answer["reason"]


@behaviour("spaced-json-and-summary")
def _(laid: Laid) -> None:
    """What a compaction summary claims is neither a prompt nor in the digest's typed text."""
    assert "mock everything" not in json.dumps(laid.probe())


@behaviour("streamed-blocks")
def _(laid: Laid) -> None:
    """One answer written as three records is one message, and its words are not repeated."""
    said = [text for origin, text, _ in laid.probe()["messages"] if origin == "agent"]
    assert said.count("I will read it.") == 1


@behaviour("stub-then-record")
def _(laid: Laid) -> None:
    """A record behind a killed writer's stub is recovered, or the loss is reported."""
    answer = laid.inspect()
    assert answer["damaged"] or answer["messages"] == 6


@behaviour("time-goes-back")
def _(laid: Laid) -> None:
    """File order decides what was said last, and a session whose clock ran backwards settles like any other."""
    said = [text for origin, text, _ in laid.probe()["messages"] if origin == "prompt"]
    assert said[1] == "Correction: it is 90 requests a minute."
    assert laid.inspect(-600)["settled"] is False, "a negative idle time is no idle time"
    assert laid.inspect(IDLE)["settled"] is True


@behaviour("tomorrow-in-local-time")
def _(laid: Laid) -> None:
    """A date that is written for "tomorrow" is counted from the speaker's own day."""
    laid.once()
    dates = set(re.findall(r"2026-03-1\d", re.sub(r"modified:.*", "", _topics_text(laid))))
    assert dates <= {"2026-03-11"}


@behaviour("two-records-one-line")
def _(laid: Laid) -> None:
    """Both records are read, and the file counts as read to its end."""
    said = [text for _, text, _ in laid.probe()["messages"]]
    assert "Also: commit messages stay in English." in said


@behaviour("unknown-types")
def _(laid: Laid) -> None:
    """A prompt that other record types repeat is digested once."""
    assert sum("mock the database" in text for text in laid.probe()["digest"]) == 1


@behaviour("written-four-times")
def _(laid: Laid) -> None:
    """A record that stands four times in the file is digested once."""
    texts = [text for text in laid.probe()["digest"] if text]
    assert len(texts) == len(set(texts))


@behaviour("crlf-topic")
def _(laid: Laid) -> None:
    """An Edit whose old text has LF works on a topic with CR LF, or says why not; other lines keep their ends."""
    file = laid.memory / "reference_tracker.md"
    read = {"id": "1", "tool": "Read", "input": {"file_path": str(file)}}
    old, new = "type: reference\n---\nBugs are in", "type: reference\n---\nAll bugs are in"
    edit = {"id": "2", "tool": "Edit", "input": {"file_path": str(file), "old_string": old, "new_string": new}}
    *answers, last = laid.try_tool(read, edit)
    assert answers[0]["ruling"] == "allowed"
    changed = last["changeset"]["files"]
    if not changed:
        assert re.search(r"line end|CR", json.dumps(answers[1])), answers[1]
    else:
        assert changed[0]["content"].startswith("---\r\nname: tracker\r\n")
        assert "All bugs are in" in changed[0]["content"]


@behaviour("reserved-keys")
def _(laid: Laid) -> None:
    """Keys named like a loader's parameters are kept when the topic is edited."""
    file = laid.memory / "reference_keys.md"
    read = {"id": "1", "tool": "Read", "input": {"file_path": str(file)}}
    edit = {
        "id": "2",
        "tool": "Edit",
        "input": {"file_path": str(file), "old_string": "Body.", "new_string": "The board is at board.example."},
    }
    *answers, last = laid.try_tool(read, edit)
    assert [answer["ruling"] for answer in answers] == ["allowed", "allowed"], answers
    content = last["changeset"]["files"][0]["content"]
    assert "\ncontent: a value\n" in content
    assert "\nhandler: another\n" in content


@behaviour("colon-in-description")
def _(laid: Laid) -> None:
    """A topic whose description holds an unquoted colon is listed with its name and its whole description."""
    (head,) = _manifest(laid)
    assert (head["file"], head["name"], head["type"]) == ("feedback_testing.md", "testing", "feedback")
    assert head["description"] == "Rule of this project: no mocks for the database"


@behaviour("list-valued-keys")
def _(laid: Laid) -> None:
    """Lists and numbers for name, type and description are read as text."""
    (head,) = _manifest(laid)
    assert "commit" in head["name"]
    assert "42" in head["description"]
    assert head["type"] == "feedback"


@behaviour("stray-temp-file")
def _(laid: Laid) -> None:
    """Leftovers of editors and writers are not listed, not indexed and not removed."""
    assert [head["file"] for head in _manifest(laid)] == ["user_role.md"]
    strays = [path.name for path in laid.memory.iterdir() if path.name not in ("user_role.md", "MEMORY.md")]
    assert len(strays) == 3
    laid.once()
    index = (laid.memory / "MEMORY.md").read_text(encoding="utf-8")
    assert all((laid.memory / name).exists() and f"({name})" not in index for name in strays)


def _manifest(laid: Laid) -> list[Line]:
    """Return the manifest of the memory directory as a run would give it to a model."""
    code = (
        "import json, sys, msgspec; from pathlib import Path; from extractord.memory.directory import MemoryDirectory, manifest;"
        "snapshot = MemoryDirectory(Path(sys.argv[1]), Path(sys.argv[2])).read();"
        "print(json.dumps([msgspec.to_builtins(head) for head in manifest(snapshot)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(laid.memory), str(laid.place.state)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


@_selected(lambda folder, case: folder.path.name in BEHAVIOURS)
def test_the_behaviour_in_words_holds(laid: Laid) -> None:
    """What the case says in words holds (each check's docstring says it)."""
    BEHAVIOURS[laid.folder.path.name](laid)
