"""Reading a transcript's bytes: the cap, half lines, files that change, reading on."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.errors import TranscriptError
from extractord.transcript.digest import build
from extractord.transcript.records.events import Fault
from extractord.transcript.span import Reading, ReadLimits, Stretch, ToolResults, read_session
from extractord.transcript.tail import CutLine, Opened, TailLimits, Unfinished, batches, opened, part
from tests.made_records import MEMORY, REFUSED, SESSION, Session

SMALL = ReadLimits(tail=TailLimits(line=2000))


def talk(pauses: tuple[int, ...] = (1, 45, 1, 90)) -> Session:
    """A session of several stretches with tools, memory writes, big results, a queued prompt and a rewind."""
    session = Session()
    session.note("mode", mode="normal")
    for number, minutes in enumerate(pauses):
        session.wait(minutes=minutes)
        session.prompt(f"prompt number {number} 项目🙂")
        session.agent({"type": "thinking", "thinking": "hm " * 300}, id=f"m{number}")
        session.agent(f"answer {number}", id=f"m{number}")
        session.call(f"t{number}", "Read", file_path="/home/kim/shop/x.py")
        session.result(f"t{number}", "x" * 3000, toolUseResult={"stdout": "y" * 3000})
        session.attach(type="queued_command", prompt=f"queued {number}", commandMode="prompt")
        session.write(f"w{number}", f"{MEMORY}/t{number}.md", error=number % 2 == 0)
        session.agent(f"done {number}")
    session.prompt("taken back")
    session.agent("in vain")
    session.prompt("instead", parent=session.records[-3]["uuid"])
    session.records[-1]["parentUuid"] = session.records[-3]["parentUuid"]
    session.agent("good")
    return session


def shown(stretch: Stretch) -> object:
    """A stretch as values, without what only says where to go on."""
    return (
        stretch.key,
        stretch.number,
        tuple(stretch.messages),
        stretch.writes,
        stretch.saved,
        stretch.typed,
        stretch.start,
        stretch.end,
        stretch.prompts,
    )


def test_a_line_over_the_limit_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    """It counts as damaged with its place; a prompt in it is recovered if its words end before the limit."""
    session = Session()
    session.prompt("before")
    session.prompt([{"type": "text", "text": "see this"}, {"type": "image", "source": {"type": "base64", "data": "A" * 9000}}])
    session.result("t", "x" * 9000, toolUseResult={})
    session.agent("after")
    reading = read_session(session.save(tmp_path), limits=SMALL)
    assert [m.text for m in reading.messages] == ["before", "see this", "after"]
    assert [(d.line, d.fault, d.recovered) for d in reading.damaged] == [(2, Fault.TOO_LONG, True), (3, Fault.TOO_LONG, False)]
    assert reading.damaged[0].offset == len(session.lines()[0])
    assert reading.cursor.offset == reading.size


def test_half_a_last_line_is_not_consumed(tmp_path: Path) -> None:
    """It is read once it is complete; a long one likewise."""
    session = Session()
    session.prompt("one")
    first = session.bytes()
    session.prompt("two " * 1000)
    path = tmp_path / f"{SESSION}.jsonl"
    for cut in (len(first) + 1, len(first) + 500, len(session.bytes()) - 3):
        path.write_bytes(session.bytes()[:cut])
        for limits in (ReadLimits(), SMALL):
            reading = read_session(path, limits=limits)
            assert ([m.text for m in reading.messages], reading.cursor.offset, reading.damages) == (["one"], len(first), 0)


def test_a_complete_last_line_needs_no_newline(tmp_path: Path) -> None:
    """A record is complete with its last brace."""
    session = Session()
    session.prompt("one")
    path = session.save(tmp_path)
    path.write_bytes(session.bytes().rstrip(b"\n"))
    reading = read_session(path)
    assert ([m.text for m in reading.messages], reading.cursor.offset) == (["one"], reading.size)


@pytest.mark.parametrize(
    "change",
    [
        lambda b: b.replace(b"\n", b"\r\n"),
        lambda b: b"\xef\xbb\xbf" + b,
        lambda b: b.replace(b"\n", b"\n\n"),
        lambda b: b.replace(b"\n", b"\n\0\0\0\n"),
    ],
)
def test_line_ends_marks_and_gaps_do_not_matter(tmp_path: Path, change: object) -> None:
    """CR LF, a byte order mark, empty lines and runs of NUL read like the plain file."""
    assert callable(change)
    plain = read_session(talk().save(tmp_path))
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(change(path.read_bytes()))
    reading = read_session(path)
    assert [m.text for m in reading.messages] == [m.text for m in plain.messages]
    assert reading.damages == 0


def test_what_cannot_be_read_is_an_error_with_a_hint(tmp_path: Path) -> None:
    """A missing file, a directory, a pipe, and a link that leads round in a loop are refused at once."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    for path in (tmp_path / "missing.jsonl", tmp_path, tmp_path / "pipe.jsonl", tmp_path / "loop.jsonl"):
        with pytest.raises(TranscriptError) as error:
            read_session(path)
        assert error.value.hint


