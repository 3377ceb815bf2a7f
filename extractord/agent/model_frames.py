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


ToModel = Serve | AskModel

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


FromModel = ModelAnswered | Fault

to_model: msgspec.json.Decoder[ToModel] = msgspec.json.Decoder(ToModel)
from_model: msgspec.json.Decoder[FromModel] = msgspec.json.Decoder(FromModel)
