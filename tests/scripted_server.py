"""A Messages API on loopback that answers by a script: honest, broken or hostile, as a test wants it.

Owns: the endpoints, counting tokens as bytes / 4, and a record of every request. Leaves what is answered to the test.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_BATCHES = "/v1/messages/batches"
CLOUD_TOKEN = "cloud-" + "7" * 20  # what /token hands out to whoever signs in
VENDORS_LIST = {"data": [], "has_more": False, "first_id": None, "last_id": None}
Block = dict[str, Any]
_MESSAGES = ("/v1/messages", "/invoke", ":rawPredict")  # the vendor's path, and those of clouds


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server does about one request."""

    content: tuple[Block, ...] = ()
    stop: str | None = ""  # "": tool_use if there is a call, else end_turn
    status: int = 200
    error: str = "api_error"
    message: str = "scripted"
    headers: dict[str, str] = field(default_factory=dict)
    usage: dict[str, Any] | None = None  # over what was counted
    uncounted: bool = False
    raw: bytes | None = None  # the body, instead of all that
    cut_after: int | None = None  # bytes of the body after which the connection ends
    after: float = 0.0  # seconds until the answer begins
    drip: float | None = None  # seconds between two bytes
    drop: bool = False  # the connection ends without an answer


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for a message."""

    raw: bytes
    headers: dict[str, str]
    path: str = "/v1/messages"

    @property
    def body(self) -> dict[str, Any]:
        found = json.loads(self.raw)
        assert isinstance(found, dict)
        return found

    @property
    def tokens(self) -> int:
        return len(self.raw) // 4

    @property
    def messages(self) -> list[dict[str, Any]]:
        found = self.body["messages"]
        assert isinstance(found, list)
        return found

    @property
    def results(self) -> list[Block]:
        """The tool results in the newest message."""
        return [block for block in self.messages[-1]["content"] if block["type"] == "tool_result"]


@dataclass(slots=True)
class SentBatch:
    """A batch that was handed over: its requests by name, and how often it was looked at."""

    requests: dict[str, Asked]
    looks: int = 0


Script = Callable[[Asked, int], Answer]  # given the request and its number, from 0


class ScriptedServer:
    """A running server; ``asked`` are the requests for messages so far, ``looked`` the paths that were only looked at."""

    def __init__(self, script: Script | Answer, models: Any) -> None:
        self.script: Script
        self.asked: list[Asked]
        self.now(script)
        self.models = models
        self.looked: list[str] = []
        self.batches: dict[str, SentBatch] = {}
        self.ends_after = 1  # looks at a batch
        self.lock = threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.http.daemon_threads = True

    def now(self, script: Script | Answer) -> None:
        """Answer by another script from here on, as if nothing had been asked before."""
        self.script = (lambda *_: script) if isinstance(script, Answer) else script
        self.asked = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"

    @property
    def tokens(self) -> int:
        return sum(one.tokens for one in self.asked)

    def heard(self) -> bytes:
        """Everything that was ever sent here."""
        return b"\n".join(one.raw for one in self.asked)


@contextmanager
def serving(script: Script | Answer, models: Any = VENDORS_LIST) -> Iterator[ScriptedServer]:
    """Run a server; one ``Answer`` is given to every request."""
    server = ScriptedServer(script, models)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
        thread.join()


def text(said: str) -> Block:
    return {"type": "text", "text": said}


def call(tool: str, id: str = "", **given: Any) -> Block:  # noqa: A002 - the API's word
    return {"type": "tool_use", "id": id or f"toolu_{tool}_{abs(hash(json.dumps(given))) % 10**8}", "name": tool, "input": given}


def _handler(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

        def do_GET(self) -> None:
            if self.path.startswith(_BATCHES):
                self._send(200, _batch_seen(server, self.path), {}, Answer())
                return
            server.looked.append(self.path)
            status = 404 if server.models is None else 200
            self._send(status, json.dumps(server.models or {}).encode(), {}, Answer())

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            if self.path.split("?")[0] == _BATCHES:
                headers = {name.lower(): value for name, value in self.headers.items()}
                self._send(200, _batch_begun(server, raw, headers), {}, Answer())
                return
            if not self.path.split("?")[0].endswith(_MESSAGES):
                server.looked.append(self.path)
                given = json.dumps({"access_token": CLOUD_TOKEN, "expires_in": 3600, "token_type": "Bearer"}).encode()
                self._send(*((200, given) if self.path == "/token" else (404, b"{}")), {}, Answer())
                return
            with server.lock:
                asked = Asked(raw, {name.lower(): value for name, value in self.headers.items()}, self.path)
                server.asked.append(asked)
                number = len(server.asked) - 1
            answer = server.script(asked, number)
            time.sleep(answer.after)
            if answer.drop:
                self.close_connection = True
                return
            self._send(answer.status, _body(answer, asked), answer.headers, answer)

        def _send(self, status: int, body: bytes, headers: dict[str, str], answer: Answer) -> None:
            try:
                self.send_response(status)
                kind = "text/event-stream" if body.startswith(_EVENT) else "application/json"
                for name, value in {"content-type": kind, "content-length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self._write(body, answer)
            except OSError:
                self.close_connection = True  # the client is gone, as clients go

        def _write(self, body: bytes, answer: Answer) -> None:
            if answer.cut_after is not None:
                self.wfile.write(body[: answer.cut_after])
                self.close_connection = True
            elif answer.drip is not None:
                for at in range(len(body)):
                    self.wfile.write(body[at : at + 1])
                    self.wfile.flush()
                    time.sleep(answer.drip)
            else:
                self.wfile.write(body)

    return Handler


def _batch_begun(server: ScriptedServer, raw: bytes, headers: dict[str, str]) -> bytes:
    requests = {one["custom_id"]: Asked(json.dumps(one["params"]).encode(), headers, _BATCHES) for one in json.loads(raw)["requests"]}
    with server.lock:
        name = f"msgbatch_{len(server.batches)}"
        server.batches[name] = SentBatch(requests)
    return json.dumps({"id": name, "type": "message_batch", "processing_status": "in_progress"}).encode()


def _batch_seen(server: ScriptedServer, path: str) -> bytes:
    """Answer a look at a batch, or for its results, each by the script; the answer's status says what became of it."""
    name = path.split("?")[0].removeprefix(_BATCHES + "/").removesuffix("/results")
    batch = server.batches[name]
    if path.endswith("/results"):
        return b"".join(_result(server, one, asked) for one, asked in reversed(batch.requests.items()))
    batch.looks += 1
    status = "ended" if batch.looks > server.ends_after else "in_progress"
    return json.dumps({"id": name, "type": "message_batch", "processing_status": status, "results_url": "http://127.0.0.1:9/"}).encode()


