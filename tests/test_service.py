"""install and uninstall: what they do is shown first, the same again does no harm, and what is half there goes away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from extractord import __version__
from extractord.claude_home import Surroundings
from extractord.cli import installing
from extractord.config import Locations
from extractord.errors import UsageError
from extractord.report.status import running_pid
from extractord.service import Init, ServiceError, Wanted, carry_out, install_plan, look, rendered, uninstall_plan
from tests.command import extractord
from tests.homes import SAYINGS, Home
from tests.stand_ins import StandIns, console_script

UNIT = ".config/systemd/user/extractord.service"
FIRST = [
    "systemctl --user daemon-reload",
    "systemctl --user enable extractord.service",
    "systemctl --user reset-failed extractord.service",
    "systemctl --user start extractord.service",
    "systemctl --user is-active extractord.service",
]
AGAIN = [call.replace("start", "restart") for call in FIRST]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home(tmp_path)


@pytest.fixture
def system(home: Home) -> Iterator[StandIns]:
    """The stand-ins; what they started ends with the test."""
    stand_ins = StandIns.at(home.root / "stand-ins")
    yield stand_ins
    pid = stand_ins.folder / "pid"
    if pid.exists():
        os.kill(int(pid.read_text()), signal.SIGKILL)


def _environ(home: Home, system: StandIns) -> dict[str, str]:
    return {"PATH": f"{system.folder}{os.pathsep}{os.defpath}", **home.env()}


def _machine(home: Home, system: StandIns, platform: str = "linux") -> installing.Machine:
    """A machine whose extractord is a program that stays."""
    environ = _environ(home, system)
    return installing.Machine(Path("/usr/bin/env"), Path("/usr"), Surroundings(environ, home.root, platform), Locations.of(environ))


def test_install_writes_enables_starts_and_looks(home: Home, system: StandIns, capsys: pytest.CaptureFixture[str]) -> None:
    """The unit lies where systemd looks, and systemctl is called in this order; each step is shown, nothing on stdout."""
    machine = _machine(home, system)
    assert installing.install(machine) == 0
    assert (home.root / UNIT).read_text() == rendered(Init.SYSTEMD, machine.wanted)
    assert (system.called, system.active, system.enabled) == (FIRST, True, True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert str(home.root / UNIT) in shown.err
    assert all(call in shown.err for call in FIRST)
    assert "enable-linger" in shown.err, "the stand-in says Linger=no"


def test_install_again_leaves_the_running_daemon_alone(home: Home, system: StandIns) -> None:
    """A second install writes nothing and restarts nothing."""
    machine = _machine(home, system)
    installing.install(machine)
    before = (home.root / UNIT).stat()
    system.forget()
    assert installing.install(machine) == 0
    after = (home.root / UNIT).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert system.called == FIRST


def test_a_changed_unit_restarts_the_daemon(home: Home, system: StandIns) -> None:
    """After an upgrade that changes the unit, or another place in the shell, the daemon is started anew."""
    installing.install(_machine(home, system))
    (home.root / UNIT).write_text("[Service]\nExecStart=/old/extractord run\n")
    system.forget()
    installing.install(_machine(home, system))
    assert system.called == AGAIN
    assert "/old/" not in (home.root / UNIT).read_text()


def test_a_daemon_of_another_version_is_restarted(home: Home, system: StandIns) -> None:
    """The plan restarts a daemon that still runs from before an upgrade although the unit is the same."""
    machine = _machine(home, system)
    installing.install(machine)
    found = look("linux", machine.surroundings.environ, home.root)
    steps = {
        running: [str(step) for step in install_plan(found, machine.wanted, running).steps] for running in ("0.0.1", __version__, None)
    }
    assert "run systemctl --user restart extractord.service" in steps["0.0.1"]
    assert "run systemctl --user start extractord.service" in steps[__version__]
    assert steps[__version__] == steps[None]


def test_a_start_that_fails_is_told_with_the_way_to_its_reason(home: Home, system: StandIns) -> None:
    """What systemctl said and where the journal is come with status 1."""
    system.mark("fails")
    with pytest.raises(ServiceError, match=r"start extractord.service` failed.*Job for") as raised:
        installing.install(_machine(home, system))
    assert "journalctl --user" in raised.value.hint
    assert raised.value.exit_status == 1


def test_a_condition_that_does_not_hold_is_no_success(home: Home, system: StandIns) -> None:
    """systemctl start ends with 0 where a condition fails; install looks whether the daemon runs."""
    machine = _machine(home, system)
    gone = installing.Machine(Path("/usr/bin/no-such-program"), machine.prefix, machine.surroundings, machine.locations)
    with pytest.raises(ServiceError, match="is-active"):
        installing.install(gone)


@pytest.mark.parametrize("why", ["no bus", "no systemctl"])
def test_without_a_user_service_the_alternative_is_told(why: str, home: Home, system: StandIns) -> None:
    """In a container or a WSL without systemd: what is missing, how to run it otherwise, status 1, and nothing is written."""
    if why == "no bus":
        system.mark("no-bus")
        machine = _machine(home, system)
    else:
        environ = {"PATH": str(home.root), **home.env()}
        machine = installing.Machine(Path("/usr/bin/env"), Path("/usr"), Surroundings(environ, home.root, "linux"), Locations.of(environ))
    with pytest.raises(ServiceError, match=r"No medium found|no systemctl") as raised:
        installing.install(machine)
    assert "/usr/bin/env run" in raised.value.hint
    assert "@reboot" in raised.value.hint
    assert not (home.root / ".config").exists()
    assert system.called == []


def test_a_wrong_configuration_is_told_before_anything_is_done(home: Home, system: StandIns) -> None:
    """install reads the configuration that the daemon will read, and refuses to start it with a wrong one."""
    home.config("bakend = 'offline'\n")
    with pytest.raises(UsageError, match="bakend"):
        installing.install(_machine(home, system))
    assert system.called == []
    assert not (home.root / UNIT).exists()


def test_a_masked_service_stays_masked(home: Home, system: StandIns) -> None:
    """Who masked the service forbade it: install says how to allow it, uninstall leaves the mask."""
    (home.root / UNIT).parent.mkdir(parents=True)
    (home.root / UNIT).symlink_to(os.devnull)
    with pytest.raises(ServiceError, match="masked"):
        installing.install(_machine(home, system))
    machine = _machine(home, system)
    installing.uninstall(installing.Scope.SERVICE, machine.surroundings, machine.locations)
    assert (home.root / UNIT).is_symlink()


def test_the_installed_service_runs_on_the_places_of_the_shell(home: Home, system: StandIns) -> None:
    """What the unit starts, with nothing but the unit's environment, says READY, works on the relocated state, and ends at uninstall."""
    system.mark("starts")
    environ = _environ(home, system)
    program = console_script(home.root / "program")
    machine = installing.Machine(program, Path("/usr"), Surroundings(environ, home.root, "linux"), Locations.of(environ))
    plan = install_plan(look("linux", environ, home.root), machine.wanted, None)
    carry_out(plan, environ, lambda _: None)
    assert running_pid(home.state) == int((system.folder / "pid").read_text())
    status = extractord(home, "status", "--json").only
    assert (status["running"], status["config_home"]) == (True, str(home.config_home))
    assert installing.uninstall(installing.Scope.SERVICE, machine.surroundings, machine.locations) == 0
    assert running_pid(home.state) is None
    assert not (home.root / UNIT).exists()


