"""The objects that ``--json`` prints, one a line.

Owns: their keys (scripts rely on them) and the encoding. Leaves where the values come from to the commands.
"""

from __future__ import annotations

import msgspec


def encoded(line: msgspec.Struct) -> str:
    """Return one object as one line of JSON; half characters become U+FFFD, so that it can always be written."""
    return msgspec.json.encode(_printable(msgspec.to_builtins(line))).decode("utf-8")


def _printable(value: object) -> object:
    match value:
        case str():
            return printable(value)
        case list():
            return [_printable(item) for item in value]
        case dict():
            return {_printable(key): _printable(item) for key, item in value.items()}
        case _:
            return value


def printable(text: str) -> str:
    """Return ``text`` with lone surrogates replaced, as UTF-8 can carry it."""
    return (
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if any("\ud800" <= c <= "\udfff" for c in text) else text
    )


class OnceLine(msgspec.Struct, frozen=True, omit_defaults=False):
    """What a run did about one transcript with a new span."""

    session: str
    transcript: str
    memory_dir: str
    outcome: str
    reason: str
    topics: tuple[str, ...]
    input_tokens: int
    output_tokens: int
    cost_usd: float
    seconds: float
    stretches: int = 1


class DryLine(OnceLine, frozen=True):
    """The same for ``--dry-run``, with what would be written as a diff."""

    diff: str = ""


class OnceTotals(msgspec.Struct, frozen=True):
    """Sums of a run; ``sessions`` counts all transcripts looked at."""

    sessions: int
    unchanged: int
    saved: int
    nothing_to_save: int
    skipped: int
    pending_review: int
    conflicted: int
    failed: int
    postponed: int
    cost_usd: float
    seconds: float


class OnceSummary(msgspec.Struct, frozen=True):
    summary: OnceTotals


class EstimateLine(msgspec.Struct, frozen=True):
    """What a session would cost, without asking a model."""

    session: str
    input_tokens: int
    output_tokens_guess: int
    cost_usd: float


class EstimateTotals(msgspec.Struct, frozen=True):
    sessions: int
    unchanged: int
    input_tokens: int
    output_tokens_guess: int
    cost_usd: float


class EstimateSummary(msgspec.Struct, frozen=True):
    summary: EstimateTotals


class WriteSeen(msgspec.Struct, frozen=True):
    """A write of the main agent into the memory directory."""

    tool_use_id: str
    tool: str
    path: str


class Inspection(msgspec.Struct, frozen=True):
    """What is read from one transcript."""

    session: str
    transcript: str
    cwd: str
    project_root: str
    project_key: str
    memory_dir: str
    memory_enabled: bool
    memory_reason: str
    prompts: int
    messages: int
    memory_writes: tuple[WriteSeen, ...]
    settled: bool
    settled_reason: str
    verdict: str
    reason: str
    stretches: int
    digest_tokens: int
    damaged: int


class MemoryPlace(msgspec.Struct, frozen=True):
    """Where the memory of a folder lies."""

    cwd: str
    project_root: str
    memory_dir: str
    enabled: bool
    reason: str


class SessionLine(msgspec.Struct, frozen=True):
    session: str
    project: str
    outcome: str
    reason: str
    time: str
    cost_usd: float


class FileChange(msgspec.Struct, frozen=True):
    path: str
    change: str


class LogLine(msgspec.Struct, frozen=True):
    id: str
    time: str
    session: str | None
    memory_dir: str
    outcome: str
    kind: str
    files: tuple[FileChange, ...]


class FactLine(msgspec.Struct, frozen=True):
    """One fact of a topic, with the sentence it rests on."""

    file: str
    session: str
    time: str
    message: str
    quote: str
    changeset: str


class RecallLine(msgspec.Struct, frozen=True):
    """A topic that a question calls for, with its age in words and the warning that an old one deserves."""

    file: str
    name: str
    description: str
    type: str
    age: str
    freshness: str


class PendingLine(msgspec.Struct, frozen=True):
    """A changeset that waits for review."""

    id: str
    time: str
    session: str | None
    memory_dir: str
    files: tuple[FileChange, ...]
    reason: str
    diff: str


class SetupOffer(msgspec.Struct, frozen=True):
    """A choice of ``setup``, with what the sessions of the last 30 days would take; ``cost_usd`` is null where we know no price."""

    option: str
    found: bool
    detail: str
    leaves: str
    sessions: int
    input_tokens: int
    output_tokens_guess: int
    cost_usd: float | None
    note: str


class SetupDone(msgspec.Struct, frozen=True):
    backend: str
    config: str
    written: bool


class SetupEnd(msgspec.Struct, frozen=True):
    """The last line of ``setup``."""

    setup: SetupDone


class SpendLine(msgspec.Struct, frozen=True):
    """What models cost in one day ("2026-12-01") or month ("2026-12")."""

    period: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float


class ConfigLine(msgspec.Struct, frozen=True):
    """One key of the effective configuration."""

    key: str
    value: object
    source: str
