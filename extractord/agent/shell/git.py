"""git: from the words after it to an argv that reads the project's repository, runs nothing else and shows no secret file.

Owns: what revisions, objects and paths may be, and leaving secret files out of patches. A patch shows whatever a commit
touched, so git is asked first which paths those are; those that bear secrets are then excluded by name, from the very same
commits. Leaves the tables to ``git_tables``, shutting side doors to ``repository``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from extractord.agent.policy import Kind, rule_text
from extractord.agent.protocol import Decision
from extractord.agent.shell.git_tables import LIMITS, SUBCOMMANDS, WITHOUT_PATCH, Operands, Subcommand
from extractord.agent.shell.grammar import CommandRefusedError
from extractord.agent.shell.judging import Judge
from extractord.agent.shell.options import Given, Read, read
from extractord.agent.shell.repository import GitFailedError, Repository, is_hidden, open_repository, tree_path
from extractord.redact import redact

COMMITS = 500  # of one log with patches
_FORMATS = frozenset({"oneline", "short", "medium", "full", "fuller", "reference", "email", "mboxrd", "raw"})
# %G? runs a program; %(…) can ask for anything; %<, %>, %w and %f cut a message up, and a secret in it.
_UNSAFE = re.compile(r"%[-+ ]?[G(<>wf]")
_SUFFIX = re.compile(r"\^(?:!|@|-\d*)$")
_RANGE = re.compile(r"(?<!\.)\.{2,3}(?!\.)")
_OBJECT = re.compile(r"((?:[^:{]|\{[^}]*\})+):(.+)")
_WILD = frozenset("*?[")
_HASH = re.compile(rb"[0-9a-f]{40,64}")
_EVERYTHING = ":(top)"
_BY_WORD = ("word-diff", "color-words")
_OF_COMMITS = ("contains", "no-contains", "merged", "no-merged")


def arguments(words: Sequence[str], judge: Judge) -> list[str]:
    """Return git's arguments for ``words``. Raises CommandRefusedError, GitFailedError."""
    rest = [word for place, word in enumerate(words) if not (place == 0 and word == "--no-pager")]
    if not rest or rest[0] not in SUBCOMMANDS:
        raise CommandRefusedError(f"git {rest[0][:40] if rest else ''} is not offered; there are {' '.join(sorted(SUBCOMMANDS))}")
    name, subcommand = rest[0], SUBCOMMANDS[rest[0]]
    asked = read(f"git {name}", rest[1:], subcommand.options)
    if name == "status" and asked.has("z"):
        asked = Read((*asked.options, Given("porcelain")), asked.operands, asked.before_dashes)
    for value in asked.values("format", "pretty"):
        _judge_format(value)
    repository = open_repository(judge)
    return [*repository.globals_, name, *_Call(name, subcommand, asked, repository, judge).words()]


def _judge_format(value: str) -> None:
    known = not value or value in _FORMATS or "%" in value or value.startswith(("format:", "tformat:"))
    if not known or _UNSAFE.search(value):
        raise CommandRefusedError("git: a format of that name, or with a signature, %(…), %<, %>, %w or %f, is not offered")


