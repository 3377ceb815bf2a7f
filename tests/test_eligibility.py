"""The verdict on a stretch: the rules, their order, and what counts as a memory write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.config import Headless, SkipScope
from extractord.transcript.eligibility import Situation, judge, memory_writes
from extractord.transcript.memory_writes import MemoryPlace, shell_targets
from extractord.transcript.span import read_session
from extractord.transcript.verdict import Decision, Verdict
from tests import case_files
from tests.made_records import CWD, MEMORY, Session

HOME = "/home/kim"
SITUATION = Situation(memory_dir=Path(MEMORY), home=Path(HOME))


def verdicts(session: Session, folder: Path, situation: Situation = SITUATION) -> list[Verdict]:
    return [judge(stretch, situation) for stretch in read_session(session.save(folder)).stretches]


def verdict(session: Session, folder: Path, situation: Situation = SITUATION) -> Verdict:
    [only] = verdicts(session, folder, situation)
    return only


def talk() -> Session:
    session = Session()
    session.prompt("we deploy on Fridays only")
    session.agent("noted")
    return session


@pytest.mark.parametrize("folder", case_files.cases("transcripts"), ids=lambda f: f.name)
def test_recorded_memory_writes_are_found_and_no_others(folder: case_files.Folder) -> None:
    """Those the case lists, and of shell writes those that are plain."""
    case = folder.transcript_case()
    home = Path(case.config_home).parent
    directory = Path(case.memory_dir) if case.memory_dir.startswith("/") else Path(case.config_home) / case.memory_dir
    situation = Situation(memory_dir=directory, home=home)
    for expected in case.sessions:
        stretches = read_session(folder.path / expected.file).stretches
        found = {w.tool_use_id for s in stretches for w in memory_writes(s, situation)}
        wanted = set(expected.memory_write_tool_use_ids)
        assert wanted <= found <= wanted | set(expected.memory_writes_through_bash_tool_use_ids)


def test_an_ordinary_stretch_is_extracted(tmp_path: Path) -> None:
    """With all its turns."""
    found = verdict(talk(), tmp_path)
    assert (found.decision, found.turns_left_out) == (Decision.EXTRACT, frozenset())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"memory_enabled": False, "memory_reason": "switched off by settings.json"}, "auto memory is off: switched off by settings.json"),
        ({"excluded": "a temporary folder"}, "a temporary folder"),
        ({"own_sessions": {"5b0c1f4e-1111-4222-8333-944455556666"}}, "our own run"),
        ({"own_folder": Path(CWD)}, "our own run"),
    ],
)
def test_what_is_not_for_us_is_skipped_with_its_reason(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    """Settings, exclusions and our own runs."""
    found = verdict(talk(), tmp_path, replace(SITUATION, **change))  # type: ignore[arg-type]
    assert (found.decision, found.reason) == (Decision.SKIP, reason)


def test_our_own_runs_are_known_by_folder_and_first_words_too(tmp_path: Path) -> None:
    """Each suffices."""
    session = talk()
    session.records[0]["message"]["content"] = "<extractord-run> read this"
    assert verdict(session, tmp_path).reason == "our own run"
    session = talk()
    for record in session.records:
        record["cwd"] = "/home/kim/.local/state/extractord/run"
    assert verdict(session, tmp_path).reason == "our own run"


def test_a_private_session_is_skipped(tmp_path: Path) -> None:
    """Memory was off in that very session; a removed index says so only if it still exists, and only from there on."""
    session = talk()
    session.attach(type="prompt_snapshot", systemPrompt=["# Environment\n\nlinux"])
    assert verdict(session, tmp_path).reason == "memory was off in this session"
    session = talk()
    session.wait(hours=2)
    session.prompt("again")
    session.attach(type="instructions", files=[], removed=[f"{MEMORY}/MEMORY.md"])
    found = verdicts(session, tmp_path, replace(SITUATION, index_exists=True))
    assert [v.decision for v in found] == [Decision.EXTRACT, Decision.SKIP]
    assert [v.decision for v in verdicts(session, tmp_path)] == [Decision.EXTRACT, Decision.EXTRACT]


def test_programs_sessions_are_skipped_only_if_one_says_so(tmp_path: Path) -> None:
    """By the entrypoint."""
    session = Session(entrypoint="sdk-cli")
    session.prompt("go")
    assert verdict(session, tmp_path).decision is Decision.EXTRACT
    assert verdict(session, tmp_path, replace(SITUATION, headless=Headless.SKIP)).decision is Decision.SKIP


def test_nothing_typed_is_skipped(tmp_path: Path) -> None:
    """Neither the agent's words nor a picture without words count."""
    session = Session()
    session.agent("hello")
    session.prompt([{"type": "image", "source": {}}])
    assert verdict(session, tmp_path).reason == "nothing typed"


def test_a_memory_write_settles_its_stretch_or_its_turn(tmp_path: Path) -> None:
    """By ``memory.skip_scope``; the reason says what was written and in which turn."""
    session = talk()
    session.prompt("remember tabs")
    session.write("w", f"{MEMORY}/tabs.md")
    session.wait(hours=1)
    session.prompt("and another thing")
    first, second = verdicts(session, tmp_path)
    assert (first.decision, second.decision) == (Decision.SKIP, Decision.EXTRACT)
    assert first.reason == "the main agent wrote tabs.md itself, in turn 2 (Write)"
    first, second = verdicts(session, tmp_path, replace(SITUATION, skip_scope=SkipScope.TURN))
    assert (first.decision, first.turns_left_out, second.decision) == (Decision.EXTRACT, frozenset({1}), Decision.EXTRACT)


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        (f"{MEMORY}/a.md", True),
        (f"{MEMORY}/deep/a.md", True),
        (f"{MEMORY}/../memory/a.md", True),
        (f"{MEMORY}//a.md", True),
        ("/real/memory/a.md", True),
        (f"{MEMORY}-scratch/a.md", False),
        (f"{MEMORY}/../other.md", False),
        (MEMORY, False),
        (f"{CWD}/docs/memory/MEMORY.md", False),
        ("memory/a.md", False),
    ],
)
def test_paths_are_compared_part_by_part(tmp_path: Path, path: str, counts: bool) -> None:
    """With the directory as configured and as resolved; lookalikes do not count."""
    session = talk()
    session.write("w", path)
    situation = replace(SITUATION, memory_dir_resolved=Path("/real/memory"))
    assert (verdict(session, tmp_path, situation).decision is Decision.SKIP) is counts


