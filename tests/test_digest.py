"""What a model reads of a stretch."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.transcript.digest import CUT, Digest, DigestLimits, build, call_line
from extractord.transcript.messages import Origin, ToolCall
from extractord.transcript.span import read_session
from extractord.transcript.tokens import most_tokens
from extractord.transcript.verdict import EVERYTHING, Decision, Verdict
from tests import case_files
from tests.made_records import Session

LIMITS = DigestLimits()
SECRET = "gh" + "p_" + "a1B2c3D4e5F6" * 3


def digests(session: Session, folder: Path, verdict: Verdict = EVERYTHING, limits: DigestLimits = LIMITS) -> list[Digest]:
    [stretch] = read_session(session.save(folder)).stretches
    return list(build(stretch, verdict, limits))


def digest(session: Session, folder: Path) -> Digest:
    [only] = digests(session, folder)
    return only


def test_typed_words_stand_whole_and_the_agents_are_trimmed(tmp_path: Path) -> None:
    """Ids are those of the session, a call is a line, outputs are not there."""
    session = Session()
    typed = "keep this " * 300
    session.prompt(typed)
    session.agent("begin " + "x" * 5000 + " end")
    session.call("t", "Bash", command="make test")
    session.result("t", "OUTPUT")
    session.agent("done")
    found = digest(session, tmp_path)
    first, second, third = found.entries
    assert (first.id, first.origin, first.text) == ("m1", Origin.PROMPT, typed)
    assert (second.id, second.calls, len(second.text)) == ("m2", ("Bash: make test",), 600 + len(CUT))
    assert second.text.startswith("begin x")
    assert second.text.endswith("x end")
    assert (third.id, third.text, found.last_turn) == ("m4", "done", 0)
    assert "OUTPUT" not in str(found)


def test_everything_is_redacted_first(tmp_path: Path) -> None:
    """Typed words, the agent's, calls and questions; also where a cut would halve a secret."""
    question = {"question": f"is it {SECRET}?", "options": [], "multiSelect": False}
    session = Session()
    session.prompt(f"the token is {SECRET} <private>my salary</private>")
    session.agent("y" * (400 - 10) + SECRET + "z" * 600)
    session.call("t", "Bash", command=f"curl -H 'x: {SECRET}' " + "a" * 60 + SECRET)
    session.result("t")
    session.call("q", "AskUserQuestion", questions=[question])
    session.result("q", toolUseResult={"questions": [question], "answers": {question["question"]: f"no, {SECRET}"}})
    shown = str(digest(session, tmp_path))
    assert SECRET[:12] not in shown
    assert "salary" not in shown
    assert "the token is" in shown


def test_a_call_is_one_line_of_at_most_ninety_characters() -> None:
    """Cut where it is longer."""
    assert call_line(ToolCall("t", "Bash", "x " * 200)) == ("Bash: " + "x " * 200)[:89] + "…"
    assert call_line(ToolCall("t", "Read", "/a\nb")) == "Read: /a b"
    assert call_line(ToolCall("t", "TodoWrite", "")) == "TodoWrite"


def test_turns_left_out_are_not_in_it_but_for_the_words_before(tmp_path: Path) -> None:
    """The agent's last words before a turn that stays are there: what is accepted may stand in them."""
    session = Session()
    session.prompt("old fact")
    session.agent("shall I use tabs?")
    session.prompt("yes")
    session.agent("fine")
    [found] = digests(session, tmp_path, Verdict(Decision.EXTRACT, "", frozenset({0})))
    assert [e.text for e in found.entries] == ["shall I use tabs?", "yes", "fine"]
    assert digests(session, tmp_path, Verdict(Decision.EXTRACT, "", frozenset({0, 1}))) == []


def test_a_pasted_log_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    """Beyond the documented cap."""
    session = Session()
    session.prompt("look: " + "log line\n" * 9000 + "and never again on Fridays")
    entries = [e for d in digests(session, tmp_path) for e in d.entries]
    text = "".join(e.text for e in entries)
    assert {e.id for e in entries} == {"m1"}
    assert len(text) == DigestLimits().typed + len(CUT)
    assert text.startswith("look: ")
    assert text.endswith("and never again on Fridays")


