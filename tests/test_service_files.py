"""The files that describe the service are right by themselves: systemd and plistlib agree, no key is in them."""

from __future__ import annotations

import plistlib
import subprocess
from pathlib import Path
from typing import Any

import pytest

from extractord.errors import UsageError
from extractord.service import Init, Wanted, carried_over, rendered
from extractord.service.text import program_of
from tests.needs import Needs

ROOT = Path(__file__).parent.parent
# Keys of launchd.plist(5) that we use, and their types.
AGENT: dict[str, type] = {
    "Label": str,
    "ProgramArguments": list,
    "RunAtLoad": bool,
    "KeepAlive": dict,
    "ThrottleInterval": int,
    "ExitTimeOut": int,
    "ProcessType": str,
    "LowPriorityIO": bool,
    "LowPriorityBackgroundIO": bool,
    "Nice": int,
    "Umask": int,
    "HardResourceLimits": dict,
    "StandardOutPath": str,
    "StandardErrorPath": str,
    "EnvironmentVariables": dict,
}
AWKWARD = ("plain", "with space", "100%h", "Zoë", "a$HOME")


def _wanted(executable: Path, *environment: tuple[str, str]) -> Wanted:
    return Wanted(executable, environment, Path("/home/sam/.local/state/extractord"), "1.0")


