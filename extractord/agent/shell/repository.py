"""The project's git repository, as something that may be hostile: where it lies, and how git is called so that it runs nothing.

Owns: finding the repository without letting git look for one, refusing one that reaches outside the project, and the options
that stand before every subcommand. git runs programs that a repository's configuration names (file system monitor, hooks, text
conversion, filters, signatures …): each side door is shut here or, where only the subcommand can, in ``git_tables``. Leaves
which subcommands and arguments there are to ``git``.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from extractord.agent.policy import Area
from extractord.agent.secret_files import bears_secrets
from extractord.agent.shell.grammar import CommandRefusedError
from extractord.agent.shell.judging import Judge
from extractord.agent.shell.running import Step, run_step
from extractord.system.files import O_NOFOLLOW, O_NONBLOCK, open_path

_ENTRIES = 200_000
# Below these nothing is looked for: hooks are never run, the rest belongs to other repositories or tools.
_OTHERS = frozenset({"hooks", "modules", "lfs", "annex"})
_OVERRIDES = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "core.sshCommand=/nonexistent",
    "core.askPass=/nonexistent",
    "safe.bareRepository=explicit",
    "protocol.allow=never",
    "gpg.program=/nonexistent",
    "gpg.openpgp.program=/nonexistent",
    "gpg.ssh.program=/nonexistent",
    "gpg.x509.program=/nonexistent",
    "log.showSignature=false",
    "log.follow=false",  # would show what a file was when it had another name
    "log.showRoot=true",
    "log.mailmap=false",
    "mailmap.file=/dev/null",  # any file could be named there, and come out as names
    "mailmap.blob=",
    "format.pretty=medium",  # a format can ask for signatures
    "i18n.logOutputEncoding=UTF-8",  # another one would hide secrets from the scan of what comes out
    # A hunk's header shows a line out of its place: one that begins something, not the last of a key.
    "diff.default.xfuncname=^[ \t]*[A-Za-z_]+[ \t].*[({:][ \t]*$",
    "diff.orderFile=/dev/null",
    "diff.autoRefreshIndex=false",  # would write the index
    "diff.ignoreSubmodules=all",  # a submodule has a configuration of its own
    "diff.submodule=short",
    "status.submoduleSummary=false",
    "submodule.recurse=false",
    "color.ui=false",
    "column.ui=never",
)
_FILTER = re.compile(r"filter\.(.+)\.(?:clean|smudge|process|required)", re.DOTALL)
_SIMPLE = re.compile(r"[\w.-]+", re.ASCII)


class GitFailedError(Exception):
    """git has nothing to work on; the text is for the model."""


@dataclass(frozen=True, slots=True)
class Repository:
    """The project's repository. ``globals_`` are git's own options, before the subcommand."""

    folder: str
    globals_: tuple[str, ...]
    deadline: float

    def query(self, *arguments: str) -> bytes | None:
        """Return what git says, None if it says no. Raises CommandRefusedError when it says too much or takes too long."""
        ended = run_step(Step("git", (*self.globals_, *arguments)), self.folder, self.deadline)
        if ended.told:
            raise CommandRefusedError(f"git: too much to look through {ended.told}: narrow it")
        return ended.output if ended.status == 0 else None


def open_repository(judge: Judge) -> Repository:
    """Return the repository whose work tree is the project. Raises GitFailedError, CommandRefusedError."""
    root = judge.places.project
    if root is None:
        raise GitFailedError("there is no project")
    folder = "/" + "/".join(root.real)
    git_dir = _git_dir(Path(folder))
    overrides = tuple(word for setting in _OVERRIDES for word in ("-c", setting))
    options = ("--no-pager", "--no-optional-locks", f"--git-dir={git_dir}", f"--work-tree={folder}", *overrides)
    bare = Repository(folder, options, judge.deadline)
    return Repository(folder, (*options, *_without_filters(bare)), judge.deadline)


def _without_filters(repository: Repository) -> list[str]:
    """Return options that switch off every filter the configuration names: no flag of git does."""
    said = repository.query("config", "--includes", "-z", "--name-only", "--get-regexp", r"^filter\.") or b""
    options: list[str] = []
    for key in {key for key in os.fsdecode(said).split("\0") if key}:
        if not (found := _FILTER.fullmatch(key)):
            continue
        if not _SIMPLE.fullmatch(found[1]):
            raise CommandRefusedError("git: the repository has a filter of a strange name that cannot be switched off")
        options += ["-c", f"filter.{found[1]}.clean=", "-c", f"filter.{found[1]}.process=", "-c", f"filter.{found[1]}.required=false"]
    return options


def _git_dir(project: Path) -> Path:
    """Return the repository's directory: the project's ``.git``, or that of a linked work tree if it knows this one."""
    place = project / ".git"
    try:
        mode = place.lstat().st_mode
    except OSError:
        raise GitFailedError("the project's folder is not the top of a git repository") from None
    if stat.S_ISDIR(mode):
        _keep_inside(place)
        return place
    if not stat.S_ISREG(mode):
        raise CommandRefusedError("git: .git is a link or no regular file")
    git_dir = _linked(place)
    for folder in (git_dir.parent.parent, git_dir):
        _keep_inside(folder)
    return git_dir


def _linked(place: Path) -> Path:
    """Return where the ``.git`` file of a linked work tree points. The other side must name this very file too."""
    refusal = CommandRefusedError("git: .git names a repository elsewhere that is not this one's")
    try:
        git_dir = Path(os.path.realpath(place.parent / _beginning(place).removeprefix("gitdir:").strip()))
        back, common = _beginning(git_dir / "gitdir"), _beginning(git_dir / "commondir")
    except (OSError, ValueError):
        raise refusal from None
    if os.path.realpath(git_dir / back) != os.path.realpath(place) or common != "../.." or git_dir.parent.name != "worktrees":
        raise refusal
    return git_dir


def _beginning(file: Path) -> str:
    fd = open_path(file, os.O_RDONLY | O_NONBLOCK | O_NOFOLLOW)  # a FIFO there must not hold anybody up
    try:
        return os.fsdecode(os.read(fd, 4096)).strip()
    finally:
        os.close(fd)


def common_directory(project: str) -> str | None:
    """Return the directory of the repository that the project is a linked work tree of, None if it is not one of any."""
    place = Path(project) / ".git"
    try:
        if not stat.S_ISREG(place.lstat().st_mode):
            return None
        return str(_linked(place).parent.parent)
    except (OSError, CommandRefusedError):
        return None


def _keep_inside(git_dir: Path) -> None:
    """Raise CommandRefusedError if a repository's directory takes history from somewhere else."""
    if git_dir.parent.name != "worktrees" and (git_dir / "commondir").exists():
        raise CommandRefusedError("git: the repository takes its history from another")
    if (git_dir / "objects" / "info" / "alternates").exists():
        raise CommandRefusedError("git: the repository takes objects from another")
    count = 0
    for folder, directories, files in os.walk(git_dir):
        for name in (*directories, *files):
            count += 1
            if os.path.islink(f"{folder}/{name}") and name not in _OTHERS:  # noqa: PTH114 - one call for each of many
                raise CommandRefusedError("git: there is a link in the repository's directory")
        if count > _ENTRIES:
            raise CommandRefusedError("git: the repository's directory has too many entries")
        directories[:] = [name for name in directories if name not in _OTHERS]


def tree_path(judge: Judge, text: str) -> str:
    """Return ``text`` as a path from the top of the project's tree. Raises CommandRefusedError unless it may be read."""
    for path in (text, os.path.normpath(text)):
        place = judge.path(path)
        if place.area is not Area.PROJECT:
            raise CommandRefusedError(f"git: {text[:80]} is not in the project")
    return _below_project(judge, os.path.normpath(text))


def _below_project(judge: Judge, path: str) -> str:
    if not path.startswith("/"):
        return "" if path == "." else path
    root = judge.places.root_of(Area.PROJECT)
    below = root.below(tuple(part for part in path.split("/") if part))
    if below is None:
        raise CommandRefusedError("git: write the path from the project's folder")
    return "/".join(below)


def is_hidden(judge: Judge, path: str) -> bool:
    """Return whether what a commit holds at ``path`` is never shown."""
    parts = tuple(path.split("/"))
    return bears_secrets(parts) or judge.places.is_barred(judge.places.root_of(Area.PROJECT), parts)
