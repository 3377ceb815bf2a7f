"""How things stand: the daemon's own account of itself, and what ``status`` tells.

Owns: the status file in the state folder (the daemon writes it, everybody may read it) and the lines of ``status``. Leaves
running to ``daemon``, the checks with their fixes to ``doctor``. Opens no transcript.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from extractord import __version__
from extractord.agent.claude_code import OUTSIDE
from extractord.agent.supervise import attained_with
from extractord.claude_home import transcripts
from extractord.config import Backend, Config
from extractord.durable import write_atomically
from extractord.ledger import Ledger, StretchRow, day_start, month_start, told_lost
from extractord.report.text import OUTCOME_WORDS, counted, local_time, short_time
from extractord.system.files import O_NOFOLLOW, open_path, try_lock_shared

STATUS_FILE = "status.json"
LOCK_FILE = "daemon.lock"
NOT_RUNNING = "not running"


class DaemonState(msgspec.Struct, frozen=True):
    """What a daemon tells of itself; texts are for people and hold nothing of a transcript."""

    pid: int
    version: str
    started: float  # seconds since the epoch
    config_home: str
    watching: str  # events | polling, with what is wrong about it
    degraded: tuple[str, ...] = ()  # what does not work as it should, each with what to do
    at_work: int = 0  # stretches that are being extracted
    config_problem: str = ""  # why the configuration was refused; the one before is in force
    last_error: str = ""
    last_error_at: float | None = None


class BudgetLine(msgspec.Struct, frozen=True):
    """Caps in US dollars."""

    usd_per_stretch: float
    usd_per_day: float
    usd_per_month: float


class ClientRuns(msgspec.Struct, frozen=True):
    """Runs of the user's own client today, and the most of a day."""

    today: int
    most: int


class LastOutcome(msgspec.Struct, frozen=True):
    session: str
    project: str
    outcome: str
    reason: str
    time: str  # ISO 8601


class StatusLine(msgspec.Struct, frozen=True):
    """The object of ``status --json``."""

    running: bool
    pid: int | None
    version: str
    config_home: str
    backend: str
    sandbox: str
    watching: str
    sessions_known: int
    backlog: int
    older_sessions: int
    parked: int
    pending_review: int
    spend_today_usd: float
    spend_month_usd: float
    budget: BudgetLine
    last_outcome: LastOutcome | None
    client_runs: ClientRuns | msgspec.UnsetType = msgspec.UNSET  # of the backend claude-code, and there only
    lost_days: int | msgspec.UnsetType = msgspec.UNSET  # of this month, whose spend is not known, where there are such


@dataclass(frozen=True, slots=True)
class Counts:
    """Transcripts of the config home by what was made of them."""

    known: int  # the ledger knows them
    backlog: int  # new or changed since, or not finished
    older: int  # there before the daemon was; no run has looked at them


def write_state(state: Path, daemon: DaemonState) -> None:
    """Replace the status file (0600) as one."""
    write_atomically(state / STATUS_FILE, msgspec.json.encode(daemon) + b"\n")


def read_state(state: Path) -> DaemonState | None:
    """Return what the last daemon told; None where there is nothing, or nothing of this form."""
    try:
        return msgspec.json.decode((state / STATUS_FILE).read_bytes(), type=DaemonState)
    except (OSError, msgspec.MsgspecError):
        return None


def running_pid(state: Path) -> int | None:
    """Return the process id of the daemon that runs on a state folder: the one that holds its lock."""
    try:
        fd = open_path(state / LOCK_FILE, os.O_RDONLY | O_NOFOLLOW)
    except OSError:
        return None
    try:
        try_lock_shared(fd)
    except BlockingIOError:
        written = os.read(fd, 32).strip()
        return int(written) if written.isdigit() else None
    except OSError:  # no locks on this file system
        return None
    finally:
        os.close(fd)
    return None


def counts(ledger: Ledger, config_home: Path) -> Counts:
    """Compare the transcripts that are there with the ledger, by their times and sizes."""
    seen, older, untouched = ledger.stamps(), ledger.older_sessions(), ledger.older_without_outcome()
    began = ledger.watermark(str(config_home)) is not None
    backlog = old = known = 0
    for file in transcripts(config_home):
        was_seen, mark = file.session in seen, older.get(file.session)
        known += was_seen or mark is not None
        if seen.get(file.session) == file.stamp:
            continue
        if mark is not None and mark.is_unchanged(file):
            old += file.session in untouched
        elif not began and not was_seen:
            old += 1
        else:
            backlog += 1
    return Counts(known, backlog, old)