def test_a_daemon_started_by_hand_is_not_doubled(home: Home, system: StandIns) -> None:
    """install says which process is in the way instead of starting a service that cannot start."""
    with _daemon_by_hand(home) as daemon, pytest.raises(ServiceError, match=f"pid {daemon.pid}"):
        installing.install(_machine(home, system))
    assert not (home.root / UNIT).exists()


def test_uninstall_stops_removes_and_says_so(home: Home, system: StandIns) -> None:
    """After uninstall neither unit nor link is there, and systemd was told."""
    machine = _machine(home, system)
    installing.install(machine)
    system.forget()
    assert installing.uninstall(installing.Scope.SERVICE, machine.surroundings, machine.locations) == 0
    assert system.called[0] == "systemctl --user disable --now extractord.service"
    assert "systemctl --user daemon-reload" in system.called
    assert not (home.root / UNIT).exists()
    assert (system.active, system.enabled) == (False, False)


@pytest.mark.parametrize("left", ["nothing", "a unit of a missing program", "only the link", "an empty unit", "no bus", "no systemctl"])
def test_uninstall_works_from_a_broken_install(left: str, home: Home, system: StandIns) -> None:
    """Whatever is left of an install goes away with status 0, with or without a systemd that answers."""
    unit = home.root / UNIT
    link = unit.parent / "default.target.wants" / unit.name
    link.parent.mkdir(parents=True)
    if left != "nothing":
        link.symlink_to(unit)
    if left not in ("nothing", "only the link"):
        unit.write_text("" if left == "an empty unit" else "[Service]\nExecStart=/gone/extractord run\n")
    if left == "no bus":
        system.mark("no-bus")
    path = str(home.root) if left == "no systemctl" else f"{system.folder}{os.pathsep}{os.defpath}"
    answer = extractord(home, "uninstall", env={"PATH": path})
    assert answer.status == 0, answer.stderr
    assert not unit.exists()
    assert not link.is_symlink()
    assert extractord(home, "uninstall", env={"PATH": path}).status == 0


def test_uninstall_keeps_what_was_written_where_nobody_can_be_asked(home: Home, system: StandIns) -> None:
    """Without a terminal memory and record stay; --purge removes the record and the configuration, never memory."""
    home.config("backend = 'offline'\n")
    home.talk("shop", *SAYINGS[:2])
    (home.root / "credentials").write_text("NAME=value\n")
    assert extractord(home, "once", "--yes").status == 0
    memory = home.memories()
    assert memory
    path = {"PATH": f"{system.folder}{os.pathsep}{os.defpath}"}
    assert extractord(home, "uninstall", env=path).status == 0
    assert home.memories() == memory
    assert home.state.is_dir()
    assert extractord(home, "uninstall", "--purge", env=path).status == 0
    assert home.memories() == memory
    assert [place for place in (home.state, home.root / "config.toml", home.root / "credentials") if place.exists()] == []
    assert home.transcripts()


