"""The client's program: where it is, how it is called, and the environment it gets, made from nothing.

Owns: the command line that leaves it no tools, no memory, no hooks and no transcript, and the list of what it may see of our
environment. Nothing named ANTHROPIC_* is on it: with a key in sight the client would bill it instead of using the login. The person's
own settings, a gateway among them, are the client's to read.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from extractord.agent.server import NETWORK, read_credentials
from extractord.errors import UsageError

NAME = "claude"
OLDEST = "2.1.197"  # the oldest client that all of this was seen to hold for
GUARD = "EXTRACTORD_OWN_RUN"  # in the environment of our own runs: whoever finds it there leaves them alone
TOKEN = "CLAUDE_CODE_OAUTH_TOKEN"  # noqa: S105 - a variable's name: what `claude setup-token` is for, a subscription without a browser
_PASSED = NETWORK | {"HOME", "USER", "LOGNAME", "TMPDIR", "NODE_EXTRA_CA_CERTS", "CLAUDE_CONFIG_DIR", TOKEN}
_FIXED = {
    "CLAUDE_CODE_MAX_RETRIES": "2",  # it would go on for minutes, also where a login is refused (facts §10.5)
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "16000",  # it thinks first, and that counts
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    GUARD: "1",
}


@dataclass(frozen=True, slots=True)
class ClientTerms:
    """Which client is asked for which model, and where it runs. ``environment`` may hold a token: it is shown nowhere."""

    program: Path
    model: str
    folder: Path
    environment: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(cls, named: str | None, model: str, folder: Path, credentials: Path, environ: Mapping[str, str], home: Path) -> ClientTerms:
        """Return the terms for the client that the configuration names, or that is found. Raises UsageError where there is none."""
        program = found(named, environ, home)
        if program is None:
            where = f"{named} is no program" if named else f"no `{NAME}` is in PATH or where it is usually installed"
            raise UsageError(
                f"backend claude-code: {where}",
                hint='install Claude Code, or name its program: claude = "/path/to/claude" in the configuration',
            )
        return cls(program, model, folder, environment(program, credentials, environ, home))

    def command(self, session: str, system: str) -> tuple[str, ...]:
        """Return the command of one run; what it is about comes on standard input, where no other process sees it."""
        return (
            *(str(self.program), "-p", "--no-session-persistence", "--session-id", session),
            *("--safe-mode", "--tools", "", "--strict-mcp-config", "--setting-sources", "user"),
            *("--max-turns", "1"),  # a model that calls a tool all the same would be asked again without end
            *("--effort", "low", "--model", self.model, "--output-format", "json", "--system-prompt", system),
        )


def found(named: str | None, environ: Mapping[str, str], home: Path) -> Path | None:
    """Return the client's program: the named one, else the one in PATH, else one where its installers put it; None if there is none."""
    if named is not None:
        path = Path(named).expanduser()
        return path if _is_program(path) else None
    if in_path := shutil.which(NAME, path=environ.get("PATH", os.defpath)):
        return Path(in_path).absolute()
    return next(filter(_is_program, usual_places(home)), None)


def usual_places(home: Path) -> Iterator[Path]:
    """Yield where installers put the client: a service has hardly anything in its PATH."""
    yield home / ".local" / "bin" / NAME
    yield home / ".claude" / "local" / NAME
    yield from (Path(folder) / NAME for folder in ("/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"))


def environment(program: Path, credentials: Path, environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return what the client sees of our environment. Of the credentials file only its own token is for it."""
    passed = {name: value for name, value in environ.items() if name in _PASSED or name.upper() in NETWORK}
    own = {name: value for name, value in read_credentials(credentials).items() if name == TOKEN}
    # A client installed by npm is started by the node beside it.
    path = os.pathsep.join((str(program.parent), environ.get("PATH") or os.defpath))
    return {**passed, "HOME": str(home), **own, "PATH": path, **_FIXED}


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