def status(ledger: Ledger, config: Config, state: Path, config_home: Path) -> StatusLine:
    """Return how things stand, also when no daemon runs."""
    pid = running_pid(state)
    told = read_state(state) if pid is not None else None
    totals, found, now = ledger.totals(), counts(ledger, config_home), time.time()
    return StatusLine(
        running=pid is not None,
        pid=pid,
        version=told.version if told else __version__,
        config_home=told.config_home if told else str(config_home),
        backend=(Backend.OFFLINE if config.backend.offline else config.backend).value,
        sandbox=attained_with(config.sandbox).level.value,
        watching=watching_of(told) if pid is not None else NOT_RUNNING,
        sessions_known=found.known,
        backlog=found.backlog,
        older_sessions=found.older,
        parked=totals.parked,
        pending_review=totals.pending_review,
        spend_today_usd=ledger.spend(day_start(now)).cost_usd,
        spend_month_usd=ledger.spend(month_start(now)).cost_usd,
        budget=BudgetLine(config.budget.usd_per_stretch, config.budget.usd_per_day, config.budget.usd_per_month),
        last_outcome=_last(totals.last_outcome),
        client_runs=_client_runs(ledger, config, now),
        lost_days=ledger.lost_days(month_start(now)) or msgspec.UNSET,
    )


def watching_of(told: DaemonState | None) -> str:
    """Return in a line how a running daemon notices changes, and what is wrong with it."""
    if told is None:
        return "starting"
    return f"degraded: {'; '.join(told.degraded)}" if told.degraded else told.watching


def status_text(line: StatusLine, told: DaemonState | None, config: Config, problem: str = "") -> Iterator[str]:
    """Yield the lines of ``status`` for people; ``problem`` is why the config file cannot be read (``config`` are the defaults)."""
    if line.running:
        yield f"running        pid {line.pid}, version {line.version}, watching {line.config_home} ({line.watching})"
    else:
        yield "not running    `extractord install` starts it at login, `extractord run` here and now"
    if config.off:
        yield "switched off   nothing is extracted; `extractord on` resumes it"
    if problem:
        yield f"configuration  {problem}"
    if told is not None and line.running:
        yield from _troubles(told)
    yield f"backend        {line.backend}{_money(line)}; sandbox: {line.sandbox}"
    if line.backend != Backend.OFFLINE.value and isinstance(line.lost_days, int):
        yield f"               {told_lost(line.lost_days)}"
    if line.backend == Backend.CLAUDE_CODE.value:
        yield f"               {OUTSIDE}"
    yield f"sessions       {counted(line.sessions_known, 'session')} known, {line.backlog:,} waiting to settle or be extracted"
    if line.older_sessions:
        yield f"older          {counted(line.older_sessions, 'older session')} not looked at: `extractord once --estimate`"
    if line.parked:
        yield f"parked         {counted(line.parked, 'stretch', 'stretches')} failed too often: `extractord sessions --outcome failed`"
    if line.pending_review:
        yield f"review         {counted(line.pending_review, 'changeset')} for your word: `extractord review`"
    if last := line.last_outcome:
        reason = f" – {last.reason}" if last.reason else ""
        yield f"last           {last.time[:16].replace('T', ' ')}, {Path(last.project).name}: {OUTCOME_WORDS[last.outcome]}{reason}"


def _troubles(told: DaemonState) -> Iterator[str]:
    if told.config_problem:
        yield f"configuration  refused, the one before is in force: {told.config_problem}"
    if told.last_error and told.last_error_at is not None:
        yield f"last error     {short_time(told.last_error_at)}: {told.last_error}"


def _money(line: StatusLine) -> str:
    if line.backend == Backend.OFFLINE.value:
        return ": nothing is sent, nothing is spent"
    budget = line.budget
    if isinstance(line.client_runs, ClientRuns):
        return f": {line.client_runs.today} of {line.client_runs.most} runs of your own client today"
    today = f"${line.spend_today_usd:.4f} of ${budget.usd_per_day:.2f} today"
    return f": {today}, ${line.spend_month_usd:.4f} of ${budget.usd_per_month:.2f} this month"


def _client_runs(ledger: Ledger, config: Config, now: float) -> ClientRuns | msgspec.UnsetType:
    if config.backend is not Backend.CLAUDE_CODE:
        return msgspec.UNSET
    return ClientRuns(len(ledger.own_runs(day_start(now))), config.budget.sessions_per_day)


def _last(row: StretchRow | None) -> LastOutcome | None:
    return LastOutcome(row.session, row.project, row.outcome.value, row.reason, local_time(row.time)) if row else None


def forget_state(state: Path) -> None:
    """Remove the status file, as a daemon does that ends."""
    with contextlib.suppress(FileNotFoundError):
        (state / STATUS_FILE).unlink()
