"""Promises of reading, composing and stamping topics."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.memory.directory import MemoryDirectory
from extractord.memory.stamps import stamp
from extractord.memory.topics import TYPES, TopicForm, compose, iso, moment, parse, readable, split
from extractord.memory.words import folded_words, share_of
from tests.memory_directories import prepared

BUGS = Path(__file__).parent / "cases" / "bugs"
SESSION = "0c9f3f52-6f0b-4b0e-9a53-1f6f0a2f7a11"
MODIFIED = "2026-12-01T14:12:37.550Z"
CLIENT = f"""---
name: no-mocked-db
description: "Install with uv, never pip"
metadata:
  node_type: memory
  type: feedback
  originSessionId: 53d4f8f3-e40f-405c-bfc0-e9ebbe0224da
  modified: {MODIFIED}
---

Do not mock the database in tests.
"""

one_line = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60)
names = one_line.filter(lambda text: bool(text.strip()))


def case(name: str, file: str) -> str:
    return (BUGS / name / "memory" / file).read_bytes().decode()


def test_todays_and_older_headers_are_read() -> None:
    """Type, time and session are found below metadata, as the client writes them, and at the top, as older files have them."""
    topic = parse(CLIENT)
    assert (topic.name, topic.description, topic.type) == ("no-mocked-db", "Install with uv, never pip", "feedback")
    assert topic.modified == moment(MODIFIED)
    assert topic.origin_session == "53d4f8f3-e40f-405c-bfc0-e9ebbe0224da"
    assert topic.body == "\nDo not mock the database in tests.\n"
    older = parse("---\nname: x\ntype: user\nmodified: 2026-01-02\n---\n")
    assert (older.type, older.modified) == ("user", moment("2026-01-02T00:00:00Z"))


def test_a_colon_in_a_plain_description_hides_nothing() -> None:
    """Bug colon-in-description: read line by line; what we stamp as new is valid YAML, what is there already is left alone."""
    text = case("colon-in-description", "feedback_testing.md")
    topic = parse(text)
    assert (topic.form, topic.header_ok) == (TopicForm.BY_LINE, True)
    assert (topic.name, topic.type) == ("testing", "feedback")
    assert topic.description == "Rule of this project: no mocks for the database"
    new = parse(stamp(text, SESSION, MODIFIED))
    assert (new.form, new.description) == (TopicForm.YAML, topic.description)
    assert "description: Rule of this project: no mocks" in stamp(text, SESSION, MODIFIED, before=text)


def test_a_topic_with_crlf_is_read_and_keeps_its_line_ends() -> None:
    """Bug crlf-topic: every line, old and new, ends with CR LF after stamping."""
    text = case("crlf-topic", "reference_tracker.md")
    assert (parse(text).name, parse(text).type) == ("tracker", "reference")
    stamped = stamp(text, SESSION, MODIFIED)
    assert stamped.count("\n") == stamped.count("\r\n")
    assert parse(stamped).modified == moment(MODIFIED)


def test_lists_and_numbers_become_readable_text() -> None:
    """Bug list-valued-keys."""
    topic = parse(case("list-valued-keys", "feedback_list.md"))
    assert (topic.name, topic.description, topic.type) == ("commit, style", "42", "feedback")


def test_keys_named_like_parameters_are_kept() -> None:
    """Bug reserved-keys: read, and written back with both keys and the odd metadata."""
    text = case("reserved-keys", "reference_keys.md")
    assert parse(text).name == "keys"
    stamped = stamp(text, SESSION, MODIFIED, before=text)
    for line in text.splitlines():
        assert line in stamped.splitlines()
    assert parse(stamped).modified == moment(MODIFIED)


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ("name: &a x\nother: 1\n", "anchor"),
        ("name: *a\n", "alias"),
        ('name: !!python/object/apply:os.system ["true"]\n', "tag"),
        ("name: !!python/name:os.system\n", "tag"),
        ("name: x\n" + "# " + "long " * 900 + "\n", "longer"),
    ],
)
def test_more_yaml_than_a_topic_needs_is_refused(header: str, what: str) -> None:
    """Anchors, aliases, tags and long headers never reach the YAML reader, and stamping leaves such a file as it is."""
    text = f"---\n{header}description: y\ntype: project\n---\nbody\n"
    topic = parse(text)
    assert (topic.form, topic.header_ok) == (TopicForm.REFUSED, False)
    assert what in topic.problem
    assert topic.body == "body\n"
    assert stamp(text, SESSION, MODIFIED) == text


@pytest.mark.parametrize("text", ["", "plain\n", "---\nname: x\n\nnever closed\n", "---\n---\nbody", "---\n- a\n- b\n---\n", "# ---\n"])
def test_without_a_header_all_is_body_or_the_problem_is_named(text: str) -> None:
    """No exception: the problem is a sentence."""
    topic = parse(text)
    assert not topic.header_ok
    assert topic.problem
    assert stamp(text, SESSION, MODIFIED) == text


def test_deep_nesting_neither_hangs_nor_crashes() -> None:
    """Brackets and dashes in thousands are just a header that cannot be read."""
    for bomb in ("name: " + "[" * 2000, "name: x\n" + "- " * 1900, "{" * 4000):
        assert parse(f"---\n{bomb}\n---\nbody").body == "body"


def test_a_byte_order_mark_and_blank_lines_may_come_first() -> None:
    """They are read over and stay."""
    text = "\ufeff\n---\nname: x\ntype: user\n---\nb"
    assert parse(text).name == "x"
    assert stamp(text, SESSION, MODIFIED).startswith("\ufeff\n---\n")


def test_a_new_topic_gets_what_the_client_writes() -> None:
    """The stamp of a new topic has the client's keys: type nested, node_type first, session and time."""
    text = "---\nname: a\ndescription: b\ntype: user\nextra: kept\n---\n\nbody\n"
    assert stamp(text, SESSION, MODIFIED) == (
        "---\nname: a\ndescription: b\nextra: kept\nmetadata:\n  node_type: memory\n"
        f"  originSessionId: {SESSION}\n  modified: {MODIFIED}\n  type: user\n---\n\nbody\n"
    )
    assert stamp(stamp(text, SESSION, MODIFIED), "other", MODIFIED) == stamp(text, SESSION, MODIFIED)


