"""Records as the client writes them, for tests that need a session of their own.

Owns: the envelope, the order of keys, the uuid chain and the clock of a made session.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SESSION = "5b0c1f4e-1111-4222-8333-944455556666"
START = datetime(2026, 3, 9, 9, 0, tzinfo=UTC)
CWD = "/home/kim/shop"
MEMORY = "/home/kim/.claude/projects/-home-kim-shop/memory"
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT "
    "written to the file). To tell you how to proceed, the user said:\n"
)


@dataclass
class Session:
    """A session that is being made; each method appends a record and moves the clock."""

    records: list[dict[str, Any]] = field(default_factory=list)
    now: datetime = START
    parent: str | None = None
    entrypoint: str = "cli"
    version: str = "2.1.332"
    spaces: bool = False
    count: int = 0

    def wait(self, **span: float) -> None:
        """Let time pass."""
        self.now += timedelta(**span)

    def uuid(self) -> str:
        self.count += 1
        return f"00000000-0000-4000-8000-{self.count:012d}"

    def chained(self, first: dict[str, Any], after: dict[str, Any] | None = None, *, parent: str | None = None) -> str:
        """Append a record with the client's envelope and return its uuid."""
        self.now += timedelta(seconds=7)
        uuid = self.uuid()
        envelope = {
            "uuid": uuid,
            "timestamp": self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            **(after or {}),
            "userType": "external",
            "entrypoint": self.entrypoint,
            "cwd": CWD,
            "sessionId": SESSION,
            "version": self.version,
        }
        self.records.append({"parentUuid": parent or self.parent, "isSidechain": False, **first, **envelope})
        self.parent = uuid
        return uuid

    def prompt(self, content: Any, *, parent: str | None = None, **more: Any) -> str:
        first = {"type": "user", "message": {"role": "user", "content": content}}
        return self.chained(first, {"origin": {"kind": "human"}, "promptSource": "typed", **more}, parent=parent)

    def agent(self, *blocks: Any, id: str = "", stop: str = "end_turn", **more: Any) -> str:  # noqa: A002 - the client's word
        content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
        message = {"id": id or f"msg_{self.count}", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": content}
        return self.chained(
            {"message": {**message, "stop_reason": stop}, "requestId": f"req_{id or self.count}", "type": "assistant", **more}
        )

    def call(self, id: str, name: str, **arguments: Any) -> str:  # noqa: A002
        return self.agent({"type": "tool_use", "id": id, "name": name, "input": arguments}, stop="tool_use")

    def result(self, id: str, content: Any = "ok", *, error: bool = False, beside: list[Any] | None = None, **more: Any) -> str:  # noqa: A002
        block = {"tool_use_id": id, "type": "tool_result", "content": content} | ({"is_error": True} if error else {})
        return self.chained({"type": "user", "message": {"role": "user", "content": [block, *(beside or [])]}}, more)

    def write(self, id: str, path: str, *, error: bool = False) -> None:  # noqa: A002
        self.call(id, "Write", file_path=path, content="text")
        self.result(id, "denied" if error else "File created", error=error)

    def attach(self, **attachment: Any) -> str:
        return self.chained({"attachment": attachment, "type": "attachment"})

    def system(self, subtype: str, **more: Any) -> str:
        return self.chained({"type": "system", "subtype": subtype, **more})

    def note(self, kind: str, **more: Any) -> None:
        self.records.append({"type": kind, **more, "sessionId": SESSION})

    def lines(self) -> list[bytes]:
        separators = (", ", ": ") if self.spaces else (",", ":")
        return [json.dumps(r, ensure_ascii=False, separators=separators).encode() + b"\n" for r in self.records]

    def bytes(self) -> bytes:
        return b"".join(self.lines())

    def save(self, folder: Path) -> Path:
        """Write the transcript and return its path."""
        path = folder / f"{SESSION}.jsonl"
        path.write_bytes(self.bytes())
        return path
