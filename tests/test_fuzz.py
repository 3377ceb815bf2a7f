"""Promises about what comes from outside, made up by hypothesis: no crash, nothing takes a second, nothing is written elsewhere."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractord.agent.wire import NoReplyError, read_reply
from extractord.claude_home.settings import Scope, read_settings
from extractord.config.load import parse as parse_config
from extractord.errors import ExtractordError
from extractord.memory.entries import files_of
from extractord.memory.snapshot import read
from extractord.memory.stamps import stamp
from extractord.memory.topics import parse
from extractord.transcript.span import read_session
from tests.homes import tree
from tests.test_tools import Bench

SLOW = 1.0  # seconds of the processor
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
WORDS = ("type", "user", "assistant", "message", "content", "text", "uuid", "timestamp", "---", "name:", "metadata:", "- [a](a.md) — b")
texts = st.lists(st.sampled_from(WORDS) | st.text(max_size=30), max_size=12).map("\n".join)
records = st.fixed_dictionaries(
    {"type": st.sampled_from(("user", "assistant", "system", "attachment", "x"))},
    optional={"message": json, "uuid": json, "parentUuid": json, "timestamp": json, "cwd": json, "sessionId": json, "isSidechain": json},
)
TOOLS = ("Read", "Grep", "Glob", "Bash", "Write", "Edit", "Delete", "Other")
FIELDS = ("file_path", "content", "old_string", "new_string", "replace_all", "offset", "limit", "pattern", "path", "glob", "command")
PLACES = (
    "a.md",
    "../a.md",
    "/etc/passwd",
    "MEMORY.md",
    ".git/config",
    "a/../../b.md",
    "~/.ssh/id",
    "a\x00.md",
    "",
    "cat a.md | head",
    "ls; rm x",
)


def quickly(do: Callable[[], object], *expected: type[Exception]) -> None:
    """Do it; only what is expected may be raised, and it never takes a second."""
    began = time.process_time()
    with contextlib.suppress(*expected):
        do()
    assert time.process_time() - began < SLOW


@FEW
@given(st.lists(records.map(msgspec.json.encode) | st.binary(max_size=60), max_size=8).map(b"\n".join))
def test_any_transcript_is_read(tmp_path: Path, content: bytes) -> None:
    """Records with fields of any kind between bytes of any kind."""
    place = tmp_path / "a.jsonl"
    place.write_bytes(content)
    quickly(lambda: [m.text for s in read_session(place).stretches for m in s.messages])


@FEW
@given(texts | st.binary(max_size=200).map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_any_topic_is_parsed_and_stamped(text: str) -> None:
    """Whatever stands in it; a stamp keeps its body."""
    quickly(lambda: parse(text))
    stamped = stamp(text, "s", "2026-12-01T12:00:00.000Z")
    assert parse(stamped).body == parse(text).body


@FEW
@given(st.dictionaries(st.sampled_from(("a.md", "b 2.md", "MEMORY.md", "x.txt", "deep.md")), st.binary(max_size=200), max_size=5))
def test_any_memory_directory_is_read(tmp_path: Path, files: dict[str, bytes]) -> None:
    """Index and topics of any bytes; reading changes none."""
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    before = tree(tmp_path)
    quickly(lambda: files_of(read(tmp_path).index or ""))
    assert tree(tmp_path) == before


@FEW
@given(st.binary(max_size=100) | json.map(msgspec.json.encode))
def test_any_settings_are_read_or_ignored(tmp_path: Path, content: bytes) -> None:
    """A broken file of the client stops nobody."""
    place = tmp_path / "settings.json"
    place.write_bytes(content)
    quickly(lambda: read_settings(place, next(iter(Scope))))


@FEW
@given(
    st.lists(
        st.sampled_from(('backend = "offline"', "[settle]", 'idle = "5m"', "[[project]]", 'match = "*"', "[x]")) | st.text(max_size=30)
    )
)
def test_any_configuration_is_taken_or_refused(lines: list[str]) -> None:
    """Refused means told: which line, and what to do."""
    quickly(lambda: parse_config("\n".join(lines), Path("config.toml")), ExtractordError)


@FEW
@given(
    st.binary(max_size=200)
    | json.map(msgspec.json.encode)
    | st.fixed_dictionaries({"content": json, "stop_reason": json, "usage": json}).map(msgspec.json.encode)
)
def test_any_answer_of_a_model_is_read_or_no_reply(body: bytes) -> None:
    """Nothing that a server sends gets further than that."""
    quickly(lambda: read_reply(body), NoReplyError)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    (made.project / "a.md").write_text("a file of the project\n")
    (made.memory / "a.md").write_text("---\nname: a\ndescription: a\n---\n\nA topic.\n")
    return made


@FEW
@given(
    st.lists(
        st.tuples(st.sampled_from(TOOLS), st.dictionaries(st.sampled_from(FIELDS), st.sampled_from(PLACES) | json, max_size=5)), max_size=4
    )
)
def test_any_calls_of_tools_are_ruled_and_write_nothing(bench: Bench, calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Each has a ruling with a reason; project and memory stay as they are, whatever stands in the overlay."""
    top = bench.project.parent
    before = tree(top)
    for tool, written in calls:
        quickly(lambda tool=tool, written=written: bench(tool, **written))  # type: ignore[misc]
    assert tree(top) == before
    assert all("/" not in path.strip("/") or ".." not in path for path, _ in bench.changes())
