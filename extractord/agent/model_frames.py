"""What supervisor and model process say to each other; the form on the wire is that of ``frames``.

Owns: the frames. A fault has no room for text of a server or a session: kind, status and the error's type are all it tells.
"""

from __future__ import annotations

import enum
from typing import Annotated

import msgspec

from extractord.agent.wire import Heard, Request
from extractord.config import Provider


class Key(enum.Enum):
    """Whether a server wants a key."""

    NEEDED = "needed"
    OPTIONAL = "optional"  # a server of this machine: most take any


BatchName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,200}$")]


# --- supervisor to model process


class Serve(msgspec.Struct, frozen=True, tag="serve"):
    """The first frame: which server is asked. None is the provider's own, or the one that the environment names."""

    base_url: str | None
    key: Key
    provider: Provider = Provider.ANTHROPIC


class AskModel(msgspec.Struct, frozen=True, tag="ask_model"):
    """A call. ``until`` is a time of ``time.monotonic``, which all processes of a machine share: starting up counts too."""

    id: int
    request: Request
    until: float


class BatchItem(msgspec.Struct, frozen=True):
    """One request of a batch, with the name by which its answer is told from the others."""

    name: BatchName
    request: Request


class SendBatch(msgspec.Struct, frozen=True, tag="send_batch"):
    """Hand many requests over, to be answered at half the price within a day."""

    id: int
    items: tuple[BatchItem, ...]
    until: float


class LookAtBatch(msgspec.Struct, frozen=True, tag="look_at_batch"):
    """Ask whether a batch has ended; ``batch`` is its id at the server."""

    id: int
    batch: BatchName
    until: float


class FetchBatch(msgspec.Struct, frozen=True, tag="fetch_batch"):
    """Fetch all answers of a batch that has ended."""

    id: int
    batch: BatchName
    until: float


BatchStep = SendBatch | LookAtBatch | FetchBatch
Step = AskModel | BatchStep
ToModel = Serve | Step

# --- model process to supervisor


class FaultKind(enum.Enum):
    """Why a call came to no reply."""

    LOGIN = "login"  # no credential, or one that is not accepted
    SPENDING = "spending"  # the account's own limit, or no money left in it
    BUSY = "busy"  # rate limit or overload, also after the SDK's retries
    UNREACHABLE = "unreachable"  # no connection came about
    REFUSED = "refused"  # the server does not take the request as it is
    CUT = "cut"  # the connection ended within the reply
    LATE = "late"  # no whole reply in time
    FLOOD = "flood"  # more bytes than a reply may have
    NO_REPLY = "no reply"  # what came is not a reply
    MISSING = "missing"  # what a cloud's client needs is not installed
    BROKEN = "broken"  # the SDK failed in a way that nobody foresaw

    @property
    def unbilled(self) -> bool:
        """Whether nothing was computed for the call: the server said no, or was never reached."""
        return self in (FaultKind.LOGIN, FaultKind.SPENDING, FaultKind.BUSY, FaultKind.UNREACHABLE, FaultKind.REFUSED, FaultKind.MISSING)


class ModelAnswered(msgspec.Struct, frozen=True, tag="model_answered"):
    """The reply to a call."""

    id: int
    heard: Heard


class Fault(msgspec.Struct, frozen=True, tag="fault"):
    """That a call came to none. ``retry_after`` is what the server asked for, in seconds."""

    id: int
    kind: FaultKind
    status: Annotated[int, msgspec.Meta(ge=0, le=999)] = 0
    error: Annotated[str, msgspec.Meta(pattern=r"^\w{0,60}$")] = ""
    retry_after: Annotated[float, msgspec.Meta(ge=0, le=1e9)] | None = None


class BatchSeen(msgspec.Struct, frozen=True, tag="batch_seen"):
    """A batch as the server has it."""

    id: int
    batch: BatchName
    ended: bool


class BatchAnswer(msgspec.Struct, frozen=True):
    """What became of one request; no reply: it expired, was cancelled, or the server failed at it. Nothing is paid then."""

    name: BatchName
    heard: Heard | None


class BatchFetched(msgspec.Struct, frozen=True, tag="batch_fetched"):
    """The answers of a batch, in whatever order."""

    id: int
    answers: tuple[BatchAnswer, ...]


FromModel = ModelAnswered | Fault
FromBatch = BatchSeen | BatchFetched | Fault
Said = ModelAnswered | BatchSeen | BatchFetched | Fault

to_model: msgspec.json.Decoder[ToModel] = msgspec.json.Decoder(ToModel)
from_model: msgspec.json.Decoder[Said] = msgspec.json.Decoder(Said)
