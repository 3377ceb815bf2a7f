"""The SDK: one call of a ``/v1/messages`` server, and what may go wrong with it.

Owns: everything that is said to ``anthropic``; no other module imports it, and this one only the model process. Retries are
the SDK's alone. A reply is read by pieces, within its time and size. Leaves what a reply means to ``wire``.
"""

from __future__ import annotations

import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, assert_never

import anthropic
import httpx2
import msgspec

from extractord.agent.model_frames import (
    AskModel,
    BatchAnswer,
    BatchFetched,
    BatchItem,
    BatchName,
    BatchSeen,
    Fault,
    FaultKind,
    FetchBatch,
    Key,
    LookAtBatch,
    ModelAnswered,
    Said,
    SendBatch,
    Serve,
    Step,
)
from extractord.agent.wire import Heard, NoReplyError, Request, StopReason, read_reply, without_marks
from extractord.config import Provider

BATCH_BYTES = 24 << 20  # of all answers of a batch
_BATCHES = "/v1/messages/batches"
REPLY_BYTES = 2 << 20  # of a whole reply; 4,096 tokens have about 20 KB
PROBE_SECONDS = 5.0
_PROBE_BYTES = 256 << 10
_CONNECT_SECONDS = 10.0
_PIECE = 1 << 16
_SPENDING = re.compile(
    r"credit balance|spend(?:ing)?[ _]limit|usage limit|billing|out of credits|insufficient.{0,20}(?:credit|fund|quota)", re.IGNORECASE
)
_RETRIED = frozenset((408, 409, 429))
_TOO_MUCH = frozenset((429, 529))


if TYPE_CHECKING:
    from anthropic._types import RequestOptions

_Client = anthropic.Anthropic | anthropic.AnthropicBedrock | anthropic.AnthropicVertex | anthropic.AnthropicFoundry


def _foundry(base_url: str | None, client: httpx2.Client) -> anthropic.AnthropicFoundry:
    if base_url is None:
        return anthropic.AnthropicFoundry(http_client=client, open_telemetry=False)
    return anthropic.AnthropicFoundry(base_url=base_url, http_client=client, open_telemetry=False)


class _TooLongError(Exception):
    """The reply has more bytes than a reply may have."""


class _LateError(Exception):
    """The time of the call is over."""


