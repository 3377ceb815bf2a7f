"""The files that describe the service, and words for people about it.

Owns: rendering unit and launch agent from the shipped templates, reading the program back out of one, and what to do where
there is no user service. Pure but for reading the templates.
"""

from __future__ import annotations

import plistlib
import re
import shlex
from functools import cache
from importlib.resources import files
from pathlib import Path
from xml.parsers.expat import ExpatError

from extractord.service.found import LABEL, UNIT, Init
from extractord.service.wanted import Wanted

LOG = "daemon.log"  # of launchd, in the state folder; systemd has its journal
_EXEC = re.compile(r"^ExecStart=.*$", re.MULTILINE)
_CONDITION = re.compile(r"^ConditionFileIsExecutable=.*$", re.MULTILINE)
_HEADER = re.compile(r"\A(?:#.*\n)+")


def rendered(init: Init, wanted: Wanted) -> str:
    """Return the file that describes the service; for ``Init.NONE`` the unit, to be looked at."""
    return launch_agent(wanted) if init is Init.LAUNCHD else unit(wanted)


def unit(wanted: Wanted) -> str:
    """Return the systemd user unit."""
    program = _specifiers(str(wanted.executable))
    start = f'ExecStart="{program}" run' if re.search(r"\s", program) else f"ExecStart={program} run"
    lines = [start, *(f"Environment={_quoted(f'{name}={value}')}" for name, value in wanted.environment)]
    text = _HEADER.sub(
        "# Written by `extractord install`; `extractord uninstall` removes it. Add your own settings with\n"
        f"# `systemctl --user edit {UNIT}`.\n",
        template(UNIT),
    )
    text = _EXEC.sub(lambda _: "\n".join(lines), text, count=1)
    return _CONDITION.sub(lambda _: f"ConditionFileIsExecutable={program}", text, count=1)


def launch_agent(wanted: Wanted) -> str:
    """Return the launchd property list."""
    agent = plistlib.loads(template(f"{LABEL}.plist").encode())
    log = str(wanted.state / LOG)
    agent["ProgramArguments"] = [str(wanted.executable), "run"]
    agent["KeepAlive"]["PathState"] = {str(wanted.executable): True}
    agent |= {"StandardOutPath": log, "StandardErrorPath": log}
    if wanted.environment:
        agent["EnvironmentVariables"] = dict(wanted.environment)
    return plistlib.dumps(agent, sort_keys=False).decode()


def program_of(init: Init, text: str) -> Path | None:
    """Return the program that a unit or launch agent starts; None where that cannot be told."""
    if init is Init.LAUNCHD:
        try:
            argv = plistlib.loads(text.encode())["ProgramArguments"]
        except (ValueError, KeyError, TypeError, ExpatError):
            return None
    else:
        found = _EXEC.search(text)
        try:
            argv = shlex.split(found[0].partition("=")[2].replace("%%", "%")) if found else []
        except ValueError:
            return None
    return Path(argv[0]) if isinstance(argv, list) and argv and isinstance(argv[0], str) else None


@cache
def template(name: str) -> str:
    """Return a template that is shipped with the package."""
    return (files("extractord.service") / "templates" / name).read_text("utf-8")


def elsewhere(executable: Path, where: str) -> str:
    """Return what a person can do without a user service; ``where`` is what this place looks like."""
    program = shlex.quote(str(executable))
    lines = [
        f"Here and now, in the foreground:  {program} run",
        f"At each boot, by cron:            (crontab -l; echo '@reboot {program} run') | crontab -",
        f"At login, by your shell's profile: pgrep -u \"$USER\" -f 'extractord run' >/dev/null || nohup {program} run >/dev/null 2>&1 &",
    ]
    if where == "WSL":
        lines.append("For the service itself: put `systemd=true` below `[boot]` in /etc/wsl.conf, then `wsl --shutdown`, and install again")
    return "\n    ".join(lines)


def _specifiers(text: str) -> str:
    return text.replace("%", "%%")


def _quoted(assignment: str) -> str:
    return '"' + _specifiers(assignment).replace("\\", "\\\\").replace('"', '\\"') + '"'