def test_failed_unanswered_and_subagents_writes_do_not_count(tmp_path: Path) -> None:
    """Only a success of the main agent does."""
    session = talk()
    session.write("w1", f"{MEMORY}/a.md", error=True)
    session.call("w2", "Write", file_path=f"{MEMORY}/a.md")
    session.prompt("go on")
    session.write("w3", f"{MEMORY}/a.md")
    for record in session.records[-2:]:
        record["isSidechain"] = True
    assert verdict(session, tmp_path).decision is Decision.EXTRACT


def test_what_the_client_saved_itself_leaves_out_the_turns_before(tmp_path: Path) -> None:
    """Where no typed turn remains the stretch is skipped."""
    session = talk()
    session.system("memory_saved", writtenPaths=[f"{MEMORY}/fridays.md"])
    found = verdict(session, tmp_path)
    assert (found.decision, found.reason) == (Decision.SKIP, "the client's own extraction saved fridays.md after turn 1")
    session.prompt("more")
    found = verdict(session, tmp_path)
    assert (found.decision, found.turns_left_out) == (Decision.EXTRACT, frozenset({0}))


def test_what_was_handled_is_left_out(tmp_path: Path) -> None:
    """By uuid, or by place where there is none; a turn of which something is new stays."""
    session = talk()
    session.prompt("more")
    session.records[-1].pop("uuid")
    stretch = read_session(session.save(tmp_path)).stretches[0]
    first, second = stretch.typed
    found = judge(stretch, replace(SITUATION, handled={first.uuid}))
    assert (found.decision, found.turns_left_out) == (Decision.EXTRACT, frozenset({0}))
    found = judge(stretch, replace(SITUATION, handled={first.uuid, f"{stretch.session}:{second.start}"}))
    assert (found.decision, found.reason) == (Decision.SKIP, "nothing typed since it was dealt with")


PLACE = MemoryPlace.of(MEMORY, home=HOME)


@pytest.mark.parametrize(
    ("command", "written"),
    [
        (f"cat > {MEMORY}/a.md <<'EOF'\nx > y\nEOF", ["a.md"]),
        (f'cat <<EOF >> "{MEMORY}/a b.md"\n$x\nEOF', ["a b.md"]),
        (f"printf '%s' x>>{MEMORY}/a.md", ["a.md"]),
        (f"echo x | tee -a {MEMORY}/a.md {MEMORY}/b.md >/dev/null", ["a.md", "b.md"]),
        (f"sed -i 's/a/b/' {MEMORY}/a.md", ["a.md"]),
        (f"sed -i.bak -e 's/a/b/' {MEMORY}/a.md", ["a.md"]),
        (f"cp draft.md {MEMORY}/a.md", ["a.md"]),
        (f"mv x.md {MEMORY}/", ["."]),
        (f"cd {MEMORY} && echo x > a.md", ["a.md"]),
        (f"M={MEMORY}; echo x > $M/a.md", ["a.md"]),
        (f"export M={MEMORY}\necho x > ${{M}}/a.md", ["a.md"]),
        ("echo x > ~/.claude/projects/-home-kim-shop/memory/a.md", ["a.md"]),
        ('echo x > "$HOME/.claude/projects/-home-kim-shop/memory/a.md"', ["a.md"]),
        (f"true && (echo x; echo y) > {MEMORY}/a.md", ["a.md"]),
        (f"dd if=x of={MEMORY}/a.md", ["a.md"]),
        (f"sudo install -m 600 x {MEMORY}/a.md", ["a.md"]),
        (f"cat {MEMORY}/a.md", []),
        (f"cat {MEMORY}/a.md > /tmp/x", []),
        (f"cp {MEMORY}/a.md /tmp/x", []),
        (f"sed -n 1p {MEMORY}/a.md", []),
        (f"echo 'cat > {MEMORY}/a.md'", []),
        (f"cat > x <<'EOF'\necho > {MEMORY}/a.md\nEOF", []),
        (f"echo x > {MEMORY}-scratch/a.md", []),
        ("echo x > memory/MEMORY.md", []),
        (f'grep -c x <<< "> {MEMORY}/a.md"', []),
        (f"ls {MEMORY} 2>&1 | head", []),
        (f"# echo x > {MEMORY}/a.md", []),
    ],
)
def test_plain_shell_writes_are_read_from_the_command(command: str, written: list[str]) -> None:
    """Redirections, here-documents, tee, sed -i, cp, mv, with folders and variables that the command itself sets."""
    assert list(shell_targets(command, PLACE, CWD)) == written


@given(st.lists(st.sampled_from([*"ab/~$'\"\\<>|&;()\n\t #{}=-", MEMORY, "cat", "EOF", "<<", "cd ", "sed -i"]), max_size=40).map("".join))
@settings(max_examples=200, deadline=None)
def test_no_command_is_too_odd(command: str) -> None:
    """Anything ends, without an error."""
    list(shell_targets(command, PLACE, CWD))