def test_a_file_truncated_while_it_is_read_ends_there(tmp_path: Path) -> None:
    """What was read stays read; nothing fails, also when the file is deleted."""
    path = tmp_path / "x.jsonl"
    path.write_bytes((b"x" * 100 + b"\n") * 50_000)
    with opened(path) as source:
        rest = batches(source, 0, TailLimits())
        assert next(rest)[0] == 0
        os.truncate(path, 0)
        path.unlink()
        assert all(isinstance(found, (list, Unfinished)) for _, found in rest)


def test_a_disk_that_fails_while_a_transcript_is_read_is_an_error_with_a_hint(tmp_path: Path) -> None:
    """The kernel's own words are in it, and it is looked at again later."""
    fd = os.open(tmp_path, os.O_RDONLY)  # reading a folder fails as a broken disk does: once it is open
    source = Opened(fd, 10, 0, 0, 0.0)
    try:
        for read in (lambda: list(batches(source, 0, TailLimits())), lambda: [part(source, 0, 5)]):
            with pytest.raises(TranscriptError, match="Is a directory") as error:
                read()
            assert "next sweep" in error.value.hint
    finally:
        os.close(fd)


def test_a_part_of_a_transcript_ends_where_the_file_ends(tmp_path: Path) -> None:
    """It is what stands there, and reading on is not disturbed by it."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"one\ntwo\n")
    with opened(path) as source:
        assert (part(source, 4, 3), part(source, 4, 100), part(source, 100, 5)) == (b"two", b"two\n", b"")
        assert list(batches(source, 0, TailLimits())) == [(0, [b"one\n", b"two\n"])]


def test_a_long_line_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    """Only its beginning and its end are kept; the lines around it are whole and at their places."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"first\n" + b"a" * 50_000_000 + b"end\n" + b"b\nc")
    with opened(path) as source:
        found = list(batches(source, 0, TailLimits()))
    [(_, first), (at, cut), (after, second), (last, unfinished)] = found
    assert isinstance(cut, CutLine)
    assert (first, at, len(cut.head), cut.ending.strip()[-3:], cut.end) == ([b"first\n"], 6, 8 << 20, b"end", 50_000_010)
    assert (after, second, last, unfinished) == (50_000_010, [b"b\n"], 50_000_012, Unfinished(b"c"))


