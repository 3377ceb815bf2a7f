"""The repository in the state folder through which team memory goes to the remote and comes from it.

Owns: its place and refs, reading the files of a commit, writing commits, fetching and pushing. It has no work tree. Leaves what is in
a commit to ``tree``, when what is done to ``sync``.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from extractord.durable import FileLock, make_private_folder, write_atomically
from extractord.memory.backup import key_of
from extractord.memory.directory import Step, no_step
from extractord.sharing.git import Git, Remote, SharingError, UnreachableError, told
from extractord.sharing.tree import LIMITS, Blob, Tree

BRANCH = "refs/heads/extractord-team"
FOLDER = "team"  # in the state folder
_SYNCED, _NEXT, _THERE = "refs/extractord/synced", "refs/extractord/next", "refs/extractord/there"
_NOBODY = {"NAME": "extractord", "EMAIL": "extractord@localhost"}
_ABSENT = 2  # how ls-remote --exit-code says that there is no such ref
_MESSAGE = b"Team memory\n"


@dataclass(frozen=True, slots=True)
class Repository:
    """One remote's repository for one memory directory. ``step`` is called with a name before each change of it."""

    folder: Path
    remote: Remote
    step: Step = no_step

    @classmethod
    def of(cls, state: Path, memory_dir: Path, remote: Remote, step: Step = no_step) -> Repository:
        """Return the repository, which need not exist. Another remote has another one: what was shared with these is not for those."""
        named = hashlib.sha256(remote.url.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return cls(state / FOLDER / f"{key_of(memory_dir)}-{named}", remote, step)

    @property
    def git(self) -> Git:
        return Git(self.folder)

    @property
    def exists(self) -> bool:
        return self.folder.is_dir()

    @contextlib.contextmanager
    def held(self, wait_seconds: float) -> Iterator[None]:
        """Hold the repository for one sync, and make it if it is missing. Raises BusyError, SharingError."""
        make_private_folder(self.folder.parent)
        with FileLock(self.folder.with_suffix(".lock")).hold(wait_seconds):
            self._make()
            for stale in self.folder.rglob("*.lock"):  # of a git that was killed: nobody else is at it now
                stale.unlink(missing_ok=True)
            yield

    def _make(self) -> None:
        if self.exists:
            return
        fresh = self.folder.with_suffix(".new")
        shutil.rmtree(fresh, ignore_errors=True)
        self.step("make the repository")
        fresh.mkdir(mode=0o700)
        git = Git(fresh)
        git.run("init", "-q", "--bare", "--template=", "--object-format=sha1", str(fresh))
        url = self.remote.url.replace("\\", "\\\\").replace('"', '\\"')
        config = f'[core]\n\trepositoryformatversion = 0\n\tbare = true\n[remote "origin"]\n\turl = "{url}"\n'
        write_atomically(fresh / "config", config.encode("utf-8", "surrogatepass"))
        fresh.replace(self.folder)

    # --- refs

    def synced(self) -> str | None:
        """Return the commit whose files the memory directory last had, None before the first sync."""
        return self._ref(_SYNCED)

    def upcoming(self) -> str | None:
        """Return the commit that a sync was bringing into the memory directory when it was interrupted."""
        return self._ref(_NEXT)

    def there(self) -> str | None:
        """Return what the remote had when it was last asked."""
        return self._ref(_THERE)

    def set_synced(self, commit: str) -> None:
        self._set(_SYNCED, commit)

    def set_upcoming(self, commit: str) -> None:
        self._set(_NEXT, commit)

    def forget_upcoming(self) -> None:
        self.step(f"drop {_NEXT}")
        self.git.run("update-ref", "-d", _NEXT)

    def _ref(self, name: str) -> str | None:
        if not self.exists:
            return None
        ended = self.git.ended("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return ended.stdout.decode().strip() or None if ended.returncode == 0 else None

    def _set(self, name: str, commit: str) -> None:
        self.step(f"set {name}")
        self.git.run("update-ref", name, commit)

    # --- commits

    def tree(self, commit: str | None) -> Tree:
        """Return the files of a commit, without the texts of those that are far too large; none for None."""
        if commit is None:
            return {}
        listed = [entry for entry in self.git.run("ls-tree", "-r", "-z", "-l", "--full-tree", commit).split(b"\0") if entry]
        if len(listed) > LIMITS.files:
            raise SharingError(f"{self.remote.shown} holds more than {LIMITS.files} files", hint="Is it a remote for team memory?")
        found: Tree = {}
        for entry in listed:
            about, _, path = entry.partition(b"\t")
            mode, kind, name, size = about.decode().split()
            small = kind == "blob" and int(size) <= LIMITS.file_bytes
            found[os.fsdecode(path)] = Blob(mode, name, None, "no plain file, or far too large" if not small else "")
        return self._with_texts(found)

    def _with_texts(self, found: Tree) -> Tree:
        wanted = list(dict.fromkeys(blob.name for blob in found.values() if not blob.reason and blob.mode.startswith("100")))
        said = self.git.run("cat-file", "--batch", stdin="".join(f"{name}\n" for name in wanted).encode()) if wanted else b""
        texts: dict[str, bytes] = {}
        for name in wanted:
            head, _, rest = said.partition(b"\n")
            size = int(head.split()[2])
            texts[name], said = rest[:size], rest[size + 1 :]
        return {path: blob.with_data(texts.get(blob.name)) for path, blob in found.items()}

    def blob(self, text: str) -> Blob:
        """Write a text and return it as a file of a tree."""
        data = text.encode("utf-8")
        name = self.git.run("hash-object", "-w", "--stdin", "-t", "blob", "--no-filters", stdin=data).decode().strip()
        return Blob("100644", name, text)

    def commit(self, tree: Mapping[str, Blob], *parents: str) -> str:
        """Write a commit with these files."""
        self.step("write a commit")
        index = {"GIT_INDEX_FILE": str(self.folder / "index.tmp")}
        (self.folder / "index.tmp").unlink(missing_ok=True)
        lines = b"".join(f"{blob.mode} {blob.name}\t".encode() + os.fsencode(path) + b"\0" for path, blob in sorted(tree.items()))
        self.git.run("update-index", "--add", "-z", "--index-info", stdin=lines, env=index)
        written = self.git.run("write-tree", env=index).decode().strip()
        (self.folder / "index.tmp").unlink(missing_ok=True)
        words = [word for parent in parents for word in ("-p", parent)]
        return self.git.run("commit-tree", written, *words, stdin=_MESSAGE, env=self._who()).decode().strip()

    def _who(self) -> dict[str, str]:
        """Return the names for a person that git does not know; others are the person's own."""
        known = self.git.ended("var", "GIT_COMMITTER_IDENT").returncode == 0
        return {} if known else {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in _NOBODY.items()}

    def descends(self, commit: str, from_: str) -> bool:
        """Whether ``from_`` is ``commit`` or comes before it."""
        return self.git.ended("merge-base", "--is-ancestor", from_, commit).returncode == 0

    def fork(self, one: str, other: str) -> str | None:
        """Return the newest commit that both come from."""
        ended = self.git.ended("merge-base", one, other)
        return ended.stdout.decode().split()[0] if ended.returncode == 0 else None

    def author(self, commit: str) -> str:
        """Return the name of who made a commit."""
        return self.git.run("show", "-s", "--format=%an", "--no-show-signature", commit).decode("utf-8", "replace").strip()

    def moment(self, commit: str) -> float:
        """Return when a commit was made, seconds since the epoch."""
        return float(self.git.run("show", "-s", "--format=%ct", "--no-show-signature", commit))

    # --- the remote

    def fetch(self) -> str | None:
        """Fetch what the remote has and return its commit, None if it has none yet. Raises UnreachableError, SharingError."""
        asked = self.git.with_remote(self.remote, "ls-remote", "--exit-code", "origin", BRANCH)
        if asked.returncode == _ABSENT:
            return None
        if asked.returncode != 0:
            raise self._unreachable(asked)
        commit = asked.stdout.split()[0].decode()
        if self.there() != commit:
            self.step("fetch")
            brought = self.git.with_remote(
                self.remote, "fetch", "-q", "--no-tags", "--no-write-fetch-head", "origin", f"+{BRANCH}:{_THERE}"
            )
            if brought.returncode != 0:
                raise self._unreachable(brought)
            return self.there()
        return commit

    def push(self, commit: str) -> str:
        """Push a commit; return "" or why the remote did not take it: somebody else was first, or it refuses."""
        self.step("push")
        ended = self.git.with_remote(self.remote, "push", "-q", "--no-verify", "--no-follow-tags", "origin", f"{commit}:{BRANCH}")
        if ended.returncode == 0:
            self._set(_THERE, commit)
            return ""
        return told(ended)

    def _unreachable(self, ended: subprocess.CompletedProcess[bytes]) -> UnreachableError:
        return UnreachableError(
            f"{self.remote.shown} cannot be reached: {told(ended)}", hint="What is here waits; run `extractord team sync` again later."
        )