@pytest.mark.parametrize("word", ["keep", "undo"])
def test_on_a_terminal_the_person_decides_what_becomes_of_memory(word: str, home: Home, system: StandIns) -> None:
    """Asked on a terminal, keep leaves memory as it is and undo takes every changeset back."""
    home.talk("shop", *SAYINGS[:2])
    assert extractord(home, "once", "--yes").status == 0
    memory = home.memories()
    said, status = _on_terminal(home, system, f"{word}\n", "uninstall")
    assert status == 0, said
    assert "Keep or undo" in said
    topics = list(home.projects.rglob("*.md"))
    assert (home.memories() == memory) if word == "keep" else topics == []


def test_purge_leaves_what_is_not_ours(home: Home, system: StandIns) -> None:
    """A state folder that holds other files keeps them, and texts of others that wait there; the rest is gone."""
    home.state.mkdir()
    (home.state / "holiday.jpg").write_text("not ours")
    (home.state / "kept" / "k").mkdir(parents=True)
    (home.state / "kept" / "k" / "text").write_text("somebody's words")
    (home.state / "locks").mkdir()
    (home.state / "ledger.lock").touch()
    (home.state / "linked").symlink_to(home.config_home)
    answer = extractord(home, "uninstall", "--purge", env={"PATH": f"{system.folder}{os.pathsep}{os.defpath}"})
    assert answer.status == 0, answer.stderr
    assert sorted(place.name for place in home.state.iterdir()) == ["holiday.jpg", "kept", "linked"]
    assert (home.state / "kept" / "k" / "text").read_text() == "somebody's words"
    assert "holiday.jpg" in answer.stderr
    assert home.config_home.is_dir()


def test_nothing_is_purged_under_a_running_daemon(home: Home, system: StandIns) -> None:
    """With a daemon that was started by hand --purge ends with status 1 and names it."""
    with _daemon_by_hand(home) as daemon:
        answer = extractord(home, "uninstall", "--purge", env={"PATH": f"{system.folder}{os.pathsep}{os.defpath}"})
    assert answer.status == 1
    assert str(daemon.pid) in answer.stderr
    assert (home.state / "ledger.sqlite").exists()


def test_launchd_gets_its_agent_and_the_daemon_is_waited_for(home: Home, system: StandIns) -> None:
    """On macOS the agent is loaded into the person's session, install waits until the daemon runs, uninstall unloads it."""
    system.mark("starts")
    environ = _environ(home, system)
    program = console_script(home.root / "program")
    wanted = Wanted(program, tuple((name, value) for name, value in home.env().items() if name != "HOME"), home.state, __version__)
    found = look("darwin", environ, home.root)
    assert found.init is Init.LAUNCHD
    carry_out(install_plan(found, wanted, None), environ, lambda _: None)
    domain = f"gui/{os.getuid()}"
    agent = home.root / "Library" / "LaunchAgents" / "local.extractord.plist"
    assert system.called == [
        f"launchctl bootout {domain}/local.extractord",
        f"launchctl enable {domain}/local.extractord",
        f"launchctl bootstrap {domain} {agent}",
    ]
    assert running_pid(home.state) == int((system.folder / "pid").read_text())
    found = look("darwin", environ, home.root)
    system.forget()
    carry_out(install_plan(found, wanted, __version__), environ, lambda _: None)
    assert system.called == [], "the same again does nothing"
    carry_out(uninstall_plan(found), environ, lambda _: None)
    assert system.called == [f"launchctl bootout {domain}/local.extractord"]
    assert not agent.exists()


class _daemon_by_hand:  # noqa: N801 - used as a function
    """``extractord run`` in the foreground, for a block."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def __enter__(self) -> subprocess.Popen[bytes]:
        env = {**os.environ, **self._home.env()}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "extractord", "run"],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        while running_pid(self._home.state) is None:
            assert self._process.poll() is None, self._process.stderr and self._process.stderr.read()
            time.sleep(0.05)
        return self._process

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)


def _on_terminal(home: Home, system: StandIns, typed: str, *argv: str) -> tuple[str, int]:
    """Run a command on a pseudo-terminal, type, and return what was shown and the status."""
    ours, theirs = os.openpty()
    env = {**os.environ, **home.env(), "PATH": f"{system.folder}{os.pathsep}{os.defpath}", "TERM": "dumb"}
    child = subprocess.Popen([sys.executable, "-m", "extractord", *argv], env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = bytearray()
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # Linux tells the other end's closing so
        pass
    os.close(ours)
    return shown.decode(), child.wait(60)
