"""Every recorded session is read as its case says under "What binds", by the commands a person would use."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests import case_files, dev_home
from tests.case_files import Folder, SessionCase, TranscriptCase
from tests.command import Line, json_lines, relocation
from tests.dev_home import Plan, Ran, Step, Way
from tests.needs import Needs

HOME = str(dev_home.DEV)
TEN_MINUTES, LONGEST = 600, 6 * 3600  # the second: settle.longest, after which a session counts as settled whatever it waits for
PROBE = Path(__file__).with_name("probe.py")
CASES = case_files.cases("transcripts")


@dataclass(frozen=True, slots=True)
class Read:
    """What the commands came to for one session."""

    expected: SessionCase
    at_ten_minutes: Ran
    when_settled: Ran
    probed: Ran

    @property
    def inspect(self) -> Line:
        """inspect, as of 10 minutes after the last record."""
        return _only(self.at_ten_minutes)

    @property
    def inspect_later(self) -> Line:
        """inspect, as of when every session is settled."""
        return _only(self.when_settled)

    @property
    def probe(self) -> Line:
        """The texts that were read."""
        return _only(self.probed)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the commands came to for one case."""

    case: TranscriptCase
    sessions: tuple[Read, ...]
    asked: Ran
    ran_once: Ran | None  # None where the config home could not be laid out

    @property
    def memory_dir(self) -> Line:
        return _only(self.asked)


def _only(ran: Ran) -> Line:
    (line,) = _lines(ran)
    return line


def _lines(ran: Ran) -> tuple[Line, ...]:
    assert ran.status == 0, f"{ran.stderr}\n{ran.stdout}"
    return json_lines(ran.stdout)


@pytest.fixture(scope="module")
def by(needs: Needs) -> Way:
    """How children of this machine get /home/dev."""
    found = dev_home.way()
    if found is not Way.NOTHING:
        needs("git", apt="git")
    return found


