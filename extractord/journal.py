"""The daemon's log: one line per outcome and per thing that a person would look for.

Owns: the fields of each line and their form (JSON under systemd, key=value elsewhere). No line holds text of a transcript, of
memory, or a secret: of an outcome only what our own rules say about it is told. Leaves what is shown on request to ``report``.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from extractord.errors import ExtractordError
from extractord.redact import redact

if TYPE_CHECKING:
    from structlog.typing import BindableLogger

REASON_LENGTH = 300  # characters
_OWN_WORDS = frozenset({"skipped", "failed", "postponed"})  # outcomes whose reason comes from rules or errors, not from what was said


class OutcomeFacts(Protocol):
    """What is told of an outcome (``ledger.StretchRow`` is one)."""

    @property
    def session(self) -> str: ...
    @property
    def number(self) -> int: ...
    @property
    def project(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def input_tokens(self) -> int: ...
    @property
    def output_tokens(self) -> int: ...
    @property
    def cost_usd(self) -> float: ...
    @property
    def seconds(self) -> float: ...
    @property
    def attempts(self) -> int: ...
    @property
    def parked(self) -> bool: ...
    @property
    def changeset(self) -> str | None: ...


class ConsolidationFacts(Protocol):
    """What is told of a consolidation (``consolidation.dream.Dream`` is one)."""

    @property
    def memory_dir(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def files(self) -> tuple[str, ...]: ...
    @property
    def changeset(self) -> str | None: ...
    @property
    def held(self) -> str | None: ...
    @property
    def cost_usd(self) -> float: ...


class Journal:
    """Writes the lines."""

    def __init__(self, logger: BindableLogger) -> None:
        self._logger = logger

    @classmethod
    def of(cls, environ: Mapping[str, str], out: TextIO | None = None) -> Journal:
        """Open the log on ``out`` (standard error)."""
        return cls(_logger(out or sys.stderr, machine=bool(environ.get("JOURNAL_STREAM") or environ.get("INVOCATION_ID"))))

    def started(self, version: str, pid: int, watching: str, older: int) -> None:
        self._info("started", version=version, pid=pid, watching=watching, older_sessions=older)

    def mended(self, aside: Path, copy: Path | None) -> None:
        """Write that a damaged ledger was moved aside, and what took its place."""
        self._warning("ledger_mended", aside=str(aside), copy=str(copy or "none"))

    def stopped(self, why: str) -> None:
        self._info("stopped", why=why)

    def outcome(self, outcome: str, row: OutcomeFacts) -> None:
        """Write the one line about a stretch."""
        say = self._warning if outcome == "failed" else self._info
        say(
            "outcome",
            outcome=outcome,
            session=row.session,
            stretch=row.number,
            project=row.project,
            topics=len(row.topics),
            changeset=row.changeset,
            reason=_told(row.reason) if outcome in _OWN_WORDS else None,
            attempts=row.attempts if row.attempts != 1 else None,
            parked=row.parked or None,
            input_tokens=row.input_tokens or None,
            output_tokens=row.output_tokens or None,
            cost_usd=row.cost_usd or None,
            seconds=round(row.seconds, 3),
        )

    def consolidated(self, outcome: str, done: ConsolidationFacts) -> None:
        """Write the one line about a memory directory that was put in order."""
        say = self._warning if outcome == "failed" else self._info
        say(
            "consolidated",
            outcome=outcome,
            memory_dir=done.memory_dir,
            topics=len(done.files),
            changeset=done.changeset,
            waits=done.held,
            reason=_told(done.reason) if outcome in _OWN_WORDS else None,
            cost_usd=done.cost_usd or None,
        )

    def trouble(self, session: str | None, error: BaseException) -> None:
        """Write what went wrong outside of an outcome; of an error that is not ours only kind and place, its text may quote."""
        match error:
            case ExtractordError(message=message, hint=hint):
                self._warning("trouble", session=session, error=_told(message), hint=hint or None)
            case _:
                self._warning("trouble", session=session, error=f"{type(error).__name__} at {place_of(error)}")

    def config(self, problem: str = "") -> None:
        """Write that the configuration was read again; with ``problem`` it was refused and the old one is in force."""
        if problem:
            self._warning("config_refused", error=_told(problem))
        else:
            self._info("config_reloaded")

    def degraded(self, what: str) -> None:
        self._warning("degraded", what=what)

    def _info(self, event: str, **fields: object) -> None:
        self._logger.info(event, **_given(fields))  # type: ignore[attr-defined]

    def _warning(self, event: str, **fields: object) -> None:
        self._logger.warning(event, **_given(fields))  # type: ignore[attr-defined]


def place_of(error: BaseException) -> str:
    """Return file and line in which an error was raised."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return f"{Path(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno}" if last else "an unknown place"


def _told(text: str) -> str:
    return " ".join(redact(text).text.split())[:REASON_LENGTH]


def _given(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: _plain(value) for name, value in fields.items() if value is not None}


def _plain(value: object) -> object:
    """Leave nothing in a line that a terminal obeys or an encoding refuses: folders may be named so."""
    return "".join(c if c.isprintable() else "?" for c in value) if isinstance(value, str) else value


class _Lines:
    """One whole line a call, whichever thread calls; a log that nobody reads any more stops no work."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._turn = threading.Lock()

    def msg(self, line: str) -> None:
        with self._turn:
            try:
                self._out.write(line + "\n")
                self._out.flush()
            except (OSError, ValueError):
                return

    log = debug = info = warning = error = critical = msg


def _logger(out: TextIO, *, machine: bool) -> BindableLogger:
    structlog = _structlog()
    processors = structlog.processors
    if machine:  # the journal has its own time
        form = [processors.JSONRenderer()]
    else:
        stamp = processors.TimeStamper(fmt="%Y-%m-%dT%H:%M:%S%z", utc=False, key="time")
        form = [stamp, processors.LogfmtRenderer(key_order=["time", "level", "event"])]
    logger: BindableLogger = structlog.wrap_logger(
        _Lines(out), processors=[processors.add_log_level, *form], wrapper_class=structlog.make_filtering_bound_logger("info")
    )
    return logger


def _structlog() -> Any:
    """Load structlog without what it loads for its coloured tracebacks: rich would stay in the daemon for nothing."""
    there = "rich" in sys.modules
    if not there:
        sys.modules["rich"] = None  # type: ignore[assignment]  # an import of it fails, as where it is not installed
    try:
        import structlog
    finally:
        if not there:
            del sys.modules["rich"]
    return structlog