def test_an_update_changes_only_the_time() -> None:
    """In a topic that has all the client's keys one line changes; a foreign flat type stays where it is."""
    later = "2026-12-05T00:00:00.000Z"
    assert stamp(CLIENT, SESSION, later, before=CLIENT) == CLIENT.replace(MODIFIED, later)
    flat = "---\nname: x\ntype: user\n---\nbody"
    assert stamp(flat, SESSION, later, before=flat) == (
        f"---\nname: x\ntype: user\nmetadata:\n  node_type: memory\n  modified: {later}\n---\nbody"
    )


BLOCKS = ["{type: user, modified: 2020-01-01}\n", "{}\n", "[1]\n", "\n- a\n", "\n    type: user\n"]


@pytest.mark.parametrize("metadata", ["metadata: " + block for block in BLOCKS])
def test_metadata_in_any_form_takes_the_stamp(metadata: str) -> None:
    """Braces, lists, other indents: the time reads back and the rest of the text is untouched."""
    text = f"---\nname: x\n{metadata}last: 1\n---\nbody"
    stamped = stamp(text, SESSION, MODIFIED, before=text)
    assert parse(stamped).modified == moment(MODIFIED)
    assert stamped.startswith("---\nname: x\nmetadata:")
    assert "last: 1\n" in stamped
    assert stamped.endswith("---\nbody")


@given(names, one_line, st.sampled_from(TYPES), one_line)
@settings(max_examples=150, deadline=None)
def test_what_is_composed_reads_back_equal(name: str, description: str, kind: str, body: str) -> None:
    """By us and by any YAML reader, whatever stands in name and description, before and after stamping."""
    text = compose(name, description, kind, body)
    for version in (text, stamp(text, SESSION, MODIFIED)):
        topic = parse(version)
        assert (topic.name, topic.description, topic.type) == (readable(name), readable(description), kind)
        parts = split(version)
        assert parts is not None
        header = yaml.safe_load(parts.header)
        assert (header["name"], header["description"]) == (readable(name), readable(description))
    assert parse(stamp(text, SESSION, MODIFIED)).modified == moment(MODIFIED)


