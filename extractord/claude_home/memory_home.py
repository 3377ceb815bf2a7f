"""Where a session's memory belongs, and whether there is to be any.

Owns: the one answer that everything else asks for. Leaves the parts of it to the modules beside it. It makes nothing on disk.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec

from extractord.claude_home.directory_setting import DirectorySetting, asked_directory, objection
from extractord.claude_home.git_root import Project, Seen, locate_project, never_seen
from extractord.claude_home.keys import project_key
from extractord.claude_home.settings import settings_chain
from extractord.claude_home.surroundings import Surroundings, prefer_existing, resolved
from extractord.claude_home.switches import memory_switch

_HOMES = ("home", "Users")  # where systems keep people's homes, below the root or drive


class MemoryHome(msgspec.Struct, frozen=True):
    """The memory of the project that a directory belongs to."""

    cwd: str  # as it was asked for
    project_root: str  # canonical git root, else the directory itself
    project_key: str  # name of its folder below ``projects/``
    directory: Path  # of the memory, literal (links not resolved); need not exist
    enabled: bool
    reason: str  # why it is off; if on: what says so, and which settings were ignored; "" if nothing is to be said
    remarks: tuple[str, ...] = ()  # settings that were ignored, and why


def memory_home(cwd: str, surroundings: Surroundings, seen: Seen = never_seen) -> MemoryHome:
    """Return the memory of sessions started in ``cwd`` (the first ``cwd`` of a transcript).

    ``seen`` tells the project root of directories that are gone by now, None for those it does not know.
    """
    project = locate_project(cwd, seen)
    key = project_key(project.root, surroundings.config_home)
    chain = settings_chain(project, surroundings)
    asked = asked_directory(project, key, chain, surroundings)
    ordinary = prefer_existing(surroundings.config_home / "projects" / key / "memory")
    switch = memory_switch(chain, surroundings.environ)
    remarks = (*(layer.remark for layer in chain if layer.remark), *asked.remarks)
    off = (
        (switch.reason if not switch.on else "")
        or _refusal(project, asked, surroundings)
        or _astray(ordinary, project, asked, surroundings)
    )
    return MemoryHome(
        cwd=cwd,
        project_root=project.root,
        project_key=key,
        directory=asked.directory or ordinary,
        enabled=not off,
        reason=off or "; ".join(part for part in (switch.reason, *remarks) if part),
        remarks=remarks,
    )


def _refusal(project: Project, asked: DirectorySetting, surroundings: Surroundings) -> str:
    """Return why there is no memory although it is switched on, "" if there is."""
    if asked.untrusted:
        return f"untrusted directory: {asked.untrusted} asks for a memory directory, and this workspace was never trusted in the client"
    if not _can_be_a_place(project.root):
        return "the session does not name a directory of this machine"
    if asked.directory is None and _is_no_project(project, surroundings):
        return f"{project.root} is a home directory or the root of the file system, not a project"
    return ""


def _astray(ordinary: Path, project: Project, asked: DirectorySetting, surroundings: Surroundings) -> str:
    """Return why memory may not be written where a link on the way to the ordinary place leads, "" if it may or there is none."""
    if asked.directory is not None:
        return ""  # looked at when it was asked for
    links = [place for place in (ordinary, ordinary.parent, ordinary.parent.parent) if place.is_symlink()]
    if not links:
        return ""
    if any(resolved(link) is None for link in links):
        return f"{ordinary} lies behind a link that leads nowhere"
    refused = objection(ordinary, project, surroundings)
    return f"{ordinary} is a link to a place where memory is not written: {refused.why}" if refused else ""


def _can_be_a_place(root: str) -> bool:
    """Whether a directory of this machine could have that name; it need not be there."""
    if not Path(root).is_absolute() or "\0" in root:
        return False
    try:
        os.lstat(root)
    except (OSError, UnicodeEncodeError) as error:
        return isinstance(error, OSError) and error.errno != errno.ENAMETOOLONG
    return True


def _is_no_project(project: Project, surroundings: Surroundings) -> bool:
    """Whether the memory would be a store for a home directory or ``/``; another person's home counts unless it is a repository."""
    root = Path(project.root)
    if root in (Path(root.anchor), Path("/root"), surroundings.home, resolved(surroundings.home)):
        return True
    return project.repository is None and root.parent in {Path(root.anchor) / name for name in _HOMES}
