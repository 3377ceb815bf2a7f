"""Checks of our own places: configuration, permissions, disk, clock, ledger.

Owns: these findings and their fixes. Changes nothing; a ledger that is missing is not made.
"""

from __future__ import annotations

import itertools
import shutil
import stat
from pathlib import Path

from extractord.doctor.finding import Check, Finding, Visit, bad, good
from extractord.doctor.permissions import open_to_others
from extractord.errors import BusyError, LedgerError
from extractord.ledger import Ledger, Mended, copies
from extractord.report.text import counted, short_time

LEAST_FREE = 100 << 20  # bytes; the ledger, its three copies and a backup per memory directory stay far below
CLOCK_SLACK = 300.0  # seconds that clocks of machines that share a home may differ
_NAMED = 3  # files that are named before the rest is counted


def configuration(visit: Visit) -> Finding:
    if visit.config_error is not None:
        return bad("configuration", visit.config_error.message, visit.config_error.hint)
    file = visit.locations.config_file
    where = str(file) if file.is_file() else f"no file at {file}: the defaults"
    if visit.config.off:
        return good("configuration", f"{where}; extraction is switched off for all projects", "`extractord on` resumes it.")
    return good("configuration", where)


def permissions(visit: Visit) -> Finding:
    state = visit.locations.state
    if state.exists() and not state.is_dir():
        return bad("permissions", f"{state} is no folder", "Move it away, or name another folder in EXTRACTORD_STATE_DIR.")
    open_places = list(open_to_others(visit))
    if open_places:
        named = ", ".join(f"{place} ({stat.S_IMODE(place.lstat().st_mode):04o})" for place in open_places[:_NAMED])
        rest = f" and {len(open_places) - _NAMED} more" if len(open_places) > _NAMED else ""
        return bad("permissions", f"others may look into {named}{rest}", "`extractord doctor --fix` makes folders 0700 and files 0600.")
    return good("permissions", f"{state} is yours alone" if state.is_dir() else f"no state folder yet at {state}")


def disk(visit: Visit) -> Finding:
    places = {place: shutil.disk_usage(_existing(place)).free for place in (visit.locations.state, visit.surroundings.config_home)}
    tight = [f"{free >> 20} MB for {place}" for place, free in places.items() if free < LEAST_FREE]
    if tight:
        return bad("disk", f"only {', '.join(tight)} free", "Free some space there; until then nothing new can be saved safely.")
    return good("disk", f"{min(places.values()) >> 20:,} MB free")


def clock(visit: Visit) -> Finding:
    newest = visit.newest
    ahead = newest.mtime_ns / 1e9 - visit.now if newest else 0.0
    if newest and ahead > CLOCK_SLACK:
        detail = f"it is {short_time(visit.now)} here, but {newest.path} was written at {short_time(newest.mtime_ns / 1e9)}"
        return bad("clock", detail, "Set the clock (`timedatectl set-ntp true`); times of memory and retries depend on it.")
    return good("clock", f"{short_time(visit.now)}, not before the newest transcript" if newest else short_time(visit.now))


def ledger(visit: Visit) -> Finding:
    state = visit.locations.state
    if not Ledger.exists(state):
        return good("ledger", f"none yet in {state}")
    try:
        with Ledger.in_memory(state):
            pass  # opening would mend what is damaged, and looking changes nothing
        with Ledger.open(state) as opened:
            totals, problem, damage = opened.totals(), opened.copy_problem, opened.damage()
    except (LedgerError, BusyError) as error:
        return bad("ledger", error.message, error.hint)
    if problem is not None:
        return bad("ledger", problem.message, problem.hint)
    detail = f"{counted(totals.sessions_known, 'session')} known, {counted(len(copies(state)), 'copy', 'copies')}"
    return good("ledger", detail if damage is None else f"{detail}; {_damaged(*damage)}")


def _damaged(moment: float, mended: Mended) -> str:
    again = "" if mended.copy else "; `extractord once --session ID --again` looks at a session all the same"
    return f"{short_time(moment)}: {mended.told}{again}"


def _existing(place: Path) -> Path:
    return next(one for one in itertools.chain([place], place.parents) if one.exists())


CHECKS = (
    Check("configuration", configuration),
    Check("permissions", permissions),
    Check("disk", disk),
    Check("clock", clock),
    Check("ledger", ledger),
)