@pytest.fixture(params=CASES, ids=lambda folder: folder.name, scope="module")
def seen(request: pytest.FixtureRequest, by: Way, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """Run all commands of a case in one child that sees /home/dev as the recorded client did."""
    folder: Folder = request.param
    case = folder.transcript_case()
    if by is Way.NOTHING and not _needs_nothing(case, folder.path):
        pytest.skip(f"case {folder.name} needs /home/dev: neither a namespace nor root is to be had (package util-linux)")
    home = case_files.place_case(folder.path, tmp_path_factory.mktemp("case") / "home")
    ran = dev_home.run(_plan(case, folder.path, home, by), by)
    return _gathered(case, ran)


def _needs_nothing(case: TranscriptCase, folder: Path) -> bool:
    """Whether the case reads the same with nothing of its layout on disk."""
    bare = all(entry.kind in ("git repository", "plain directory") and entry.path == case.cwd for entry in case.layout)
    return bare and not case.project_files and not (folder / "settings.json").exists() and not (folder / "outside").exists()


def _plan(case: TranscriptCase, folder: Path, home: Path, by: Way) -> Plan:
    return Plan(
        steps=tuple(_steps(case, home, by)),
        layout=tuple((entry.path, entry.kind) for entry in case.layout),
        folders=(case.cwd,),
        files=case.project_files,
        copies=((str(home), case.config_home), *_outside(case, folder, home)),
    )


def _outside(case: TranscriptCase, folder: Path, home: Path) -> Iterator[tuple[str, str]]:
    """Yield the memory directories that lie elsewhere, with the times they would have had, and where they belong."""
    if not (folder / "outside").exists():
        return
    placed = shutil.copytree(folder / "outside", home.parent / "outside")
    case_files.set_memory_times(placed, min(case_files.first_time(home / session.file) for session in case.sessions))
    for inside in sorted({path.parent for path in placed.rglob("*") if path.is_file()}):
        yield str(inside), "/" + str(inside.relative_to(placed))


def _steps(case: TranscriptCase, home: Path, by: Way) -> list[Step]:
    """Three steps a session, then memory-dir and, where the config home is laid out, once."""
    command = (sys.executable, "-m", "extractord")
    place = str(home) if by is Way.NOTHING else case.config_home
    env = {"HOME": HOME, **relocation(home.parent)}
    if case.config_home != f"{HOME}/.claude":
        env["CLAUDE_CONFIG_DIR"] = case.config_home
    if case.memory_off_seen_in != "transcript only":
        env |= case.environment
    steps, ends = [], [case_files.last_time(home / session.file) for session in case.sessions]
    for session, end in zip(case.sessions, ends, strict=True):
        inspect = (*command, "inspect", f"{place}/{session.file}", "--json", "--now")
        steps += [Step((*inspect, _iso(end + after)), env) for after in (TEN_MINUTES, LONGEST)]
        steps.append(Step((sys.executable, str(PROBE), f"{place}/{session.file}"), env))
    steps.append(Step((*command, "memory-dir", "--cwd", case.cwd, "--json"), env))
    if by is not Way.NOTHING:
        steps.append(Step((*command, "once", "--now", _iso(max(ends) + LONGEST), "--json"), env, alone=True))
    return steps


def _iso(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat()


def _gathered(case: TranscriptCase, ran: list[Ran]) -> Seen:
    sessions = tuple(Read(session, *ran[3 * i : 3 * i + 3]) for i, session in enumerate(case.sessions))
    asked, *once = ran[3 * len(case.sessions) :]
    return Seen(case, sessions, asked, once[0] if once else None)


def _wrote(session: SessionCase) -> bool:
    return session.main_agent_wrote_memory or bool(session.memory_writes_through_bash_tool_use_ids)


def test_prompts_and_messages_are_counted_as_recorded(seen: Seen) -> None:
    """What a person typed and what was said are counted once each, neither more nor less."""
    for session in seen.sessions:
        counted = session.inspect["prompts"], session.inspect["messages"]
        assert counted == (session.expected.real_user_prompts, len(session.expected.conversation))


def test_the_words_are_those_that_were_said(seen: Seen) -> None:
    """The messages hold the recorded texts in file order, whole where a person typed them."""
    for session in seen.sessions:
        said = [(origin, text) for origin, text, _ in session.probe["messages"] if text and origin in ("prompt", "queued", "agent")]
        roles = ["assistant" if origin == "agent" else "user" for origin, _ in said]
        assert roles == [entry.role for entry in session.expected.conversation]
        for (_, text), entry in zip(said, session.expected.conversation, strict=True):
            assert text.split() == entry.text.split() or (entry.partial and entry.text in text)


def test_words_typed_in_dialogs_are_read(seen: Seen) -> None:
    """Remarks when refusing or accepting, answers and notes are typed text, and reach the digest."""
    for session in seen.sessions:
        heard = [
            (origin, text.strip()) for origin, text, _ in session.probe["messages"] if origin in ("refusal", "acceptance", "answer", "note")
        ]
        assert heard == [(typed.how, typed.text.strip()) for typed in session.expected.typed]
        for typed in session.expected.typed:
            assert any(typed.text.strip() in text for text in session.probe["digest"])


def test_the_first_cwd_names_the_project(seen: Seen) -> None:
    """The session's cwd, project key and memory directory are those of the recorded client."""
    for session in seen.sessions:
        assert session.inspect["cwd"] == seen.case.cwd
        assert session.inspect["session"] == session.expected.session_id
        _is_the_projects(session.inspect, seen.case)
        if seen.case.memory_root is not None:
            assert session.inspect["project_key"] == case_files.sanitized(seen.case.memory_root)


def test_memory_dir_finds_the_same_directory(seen: Seen) -> None:
    """memory-dir, asked for the cwd, names the directory that inspect names, and whether memory is on there."""
    assert seen.memory_dir["cwd"] == seen.case.cwd
    _is_the_projects(seen.memory_dir, seen.case)
    off_by_settings = not seen.case.auto_memory_enabled and seen.case.memory_off_seen_in != "transcript only"
    assert seen.memory_dir["enabled"] is not (off_by_settings or _is_home(seen.case))
    assert seen.memory_dir["enabled"] or seen.memory_dir["reason"]


def _is_the_projects(answer: Line, case: TranscriptCase) -> None:
    assert str(answer["memory_dir"]).rstrip("/") == case.expected_memory_dir
    if case.memory_root is not None:
        assert answer["project_root"] == case.memory_root


def _is_home(case: TranscriptCase) -> bool:
    """No store is kept for the home directory itself, though the client keeps one."""
    return case.memory_root in (HOME, "/")


def test_memory_switched_off_is_seen(seen: Seen) -> None:
    """Memory is on or off as it was in that very session, and off has a reason."""
    for session in seen.sessions:
        assert session.inspect["memory_enabled"] is (seen.case.auto_memory_enabled and not _is_home(seen.case))
        assert session.inspect["memory_enabled"] or session.inspect["memory_reason"]


def test_memory_writes_are_the_successful_ones(seen: Seen) -> None:
    """Every successful write of the main agent is listed, and nothing but those and writes through Bash."""
    for session in seen.sessions:
        listed = {write["tool_use_id"] for write in session.inspect["memory_writes"]}
        certain = {*session.expected.memory_write_tool_use_ids}
        assert certain <= listed <= certain | {*session.expected.memory_writes_through_bash_tool_use_ids}


def test_what_is_off_or_saved_already_is_skipped(seen: Seen) -> None:
    """Memory off, or written by the main agent itself in the only stretch, gives the verdict skip with a reason."""
    off = not seen.case.auto_memory_enabled or _is_home(seen.case)
    for session in seen.sessions:
        one_stretch = len(session.expected.stretches) <= 1
        if off or (_wrote(session.expected) and one_stretch):
            assert session.inspect["verdict"] == "skip"
        elif seen.case.verdict:
            assert session.inspect["verdict"] == seen.case.verdict
        elif session.expected.stretches:
            wanted = not all(stretch.main_agent_wrote_memory for stretch in session.expected.stretches)
            assert session.inspect["verdict"] == ("extract" if wanted else "skip")
        assert session.inspect["reason"]


def test_what_nobody_saved_is_extracted(seen: Seen) -> None:
    """A session with typed words, memory on and no write of the main agent is to be looked at."""
    if not seen.case.auto_memory_enabled or _is_home(seen.case):
        return
    for session in seen.sessions:
        if not _wrote(session.expected) and session.expected.real_user_prompts:
            assert session.inspect["verdict"] == "extract"


def test_long_pauses_cut_a_session_into_stretches(seen: Seen) -> None:
    """The stretches hold the prompts between pauses; a session without a long pause is one."""
    for session in seen.sessions:
        parts = [[*stretch.prompts] for stretch in session.expected.stretches]
        if parts:
            assert session.probe["stretches"] == parts
        assert session.inspect["stretches"] == (len(parts) or 1)


def test_a_session_that_waits_is_not_settled_until_it_has_waited_long(seen: Seen) -> None:
    """Ten minutes after the last record a session is settled only as its case says; after six hours it always is."""
    for session in seen.sessions:
        if seen.case.settled is not None:
            assert session.inspect["settled"] is seen.case.settled
        assert session.inspect["settled_reason"]
        assert session.inspect_later["settled"] is True
        assert session.inspect_later["verdict"] == session.inspect["verdict"], "the verdict is judged as if settled"


def test_once_gives_every_session_an_outcome(seen: Seen) -> None:
    """once over the case's home fails nowhere, skips what inspect would skip and saves into no other memory."""
    if seen.ran_once is None:
        return  # without a config home on disk there is nothing for once to walk
    *lines, last = _lines(seen.ran_once)
    assert last["summary"]["failed"] == 0
    assert last["summary"]["sessions"] == len(seen.sessions)
    outcomes = {line["session"]: line["outcome"] for line in lines}
    for session in seen.sessions:
        if session.expected.session_id == seen.case.fork_of_session:
            continue  # its messages stand in the fork too, and what was handled once is handled
        outcome = outcomes[session.expected.session_id]
        assert (outcome == "skipped") is (session.inspect["verdict"] == "skip"), json.dumps(lines, ensure_ascii=False)
    assert {str(line["memory_dir"]).rstrip("/") for line in lines if line["memory_dir"]} <= {seen.case.expected_memory_dir}