@given(st.lists(st.sampled_from([b"", b"a", b"bb" * 40, b"c" * 300]), max_size=12), st.booleans(), st.integers(1, 400))
@settings(max_examples=60, deadline=None)
def test_every_line_comes_once_at_its_place(
    tmp_path_factory: pytest.TempPathFactory, content: list[bytes], newline: bool, cap: int
) -> None:
    """Whole, cut or unfinished, as its length and the limit say."""
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    whole = b"\n".join(content) + (b"\n" if newline and content else b"")
    path.write_bytes(whole)
    reached = 0
    with opened(path) as source:
        for at, found in batches(source, 0, TailLimits(line=cap, ending=10)):
            assert at == reached
            for line in found if isinstance(found, list) else (found,):
                text = line if isinstance(line, bytes) else line.head if isinstance(line, CutLine) else line.line
                assert whole[reached : reached + len(text)] == text
                assert isinstance(line, CutLine) or len(text) <= cap
                reached = line.end if isinstance(line, CutLine) else reached + len(text)
    assert reached >= whole.rfind(b"\n") + 1


def test_a_shorter_file_is_read_from_the_start(tmp_path: Path) -> None:
    """An earlier state that no longer fits is not used, and what was known is known by uuid."""
    path = talk().save(tmp_path)
    state = read_session(path).state
    whole = path.read_bytes()
    path.write_bytes(whole[: state.offset - 10])
    assert read_session(path, since=state).started_at == 0
    path.write_bytes(b'{"type":"mode"}\n' + whole)
    again = read_session(path, since=state)
    assert (again.started_at, len(again.stretches)) == (0, 3)


