"""Promises about bringing two people's changes of one text together."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.memory.reconcile import both_kept, reconciled
from extractord.memory.topics import parse

LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=6, unique=True)


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@settings(max_examples=150, deadline=None)
@given(base=LINES, ours=LINES, theirs=LINES)
def test_no_line_that_somebody_added_is_lost(base: list[str], ours: list[str], theirs: list[str]) -> None:
    """Every line that a side put there is there; what either took out and nobody put back is not; no marker."""
    mine, others = (
        [f"{line}1" if line not in base else line for line in ours],
        [f"{line}2" if line not in base else line for line in theirs],
    )
    out = both_kept(_text(base), _text(mine), _text(others)).splitlines()
    assert {line for line in (*mine, *others) if line not in base} <= set(out)
    assert {line for line in base if line in mine and line in others} <= set(out)
    assert not any(line.startswith(("<<<<", "====", ">>>>")) for line in out)


@settings(max_examples=80, deadline=None)
@given(base=LINES, ours=LINES)
def test_one_side_alone_decides(base: list[str], ours: list[str]) -> None:
    """Where only one side changed anything, its text is the result, byte for byte."""
    assert both_kept(_text(base), _text(ours), _text(base)) == _text(ours)
    assert both_kept(_text(base), _text(base), _text(ours)) == _text(ours)
    assert both_kept(_text(base), _text(ours), _text(ours)) == _text(ours)


def _topic(description: str, body: str, modified: str) -> str:
    return f"---\nname: n\ndescription: {description}\nmetadata:\n  type: project\n  modified: {modified}\n---\n\n{body}"


def test_a_header_has_each_key_once() -> None:
    """The side that was written later words the description; the other's words go below the body."""
    base = _topic("old", "one\n", "2026-03-01T10:00:00.000Z")
    ours = _topic("ours", "one\nmine\n", "2026-03-02T10:00:00.000Z")
    theirs = _topic("theirs", "one\nothers\n", "2026-03-03T10:00:00.000Z")
    for text in (reconciled(base, ours, theirs), reconciled(base, theirs, ours)):
        topic = parse(text)
        assert topic.header_ok
        assert (topic.description, text.count("description:"), text.count("modified:")) == ("theirs", 1, 1)
        assert {"one", "mine", "others", "Also: ours"} <= set(topic.body.splitlines())


def test_a_key_that_one_side_changed_is_theirs_to_change() -> None:
    """A later stamp on the other side takes nothing back."""
    base = _topic("old", "one\n", "2026-03-01T10:00:00.000Z")
    ours = _topic("ours", "one\n", "2026-03-02T10:00:00.000Z")
    theirs = _topic("old", "one\ntwo\n", "2026-03-03T10:00:00.000Z")
    text = reconciled(base, ours, theirs)
    assert parse(text).description == "ours"
    assert "2026-03-03" in text
    assert "two" in text


def test_two_topics_of_one_name_become_one() -> None:
    """Made on both sides at once, both bodies are there."""
    text = reconciled(None, _topic("x", "mine\n", "2026-03-02T10:00:00.000Z"), _topic("y", "others\n", "2026-03-03T10:00:00.000Z"))
    assert parse(text).header_ok
    assert "mine" in text
    assert "others" in text
