"""One exchange of team memory with its remote.

Owns: the order of the steps, so that a kill at any of them loses nothing and does nothing twice:

1. what lies here is committed; from then on that commit is what was shared last (``synced``);
2. both sides are merged into a commit, which is noted as ``upcoming``;
3. its files are brought into the memory directory by a changeset of the ledger that names it;
4. ``synced`` is that commit, and it is pushed; if somebody else was first, all this begins anew.

A commit that is upcoming at the start was interrupted: if a changeset names it, it is there (``applying`` finishes those first), else
nothing of it is. Leaves what becomes of each file to ``tree``, the remote to ``repository``, the changeset to ``bringing``.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from extractord.applying import LOCK_SECONDS
from extractord.claude_home import MemoryHome
from extractord.errors import UsageError
from extractord.ledger import Kind
from extractord.memory.directory import MemoryDirectory
from extractord.memory.paths import INDEX, inspect_target
from extractord.memory.team import FOLDER, beyond, is_team, within
from extractord.sharing.bringing import Bringing, Brought
from extractord.sharing.git import Remote, SharingError, UnreachableError
from extractord.sharing.repository import Repository
from extractord.sharing.tree import Blob, Here, Local, Tree, faults, local, merged
from extractord.supervisor import Supervisor

TRIES = 12  # of a push, each lost to a teammate who was faster
_PAUSE = 0.2  # seconds, times the number of the try


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync came to."""

    remote: str
    brought: tuple[Brought, ...] = ()
    sent: tuple[str, ...] = ()  # topics, by path within team memory
    withheld: dict[str, str] = field(default_factory=dict)  # what does not leave, and why
    refused: dict[str, str] = field(default_factory=dict)  # what is not taken, and why
    problem: str = ""  # why the remote does not have all of it yet


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand, as far as is known without asking the remote."""

    remote: str
    last: float | None  # when memory here was last brought in step, seconds since the epoch
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unsent: bool  # something that is committed was not pushed
    withheld: dict[str, str]
    refused: dict[str, str]


def repository_of(supervisor: Supervisor, home: MemoryHome) -> Repository:
    """Return the repository of a project's team memory. Raises UsageError where the project has none."""
    named = supervisor.team_remote(home.project_root)
    if named is None:
        raise UsageError(
            f"no team memory is set up for {home.project_root}",
            hint=f'name a git remote for it in {supervisor.locations.config_file}: [[project]] with match = "{home.project_root}" and team',
        )
    if not home.enabled:
        raise UsageError(f"memory is off in {home.project_root}: {home.reason}")
    remote = Remote.of(named, supervisor.surroundings.home)
    return Repository.of(supervisor.locations.state, home.directory, remote, supervisor.step)


def sync(supervisor: Supervisor, home: MemoryHome, sleep: Callable[[float], None] = time.sleep) -> Synced:
    """Exchange a project's team memory with its remote. Raises UsageError, SharingError, BusyError, MemoryDirectoryError, LedgerError.

    A remote that cannot be reached is no error: what is here is committed and waits.
    """
    repository = repository_of(supervisor, home)
    exchange = _Exchange(supervisor, repository, home.directory)
    with repository.held(LOCK_SECONDS):
        for number in range(1, TRIES + 1):
            if exchange.once():
                break
            sleep(_PAUSE * number * random.random())  # noqa: S311 - two that were equally fast part
        return exchange.result()


def standing(supervisor: Supervisor, home: MemoryHome) -> Standing:
    """Return how a project's team memory stands. Raises UsageError, SharingError, MemoryDirectoryError."""
    repository = repository_of(supervisor, home)
    synced, there = repository.synced(), repository.there()
    base = repository.tree(synced)
    texts = {path: blob.text for path, blob in base.items()}
    now = here(supervisor, home.directory, base)
    left = local(now, base, _unwritten)
    changed = [path for path, blob in left.tree.items() if path in base and blob != base[path]]
    return Standing(
        remote=repository.remote.shown,
        last=repository.moment(synced) if synced else None,
        added=tuple(path for path in left.tree if path not in texts),
        changed=tuple(changed),
        removed=tuple(path for path in base if path not in left.tree),
        unsent=synced is not None and synced != there and not (there and repository.descends(there, synced)),
        withheld=left.withheld,
        refused=faults(base),
    )