@pytest.mark.parametrize(
    "text",
    [
        "数据库迁移必须先在预发布环境验证。" * 900,
        '{"a":[1,2,{"b":null}]},' * 1500,
        "QmFzZTY0IGlzIGRlbnNl" * 1000,
        "🙂" * 6000,
        "plain words in a row " * 1500,
    ],
)
@pytest.mark.parametrize("bound", [500, 3000, 12_000])
def test_every_chunk_keeps_its_bound_for_dense_text_too(tmp_path: Path, text: str, bound: int) -> None:
    """And nothing typed gets lost between chunks."""
    session = Session()
    session.prompt("first")
    session.agent("a")
    session.prompt(text)
    session.agent("b")
    session.prompt("last")
    found = digests(session, tmp_path, limits=DigestLimits(tokens=bound, typed=100_000))
    assert all(d.tokens <= bound for d in found)
    assert [(d.chunk, d.chunks) for d in found] == [(n, len(found)) for n in range(len(found))]
    assert all(sum(most_tokens(e.text) for e in d.entries) <= d.tokens for d in found)
    assert "".join(e.text for d in found for e in d.entries if e.id == "m3") == text


def test_a_turn_is_kept_together_where_it_fits(tmp_path: Path) -> None:
    """A chunk ends between turns."""
    session = Session()
    for number in range(12):
        session.prompt(f"prompt {number} " + "word " * 60)
        session.agent(f"answer {number} " + "word " * 60)
    found = digests(session, tmp_path, limits=DigestLimits(tokens=1000))
    turns = [{e.turn for e in d.entries} for d in found]
    assert len(turns) == 3
    assert all(not a & b for a, b in pairwise(turns))


def test_a_turn_of_calls_alone_does_not_break_the_bound(tmp_path: Path) -> None:
    """Thousands of calls after one prompt; chunks in which nothing was typed are left out."""
    session = Session()
    session.prompt("go")
    for number in range(400):
        session.call(f"t{number}", "Read", file_path=f"/home/kim/shop/file-{number}.py")
    found = digests(session, tmp_path, limits=DigestLimits(tokens=1500))
    assert all(d.tokens <= 1500 for d in found)
    assert all(any(e.origin.typed for e in d.entries) for d in found)


@given(st.text(max_size=200))
@settings(max_examples=100)
def test_the_token_bound_holds_for_the_parts_of_a_text(text: str) -> None:
    """It is at least a quarter of the characters, and never much less for the whole than for its parts."""
    half = len(text) // 2
    assert most_tokens(text) * 6 >= len(text)
    assert most_tokens(text[:half]) <= most_tokens(text)


def test_recorded_dense_text_is_not_counted_low() -> None:
    """The case of a token taken for four bytes."""
    folder = next(f for f in case_files.cases("bugs") if f.name == "dense-text")
    reading = read_session(folder.path / "transcript.jsonl")
    assert sum(most_tokens(m.text) for m in reading.messages) >= 12_000
    assert all(d.tokens <= 12_000 for s in reading.stretches for d in build(s))


def test_private_text_over_several_prompts_is_left_out(tmp_path: Path) -> None:
    """What lies between a tag in one prompt and its end in a later one goes, with what the agent said and did about it."""
    session = Session()
    session.prompt("my salary follows <private> it is 4711")
    session.agent("Noted, 4711, </private> you said.")
    session.prompt("and my bonus is 815")
    session.call("t", "Bash", command="echo 815")
    session.result("t")
    session.agent("815 it is.")
    session.prompt("that was 99 </PRIVATE> now fix the tests")
    session.agent("All green.")
    shown = str(digest(session, tmp_path))
    assert [secret for secret in ("4711", "815", "99", "bonus") if secret in shown] == []
    assert [kept for kept in ("my salary follows", "now fix the tests", "All green.") if kept not in shown] == []


def test_an_unclosed_private_tag_ends_with_its_prompt(tmp_path: Path) -> None:
    """Nobody who only names the tag loses the rest of the session; an end without a beginning hides all before it."""
    session = Session()
    session.prompt("what does <private> do?")
    session.prompt("always use tabs here")
    assert "always use tabs" in str(digest(session, tmp_path))
    other = Session()
    other.prompt("my salary is 4711")
    other.agent("4711 is a lot")
    other.prompt("</private> go on")
    shown = str(digest(other, tmp_path))
    assert ("4711" in shown, "go on" in shown) == (False, True)
