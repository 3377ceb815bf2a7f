"""Stand-ins for the programs of the system that start services: first in PATH, each records how it was called.

Owns: one small ``systemctl --user`` that knows whether a unit is enabled and runs, and starts what the unit names with a notify
socket as systemd does; one ``launchctl``; one ``loginctl``. They stand for systemd and launchd only, never for us.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

_SYSTEMCTL = """
import os, pathlib, shlex, signal, socket, subprocess, sys
here = pathlib.Path(__file__).parent
words = [word for word in sys.argv[1:] if not word.startswith("--")]
unit = pathlib.Path(os.environ["HOME"]) / ".config/systemd/user/extractord.service"
active, enabled, pid = here / "active", here / "enabled", here / "pid"

def stop():
    if pid.exists():
        os.kill(int(pid.read_text()), signal.SIGTERM)
        pid.unlink()
    active.unlink(missing_ok=True)

def start():
    if active.exists():
        return 0
    if not unit.exists():
        print("Unit extractord.service not found.", file=sys.stderr)
        return 5
    lines = [line.partition("=") for line in unit.read_text().splitlines()]
    program = next(value for key, _, value in lines if key == "ExecStart")
    if not os.access(next(value for key, _, value in lines if key == "ConditionFileIsExecutable"), os.X_OK):
        return 0
    if (here / "starts").exists():
        env = dict(shlex.split(value)[0].split("=", 1) for key, _, value in lines if key == "Environment")
        env |= {"PATH": os.defpath, "HOME": os.environ["HOME"], "NOTIFY_SOCKET": str(here / "notify")}
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
            heard.bind(env["NOTIFY_SOCKET"])
            heard.settimeout(60)
            log = (here / "journal").open("wb")
            argv, quiet = shlex.split(program), subprocess.DEVNULL
            child = subprocess.Popen(argv, env=env, stdin=quiet, stdout=log, stderr=log, start_new_session=True)
            pid.write_text(str(child.pid))
            while b"READY=1" not in heard.recv(4096):
                pass
    if (here / "fails").exists():
        print("Job for extractord.service failed.", file=sys.stderr)
        return 1
    active.touch()
    return 0

match words[0]:
    case "show":
        if (here / "no-bus").exists():
            print("Failed to connect to bus: No medium found", file=sys.stderr)
            sys.exit(1)
    case "is-active":
        sys.exit(0 if active.exists() else 3)
    case "is-enabled":
        sys.exit(0 if enabled.exists() else 1)
    case "enable":
        enabled.touch()
    case "disable":
        enabled.unlink(missing_ok=True)
        stop()
    case "start":
        sys.exit(start())
    case "restart":
        stop()
        sys.exit(start())
"""

_LAUNCHCTL = """
import os, pathlib, plistlib, subprocess, sys
here = pathlib.Path(__file__).parent
loaded = here / "loaded"
match sys.argv[1]:
    case "print":
        sys.exit(0 if "/local." not in sys.argv[2] or loaded.exists() else 113)
    case "bootout":
        sys.exit(0 if loaded.exists() and not loaded.unlink() else 3)
    case "bootstrap":
        agent = plistlib.loads(pathlib.Path(sys.argv[3]).read_bytes())
        loaded.touch()
        if (here / "starts").exists():
            out = open(agent["StandardErrorPath"], "ab")
            env = {"HOME": os.environ["HOME"], "PATH": os.defpath, **agent.get("EnvironmentVariables", {})}
            argv, quiet = agent["ProgramArguments"], subprocess.DEVNULL
            child = subprocess.Popen(argv, env=env, stdin=quiet, stdout=out, stderr=out, start_new_session=True)
            (here / "pid").write_text(str(child.pid))
"""

_LOGINCTL = """
print("no")
"""

_RECORD = """#!{python}
import pathlib, sys
with (pathlib.Path(__file__).parent / "called").open("a") as file:
    file.write(pathlib.Path(__file__).name + " " + " ".join(sys.argv[1:]) + "\\n")
"""


@dataclass(frozen=True, slots=True)
class StandIns:
    """The folder that goes first in PATH."""

    folder: Path

    @classmethod
    def at(cls, folder: Path) -> StandIns:
        folder.mkdir(parents=True)
        for name, body in (("systemctl", _SYSTEMCTL), ("launchctl", _LAUNCHCTL), ("loginctl", _LOGINCTL)):
            program = folder / name
            program.write_text(_RECORD.format(python=sys.executable) + body)
            program.chmod(0o755)
        return cls(folder)

    @property
    def called(self) -> list[str]:
        """Each call that changes something, as it was typed."""
        asking = (" show", " is-active --quiet", " is-enabled", " show-user", " print ")
        record = self.folder / "called"
        lines = record.read_text().splitlines() if record.exists() else []
        return [line for line in lines if not any(word in line for word in asking)]

    def forget(self) -> None:
        (self.folder / "called").unlink(missing_ok=True)

    def mark(self, name: str) -> None:
        """Make the stand-in behave otherwise: ``no-bus``, ``fails``, ``starts``."""
        (self.folder / name).touch()

    @property
    def active(self) -> bool:
        return (self.folder / "active").exists()

    @property
    def enabled(self) -> bool:
        return (self.folder / "enabled").exists()


def console_script(folder: Path) -> Path:
    """Make the program that an installer makes of us, in a folder of its own."""
    folder.mkdir(parents=True)
    program = folder / "extractord"
    clone = str(Path(__file__).parent.parent)
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {clone!r})\nfrom extractord.__main__ import main\nmain()\n")
    program.chmod(0o755)
    return program
