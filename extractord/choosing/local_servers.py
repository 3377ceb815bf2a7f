"""Model servers of this machine, on the ports that the usual programs take.

Owns: those ports, and telling whether what listens there speaks ``/v1/messages``: by an empty request, which no server can answer
with words. Only loopback is asked, and only where a person said so.
"""

from __future__ import annotations

import contextlib
import http.client
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import msgspec

PORTS: Mapping[int, str] = {11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp", 8000: "vLLM", 4000: "LiteLLM"}
SECONDS = 2.0
_BYTES = 256 << 10
_NOT_THERE = (404, 405, 501)


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that speaks the Messages API; ``models`` are the names that it lists."""

    title: str
    base_url: str
    models: tuple[str, ...] = ()


class _Model(msgspec.Struct, frozen=True):
    id: str


class _Models(msgspec.Struct, frozen=True):
    data: list[_Model]


def look(ports: Mapping[int, str] = PORTS) -> tuple[LocalServer, ...]:
    """Return the servers that answer, by port."""
    with ThreadPoolExecutor(len(ports)) as pool:
        return tuple(found for found in pool.map(lambda item: _at(*item), sorted(ports.items())) if found is not None)


def _at(port: int, title: str) -> LocalServer | None:
    status = next(_asked(port, "POST", "/v1/messages"), None)
    if status is None or status[0] in _NOT_THERE:
        return None
    models: tuple[str, ...] = ()
    for _, body in _asked(port, "GET", "/v1/models"):
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
            models = tuple(model.id for model in msgspec.json.decode(body, type=_Models).data)
    return LocalServer(title, f"http://127.0.0.1:{port}", models)


def _asked(port: int, method: str, path: str) -> Iterator[tuple[int, bytes]]:
    """Yield status and body of an answer; nothing where there is none."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)) as connection:
        try:
            connection.request(method, path, body=b"{}" if method == "POST" else None, headers={"content-type": "application/json"})
            answer = connection.getresponse()
            yield answer.status, answer.read(_BYTES)
        except (OSError, http.client.HTTPException):
            return
