"""The client's transcript format: the only package that knows it.

Owns: what a line of a transcript means. A line becomes a neutral ``Record`` (``events``), nothing (bookkeeping, subagents'
lines, what is not of the main conversation), or ``Mended`` where it was damaged. Nothing in a line makes it raise. Facts are those of the
clients 2.1.197 and 2.1.332. Leaves how records hang together to ``course``.
"""

from __future__ import annotations

import msgspec

from extractord.transcript.records import signs
from extractord.transcript.records.agent import of_agent
from extractord.transcript.records.envelope import envelope
from extractord.transcript.records.events import Aside, Boundary, Fault, MemorySaved, Mended, Prompt, Record
from extractord.transcript.records.person import of_person, of_queue
from extractord.transcript.records.wire import Line, decode

HEADLESS = "sdk-"
REPAIRED = 4 << 20  # bytes; a damaged line over this is not looked at further, which bounds memory
_BEARERS = frozenset({"user", "assistant", "system", "attachment"})


def read(line: bytes, cwd: str = "") -> Record | Mended | None:
    """Read one line. ``cwd`` is where the session started, if known: files below it are no memory unless their name tells."""
    try:
        return _record(decode(line), cwd)
    except msgspec.DecodeError:
        pass
    if len(line) > REPAIRED:
        return Mended((), (Fault.NOT_JSON,))
    from extractord.transcript.records.repair import repair  # rarely needed, slow to import

    mended = repair(line)
    records = tuple(r for r in (_record(decode(o), cwd) for o in mended.objects) if r is not None)
    return Mended(records, mended.faults) if records or mended.faults else None


def read_cut(head: bytes, tail: bytes, cwd: str = "") -> Mended:
    """Read what can be told of a line over the limit, of which only the beginning and the end are at hand: a typed prompt."""
    from extractord.transcript.records.repair import recovered_head

    clean = recovered_head(head, tail)
    record = _record(decode(clean), cwd) if clean is not None else None
    return Mended((record,) if isinstance(record, Prompt) else (), (Fault.TOO_LONG,))


def is_whole(line: bytes) -> bool:
    """Whether a line without its newline is a complete record all the same."""
    try:
        decode(line)
    except msgspec.DecodeError:
        return False
    return True


def _record(line: Line, cwd: str) -> Record | None:
    if line.isSidechain:
        return None
    kind = line.type
    record: Record | None = None
    if kind == "user":
        record = of_person(line)
    elif kind == "assistant":
        record = of_agent(line, cwd)
    elif kind == "attachment" and (attachment := line.attachment) is not None:
        of_kind = of_queue if attachment.type == "queued_command" else signs.of_attachment
        record = of_kind(attachment, envelope(line))
    elif kind == "system":
        record = _of_system(line)
    elif kind == "api-request-shape":
        record = signs.of_request_shape(line, envelope(line))
    if record is None and not cwd and line.cwd and kind in _BEARERS:
        return Aside(*envelope(line))
    return record


def _of_system(line: Line) -> Record | None:
    if line.subtype == "compact_boundary":
        return Boundary(*envelope(line))
    if line.subtype == "memory_saved":
        return MemorySaved(*envelope(line), tuple(line.writtenPaths or ()))
    return None