class AnthropicModel:
    """Calls one server. Several threads may call at once."""

    def __init__(self, serve: Serve) -> None:
        """Make the client; it connects to nothing yet. Raises AnthropicError for logins that cannot be read."""
        self._clock = _Clock()
        self._pace = _Pace()
        hooks: dict[str, list[Callable[..., None]]] = {
            "request": [self._wait_for_its_turn, self._clock.stop_if_late],
            "response": [self._clock.no_retry_if_too_late, self._pace.heard],
        }
        key, token = os.environ.get("ANTHROPIC_API_KEY") or None, os.environ.get("ANTHROPIC_AUTH_TOKEN") or None
        if key is None and token is None and serve.key is Key.OPTIONAL:
            key = "none"
        # A redirect could carry the key to another server.
        client = anthropic.DefaultHttpxClient(event_hooks=hooks, follow_redirects=False)
        self._cloud = serve.provider is not Provider.ANTHROPIC
        self._probe: _Probe | None = None
        self._client: _Client
        match serve.provider:
            case Provider.ANTHROPIC:
                self._client = vendors = anthropic.Anthropic(
                    api_key=key, auth_token=None if key else token, base_url=serve.base_url, http_client=client, open_telemetry=False
                )
                self._probe = _Probe(vendors) if serve.base_url is not None else None
            case Provider.BEDROCK:
                self._client = anthropic.AnthropicBedrock(base_url=serve.base_url, http_client=client, open_telemetry=False)
            case Provider.VERTEX:
                self._client = anthropic.AnthropicVertex(base_url=serve.base_url, http_client=client, open_telemetry=False)
            case Provider.FOUNDRY:
                self._client = _foundry(serve.base_url, client)

    def ask(self, ask: Step) -> Said:
        """Return the reply, or what became of a batch, or why there is none. Raises nothing for what a server does."""
        self._clock.set(ask.until)
        if (wait := self._pace.ahead) >= self._clock.left:
            return Fault(ask.id, FaultKind.BUSY, retry_after=wait)
        try:
            return self._said(ask)
        except NoReplyError:
            return Fault(ask.id, FaultKind.NO_REPLY)
        except _TooLongError:
            return Fault(ask.id, FaultKind.FLOOD)
        except _LateError:
            return Fault(ask.id, FaultKind.LATE)
        except anthropic.APIStatusError as error:
            return _refused(ask.id, error)
        except anthropic.APIConnectionError as error:
            return Fault(ask.id, _connection_fault(error, self._clock))
        except httpx2.TransportError:
            return Fault(ask.id, FaultKind.LATE if self._clock.late else FaultKind.CUT)
        except (anthropic.AnthropicError, TypeError) as error:  # the SDK says TypeError where it finds no credential
            login = isinstance(error, (anthropic.CredentialsError, TypeError)) and "auth" in str(error).lower()
            return Fault(ask.id, FaultKind.LOGIN if login or isinstance(error, anthropic.CredentialsError) else FaultKind.BROKEN)
        except ImportError:
            return Fault(ask.id, FaultKind.MISSING)
        except Exception as error:
            if not self._cloud:
                raise
            # A cloud's own library found no login, or could not renew it; each has errors of its own.
            return Fault(ask.id, FaultKind.LOGIN, error=type(error).__name__[:60])

    def _said(self, ask: Step) -> Said:
        match ask:
            case AskModel(id_, request):
                return ModelAnswered(id_, read_reply(self._body(self._marked(request))))
            case SendBatch(id_, items):
                given = msgspec.json.encode({"requests": [self._batched(item) for item in items]})
                return _seen(id_, self._whole(_BATCHES, given))
            case LookAtBatch(id_, batch):
                return _seen(id_, self._whole(f"{_BATCHES}/{batch}"))
            case FetchBatch(id_, batch):
                # Not the address that the server names: the key goes to no other place.
                lines = self._whole(f"{_BATCHES}/{batch}/results").splitlines()
                return BatchFetched(id_, tuple(read_batch_line(line) for line in lines if line.strip()))
            case _:
                assert_never(ask)

    def _marked(self, request: Request) -> Request:
        return without_marks(request) if self._probe is not None and not self._probe.keeps_prompts() else request

    def _batched(self, item: BatchItem) -> dict[str, object]:
        params = {key: value for key, value in msgspec.to_builtins(self._marked(item.request)).items() if value not in ([], ())}
        return {"custom_id": item.name, "params": params}

    def _whole(self, path: str, body: bytes | None = None) -> bytes:
        """Return the whole body of an answer that is no message."""
        if not isinstance(self._client, anthropic.Anthropic):
            raise NoReplyError("no batches")
        left = self._clock.left
        timeout = httpx2.Timeout(left, connect=min(left, _CONNECT_SECONDS))
        options: RequestOptions = {"timeout": timeout}
        if body is None:
            response = self._client.get(path, cast_to=httpx2.Response, options=options)
        else:
            response = self._client.post(path, cast_to=httpx2.Response, content=body, options=options)
        if len(response.content) > BATCH_BYTES:
            raise _TooLongError
        return response.content

    def _wait_for_its_turn(self, request: httpx2.Request) -> None:  # noqa: ARG002 - the hook's signature
        if (wait := min(self._pace.turn(), self._clock.left)) > 0:
            time.sleep(wait)

    def _body(self, request: Request) -> bytes:
        given = msgspec.to_builtins(request)
        left = self._clock.left
        timeout = httpx2.Timeout(left, connect=min(left, _CONNECT_SECONDS))
        with self._client.messages.with_streaming_response.create(**given, timeout=timeout) as response:
            return b"".join(
                self._pieces(response.iter_bytes(_PIECE) if _is_compressed(response.headers) else response.http_response.iter_raw())
            )

    def _pieces(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        size = 0
        for piece in pieces:
            size += len(piece)
            if size > REPLY_BYTES:
                raise _TooLongError
            if self._clock.late:
                raise _LateError
            yield piece


class _Clock(threading.local):
    """The deadline of the call that this thread makes."""

    def __init__(self) -> None:
        self._deadline = math.inf

    def set(self, deadline: float) -> None:
        self._deadline = deadline

    @property
    def left(self) -> float:
        return max(0.1, self._deadline - time.monotonic())

    @property
    def late(self) -> bool:
        return time.monotonic() >= self._deadline

    def stop_if_late(self, request: httpx2.Request) -> None:  # noqa: ARG002 - the hook's signature
        if self.late:
            raise _LateError

    def no_retry_if_too_late(self, response: httpx2.Response) -> None:
        """Tell the SDK, in the header it obeys, not to wait for longer than there is time."""
        if response.status_code in _RETRIED or response.status_code >= 500:
            wait = _retry_after(response.headers)
            if self._deadline - time.monotonic() <= (1.0 if wait is None else wait):
                response.headers["x-should-retry"] = "false"


class _Pace:
    """How fast a server may be asked: one that says "too much" to one call is asked more slowly by all."""

    LEAST, MOST = 0.25, 8.0  # seconds between two calls once it said so

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0.0  # time.monotonic
        self._gap = 0.0

    @property
    def ahead(self) -> float:
        """Seconds until the next call may be made."""
        return max(0.0, self._next - time.monotonic())

    def turn(self) -> float:
        """Take a turn and return the seconds until it comes."""
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next)
            self._next = at + self._gap
            return at - now

    def heard(self, response: httpx2.Response) -> None:
        """Go slower where the server has too much to do, faster again where it answers."""
        with self._lock:
            if response.status_code not in _TOO_MUCH:
                self._gap = self._gap / 2 if self._gap > self.LEAST else 0.0
                return
            self._gap = min(max(self.LEAST, 2 * self._gap), self.MOST)
            self._next = max(self._next, time.monotonic() + (_retry_after(response.headers) or self._gap))


