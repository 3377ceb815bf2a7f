"""Checks of what runs: service, daemon, parked sessions, sandbox, spend.

Owns: these findings and their fixes. Asks the service supervision, starts nothing but the service's own program for its version.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from extractord import __version__
from extractord.agent.supervise import attained_with
from extractord.config import Sandbox
from extractord.doctor.finding import Check, Finding, Visit, bad, good
from extractord.errors import ExtractordError
from extractord.ledger import Ledger, Spend, Totals, day_start, month_start, told_lost
from extractord.report.status import read_state, running_pid
from extractord.report.text import counted, short_time
from extractord.sandbox.level import Level
from extractord.service import Found, Init, Wanted, carried_over, look, rendered
from extractord.service.executable import INSTALL
from extractord.service.text import program_of

VERSION_SECONDS = 20.0
RECENT = 86_400.0  # seconds for which an error of the daemon is a finding
_AGAIN = "`extractord install` writes and starts it anew."


def service(visit: Visit) -> Finding:
    surroundings = visit.surroundings
    found = look(surroundings.platform, surroundings.environ, surroundings.home)
    if not found.installed:
        return _not_installed(found)
    if found.masked:
        return bad("service", f"{found.file} is masked: it never starts", f"`systemctl --user unmask {found.file.name}` allows it again.")
    program = program_of(found.init, found.text or "")
    if program is None:
        return bad("service", f"{found.file} names no program", _AGAIN)
    if not (program.is_file() and os.access(program, os.X_OK)):
        fix = f"`{INSTALL}`, then `extractord install`; or `extractord uninstall`."
        return bad("service", f"{found.file} starts {program}, which is gone", fix)
    if found.init is Init.NONE:
        return bad(
            "service", f"{found.file} is there, but nothing runs it: {found.why_none}", "Log in as yourself, or use `extractord run`."
        )
    return _installed(found, program, visit)


def _not_installed(found: Found) -> Finding:
    if found.init is Init.NONE:
        return good(
            "service", f"not installed; nothing here could run it: {found.why_none}", "`extractord run` is the daemon in the foreground."
        )
    return good("service", "not installed: nothing happens by itself", "`extractord install` installs and starts it.")


def _installed(found: Found, program: Path, visit: Visit) -> Finding:
    if not found.enabled:
        return bad("service", f"{found.file.name} is installed, but not enabled: it will not start at login", _AGAIN)
    if not found.active:
        return bad(
            "service",
            f"{found.file.name} is installed, but does not run",
            f"`systemctl --user status {found.file.name}` says why; {_AGAIN}",
        )
    version = _version(program)
    if version != __version__:
        return bad(
            "service",
            f"{program} is {version or 'no extractord'}, this is version {__version__}",
            f"Run the install of the one you want: {_AGAIN}",
        )
    wanted = Wanted(program, carried_over(visit.surroundings.environ), visit.locations.state, __version__)
    detail = f"{found.file.name} runs {program}, version {version}"
    if rendered(found.init, wanted) != found.text:
        return good("service", f"{detail}; its file is not the one that would be written from this shell", _AGAIN)
    return good("service", detail)


def _version(program: Path) -> str:
    """Return the version that a program says it is, "" if it says none."""
    try:
        done = subprocess.run(
            [str(program), "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=VERSION_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):  # what the unit starts is no program of ours: the finding says so
        return ""
    words = done.stdout.decode("utf-8", "replace").split()
    return words[-1] if done.returncode == 0 and words and words[0].startswith("extractord") else ""


def daemon(visit: Visit) -> Finding:
    state = visit.locations.state
    pid, told = running_pid(state), read_state(state)
    if pid is None:
        return good("daemon", "not running")
    if told is None:
        return good("daemon", f"pid {pid}, starting")
    if told.version != __version__:
        return bad("daemon", f"pid {pid} runs version {told.version}, this is {__version__}", "`extractord install` restarts it.")
    if told.config_problem:
        return bad(
            "daemon",
            f"it keeps its old configuration: {told.config_problem}",
            "Correct the file, then `systemctl --user reload extractord`.",
        )
    if told.degraded:
        return bad("daemon", "; ".join(told.degraded), "What it misses by events is found by the hourly sweep; see the check `watches`.")
    if told.last_error and told.last_error_at is not None and visit.now - told.last_error_at < RECENT:
        fix = "`journalctl --user -u extractord` has the rest; `extractord sessions --outcome failed` what it was about."
        return bad("daemon", f"last error, {short_time(told.last_error_at)}: {told.last_error}", fix)
    return good("daemon", f"pid {pid} since {short_time(told.started)}, {told.watching}")


def parked(visit: Visit) -> Finding | None:
    found = _ledger(visit)
    if found is None:
        return None
    if number := found[0].parked:
        fix = "`extractord sessions --outcome failed` shows them; `extractord once --session ID --again` tries one again."
        return bad("parked", f"{counted(number, 'stretch', 'stretches')} failed too often and will not be tried again", fix)
    return good("parked", "nothing failed too often")


def sandbox(visit: Visit) -> Finding:
    wanted = visit.config.sandbox
    attained = attained_with(wanted)
    match attained.level:
        case Level.OFF:
            detail = "off, as the configuration says: workers are held by policy alone"
            return good("sandbox", detail, 'sandbox = "auto" uses what the kernel has.')
        case level if level.holds:
            return good("sandbox", level.value)
        case level:
            detail = f"{level.value}, so Bash is not offered to a model: {attained.why}"
            fix = 'sandbox = "required" cannot be had here, so nothing is extracted; "auto" goes on without Bash.'
            return bad("sandbox", detail, fix) if wanted is Sandbox.REQUIRED else good("sandbox", detail)


def spend(visit: Visit) -> Finding | None:
    if visit.config.backend.offline:
        return good("spend", "offline: nothing is sent, nothing is spent")
    found = _ledger(visit)
    if found is None:
        return None
    _, today, month, lost = found
    budget = visit.config.budget
    detail = f"${today.cost_usd:.4f} of ${budget.usd_per_day:.2f} today, ${month.cost_usd:.4f} of ${budget.usd_per_month:.2f} this month"
    if lost:
        fix = "Nothing is sent on such a day. If too little of the month is left then, a higher budget.usd_per_month makes room."
        return bad("spend", f"{detail}; {told_lost(lost)}", fix)
    if today.cost_usd >= budget.usd_per_day or month.cost_usd >= budget.usd_per_month:
        return bad("spend", f"the budget is used up: {detail}", "It goes on by itself when the day or month is over; or raise `budget`.")
    return good("spend", detail)


def _ledger(visit: Visit) -> tuple[Totals, Spend, Spend, int] | None:
    """Read what two checks need; None where there is no ledger, or the check `ledger` says what is wrong with it."""
    if not Ledger.exists(visit.locations.state):
        return None
    try:
        with Ledger.in_memory(visit.locations.state) as opened:
            day, month = day_start(visit.now), month_start(visit.now)
            return opened.totals(), opened.spend(day), opened.spend(month), opened.lost_days(month)
    except ExtractordError:
        return None


CHECKS = (
    Check("service", service),
    Check("daemon", daemon),
    Check("parked", parked),
    Check("sandbox", sandbox),
    Check("spend", spend),
)
