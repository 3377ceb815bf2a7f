"""What supervisor and worker say to each other, and how: length-prefixed JSON over two pipes.

Owns: the frames, their form on the wire (four bytes of length, big-endian, then JSON) and a channel that never waits past a
deadline nor takes more than a frame may hold. Leaves who says what when to ``supervise`` and ``worker``.
"""

from __future__ import annotations

import enum
import time
from typing import Annotated, Generic, TypeVar

import msgspec

from extractord.agent.briefing import Briefing
from extractord.agent.loop import AgentLimits, Conversation
from extractord.agent.policy import Roots
from extractord.agent.protocol import Decision, Reply, ToolAnswer, ToolCall
from extractord.errors import WorkerError
from extractord.memory.changeset import Changeset, Proposal
from extractord.sandbox.level import Attained
from extractord.system.processes import receive, send, use_pipe

MAX_FRAME = 32 << 20  # bytes of JSON
_HEADER = 4


class Backend(enum.Enum):
    """Which model a worker talks to."""

    OFFLINE = "offline"  # in the worker itself
    RELAYED = "relayed"  # any other: asked through the supervisor


class EvidenceRule(enum.Enum):
    """Whether a change of words needs evidence."""

    ASKED = "asked"
    NOT_ASKED = "not asked"


class ShellOffer(enum.Enum):
    """Whether Bash is offered in a run, or why it is not."""

    OFFERED = "offered"
    NO_SANDBOX = "no kernel sandbox holds this run"


# --- supervisor to worker


class StartRun(msgspec.Struct, frozen=True, tag="start_run"):
    """The first frame of an agent run."""

    briefing: Briefing
    roots: Roots
    limits: AgentLimits
    backend: Backend
    shell: ShellOffer = ShellOffer.NO_SANDBOX


class StartCalls(msgspec.Struct, frozen=True, tag="start_calls"):
    """The first frame where single calls are tried."""

    roots: Roots
    evidence: EvidenceRule
    shell: ShellOffer = ShellOffer.NO_SANDBOX


class CheckAnswer(msgspec.Struct, frozen=True, tag="check_answer"):
    """The supervisor's word on a ``Check``: ``remarks`` are told to the model with the result; ``asks`` if they want an answer."""

    decision: Decision
    reason: str = ""
    remarks: tuple[str, ...] = ()
    asks: bool = False


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """A model's reply to an ``Ask``."""

    reply: Reply


class Call(msgspec.Struct, frozen=True, tag="call"):
    """A call to try."""

    call: ToolCall


class NoMoreCalls(msgspec.Struct, frozen=True, tag="no_more_calls"):
    """The end of the calls to try."""


ToWorker = StartRun | StartCalls | CheckAnswer | Answer | Call | NoMoreCalls

# --- worker to supervisor


class Confined(msgspec.Struct, frozen=True, tag="confined"):
    """The first frame of a worker: how far the kernel confines it. Nothing was read from its pipe before."""

    attained: Attained


class Check(msgspec.Struct, frozen=True, tag="check"):
    """A change is about to be staged: may it?"""

    proposal: Proposal


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """A model's reply is wanted: the first one (no answers), or the one to these answers."""

    turn: int
    answers: tuple[ToolAnswer, ...] = ()


class Answered(msgspec.Struct, frozen=True, tag="answered"):
    """The ruling on a ``Call``."""

    answer: ToolAnswer


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The last frame of a worker that did its work; ``conversation`` is None where single calls were tried."""

    changeset: Changeset
    conversation: Conversation | None = None


class Broken(msgspec.Struct, frozen=True, tag="broken"):
    """The last frame of a worker that could not: kind and place of the error. Its form has no room for what was worked on."""

    kind: Annotated[str, msgspec.Meta(pattern=r"^\w{1,60}$")]
    file: Annotated[str, msgspec.Meta(pattern=r"^[\w.]{1,60}$")]
    line: int


ToSupervisor = Confined | Check | Ask | Answered | Done | Broken

to_worker: msgspec.json.Decoder[ToWorker] = msgspec.json.Decoder(ToWorker)
to_supervisor: msgspec.json.Decoder[ToSupervisor] = msgspec.json.Decoder(ToSupervisor)

In = TypeVar("In")
Out = TypeVar("Out", bound=msgspec.Struct)


class FrameTooLongError(WorkerError):
    """A frame that was to be sent is longer than frames may be."""


class DeadlineError(WorkerError):
    """The other side did not answer in time."""


def encode(frame: msgspec.Struct) -> bytes:
    """Return the bytes of ``frame``. Raises FrameTooLongError; UnicodeEncodeError for lone surrogates, RecursionError for deep nesting."""
    body = msgspec.json.encode(frame)
    if len(body) > MAX_FRAME:
        raise FrameTooLongError(f"a frame would have {len(body)} bytes, at most {MAX_FRAME} are sent")
    return len(body).to_bytes(_HEADER, "big") + body


class Channel(Generic[Out, In]):
    """Frames over a pair of pipes. Deadlines are times of ``time.monotonic``; None waits for as long as it takes."""

    def __init__(self, read_fd: int, write_fd: int, decoder: msgspec.json.Decoder[In]) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._decoder = decoder
        self._buffer = bytearray()
        for fd in (read_fd, write_fd):
            use_pipe(fd)

    def send(self, frame: Out, deadline: float | None = None) -> None:
        """Send ``frame`` whole. Raises WorkerError when the other side is gone or does not read in time; see ``encode``."""
        self.send_encoded(encode(frame), deadline)

    def send_encoded(self, data: bytes, deadline: float | None = None) -> None:
        """Send what ``encode`` returned."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[send(self._write_fd, rest[: 1 << 16], _left(deadline)) :]
            except TimeoutError:
                raise DeadlineError("the deadline passed") from None
            except BrokenPipeError as error:
                raise WorkerError("the other side of the pipe is gone") from error

    def receive(self, deadline: float | None = None) -> In | None:
        """Return the next frame, None when the other side closed its pipe between frames.

        Raises WorkerError for a pipe that ends within a frame, a frame too long or not valid, and when the deadline passes.
        """
        if not self._fill(_HEADER, deadline):
            if self._buffer:
                raise WorkerError("the pipe ended within a frame")
            return None
        length = int.from_bytes(self._buffer[:_HEADER], "big")
        if length > MAX_FRAME:
            raise WorkerError(f"a frame of {length} bytes was announced, at most {MAX_FRAME} are taken")
        if not self._fill(_HEADER + length, deadline):
            raise WorkerError("the pipe ended within a frame")
        body = bytes(self._buffer[_HEADER : _HEADER + length])
        del self._buffer[: _HEADER + length]
        try:
            return self._decoder.decode(body)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            # The error's own text may quote what was sent.
            raise WorkerError(f"a frame of {length} bytes is not valid ({type(error).__name__})") from None

    def _fill(self, size: int, deadline: float | None) -> bool:
        """Read until the buffer holds ``size`` bytes; False if the pipe ends before."""
        while len(self._buffer) < size:
            try:
                piece = receive(self._read_fd, 1 << 16, _left(deadline))
            except TimeoutError:
                raise DeadlineError("the deadline passed") from None
            if piece == b"":
                return False
            self._buffer += piece or b""
        _left(deadline)  # also where everything is there already: a flood must not outrun the clock
        return True


def _left(deadline: float | None) -> float | None:
    """Return how many seconds there are until ``deadline``. Raises DeadlineError if there are none, even if a pipe is ready."""
    left = None if deadline is None else deadline - time.monotonic()
    if left is not None and left <= 0:
        raise DeadlineError("the deadline passed")
    return left