HEADER_LINES = [
    "name: x",
    "description: a: b",
    "description: 'q'",
    "type: user",
    "metadata:",
    "  type: user",
    "  modified: 2020-01-01",
    "    deep: 1",
    "metadata: {type: user}",
    "metadata: 7",
    "tags: [a, b]",
    "",
    "# comment",
    "text: |",
    "  more",
    "- item",
    "modified: 2019-01-01",
]
headers = st.lists(st.sampled_from(HEADER_LINES), max_size=10)


@given(headers, st.text(max_size=40), st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(max_examples=200, deadline=None)
def test_stamping_keeps_every_other_byte(lines: list[str], body: str, eol: str, new: bool) -> None:
    """Each line of the text but those of the stamp is still there in order, the body byte for byte; or nothing changed at all."""
    body = body.replace("\n---", "")
    text = "---" + eol + "".join(line + eol for line in lines) + "---" + eol + body
    stamped = stamp(text, SESSION, MODIFIED, before=None if new else text)
    if stamped == text:
        return
    assert stamped.endswith("---" + eol + body)
    old, now = parse(text), parse(stamped)
    assert (old.body, old.type, now.modified) == (now.body, now.type, moment(MODIFIED))
    ours = ("modified:", "originSessionId:", "node_type:", "type:", "metadata", "description:")
    kept = [line for line in lines if line.strip() and not line.strip().startswith(ours)]
    left = iter(stamped.split(eol))
    assert all(any(line == other for other in left) for line in kept)


@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_reading_never_fails(text: str) -> None:
    """Any text is a topic or a problem, and its pieces are the text."""
    for version in (text, f"---\n{text}\n---\nbody"):
        topic = parse(version)
        assert topic.header_ok or topic.problem
        parts = split(version)
        assert parts is None or parts.opening + parts.header + parts.closing + parts.body == version


def test_times_are_written_as_the_client_does() -> None:
    """UTC, milliseconds, Z; and read back."""
    time = moment(MODIFIED)
    assert time is not None
    assert iso(time) == MODIFIED
    assert moment("no time") is None


def test_words_are_folded() -> None:
    """Case, width, apostrophes and markup make no difference; scripts without spaces are cut into pairs."""
    assert folded_words("Don’t MOCK the ＤＢ!") == folded_words("**dont** mock: the db")
    assert folded_words("no-mocked_db") == ("no", "mocked", "db")
    assert folded_words("注释一律") == ("注释", "释一", "一律")
    assert folded_words("在 X 里") == ("在", "x", "里")
    assert folded_words("cafe\u0301") == folded_words("CAFÉ")


def test_share_tells_how_much_of_a_text_another_holds() -> None:
    """Different words only; nothing is held of nothing."""
    assert share_of(("a", "b", "a", "c", "d"), ("b", "c", "x")) == 0.5
    assert share_of((), ("a",)) == 0.0


_TEXTS = st.lists(
    st.sampled_from(["---", "name: a", "description: 'x: y'", "metadata:", "  type: user", "odd", "", "\ufeff", "记忆 😀", "a\x85b\x0cc"]),
    max_size=9,
)


@given(_TEXTS, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_topic_comes_back_byte_for_byte(lines: list[str], eol: str, ends: bool) -> None:
    """Read, taken apart, put together, written elsewhere and read again: the same bytes, whatever stands in it."""
    data = (eol.join(lines) + (eol if ends else "")).encode("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "from").mkdir()
        (place / "from" / "t.md").write_bytes(data)
        text = MemoryDirectory(place / "from", place / "state").read().texts()["t.md"]
        parts = split(text)
        if parts is not None:
            assert parts.opening + parts.header + parts.closing + parts.body == text
        target = MemoryDirectory(place / "to", place / "state")
        target.apply(prepared(target, "c1", ("t.md", text)))
        assert (place / "to" / "t.md").read_bytes() == data
        assert target.read().texts()["t.md"] == text
