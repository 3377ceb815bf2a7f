"""What is there: which kind of service supervision, and our service in it.

Owns: asking ``systemctl --user`` and ``launchctl``, and looking at the files. It changes nothing.
"""

from __future__ import annotations

import enum
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from extractord.system.unsupported import NotHereError

UNIT = "extractord.service"
LABEL = "local.extractord"
ASK_SECONDS = 20.0
NULL = Path(os.devnull)


class Init(enum.Enum):
    """What keeps services of a person running."""

    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Asked:
    """How a question to the system ended; ``status`` is 127 where the program is missing."""

    status: int
    said: str


@dataclass(frozen=True, slots=True)
class Found:
    """The service as it is."""

    init: Init
    file: Path  # of the unit or launch agent; need not exist
    text: str | None = None  # what the file says; None: there is none
    why_none: str = ""  # for ``Init.NONE``
    where: str = ""  # "WSL", "a container", "" for neither
    active: bool = False
    enabled: bool = False
    lingers: bool | None = None  # whether it outlives the login; None: not known
    masked: bool = False
    domain: str = ""  # of launchd, "gui/501"

    @property
    def installed(self) -> bool:
        return self.text is not None


def look(platform: str, environ: Mapping[str, str], home: Path) -> Found:
    """Look at the service of this person."""
    if platform == "darwin":
        return _launchd(environ, home)
    file = _user_units(environ, home) / UNIT
    text, masked = _read(file), file.is_symlink() and file.resolve() == NULL
    reached = ask(("systemctl", "--user", "show", "--property=Version"), environ)
    if reached.status:
        why = "there is no systemctl" if reached.status == 127 else reached.said or f"systemctl --user ends with {reached.status}"
        return Found(Init.NONE, file, text, why, _where())
    return Found(
        Init.SYSTEMD,
        file,
        text,
        active=not ask(("systemctl", "--user", "is-active", "--quiet", UNIT), environ).status,
        enabled=not ask(("systemctl", "--user", "is-enabled", "--quiet", UNIT), environ).status,
        lingers=_lingers(environ),
        masked=masked,
    )


def ask(argv: tuple[str, ...], environ: Mapping[str, str]) -> Asked:
    """Ask a program of the system; the last line of what it said on stderr, else stdout, is kept."""
    try:
        done = subprocess.run(argv, env=reachable(environ), stdin=subprocess.DEVNULL, capture_output=True, timeout=ASK_SECONDS, check=False)
    except (FileNotFoundError, PermissionError, NotADirectoryError):
        return Asked(127, f"there is no {argv[0]}")
    except subprocess.TimeoutExpired:
        return Asked(124, f"{argv[0]} did not answer in {ASK_SECONDS:.0f} s")
    said = (done.stderr.strip() or done.stdout.strip()).decode("utf-8", "replace")
    return Asked(done.returncode, said.splitlines()[-1] if said else "")


def reachable(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with which systemd's user instance is found also after ``su`` and ``ssh``, which may set none."""
    if sys.platform == "win32":
        raise NotHereError
    usual = Path(f"/run/user/{os.getuid()}")
    return {**({"XDG_RUNTIME_DIR": str(usual)} if usual.is_dir() else {}), **environ}


def _user_units(environ: Mapping[str, str], home: Path) -> Path:
    named = environ.get("XDG_CONFIG_HOME", "")
    return (Path(named) if named.startswith("/") else home / ".config") / "systemd" / "user"


def _launchd(environ: Mapping[str, str], home: Path) -> Found:
    if sys.platform == "win32":
        raise NotHereError
    file = home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    domain = f"gui/{os.getuid()}"
    if shutil.which("launchctl", path=environ.get("PATH")) is None:
        return Found(Init.NONE, file, _read(file), "there is no launchctl")
    if (reached := ask(("launchctl", "print", domain), environ)).status:
        return Found(Init.NONE, file, _read(file), f"nobody is logged in at the screen ({reached.said})")
    loaded = not ask(("launchctl", "print", f"{domain}/{LABEL}"), environ).status
    return Found(Init.LAUNCHD, file, _read(file), active=loaded, enabled=loaded, domain=domain)


def _lingers(environ: Mapping[str, str]) -> bool | None:
    if sys.platform == "win32":
        raise NotHereError
    answer = ask(("loginctl", "show-user", str(os.getuid()), "--property=Linger", "--value"), environ)
    return {"yes": True, "no": False}.get(answer.said) if answer.status == 0 else None


def _read(file: Path) -> str | None:
    try:
        return file.read_text("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:  # there, but not to be read: as good as a wrong one
        return ""


def _where() -> str:
    try:
        kernel = Path("/proc/sys/kernel/osrelease").read_text().lower()
    except OSError:
        kernel = ""
    if "microsoft" in kernel:
        return "WSL"
    marks = (Path("/.dockerenv"), Path("/run/.containerenv"))
    return "a container" if any(mark.exists() for mark in marks) or "container" in os.environ else ""