def here(supervisor: Supervisor, memory_dir: Path, base: Tree) -> Here:
    """Return team memory as it lies in the memory directory. Raises SharingError where not all of it was looked at.

    A folder that is not there at all is not taken for the removal of everything, nor is an index: that is made anew. Of a teammate's text
    that waits for a person nothing is known yet.
    """
    directory = supervisor.directory(memory_dir)
    snapshot, place = directory.read(), directory.path
    if not snapshot.complete:
        raise SharingError(f"{memory_dir} holds too many files to be shared", hint="Is it a memory directory?")
    texts = {within(path): there.text for path, there in snapshot.topics.items() if is_team(path)}
    names = {within(name) for name in snapshot.names if is_team(name)}
    if snapshot.team_index is not None:
        texts[INDEX] = snapshot.team_index
    gone = set() if (place / FOLDER).is_dir() and not (place / FOLDER).is_symlink() else set(base)
    hidden = {path for path in base if path not in texts and inspect_target(place, beyond(path))}
    waiting = {within(file.path) for one in supervisor.ledger.held(str(memory_dir)) if one.row.kind is Kind.TEAM for file in one.files}
    return Here(texts, frozenset({*names, *hidden} - texts.keys() | waiting), frozenset({*gone, *({INDEX} - texts.keys())}))


class _Exchange:
    """The exchange of one memory directory, try by try."""

    def __init__(self, supervisor: Supervisor, repository: Repository, memory_dir: Path) -> None:
        self._supervisor, self._repository, self._memory_dir = supervisor, repository, memory_dir
        self._directory: MemoryDirectory = supervisor.directory(memory_dir)
        self._bringing = Bringing(supervisor, self._directory, str(memory_dir), repository)
        self._brought: list[Brought] = []
        self._sent: set[str] = set()
        self._withheld: dict[str, str] = {}
        self._refused: dict[str, str] = {}
        self._problem = ""

    def once(self) -> bool:
        """Make one try; return whether it is the last."""
        repository, self._problem = self._repository, ""
        try:
            there = repository.fetch()
            unreachable = ""
        except UnreachableError as error:
            there, unreachable = repository.there(), f"{error.message} → {error.hint}"
        with self._directory.lock(LOCK_SECONDS):
            commit = self._in_step(there)
        self._problem = unreachable
        if commit is None or commit == there or unreachable:
            return True
        before = repository.tree(there)
        if problem := repository.push(commit):
            self._problem = f"{repository.remote.shown} did not take it: {problem}"
            return False
        after = repository.tree(commit)
        self._sent |= {path for path in {*before, *after} if before.get(path) != after.get(path)}
        return True

    def result(self) -> Synced:
        return Synced(
            self._repository.remote.shown,
            tuple(self._brought),
            tuple(sorted(self._sent - {INDEX})),
            self._withheld,
            self._refused,
            self._problem,
        )

    def _in_step(self, there: str | None) -> str | None:
        """Bring memory here and what the remote had together; return the commit that says so, None if there is nothing at all."""
        repository = self._repository
        self._finish()
        synced = repository.synced()
        mine = self._committed(synced)
        if there is None or (mine is not None and repository.descends(mine, there)):
            goal = mine
        elif mine is None or repository.descends(there, mine):
            goal = there
        else:
            goal = self._merged(mine, there)
        if goal is not None and goal != mine:
            self._brought += self._bringing.bring(mine, goal)
            repository.set_synced(goal)
        if repository.upcoming() is not None:
            repository.forget_upcoming()
        self._refused = faults(repository.tree(goal))
        return goal

    def _finish(self) -> None:
        """Finish what an interrupted sync began."""
        upcoming = self._repository.upcoming()
        if upcoming is not None:
            if self._bringing.was_brought(upcoming):
                self._bringing.bring_left(upcoming)
                self._repository.set_synced(upcoming)
            self._repository.forget_upcoming()
        elif (synced := self._repository.synced()) is not None:
            self._bringing.bring_left(synced)

    def _committed(self, synced: str | None) -> str | None:
        """Commit what lies here and note it as shared last; return the commit."""
        repository = self._repository
        base = repository.tree(synced)
        found: Local = local(here(self._supervisor, self._memory_dir, base), base, repository.blob)
        self._withheld = found.withheld
        if found.tree == base:
            return synced
        commit = repository.commit(found.tree, *([synced] if synced else []))
        repository.set_synced(commit)
        return commit

    def _merged(self, mine: str, there: str) -> str:
        repository = self._repository
        ours, theirs = repository.tree(mine), repository.tree(there)
        both = merged(repository.tree(repository.fork(mine, there)), ours, theirs, repository.blob)
        return there if both == theirs else repository.commit(both, mine, there)


def _unwritten(text: str) -> Blob:
    """Return a file of a tree without writing it: to be compared only."""
    data = text.encode("utf-8")
    return Blob("100644", hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest(), text)
