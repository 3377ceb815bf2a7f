"""Which project a directory belongs to, told by reading ``.git`` alone: no git process is started.

Owns: the table of facts §3 (worktrees with their back-link, submodules, bare and separate git directories) and the answer for
directories that are gone. Leaves the folder name to ``keys``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from extractord.claude_home.surroundings import resolved
from extractord.system.paths import native, slashed

Seen = Callable[[str], str | None]
_WORKTREES = "/.claude/worktrees/"  # where the client itself makes linked worktrees
_LONGEST_GIT_FILE = 64 * 1024  # bytes of a ``.git`` file that are read


class Repository(msgspec.Struct, frozen=True):
    """The repository around a directory: the folder that holds its ``.git``, and the root that its worktrees share."""

    top: Path
    root: Path


class Project(msgspec.Struct, frozen=True):
    """What a session's directory belongs to."""

    cwd: str  # as the transcript names it
    folder: Path | None  # its real path; None if it is gone
    repository: Repository | None
    root: str  # canonical git root, else the directory itself; what the project key is made of


def never_seen(cwd: str) -> str | None:  # noqa: ARG001
    """Answer for a ledger that knows no directory."""
    return None


def canonical_root(cwd: str, seen: Seen = never_seen) -> str:
    """Return the directory whose folder holds the memory of sessions started in ``cwd``."""
    return locate_project(cwd, seen).root


def locate_project(cwd: str, seen: Seen = never_seen) -> Project:
    """Return the project of ``cwd``; ``seen`` tells the root of a directory that is gone by now (None if it does not know)."""
    path = Path(cwd)
    if not path.is_absolute():  # another system's path, or none: nothing to look up here
        return Project(cwd=cwd, folder=None, repository=None, root=cwd)
    folder = resolved(path)
    if folder is None or not folder.is_dir():
        return _locate_missing(cwd, seen)
    repository = find_repository(folder)
    return Project(cwd=cwd, folder=folder, repository=repository, root=str(repository.root if repository else folder))


def find_repository(folder: Path) -> Repository | None:
    """Return the repository of an existing real ``folder``: the nearest ancestor with a ``.git`` entry decides."""
    for top in (folder, *folder.parents):
        entry = top / ".git"
        try:
            if entry.is_dir():
                return Repository(top=top, root=top)
            if entry.is_file():
                return Repository(top=top, root=_main_root(top, entry) or top)
        except OSError:  # a folder that may not be searched tells nothing
            continue
    return None


def _locate_missing(cwd: str, seen: Seen) -> Project:
    """Answer for a directory that is gone: what was seen, the repository of the client's worktrees, the repository it lay in."""
    if root := seen(cwd):
        folder = resolved(Path(root))
        return Project(cwd=cwd, folder=None, repository=find_repository(folder) if folder else None, root=root)
    before, mark, _ = slashed(cwd).partition(_WORKTREES)
    if mark and before:
        owner = locate_project(native(before), seen)
        return Project(cwd=cwd, folder=None, repository=owner.repository, root=owner.root)
    ancestor = next((real for parent in Path(cwd).parents if (real := resolved(parent))), None)
    repository = find_repository(ancestor) if ancestor else None
    return Project(cwd=cwd, folder=None, repository=repository, root=str(repository.root) if repository else _without_slash(cwd))


def _without_slash(cwd: str) -> str:
    return cwd.rstrip("/") or "/"


def _main_root(top: Path, entry: Path) -> Path | None:
    """Return the root of the main repository if ``entry`` is the ``.git`` file of a linked worktree that it knows, else None.

    Submodules and separate git directories have no ``commondir``. The back-link is checked, so that a copied ``.git`` file gets
    nobody else's memory.
    """
    link = _first_line(entry)
    if not link.startswith("gitdir:"):
        return None
    git_dir = _target(top, link.removeprefix("gitdir:"))
    if git_dir is None:
        return None
    common = _target(git_dir, _first_line(git_dir / "commondir"))
    back = _target(git_dir, _first_line(git_dir / "gitdir"))
    if common is None or git_dir.parent != common / "worktrees" or back != top / ".git":
        return None
    return common.parent if common.name == ".git" else common


def _first_line(path: Path) -> str:
    """Return a file's first line without blanks; "" if there is no such file."""
    try:
        if not path.is_file():  # a pipe would block
            return ""
        with path.open("rb") as file:
            return file.read(_LONGEST_GIT_FILE).decode("utf-8", "surrogateescape").strip().split("\n", 1)[0].strip()
    except (OSError, ValueError):
        return ""


def _target(base: Path, written: str) -> Path | None:
    written = written.strip()
    return resolved(base / written) if written else None
