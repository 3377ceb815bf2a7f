"""git, called with the person's own credentials on a repository of ours, so that nothing of a repository runs.

Owns: the argv, the environment, the errors. Nothing is ever checked out: files are read from objects and written into objects, so no
filter, attribute or submodule matters, and hooks are looked for in a folder that is none. Leaves what is in the repository to
``repository``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from extractord.errors import ExtractordError, UsageError

SECONDS = 120.0  # of one call
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.alternateRefsCommand=",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "push.recurseSubmodules=no",
    "push.gpgSign=false",
    "push.followTags=false",
    "fetch.writeCommitGraph=false",
    "fetch.fsckObjects=true",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "i18n.commitEncoding=UTF-8",
)
# Of git's variables those by which a person says how to reach a remote, and who they are; the others could name another repository.
_KEPT = re.compile(r"GIT_(?:SSH\w*|ASKPASS|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|SSL_\w+)")
_PROTOCOLS = "file:git:http:https:ssh"  # none that is a program, as ext:: is
_LOCAL_SIDE = "git -c core.hooksPath=/dev/null -c core.fsmonitor=false {}"


class SharingError(ExtractordError):
    """Team memory cannot be exchanged."""


class UnreachableError(SharingError):
    """The remote does not answer; what is here waits."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A remote as the configuration names it."""

    url: str

    @classmethod
    def of(cls, named: str, home: Path) -> Remote:
        """Return the remote named so. Raises UsageError for one that git would take for an option or a program."""
        url = str(home / named[2:]) if named.startswith("~/") else named
        if url.startswith("-") or re.match(r"[\w+.-]*::", url) or any(ord(c) < 32 for c in url) or not url.strip():
            raise UsageError(f"{named!r} is no git remote for team memory", hint="name one by ssh, https or its absolute path")
        if not _is_address(url) and not url.startswith("/"):
            raise UsageError(f"the git remote {named!r} is a relative path", hint="name it by its absolute path")
        return cls(url)

    @property
    def shown(self) -> str:
        """The address without what a person may have put into it to log in."""
        return re.sub(r"(?<=://)[^/@]*@", "", self.url)

    @property
    def is_local(self) -> bool:
        return self.url.startswith(("/", "file:"))


def _is_address(url: str) -> bool:
    return "://" in url or re.match(r"[^/]+:", url) is not None


@dataclass(frozen=True, slots=True)
class Git:
    """git on one repository."""

    folder: Path

    def run(self, *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> bytes:
        """Return what git says. Raises SharingError where it fails."""
        ended = self.ended(*arguments, stdin=stdin, env=env)
        if ended.returncode != 0:
            raise SharingError(
                f"git {arguments[0]} failed in {self.folder}: {_told(ended.stderr)}", hint="Is git whole, and the disk not full?"
            )
        return ended.stdout

    def ended(self, *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
        """Run git to its end. Raises SharingError where it cannot be started or takes too long."""
        settings = tuple(word for setting in _SETTINGS for word in ("-c", setting))
        command = ("git", "--no-pager", f"--git-dir={self.folder}", *settings, *arguments)
        try:
            return subprocess.run(
                command, input=stdin, capture_output=True, env={**environment(), **(env or {})}, cwd="/", timeout=SECONDS, check=False
            )
        except FileNotFoundError as error:
            raise SharingError("git is not installed", hint="Install git: team memory is shared with it.") from error
        except subprocess.TimeoutExpired as error:
            raise UnreachableError(f"git {arguments[0]} took longer than {SECONDS:.0f} s", hint="Try again later.") from error

    def with_remote(self, remote: Remote, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """Run a subcommand that speaks with the remote; the hooks of one on this machine do not run either."""
        name, *rest = arguments
        side = {"push": "receive-pack", "fetch": "upload-pack", "ls-remote": "upload-pack"}[name]
        words = (f"--{side}={_LOCAL_SIDE.format(side)}",) if remote.is_local else ()
        return self.ended(name, *words, *rest)


def environment() -> dict[str, str]:
    """Return the environment for git: the person's own, without what would lead it to another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or _KEPT.fullmatch(name)}
    asks = "1" if sys.stdin is not None and sys.stdin.isatty() else "0"
    return {
        **kept,
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
        "GIT_TERMINAL_PROMPT": asks,
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ATTR_NOSYSTEM": "1",
    }


def told(ended: subprocess.CompletedProcess[bytes]) -> str:
    """Return the last thing that git said about a failure, without a login that stood in an address."""
    return _told(ended.stderr)


def _told(errors: bytes) -> str:
    lines = [line.strip() for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    said = next(
        (line for line in lines if line.startswith(("fatal:", "error:", "remote:", "ssh:"))), lines[-1] if lines else "no reason given"
    )
    return re.sub(r"(?<=://)[^/@\s]*@", "", said)[:200]
