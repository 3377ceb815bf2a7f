"""What the client says of a run, and what follows where there is no answer.

Owns: its result object (facts §10.5: ``subtype`` says "success" also of errors, so ``is_error`` decides) and telling its errors apart
by what 2.1.197 and 2.1.332 were seen to say. None of its words are passed on: they may quote. Leaves what an answer holds to
``changes``.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from extractord.agent.child import NOTHING_WRITTEN
from extractord.agent.claude_code.limits import is_limit, reset_of
from extractord.agent.claude_code.program import OLDEST
from extractord.agent.claude_code.run import TOO_LARGE, Output
from extractord.agent.protocol import Usage
from extractord.errors import ExtractordError, PostponedError, StoppedError, WorkerError

WINDOW = 5 * 3600.0  # seconds: the vendor's own window, where a limit names no time of its reset
THROTTLED = 15 * 60.0  # seconds without a call after a 429 that names none
_PIPE = 60 << 10  # bytes: of what is longer the client may lose the end when it exits
_LEAST = 60.0  # seconds, where the reset that it names has passed
_MOST_TOKENS = 10**9


class LimitError(StoppedError):
    """The client's login has reached a limit: nothing more before ``until``."""

    until: float


class _Used(msgspec.Struct, frozen=True, rename="camel"):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0


class Result(msgspec.Struct, frozen=True):
    """The object that the client prints, as far as it is used. What it leaves out is taken for an error."""

    is_error: bool = True
    result: str = ""
    subtype: str = ""
    stop_reason: str | None = None
    terminal_reason: str | None = None
    api_error_status: Any = None
    modelUsage: dict[str, _Used] = {}  # noqa: N815 - the client's spelling

    @property
    def status(self) -> int:
        """The HTTP status it failed with, 0 if none."""
        return self.api_error_status if isinstance(self.api_error_status, int) else 0

    @property
    def usage(self) -> Usage:
        """Tokens of all its calls together."""
        total = Usage()
        for used in self.modelUsage.values():
            counts = (used.input_tokens, used.output_tokens, used.cache_read_input_tokens, used.cache_creation_input_tokens)
            if all(0 <= count <= _MOST_TOKENS for count in counts):
                total = total.plus(Usage(*counts))
        return total


_result = msgspec.json.Decoder(Result)
_LOGIN = re.compile(r"not logged in|/login|failed to authenticate|authentication[_ ]error|oauth|invalid (?:x-)?api[ -]key", re.IGNORECASE)
_TOO_LONG = re.compile(r"prompt is too long|context window", re.IGNORECASE)
_OPTION = re.compile(rb"unknown option|invalid option|unknown argument", re.IGNORECASE)
_UNREACHABLE = re.compile(
    r"unable to connect|connection (?:error|refused)|ECONN|ENOTFOUND|EAI_AGAIN|getaddrinfo|certificate|\bDNS\b", re.IGNORECASE
)
_CUT = re.compile(r"mid-response|connection (?:closed|dropped)|ECONNRESET|EPIPE|socket|stream (?:ended|closed)", re.IGNORECASE)
_NO_REPLY = re.compile(r"parse JSON|malformed|empty response|no_events", re.IGNORECASE)
_TOKENS = re.compile(r"output token maximum", re.IGNORECASE)
_LOGIN_WAY_OUT = "run `claude` and log in again (/login); where no browser is, `claude setup-token` and CLAUDE_CODE_OAUTH_TOKEN"


def read(output: Output) -> Result:
    """Return what the client said. Raises WorkerError where that is no result, PostponedError for a client that is too old."""
    try:
        return _result.decode(output.answer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    if _OPTION.search(output.complaint):
        raise StoppedError("the client does not know an option that its run needs", hint=f"update it: {OLDEST} or newer")
    if len(output.answer) >= _PIPE:
        raise WorkerError(TOO_LARGE, hint=NOTHING_WRITTEN)
    raise WorkerError(f"the client ended with status {output.status} and without a result", hint=NOTHING_WRITTEN)


def error_of(result: Result, now: float) -> ExtractordError | None:
    """Return why there is no answer, None if there is one; ``now`` in seconds since the epoch."""
    return _stopped(result, now) or _failed(result) if result.is_error else None


def _stopped(result: Result, now: float) -> PostponedError | None:
    """Return what is nobody's fault and passes."""
    said, status = result.result, result.status
    if is_limit(said):
        until = reset_of(said, now)
        until = now + WINDOW if until is None else max(until, now + _LEAST)
        return LimitError("the limit of the client's login is reached", hint="nothing is asked before its reset", until=until)
    if status == 429:
        return LimitError("the client is asked to wait (429)", hint="nothing is asked for a quarter of an hour", until=now + THROTTLED)
    if status in (401, 403) or (not status and _LOGIN.search(said)):
        return StoppedError("the client's login is not accepted or has expired", hint=_LOGIN_WAY_OUT)
    if status == 402:
        return StoppedError("the client's account has no money left", hint="raise it at the vendor, or wait until it is reset")
    if status in (408, 409) or status >= 500:
        return PostponedError(f"the model's server is overloaded ({status})", hint="it is tried again by itself")
    if not status and _UNREACHABLE.search(said) and not _CUT.search(said):
        return PostponedError("the model's server cannot be reached", hint="check the network, proxies and the client's gateway")
    return None


def _failed(result: Result) -> WorkerError:
    said, status = result.result, result.status
    if result.stop_reason == "refusal":
        return WorkerError("the model refused to answer", hint="It is tried again a few times; `sessions` shows when it is given up.")
    if result.terminal_reason == "prompt_too_long" or _TOO_LONG.search(said):
        return WorkerError("the session did not fit into the model's context", hint="Lower limits.digest_tokens.")
    if result.subtype == "error_max_turns":
        return WorkerError("the model called a tool, and it has none", hint=NOTHING_WRITTEN)
    if _TOKENS.search(said):
        return WorkerError("the model's answer came to no end", hint=NOTHING_WRITTEN)
    if status:
        return WorkerError(f"the model's server refused the request ({status})", hint="check model in the configuration")
    if _CUT.search(said):
        return WorkerError("the connection to the model was cut within its reply", hint=NOTHING_WRITTEN)
    if _NO_REPLY.search(said):
        return WorkerError("what the model's server sent is no reply", hint="check the client's gateway")
    return WorkerError("the client reports an error of its own", hint="run `claude -p hello` to see it")
