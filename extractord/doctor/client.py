"""Checks of the client's side: its folder, transcripts, memory, file system, file watches.

Owns: these findings and their fixes. Makes nothing in the config home.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from extractord.claude_home import memory_home
from extractord.doctor.finding import Check, Finding, Visit, bad, good
from extractord.open_folders import ExchangeSupport, exchange_support
from extractord.report.text import counted, short_time

_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")
PRIVATE = (
    "these ways to keep a session out of memory leave no mark in its transcript, and are not seen: resuming it with memory off, "
    "`/memory` in mid-session, `--setting-sources`, clients as old as 2.1.197"
)


def config_home(visit: Visit) -> Finding:
    home = visit.surroundings.config_home
    named = "CLAUDE_CONFIG_DIR" if visit.surroundings.environ.get("CLAUDE_CONFIG_DIR") else "the usual place; CLAUDE_CONFIG_DIR is not set"
    if not home.is_dir():
        return good("config home", f"no client was found: looked for {home} ({named})", "Start Claude Code once, or set CLAUDE_CONFIG_DIR.")
    return good("config home", f"{home} ({named})")


def transcripts(visit: Visit) -> Finding:
    projects = visit.surroundings.config_home / "projects"
    if visit.transcripts_error is not None:
        return bad("transcripts", visit.transcripts_error.message, visit.transcripts_error.hint)
    if not visit.transcripts:
        return good("transcripts", f"nothing was found: looked for {projects}/*/*.jsonl")
    unreadable = [file.path for file in visit.transcripts if not os.access(file.path, os.R_OK)]
    closed = [folder for folder in projects.iterdir() if folder.is_dir() and not os.access(folder, os.R_OK | os.X_OK)]
    if first := next(iter([*closed, *unreadable]), None):
        number = len(closed) + len(unreadable)
        return bad("transcripts", f"{number} cannot be read, the first is {first}", f"Give yourself read access: `chmod u+rX {first}`.")
    newest = visit.newest
    assert newest is not None
    return good("transcripts", f"{counted(len(visit.transcripts), 'session')}, the newest of {short_time(newest.mtime_ns / 1e9)}")


def memory(visit: Visit) -> Finding:
    """Memory of the project of this folder, as a session started here would have it."""
    home = memory_home(str(Path.cwd()), visit.surroundings)
    if home.remarks:
        return bad("memory", f"for {home.project_root}: {'; '.join(home.remarks)}", "Correct the setting, or remove it.")
    if not home.enabled:
        return good("memory", f"off for {home.project_root}: {home.reason}", "Sessions there are skipped. See `extractord memory-dir`.")
    return good("memory", f"on for {home.project_root}, in {home.directory}")


def private_sessions(visit: Visit) -> Finding | None:
    if not visit.transcripts:
        return None
    return good("private sessions", PRIVATE, "`extractord off --cwd D` or `exclude` keeps a project out; <private>…</private> a passage.")


def file_system(visit: Visit) -> Finding | None:
    """Whether two files can change places where memory lies; tried in our own folder if that is on the same file system."""
    projects = visit.surroundings.config_home / "projects"
    state = visit.locations.state
    if not projects.is_dir():
        return None
    same = state.is_dir() and state.stat().st_dev == projects.stat().st_dev
    place = state if same else projects
    if not os.access(place, os.W_OK):
        return bad("file system", f"{place} cannot be written", f"Give yourself write access: `chmod u+rwx {place}`.")
    match exchange_support(place):
        case ExchangeSupport.ATOMIC:
            return good("file system", f"files in {projects} change places in one step")
        case ExchangeSupport.COMPARE:
            detail = f"{projects} cannot exchange two files in one step: compared, then renamed; a write in that instant could be lost"
            return good("file system", detail, "Nothing to do; a local disk (ext4, xfs, btrfs, APFS) would close that gap.")


def watches(visit: Visit) -> Finding | None:
    """Whether every folder below projects can be watched (performance.md §3: what runs out is not reported by the watcher)."""
    projects = visit.surroundings.config_home / "projects"
    if not sys.platform.startswith("linux") or not projects.is_dir():
        return None
    limit = int(_LIMIT.read_text())
    needed = 2 + sum(1 for _ in os.walk(projects))  # with the clients' sessions folder
    fix = f"`echo fs.inotify.max_user_watches={_enough(needed)} | sudo tee /etc/sysctl.d/60-inotify.conf && sudo sysctl --system`"
    if needed > limit:
        return bad("watches", f"{needed:,} folders, but only {limit:,} file watches allowed: the rest is looked at once an hour", fix)
    return good("watches", f"{needed:,} of {limit:,} file watches needed")


def _enough(needed: int) -> int:
    """Return the next power of two that leaves as much for others."""
    return max(524_288, 1 << (2 * needed).bit_length())


CHECKS = (
    Check("config home", config_home),
    Check("transcripts", transcripts),
    Check("memory", memory),
    Check("private sessions", private_sessions),
    Check("file system", file_system),
    Check("watches", watches),
)