@dataclass(frozen=True, slots=True)
class _Call:
    """One call of a subcommand."""

    name: str
    subcommand: Subcommand
    asked: Read
    repository: Repository
    judge: Judge

    def words(self) -> list[str]:
        """Return the words after the subcommand."""
        match self.subcommand.operands:
            case Operands.HISTORY:
                revisions, paths = self._told_apart()
                return [*self._options(), *(revisions or ["HEAD"]), "--", *paths]
            case Operands.COMMITS:
                return self._log()
            case Operands.OBJECTS:
                return self._show()
            case Operands.COMPARISON:
                return self._diff()
            case Operands.ONE_FILE:
                return self._blame()
            case Operands.PATHS:
                return [*self._options(), "--", *map(self._pathspec, self.asked.operands)]
            case Operands.PATTERNS:
                return self._list()
            case Operands.REVISIONS:
                return [*self._options(), *self._revisions()]

    def _options(self, options: Iterable[Given] | None = None) -> list[str]:
        """Return options as words, with what must come last."""
        chosen = self.asked.options if options is None else options
        return [*(word for given in chosen for word in given.words()), *self.subcommand.last]

    # --- what operands are

    def _commit(self, text: str) -> str | None:
        """Return the commit that ``text`` names, None if it names none."""
        if not text or text.startswith(("-", ":")) or _OBJECT.fullmatch(text):
            return None
        said = self.repository.query("rev-parse", "--verify", "--quiet", f"{text}^{{commit}}") or b""
        return said.decode().strip() if _HASH.fullmatch(said.strip()) else None

    def _is_revision(self, text: str) -> bool:
        """Return whether ``text`` is a commit, or a range between commits."""
        plain = _SUFFIX.sub("", text.removeprefix("^"))
        ends = _RANGE.split(plain) if "{" not in plain else [plain]
        return len(ends) <= 2 and any(ends) and all(self._commit(end or "HEAD") for end in ends)

    def _told_apart(self) -> tuple[list[str], list[str]]:
        """Return the revisions, and the paths as pathspecs."""
        operands, dashes = self.asked.operands, self.asked.before_dashes
        if dashes is None:
            dashes = next((i for i, operand in enumerate(operands) if not self._is_revision(operand)), len(operands))
            for path in operands[dashes:]:
                if not path.startswith((":", "-")) and not _WILD & set(path) and self.judge.path(path).kind is Kind.MISSING:
                    raise GitFailedError(f"{path[:80]} is neither a revision nor a path here; write -- before a path that is gone")
        revisions = list(operands[:dashes])
        for revision in revisions:
            if not self._is_revision(revision):
                raise CommandRefusedError(f"git: {revision[:80]} is no revision (of a commit)")
        return revisions, list(map(self._pathspec, operands[dashes:]))

    def _pathspec(self, text: str) -> str:
        """Return ``text`` as a pathspec that means that path, or those names, below the project and nothing else."""
        if text.startswith((":", "-")):
            raise CommandRefusedError("git: a pathspec that begins with : or - is not offered")
        if _WILD & set(text):
            if rule_text(text).decision is Decision.DENIED or text.startswith("/") or ".." in text.split("/"):
                raise CommandRefusedError("git: that pattern of paths is not offered")
            return f":(top){text}"
        path = tree_path(self.judge, text)
        return f":(top,literal){path}" if path else _EVERYTHING

    def _object(self, text: str) -> str | None:
        """Return ``REV:path`` with the path judged, None if ``text`` is no such thing."""
        if not (found := _OBJECT.fullmatch(text)):
            return None
        path = os.path.normpath(found[2])
        if rule_text(found[2]).decision is Decision.DENIED or path.startswith(("/", "..")) or is_hidden(self.judge, path):
            raise CommandRefusedError(f"git: {text[:80]}: outside the project, or a file that bears secrets by its name")
        commit = self._commit(found[1])
        if commit is None:
            raise CommandRefusedError(f"git: {found[1][:80]} is no revision (of a commit)")
        return f"{found[1]}:{'' if path == '.' else path}"

    def _objects(self) -> list[str]:
        """Return the operands as objects in commits, [] if the first is none; a mixture is refused."""
        objects = [self._object(text) for text in self.asked.operands]
        plain = [text for text in objects if text is not None]
        if plain and len(plain) != len(objects):
            raise CommandRefusedError("git: REV:path together with other operands is not offered")
        return plain

    def _revisions(self) -> list[str]:
        if objects := self._objects():
            return objects
        revisions, paths = self._told_apart()
        if paths:
            raise CommandRefusedError(f"git {self.name} takes revisions")
        return revisions

    # --- subcommands that show patches

    def _hidden_among(self, said: bytes | None, *, paths: Sequence[str]) -> list[str]:
        """Return pathspecs: those asked for, without the paths in ``said`` (ended by NUL) that are never shown."""
        found = {name.lstrip("\n") for name in (said or b"").decode("utf-8", "surrogateescape").split("\0")}
        hidden = sorted(name for name in found if name and is_hidden(self.judge, name))
        if not hidden:
            return list(paths)
        self.judge.remarks.append(f"({len(hidden)} files that bear secrets were left out)")
        return [*(paths or [_EVERYTHING]), *(f":(top,literal,exclude){name}" for name in hidden)]

    def _names(self, *words: str) -> bytes:
        said = self.repository.query(*words)
        if said is None:
            raise CommandRefusedError("git cannot tell which files that would show")
        return said

    def _patch(self, options: Sequence[str], words: Sequence[str]) -> list[str]:
        """Return options and words of a call that shows patches. Words apart would cut up a secret that a line shows whole."""
        if self.asked.has(*_BY_WORD):
            by_line = [option for option in options if not option.startswith(tuple(f"--{name}" for name in _BY_WORD))]
            if redact(self._names(self.name, *by_line, *words).decode(errors="replace")).found:
                raise CommandRefusedError(f"git {self.name}: a secret is in it, which words would cut up; line by line it is left out")
        return [*options, *words]

    def _diff(self) -> list[str]:
        if objects := self._objects():
            return self._patch(self._options(), ["--no-renames", *objects])
        revisions, paths = self._told_apart()
        compared = [given for given in self.asked.options if given.name in ("cached", "staged", "merge-base")]
        same = [*self._options(compared), "--no-renames", *revisions, "--"]
        said = self._names("diff", "--name-only", "-z", *same, *paths)
        return self._patch(self._options(), ["--no-renames", *revisions, "--", *self._hidden_among(said, paths=paths)])

    def _show(self) -> list[str]:
        if objects := self._objects():
            return [*self._options(), *objects]
        revisions, paths = self._told_apart()
        commits = [self._commit(revision) for revision in revisions or ["HEAD"]]
        if None in commits:
            raise CommandRefusedError("git show takes commits, tags or REV:path; for a range use git log -p")
        listed = [commit for commit in commits if commit]
        # -m: against each parent, which is more than a merge's own patch shows.
        said = self._names("show", "-m", "--name-only", "-z", "--format=%x00", *self.subcommand.last, "--no-renames", *listed, "--", *paths)
        shown = ["--no-renames", *(revisions or ["HEAD"]), "--", *self._hidden_among(said, paths=paths)]
        return self._patch(self._options(), shown)

    def _log(self) -> list[str]:
        revisions, paths = self._told_apart()
        if all(given.name in WITHOUT_PATCH for given in self.asked.options):
            return [*self._options(), *revisions, "--", *paths]
        if self.asked.has("follow", "graph"):
            raise CommandRefusedError("git log: patches together with --follow or --graph are not offered")
        limits = [given for given in self.asked.options if given.name in LIMITS]
        shown = [given for given in self.asked.options if given.name not in LIMITS]
        commits = self._names("log", "--format=%H", *self._options(limits), "-s", *revisions, "--", *paths).decode().split()
        if len(commits) > COMMITS:
            raise CommandRefusedError(f"git log: patches of more than {COMMITS} commits: narrow it with -n, --since or paths")
        if not commits:
            return ["-n0"]
        only = ["--no-walk=unsorted", *commits, "--"]
        said = self._names("log", "--name-only", "-z", "--format=%x00", *self.subcommand.last, "--no-renames", *only, *paths)
        return self._patch(self._options(shown), ["--no-renames", *only, *self._hidden_among(said, paths=paths)])

    # --- the others

    def _blame(self) -> list[str]:
        operands = self.asked.operands
        if not 1 <= len(operands) <= 2:
            raise CommandRefusedError("git blame takes a path, and perhaps a revision before it")
        *revisions, path = operands
        for revision in revisions:
            if not self._commit(revision):
                raise CommandRefusedError(f"git: {revision[:80]} is no revision (of a commit)")
        ignored = self.repository.query("config", "--includes", "-z", "--get-all", "blame.ignoreRevsFile") or b""
        for place in filter(None, os.fsdecode(ignored).split("\0")):
            self.judge.path(place)  # git would quote what is no revision in it
        below = tree_path(self.judge, path)
        if self.asked.has("L"):
            self._judge_whole(revisions, path, below)
        return [*self._options(), *revisions, "--", below]

    def _judge_whole(self, revisions: Sequence[str], path: str, below: str) -> None:
        """Raise CommandRefusedError if the file that is to be shown in parts holds a secret, now or in the revision."""
        self.judge.whole(path, self.judge.path(path))
        for revision in revisions:
            if redact((self.repository.query("show", f"{revision}:{below}") or b"").decode(errors="replace")).found:
                raise CommandRefusedError(f"git blame: {path[:80]} holds a secret there and is not taken apart: leave -L out")

    def _list(self) -> list[str]:
        """Return the words of branch and tag, which make things when they are not told to list."""
        options, operands = [given for given in self.asked.options if given.name not in ("l", "list")], self.asked.operands
        if len(operands) == 1 and options and options[-1].name in _OF_COMMITS and options[-1].value is None:
            options[-1], operands = replace(options[-1], value=operands[0]), ()  # --merged main, which git takes as --merged=main
        if operands and not self.asked.has("l", "list"):
            raise CommandRefusedError(f"git {self.name} with a name makes one; with --list it lists (write --merged=NAME, --contains=NAME)")
        if any(text.startswith("-") for text in operands):
            raise CommandRefusedError("git: a pattern that begins with - is not offered")
        listing = [] if self.asked.has("show-current") else ["--list"]
        return [*listing, *self._options(options), *operands]