class _Probe:
    """Whether a server that is not the vendor's keeps prompts: asked once, by the list of its models, which costs nothing."""

    def __init__(self, client: anthropic.Anthropic) -> None:
        self._client = client
        self._turn = threading.Lock()
        self._found: bool | None = None

    def keeps_prompts(self) -> bool:
        with self._turn:
            if self._found is None:
                self._found = self._look()
            return self._found

    def _look(self) -> bool:
        try:
            models = self._client.models.with_streaming_response
            with models.list(limit=1, timeout=PROBE_SECONDS, extra_headers={"accept-encoding": "identity"}) as response:
                body, until = b"", time.monotonic() + PROBE_SECONDS
                for piece in response.http_response.iter_raw():
                    body += piece
                    if len(body) > _PROBE_BYTES or time.monotonic() > until:
                        return False
                return is_vendors_form(body)
        except (anthropic.AnthropicError, httpx2.HTTPError, TypeError, _LateError):
            return False  # such a server is asked for nothing but messages and tools


class _Models(msgspec.Struct, frozen=True):
    data: list[msgspec.Raw]
    has_more: bool
    object: str = ""


def is_vendors_form(body: bytes) -> bool:
    """Whether a list of models has the form of the Messages API, not that of another one."""
    try:
        return not msgspec.json.decode(body, type=_Models).object
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False


class _Batch(msgspec.Struct, frozen=True):
    id: str
    processing_status: str = ""


class _BatchResult(msgspec.Struct, frozen=True):
    type: str
    message: msgspec.Raw = msgspec.Raw()


class _BatchLine(msgspec.Struct, frozen=True):
    custom_id: str
    result: _BatchResult


def _seen(id_: int, body: bytes) -> BatchSeen:
    try:
        batch = msgspec.json.decode(body, type=_Batch)
        return msgspec.convert({"type": "batch_seen", "id": id_, "batch": batch.id, "ended": batch.processing_status == "ended"}, BatchSeen)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise NoReplyError("no batch") from None


def read_batch_line(line: bytes) -> BatchAnswer:
    """Read one line of a batch's results; a reply that cannot be read counts as none. Raises NoReplyError for a line that is none."""
    try:
        read = msgspec.json.decode(line, type=_BatchLine)
        name = msgspec.convert(read.custom_id, BatchName)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise NoReplyError("no result") from None
    if read.result.type != "succeeded":
        return BatchAnswer(name, None)
    try:
        return BatchAnswer(name, read_reply(bytes(read.result.message)))
    except NoReplyError:
        return BatchAnswer(name, Heard((), StopReason.UNKNOWN, None))  # it may have been paid for


def _is_compressed(headers: httpx2.Headers) -> bool:
    return headers.get("content-encoding", "identity").strip().lower() not in ("", "identity")


def _refused(id_: int, error: anthropic.APIStatusError) -> Fault:
    status = error.status_code
    said = error.body if isinstance(error.body, dict) else {}
    inner = said.get("error")
    kind = inner.get("type") if isinstance(inner, dict) else None
    name = kind if isinstance(kind, str) and re.fullmatch(r"\w{1,60}", kind, re.ASCII) else ""
    match status:
        case 401:
            fault = FaultKind.LOGIN
        case 402:
            fault = FaultKind.SPENDING
        case 400 | 403 | 429 if _SPENDING.search(error.message[:4000]):
            fault = FaultKind.SPENDING
        case 403:
            fault = FaultKind.LOGIN
        case _ if status in _RETRIED or status >= 500:
            fault = FaultKind.BUSY
        case _:
            fault = FaultKind.REFUSED
    return Fault(id_, fault, status if 0 <= status <= 999 else 0, name, _retry_after(error.response.headers))


def _connection_fault(error: anthropic.APIConnectionError, clock: _Clock) -> FaultKind:
    cause = error.__cause__
    if isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout)):
        return FaultKind.UNREACHABLE
    return FaultKind.LATE if clock.late or isinstance(cause, (_LateError, httpx2.TimeoutException)) else FaultKind.CUT


def _retry_after(headers: httpx2.Headers) -> float | None:
    """Return the seconds that a server asks to wait, None where it names none in figures."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds <= 1e9 else None