def _program(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "extractord"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


def _verify(analyze: Path, unit: Path, runtime: Path) -> subprocess.CompletedProcess[str]:
    runtime.mkdir(exist_ok=True)
    env = {"XDG_RUNTIME_DIR": str(runtime), "HOME": str(runtime), "PATH": "/usr/bin:/bin"}
    return subprocess.run([str(analyze), "verify", "--user", str(unit)], env=env, capture_output=True, text=True, check=False)


def test_the_shipped_unit_is_silent_under_verify(needs: Needs, tmp_path: Path) -> None:
    """systemd-analyze verify --user has nothing to say about systemd/extractord.service as it lies in the clone."""
    done = _verify(needs("systemd-analyze", apt="systemd"), ROOT / "systemd" / "extractord.service", tmp_path / "run")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", AWKWARD)
def test_the_written_unit_is_silent_under_verify(name: str, needs: Needs, tmp_path: Path) -> None:
    """Whatever folder the program and the relocated places lie in, the unit that install writes is right."""
    unit = tmp_path / "extractord.service"
    wanted = _wanted(_program(tmp_path / name), ("CLAUDE_CONFIG_DIR", f'/srv/{name}/a"b\\c'), ("EXTRACTORD_BACKEND", "offline"))
    unit.write_text(rendered(Init.SYSTEMD, wanted))
    done = _verify(needs("systemd-analyze", apt="systemd"), unit, tmp_path / "run")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_verify_would_have_noticed(needs: Needs, tmp_path: Path) -> None:
    """The same check fails for a unit with an unknown key and for one whose program is missing."""
    text = rendered(Init.SYSTEMD, _wanted(_program(tmp_path / "bin")))
    unit = tmp_path / "extractord.service"
    for wrong in (text.replace("Nice=", "Nicer="), text.replace("/extractord run", "/gone run")):
        unit.write_text(wrong)
        done = _verify(needs("systemd-analyze", apt="systemd"), unit, tmp_path / "run")
        assert done.returncode or done.stderr


def test_the_unit_says_what_the_design_asks_for() -> None:
    """Notify, restart with limits and at 75, watchdog, low weights, memory bound, nothing that needs a user namespace."""
    lines = set(rendered(Init.SYSTEMD, _wanted(Path("/opt/x/bin/extractord"))).splitlines())
    assert {"Type=notify", "NotifyAccess=main", "Restart=on-failure", "RestartForceExitStatus=75", "WatchdogSec=5min"} <= lines
    assert {"ExecStart=/opt/x/bin/extractord run", "ConditionFileIsExecutable=/opt/x/bin/extractord", "WantedBy=default.target"} <= lines
    keys = {line.partition("=")[0] for line in lines if "=" in line and not line.startswith("#")}
    assert {"StartLimitBurst", "StartLimitIntervalSec", "CPUWeight", "IOWeight", "Nice", "MemoryMax", "MemoryHigh", "TasksMax"} <= keys
    assert {"NoNewPrivileges", "SystemCallFilter", "RestrictAddressFamilies", "LockPersonality", "UMask"} <= keys
    assert not {"PrivateTmp", "PrivateUsers", "ProtectSystem", "ProtectHome", "ReadWritePaths", "PrivateDevices", "Environment"} & keys


def test_the_unit_leaves_workers_the_calls_they_confine_themselves_with(needs: Needs) -> None:
    """None of the refused groups of system calls holds Landlock's, seccomp, prctl, openat2 or renameat2."""
    analyze = needs("systemd-analyze", apt="systemd")
    text = rendered(Init.SYSTEMD, _wanted(Path("/opt/x")))
    (refused,) = [line.partition("=~")[2].split() for line in text.splitlines() if line.startswith("SystemCallFilter=")]
    groups = [name for name in refused if name.startswith("@")]
    shown = subprocess.run([str(analyze), "syscall-filter", *groups], capture_output=True, text=True, check=True).stdout
    calls = {line.strip() for line in shown.splitlines()} | set(refused)
    needed = {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp", "prctl", "openat2", "renameat2"}
    assert not needed & calls
    assert "mount" in calls, "the groups were listed"


@pytest.mark.parametrize("source", ["shipped", "written"])
def test_the_launch_agent_has_known_keys_of_the_right_types(source: str) -> None:
    """Every key of the property list is launchd's and has launchd's type."""
    agent = _agent(source)
    assert {key: type(value) for key, value in agent.items()} == {key: AGENT[key] for key in agent}
    assert set(AGENT) - set(agent) <= {"EnvironmentVariables"}
    assert agent["KeepAlive"]["SuccessfulExit"] is False
    assert list(agent["KeepAlive"]["PathState"].values()) == [True]
    assert (agent["ProcessType"], agent["RunAtLoad"], agent["LowPriorityIO"]) == ("Background", True, True)
    assert all(isinstance(word, str) for word in agent["ProgramArguments"])


def _agent(source: str) -> dict[str, Any]:
    if source == "shipped":
        (path,) = (ROOT / "launchd").glob("*.plist")
        assert plistlib.loads(path.read_bytes())["Label"] == path.stem
        return dict(plistlib.loads(path.read_bytes()))
    return dict(plistlib.loads(rendered(Init.LAUNCHD, _wanted(Path("/opt/a & b/extractord"), ("EXTRACTORD_BACKEND", "offline"))).encode()))


def test_the_written_launch_agent_names_the_program_and_logs_into_the_state_folder() -> None:
    """Program, the path that keeps it alive, logs and places are those of the install."""
    agent = _agent("written")
    assert agent["ProgramArguments"] == ["/opt/a & b/extractord", "run"]
    assert agent["KeepAlive"]["PathState"] == {"/opt/a & b/extractord": True}
    assert Path(agent["StandardErrorPath"]).parent == Path("/home/sam/.local/state/extractord") == Path(agent["StandardOutPath"]).parent
    assert agent["EnvironmentVariables"] == {"EXTRACTORD_BACKEND": "offline"}


@pytest.mark.parametrize("init", [Init.SYSTEMD, Init.LAUNCHD])
@pytest.mark.parametrize("name", AWKWARD)
def test_the_program_is_read_back_from_what_was_written(name: str, init: Init) -> None:
    """doctor finds the program again, whatever its folder is called."""
    program = Path("/home/sam") / name / "extractord"
    assert program_of(init, rendered(init, _wanted(program))) == program


@pytest.mark.parametrize("init", [Init.SYSTEMD, Init.LAUNCHD])
@pytest.mark.parametrize("text", ["", "nonsense", "[Service]\nExecStart=\n", "<plist/>", '[Service]\nExecStart="a\n', "<?xml"])
def test_a_broken_file_names_no_program(text: str, init: Init) -> None:
    """What cannot be understood is told as such, without an error."""
    assert program_of(init, text) is None


def test_places_of_the_shell_go_into_the_service_and_keys_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relocation and memory switches are carried over, relative places as absolute ones; keys and all else are not."""
    monkeypatch.chdir(tmp_path)
    secret = "-".join(("sk", "ant", "api03", "x" * 20))
    environ = {
        "CLAUDE_CONFIG_DIR": "cfg",
        "EXTRACTORD_STATE_DIR": "/srv/state",
        "EXTRACTORD_BACKEND": "offline",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        "EXTRACTORD_CONFIG": "",
        "ANTHROPIC_API_KEY": secret,
        "ANTHROPIC_AUTH_TOKEN": secret,
        "PATH": "/usr/bin",
    }
    carried = dict(carried_over(environ))
    assert carried == {
        "CLAUDE_CONFIG_DIR": str(tmp_path / "cfg"),
        "EXTRACTORD_STATE_DIR": "/srv/state",
        "EXTRACTORD_BACKEND": "offline",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    }
    for init in (Init.SYSTEMD, Init.LAUNCHD):
        assert secret not in rendered(init, _wanted(Path("/opt/x"), *carried.items()))


def test_a_place_that_no_unit_can_hold_is_refused() -> None:
    """A line break in a value could add lines to a unit; it is refused by name."""
    with pytest.raises(UsageError, match="EXTRACTORD_STATE_DIR"):
        carried_over({"EXTRACTORD_STATE_DIR": "/srv/a\nExecStartPre=/bin/true"})
