"""The SDK: one call of a ``/v1/messages`` server, and what may go wrong with it.

Owns: everything that is said to ``anthropic``; no other module imports it, and this one only the model process. Retries are
the SDK's alone. A reply is read by pieces, within its time and size. Leaves what a reply means to ``wire`` and ``batch_wire``, when
a server may be asked to ``pacing``.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, assert_never

import anthropic
import httpx2
import msgspec

from extractord.agent.batch_wire import batch_body, read_answers, read_batch
from extractord.agent.model_frames import (
    AskModel,
    BatchFetched,
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
from extractord.agent.pacing import RETRIED, Clock, LateError, Pace, retry_after
from extractord.agent.wire import NoReplyError, Request, read_reply, without_marks
from extractord.config import Provider

BATCH_BYTES = 24 << 20  # of all answers of a batch
_BATCHES = "/v1/messages/batches"
REPLY_BYTES = 2 << 20  # of a whole reply; 4,096 tokens have about 20 KB
PROBE_SECONDS = 5.0
_PROBE_BYTES = 256 << 10
_PIECE = 1 << 16
_SPENDING = re.compile(
    r"credit balance|spend(?:ing)?[ _]limit|usage limit|billing|out of credits|insufficient.{0,20}(?:credit|fund|quota)", re.IGNORECASE
)

if TYPE_CHECKING:
    from anthropic._types import RequestOptions

_Client = anthropic.Anthropic | anthropic.AnthropicBedrock | anthropic.AnthropicVertex | anthropic.AnthropicFoundry


def _foundry(base_url: str | None, client: httpx2.Client) -> anthropic.AnthropicFoundry:
    if base_url is None:
        return anthropic.AnthropicFoundry(http_client=client, open_telemetry=False)
    return anthropic.AnthropicFoundry(base_url=base_url, http_client=client, open_telemetry=False)


class _TooLongError(Exception):
    """The reply has more bytes than a reply may have."""


def asking(serve: Serve) -> Callable[[Step], Said]:
    """Return what asks the server; without a login that can be read nothing is asked."""
    try:
        return AnthropicModel(serve).ask
    except (anthropic.AnthropicError, ValueError):
        return lambda ask: Fault(ask.id, FaultKind.LOGIN)


class AnthropicModel:
    """Calls one server. Several threads may call at once."""

    def __init__(self, serve: Serve) -> None:
        """Make the client; it connects to nothing yet. Raises AnthropicError for logins that cannot be read."""
        self._clock = Clock()
        self._pace = Pace()
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
        except LateError:
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
                marked = (msgspec.structs.replace(item, request=self._marked(item.request)) for item in items)
                return read_batch(id_, self._whole(_BATCHES, batch_body(marked)))
            case LookAtBatch(id_, batch):
                return read_batch(id_, self._whole(f"{_BATCHES}/{batch}"))
            case FetchBatch(id_, batch):
                # Not the address that the server names: the key goes to no other place.
                return BatchFetched(id_, read_answers(self._whole(f"{_BATCHES}/{batch}/results")))
            case _:
                assert_never(ask)

    def _marked(self, request: Request) -> Request:
        return without_marks(request) if self._probe is not None and not self._probe.keeps_prompts() else request

    def _whole(self, path: str, body: bytes | None = None) -> bytes:
        """Return the whole body of an answer that is no message."""
        if not isinstance(self._client, anthropic.Anthropic):
            raise NoReplyError("no batches")
        options: RequestOptions = {"timeout": self._clock.timeout}
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
        with self._client.messages.with_streaming_response.create(**given, timeout=self._clock.timeout) as response:
            pieces = response.iter_bytes(_PIECE) if _is_compressed(response.headers) else response.http_response.iter_raw()
            return _read(pieces, REPLY_BYTES, self._clock.deadline)


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
                return is_vendors_form(_read(response.http_response.iter_raw(), _PROBE_BYTES, time.monotonic() + PROBE_SECONDS))
        except (anthropic.AnthropicError, httpx2.HTTPError, TypeError, _TooLongError, LateError):
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


def _read(pieces: Iterable[bytes], most: int, until: float) -> bytes:
    """Return a whole body, of ``most`` bytes and by ``until`` (``time.monotonic``). Raises _TooLongError, LateError."""
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > most:
            raise _TooLongError
        if time.monotonic() >= until:
            raise LateError
    return bytes(body)


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
        case _ if status in RETRIED or status >= 500:
            fault = FaultKind.BUSY
        case _:
            fault = FaultKind.REFUSED
    return Fault(id_, fault, status if 0 <= status <= 999 else 0, name, retry_after(error.response.headers))


def _connection_fault(error: anthropic.APIConnectionError, clock: Clock) -> FaultKind:
    cause = error.__cause__
    if isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout)):
        return FaultKind.UNREACHABLE
    return FaultKind.LATE if clock.late or isinstance(cause, (LateError, httpx2.TimeoutException)) else FaultKind.CUT