def _result(server: ScriptedServer, name: str, asked: Asked) -> bytes:
    with server.lock:
        server.asked.append(asked)
        number = len(server.asked) - 1
    answer = server.script(asked, number)
    ended = {200: "succeeded", 408: "expired"}.get(answer.status, "errored")
    message = {"message": json.loads(_body(answer, asked))} if ended == "succeeded" else {}
    return json.dumps({"custom_id": name, "result": {"type": ended, **message}}).encode() + b"\n"


def _body(answer: Answer, asked: Asked) -> bytes:
    if answer.raw is not None:
        return answer.raw
    if answer.status != 200:
        return json.dumps({"type": "error", "error": {"type": answer.error, "message": answer.message}}).encode()
    content = list(answer.content)
    stop = ("tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn") if answer.stop == "" else answer.stop
    counted = {"input_tokens": asked.tokens, "output_tokens": max(1, len(json.dumps(content)) // 4)}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked.body.get("model", "of the path"),
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        **({} if answer.uncounted else {"usage": {**counted, **(answer.usage or {})}}),
    }
    return _streamed(message) if asked.body.get("stream") else json.dumps(message).encode()


_EVENT = b"event: "


def _streamed(message: dict[str, Any]) -> bytes:
    """Return a message as the server sends it to who asked for a stream: each block whole, in one delta."""
    usage = message.get("usage", {})
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
    for number, block in enumerate(message["content"]):
        start, delta = _begun(block)
        events.append({"type": "content_block_start", "index": number, "content_block": start})
        events.append({"type": "content_block_delta", "index": number, "delta": delta})
        events.append({"type": "content_block_stop", "index": number})
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": ended, "usage": usage}, {"type": "message_stop"}]
    return b"".join(_EVENT + f"{event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


def _begun(block: Block) -> tuple[Block, Block]:
    if block["type"] == "tool_use":
        return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
