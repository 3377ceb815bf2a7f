"""Batches in the form of the Messages API: what is sent, and reading what comes back.

Owns: these forms. Leaves a request's and a reply's own form to ``wire``, sending to ``anthropic_model``. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from extractord.agent.model_frames import BatchAnswer, BatchItem, BatchName, BatchSeen
from extractord.agent.wire import Heard, NoReplyError, StopReason, read_reply


class _Batch(msgspec.Struct, frozen=True):
    id: str
    processing_status: str = ""


class _BatchResult(msgspec.Struct, frozen=True):
    type: str
    message: msgspec.Raw = msgspec.Raw()


class _BatchLine(msgspec.Struct, frozen=True):
    custom_id: str
    result: _BatchResult


def batch_body(items: Iterable[BatchItem]) -> bytes:
    """Return what is sent to make a batch."""
    return msgspec.json.encode({"requests": [{"custom_id": item.name, "params": _params(item)} for item in items]})


def _params(item: BatchItem) -> dict[str, object]:
    return {key: value for key, value in msgspec.to_builtins(item.request).items() if value not in ([], ())}


def read_batch(id_: int, body: bytes) -> BatchSeen:
    """Read what a server says of a batch. Raises NoReplyError."""
    try:
        batch = msgspec.json.decode(body, type=_Batch)
        return msgspec.convert({"type": "batch_seen", "id": id_, "batch": batch.id, "ended": batch.processing_status == "ended"}, BatchSeen)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise NoReplyError("no batch") from None


def read_answers(body: bytes) -> tuple[BatchAnswer, ...]:
    """Read a batch's results, one a line. Raises NoReplyError."""
    return tuple(_answer(line) for line in body.splitlines() if line.strip())


def _answer(line: bytes) -> BatchAnswer:
    """Read one line; a reply that cannot be read counts as none. Raises NoReplyError for a line that is none."""
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
