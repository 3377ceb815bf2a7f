"""Frames over real pipes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.agent.frames import (
    MAX_FRAME,
    Answered,
    Broken,
    Call,
    Channel,
    Check,
    CheckAnswer,
    DeadlineError,
    Done,
    FrameTooLongError,
    NoMoreCalls,
    ToSupervisor,
    ToWorker,
    encode,
    to_supervisor,
    to_worker,
)
from extractord.agent.protocol import Decision, Ruling, ToolAnswer, ToolCall
from extractord.errors import WorkerError
from extractord.memory.changeset import Changeset, Evidence, Proposal

PROPOSAL = Proposal("a.md", None, "text\r\n\u2028", (Evidence("m1", "said so", "m2"),))


class Pair:
    """A channel of each side, joined by pipes."""

    def __init__(self) -> None:
        self.to_worker_read, self.to_worker_write = os.pipe()
        self.from_worker_read, self.from_worker_write = os.pipe()
        self.supervisor: Channel[ToWorker, ToSupervisor] = Channel(self.from_worker_read, self.to_worker_write, to_supervisor)
        self.worker: Channel[ToSupervisor, ToWorker] = Channel(self.to_worker_read, self.from_worker_write, to_worker)

    def close(self) -> None:
        for fd in (self.to_worker_read, self.to_worker_write, self.from_worker_read, self.from_worker_write):
            try:
                os.close(fd)
            except OSError:
                continue


@pytest.fixture
def pair() -> Iterator[Pair]:
    pair = Pair()
    yield pair
    pair.close()


@pytest.mark.parametrize(
    "frame",
    [Check(PROPOSAL), Answered(ToolAnswer("1", Ruling(Decision.DENIED, "no"))), Done(Changeset((PROPOSAL,))), Broken("E", "x.py", 1)],
)
def test_what_the_worker_says_arrives(pair: Pair, frame: ToSupervisor) -> None:
    """Every frame comes out as it went in."""
    pair.worker.send(frame)
    assert pair.supervisor.receive() == frame


@pytest.mark.parametrize(
    "frame", [CheckAnswer(Decision.ALLOWED, "", ("a",), asks=True), Call(ToolCall("1", "Read", {"a": [1, None]})), NoMoreCalls()]
)
def test_what_the_supervisor_says_arrives(pair: Pair, frame: ToWorker) -> None:
    """Every frame comes out as it went in."""
    pair.supervisor.send(frame)
    assert pair.worker.receive() == frame


def test_a_frame_larger_than_the_pipe_arrives(pair: Pair) -> None:
    """Several megabytes pass while the other side reads."""
    big = Check(Proposal("a.md", None, "x" * (5 << 20)))
    sender = threading.Thread(target=pair.worker.send, args=(big,))
    sender.start()
    assert pair.supervisor.receive(time.monotonic() + 30) == big
    sender.join()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=20))
def test_frames_arrive_however_the_bytes_are_cut(cuts: list[int]) -> None:
    """A pipe gives pieces of any size."""
    pair = Pair()
    frames = [Broken("E" * 40, "x.py", 1), Check(PROPOSAL), Broken("E", "y.py", 2)]
    stream = b"".join(map(encode, frames))

    def drip() -> None:
        rest, place = stream, 0
        while rest:
            size = cuts[place % len(cuts)]
            os.write(pair.from_worker_write, rest[:size])
            rest, place = rest[size:], place + 1
        os.close(pair.from_worker_write)

    dripping = threading.Thread(target=drip)
    dripping.start()
    assert [pair.supervisor.receive(), pair.supervisor.receive(), pair.supervisor.receive()] == frames
    assert pair.supervisor.receive() is None
    dripping.join()
    pair.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\x00",
        b"\x00\x00\x00\x05{}",
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x02{}",
        b"\x00\x00\x00\x02[]",
        b'\x00\x00\x00\x0f{"type":"nope"}',
        b"\x00\x00\x00\x00",
        b"\x00\x00\x00\x01\xff",
        b"\x00\x00'\x10" + b"[" * 10000,
        encode(NoMoreCalls()),
    ],
)
def test_what_is_no_frame_is_an_error_that_quotes_nothing(pair: Pair, sent: bytes) -> None:
    """Half frames, lengths beyond all measure, other JSON, frames of the other side: a WorkerError."""
    os.write(pair.from_worker_write, sent)
    os.close(pair.from_worker_write)
    with pytest.raises(WorkerError) as caught:
        pair.supervisor.receive(time.monotonic() + 5)
    assert "nope" not in str(caught.value)


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_an_end_or_an_error(data: bytes) -> None:
    """Nothing that arrives makes reading raise anything else, or hang."""
    pair = Pair()
    os.write(pair.from_worker_write, data)
    os.close(pair.from_worker_write)
    try:
        while pair.supervisor.receive(time.monotonic() + 5) is not None:
            pass
    except WorkerError:
        pass
    finally:
        pair.close()


def test_silence_ends_at_the_deadline(pair: Pair) -> None:
    """A side that says nothing, or only half a frame, is not waited for for ever."""
    with pytest.raises(DeadlineError):
        pair.supervisor.receive(time.monotonic() + 0.05)
    os.write(pair.from_worker_write, b"\0\0")
    with pytest.raises(DeadlineError):
        pair.supervisor.receive(time.monotonic() + 0.05)


def test_a_side_that_does_not_read_ends_at_the_deadline(pair: Pair) -> None:
    """Sending does not wait for ever for a full pipe to be emptied."""
    with pytest.raises(DeadlineError):
        pair.supervisor.send(Call(ToolCall("1", "Write", {"x": "x" * (1 << 20)})), time.monotonic() + 0.1)


def test_a_side_that_is_gone_is_an_error(pair: Pair) -> None:
    """A closed pipe is told of by a WorkerError, not by a signal."""
    os.close(pair.to_worker_read)
    with pytest.raises(WorkerError):
        pair.supervisor.send(NoMoreCalls())


def test_too_long_a_frame_is_not_sent() -> None:
    """A frame beyond the bound is refused where it is made."""
    with pytest.raises(FrameTooLongError):
        encode(Call(ToolCall("1", "Write", {"content": "x" * MAX_FRAME})))


def test_frames_are_plain_json_with_a_length() -> None:
    """The form on the wire: four bytes of length, then JSON with its type."""
    data = encode(Broken("E", "x.py", 1))
    assert int.from_bytes(data[:4], "big") == len(data) - 4
    assert msgspec.json.decode(data[4:]) == {"type": "broken", "kind": "E", "file": "x.py", "line": 1}