def test_reading_on_opens_little_of_a_large_file(tmp_path: Path) -> None:
    """Of a file with much before its last stretch only that stretch is read again."""
    session = talk((1, 1, 1, 1, 1, 1, 1, 1, 1, 60))
    path = session.save(tmp_path)
    state = read_session(path).state
    session.prompt("more")
    session.save(tmp_path)
    reading = read_session(path, since=state)
    assert reading.started_at == state.offset > path.stat().st_size * 0.8
    assert [m.text for m in reading.messages][-1] == "more"


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_reading_in_two_goes_equals_reading_once(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Wherever the file is split: same stretches, same cursor, same place to go on from."""
    session = talk(data.draw(st.sampled_from([(1, 45, 1, 90), (1, 1), (40, 40, 40), (1,)])))
    lined = session.lines()
    for at in data.draw(st.lists(st.integers(0, len(lined) - 1), max_size=3)):
        lined[at] = data.draw(
            st.sampled_from([lined[at].rstrip(b"\n"), lined[at] * 2, b'{"type":"x","se' + lined[at], b"\xff\n", lined[at][:-9] + b"\n"])
        )
    whole = b"".join(lined)
    path = tmp_path_factory.mktemp("split") / f"{SESSION}.jsonl"
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    first = read_session(path)
    path.write_bytes(whole)
    second, once = read_session(path, since=first.state), read_session(path)
    begun = first.state.number
    assert [shown(s) for s in second.stretches] == [shown(s) for s in once.stretches if s.number >= begun]
    assert (second.cursor, second.pending, second.memory, second.last_record_time) == (
        once.cursor,
        once.pending,
        once.memory,
        once.last_record_time,
    )
    assert second.state == once.state
    assert read_session(path, since=second.state).cursor == once.cursor


def bytes_read() -> int:
    """Bytes that this process has read from files so far, as the kernel counts them."""
    counts = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    return int(counts[0].removeprefix("rchar: "))


@pytest.mark.skipif(sys.platform != "linux", reason="kernel: only Linux counts what a process reads")
def test_one_kilobyte_more_costs_the_open_stretch_and_little_else(tmp_path: Path) -> None:
    """Of a file of 100 MB with a kilobyte appended no more is read than what stands after the last pause, and 64 KB."""
    session = Session()
    session.prompt("begin")
    session.call("t", "Bash", command="make")
    session.result("t", "o" * 1_000_000, toolUseResult={"stdout": "o" * 1_000_000})
    line = session.lines()[-1]
    path = session.save(tmp_path)
    with path.open("ab") as file:
        for _ in range(50):
            file.write(line)
    session.records.clear()
    session.wait(minutes=45)
    session.prompt("later")
    session.agent("done")
    with path.open("ab") as file:
        file.write(session.bytes())
    before = read_session(path)
    size = path.stat().st_size
    with path.open("ab") as file:
        session.prompt("more " * 200)
        file.write(session.lines()[-1])
    reads = bytes_read()
    reading = read_session(path, since=before.state)
    reads = bytes_read() - reads
    assert size > 100_000_000
    assert [m.text for m in reading.messages][0::2] == ["later", "more " * 200]
    assert reads <= path.stat().st_size - before.state.offset + (64 << 10)


FLAGS: list[dict[str, Any]] = [
    {},
    {"sandboxed": True},
    {"permissionDecision": {"decision": "accept", "source": "config"}},
    {"permissionDecision": {"decision": "accept", "source": "user_temporary"}},
    {"permissionDecision": {"decision": "accept"}},
    {"permissionDecision": {"decision": "reject", "source": "user_reject"}},
]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_results_in_the_clients_own_order_read_the_same_skipped_or_decoded(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """With its flags, remarks and refusals, short or long, the two copies of a result alike or not; bookkeeping glued to talk as well."""
    session = Session()
    session.prompt("begin")
    for number in range(data.draw(st.integers(1, 4))):
        sizes = st.sampled_from([10, 900, 3000, 9000, 40_000])
        output, flags = "o" * data.draw(sizes), dict(data.draw(st.sampled_from(FLAGS)))
        decision = {"permissionDecision": flags.pop("permissionDecision")} if "permissionDecision" in flags else {}
        beside = data.draw(st.sampled_from([[], [{"type": "text", "text": "typed " * 300}], [{"type": "text", "text": "typed"}]]))
        refused = data.draw(st.booleans())
        words = {"toolDenialKind": "user-rejected", "userFeedback": "no", "holdsPersonsWords": True} if data.draw(st.booleans()) else {}
        caller = session.call(f"t{number}", "Bash", command="x")
        session.result(
            f"t{number}",
            REFUSED + "no" if refused else output,
            error=refused,
            beside=beside,
            toolUseResult="Error: " + REFUSED + "no" if refused else {"stdout": data.draw(st.sampled_from([output, "", "p" * 5000]))},
            **(words if refused else {}),
            **flags,
            sourceToolAssistantUUID=caller,
            **decision,
        )
        if data.draw(st.booleans()):
            session.agent("done")
    lined = session.lines()
    glue = [b'{"type":"mode","mode":"x"}', b'{"type":"mode","se', b'{"type":"progress","data":{']
    if data.draw(st.booleans()):
        at = data.draw(st.integers(1, len(lined) - 1))
        lined[at] = data.draw(st.sampled_from(glue)) + lined[at]
    path = tmp_path_factory.mktemp("order") / f"{SESSION}.jsonl"
    path.write_bytes(b"".join(lined))
    skipped, decoded = read_session(path), read_session(path, limits=ReadLimits(results=ToolResults.DECODE))
    assert [shown(s) for s in skipped.stretches] == [shown(s) for s in decoded.stretches]
    assert (skipped.pending, skipped.last_record_time, skipped.cursor) == (decoded.pending, decoded.last_record_time, decoded.cursor)


def digests(reading: Reading) -> object:
    return [list(build(stretch)) for stretch in reading.stretches]


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_skipping_results_gives_the_same_as_decoding_them(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Same messages, digests, writes and pending calls, also for odd lines and JSON with spaces."""
    session = Session(spaces=data.draw(st.booleans()))
    session.prompt("begin")
    for number in range(data.draw(st.integers(1, 6))):
        size = data.draw(st.sampled_from([5, 1000, 5000, 20_000]))
        session.wait(minutes=data.draw(st.sampled_from([1, 35])))
        match data.draw(st.integers(0, 7)):
            case 0:
                session.prompt("words " * (size // 6 + 1))
            case 1:
                session.call(f"t{number}", "Bash", command="x")
                session.result(f"t{number}", "o" * size, beside=[{"type": "text", "text": "typed"}], toolUseResult={"stdout": "o" * size})
            case 2:
                session.call(f"t{number}", "Write", file_path=f"{MEMORY}/a.md", content="x" * size)
                session.result(f"t{number}", "o" * size, error=data.draw(st.booleans()), toolUseResult={"originalFile": "o" * size})
            case 3:
                session.call(f"t{number}", "Agent", description="look")
                session.result(f"t{number}", "o" * size, toolUseResult={"status": "async_launched", "agentId": "a", "prompt": "p" * size})
            case 4:
                session.agent({"type": "thinking", "thinking": "t" * size}, stop=data.draw(st.sampled_from(["tool_use", "end_turn"])))
            case 5:
                session.call(f"t{number}", "Bash", command="x")
                session.result(
                    f"t{number}",
                    [{"type": "text", "text": "o" * size}, {"type": "text", "text": "p"}],
                    toolUseResult=[{"type": "text", "text": "o"}],
                )
            case 6:
                session.agent(
                    {"type": "tool_use", "id": f"a{number}", "name": "Read", "input": {}},
                    {"type": "tool_use", "id": f"b{number}", "name": "Write", "input": {"file_path": f"{MEMORY}/b.md"}},
                )
                session.result(f"a{number}", "o" * size, beside=[{"type": "tool_result", "tool_use_id": f"b{number}", "content": "ok"}])
            case _:
                session.note("file-history-snapshot", snapshot={"x": "y" * size})
    path = tmp_path_factory.mktemp("skip") / f"{SESSION}.jsonl"
    path.write_bytes(session.bytes())
    skipped, decoded = read_session(path), read_session(path, limits=ReadLimits(results=ToolResults.DECODE))
    assert [shown(s) for s in skipped.stretches] == [shown(s) for s in decoded.stretches]
    assert digests(skipped) == digests(decoded)
    assert (skipped.pending, skipped.last_record_time, skipped.cursor) == (decoded.pending, decoded.last_record_time, decoded.cursor)


@given(st.binary(max_size=2000))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_a_transcript(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Nothing fails, everything but half a last line is consumed."""
    path = tmp_path_factory.mktemp("any") / "x.jsonl"
    path.write_bytes(content)
    reading = read_session(path)
    assert reading.cursor.offset >= content.rfind(b"\n") + 1
    digests(reading)


@given(st.binary(max_size=60), st.integers(0, 10_000), st.integers(0, 60))
@settings(max_examples=60, deadline=None)
def test_damage_anywhere_costs_only_the_lines_it_hits(tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int, cut: int) -> None:
    """Bytes replaced in the middle of a session lose at most the records they touch."""
    whole = talk().bytes()
    at %= len(whole)
    path = tmp_path_factory.mktemp("noise") / f"{SESSION}.jsonl"
    path.write_bytes(whole)
    before = {m.uuid for m in read_session(path).messages}
    path.write_bytes(whole[:at] + noise + whole[at + cut :])
    after = {m.uuid for m in read_session(path).messages}
    hit = whole[at : at + cut].count(b"\n") + noise.count(b"\n") + 1
    assert len(before - after) <= 4 * hit + 3  # a message of several records, what was taken back, and what hangs from it


def test_a_session_too_large_to_hold_reads_the_same(tmp_path: Path) -> None:
    """Its messages are read again when asked for, and a changed file is noticed."""
    path = talk().save(tmp_path)
    held, unheld = read_session(path), read_session(path, limits=ReadLimits(held=0))
    assert not any(s.is_held for s in unheld.stretches)
    assert [shown(s) for s in unheld.stretches] == [shown(s) for s in held.stretches]
    assert digests(unheld) == digests(held)
    assert [len(s.messages) for s in unheld.stretches] == [len(s.messages) for s in held.stretches]
    path.write_bytes(b"")
    with pytest.raises(TranscriptError):
        list(unheld.stretches[0].messages)
