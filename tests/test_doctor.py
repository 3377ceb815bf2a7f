"""doctor finds each fault, says what to do about it, and changes nothing unless it is asked to."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from extractord import __version__
from extractord.claude_home import Surroundings
from extractord.config import Locations
from extractord.doctor import Finding, Visit, examine
from extractord.ledger import Ledger, Outcome, StretchRow
from extractord.report.status import DaemonState, write_state
from extractord.service import Init, Wanted, carried_over, rendered
from tests.command import Answer, Line, extractord
from tests.homes import SAYINGS, Home, tree
from tests.model_runs import NOTHING, model_env, spent
from tests.scripted_server import Answer as Scripted
from tests.scripted_server import serving
from tests.stand_ins import StandIns, console_script
from tests.without_landlock import WITHOUT_LANDLOCK

UNIT = ".config/systemd/user/extractord.service"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with one session of yesterday that was dealt with."""
    home = Home(tmp_path)
    home.talk("shop", *SAYINGS[:2], days_ago=1)
    return home


@pytest.fixture
def system(home: Home) -> StandIns:
    return StandIns.at(home.root / "stand-ins")


def _doctor(home: Home, *argv: str, system: StandIns | None = None, prefix: tuple[str, ...] = ()) -> Answer:
    env = {"PATH": f"{system.folder}{os.pathsep}{os.defpath}"} if system else {}
    return extractord(home, "doctor", "--json", *argv, env=env, before=prefix)


def _found(answer: Answer) -> dict[str, Line]:
    """The findings by check; every line has the four fields and a failure has a fix."""
    for line in answer.lines:
        assert set(line) == {"check", "ok", "detail", "fix"}
        assert line["ok"] or line["fix"], line
    assert answer.status == (0 if all(line["ok"] for line in answer.lines) else 1), answer.stdout
    return {line["check"]: line for line in answer.lines}


def _bad(answer: Answer) -> dict[str, Line]:
    return {name: line for name, line in _found(answer).items() if not line["ok"]}


def test_a_sound_machine_has_nothing_wrong(home: Home, system: StandIns) -> None:
    """After a run everything is in order, with status 0, and the checks that the contract names are there."""
    assert extractord(home, "once", "--yes").status == 0
    found = _found(_doctor(home, system=system))
    assert [line for line in found.values() if not line["ok"]] == []
    expected = {"configuration", "permissions", "disk", "clock", "ledger", "config home", "transcripts", "memory", "file system"}
    assert expected | {"service", "daemon", "parked", "sandbox", "spend"} <= set(found)
    assert "leave no mark" in found["private sessions"]["detail"]


def test_the_text_form_says_the_same(home: Home) -> None:
    """Without --json each check is a line for people, with the fix below it."""
    home.config("bakend = 'offline'\n")
    answer = extractord(home, "doctor")
    assert answer.status == 1
    assert "FAIL  configuration" in answer.stdout
    assert "backend" in answer.stdout


@pytest.mark.parametrize("what", ["missing", "empty"])
def test_no_client_is_said_and_nothing_is_made(what: str, tmp_path: Path) -> None:
    """With no config home, or an empty one, doctor says where it looked and makes nothing anywhere."""
    home = Home(tmp_path)
    if what == "empty":
        home.config_home.mkdir()
    before = tree(tmp_path)
    answer = _doctor(home, "--fix")
    found = _found(answer)
    assert answer.status == 0
    assert str(home.config_home) in found["config home"]["detail"] + found["transcripts"]["detail"]
    assert "nothing was found" in found["transcripts"]["detail"]
    assert tree(tmp_path) == before


def test_looking_changes_nothing(home: Home, system: StandIns) -> None:
    """A second look without --fix leaves home, state and modes as they are."""
    extractord(home, "once", "--yes")
    _doctor(home, system=system)
    before = tree(home.config_home)
    state = {path: path.stat().st_mode for path in home.state.rglob("*") if "-shm" not in path.name and "-wal" not in path.name}
    _doctor(home, system=system)
    assert tree(home.config_home) == before
    assert {path: path.stat().st_mode for path in state} == state


def test_what_is_open_to_others_is_found_and_closed(home: Home, system: StandIns) -> None:
    """Folders become 0700 and files 0600 with --fix; what a link leads to is not ours and stays."""
    extractord(home, "once", "--yes")
    outside = home.root / "outside"
    outside.write_text("")
    outside.chmod(0o644)
    (home.state / "link").symlink_to(outside)
    home.config("")
    opened = [home.state, home.state / "ledger.sqlite", home.root / "config.toml"]
    for place in opened:
        place.chmod(0o775)
    assert "permissions" in _bad(_doctor(home, system=system))
    fixed = _doctor(home, "--fix", system=system)
    assert _bad(fixed) == {}
    assert [oct(place.stat().st_mode & 0o777) for place in opened] == ["0o700", "0o600", "0o600"]
    assert outside.stat().st_mode & 0o777 == 0o644
    assert "corrected" in fixed.stderr


def test_credentials_are_for_nobody_else_and_the_configuration_is_not_for_others_to_write(home: Home) -> None:
    """Others may not read the credentials nor write the configuration; an editor's 0644 on the latter is fine."""
    home.config("backend = 'offline'\n")
    (home.root / "config.toml").chmod(0o644)
    credentials = home.root / "credentials"
    credentials.write_text("NAME=value\n")
    credentials.chmod(0o600)
    assert _found(_doctor(home))["permissions"]["ok"]
    credentials.chmod(0o640)
    assert "credentials" in _bad(_doctor(home))["permissions"]["detail"]
    credentials.chmod(0o600)
    (home.root / "config.toml").chmod(0o666)
    assert "config.toml" in _bad(_doctor(home))["permissions"]["detail"]


def test_a_state_folder_that_is_none_is_told(home: Home) -> None:
    """A file in the place of the state folder is a finding, not a traceback."""
    home.state.write_text("")
    assert str(home.state) in _bad(_doctor(home))["permissions"]["detail"]


def test_settings_that_the_client_ignores_are_told(home: Home) -> None:
    """Who believes to have switched memory off with a string in quotes learns that it is on."""
    (home.config_home / "settings.json").write_text('{"autoMemoryEnabled": "false"}')
    line = _bad(_doctor(home))["memory"]
    assert "settings.json" in line["detail"]
    assert "ignored" in line["detail"]


def test_memory_that_is_off_is_no_fault(home: Home) -> None:
    """A person who switched memory off is told so, with status 0."""
    (home.config_home / "settings.json").write_text('{"autoMemoryEnabled": false}')
    line = _found(_doctor(home))["memory"]
    assert line["ok"]
    assert "off" in line["detail"]


def test_a_clock_behind_the_newest_transcript_is_told(home: Home) -> None:
    """A machine that thinks it is last year finds out by the transcripts."""
    behind = _examine(home, now=time.time() - 400 * 86_400)["clock"]
    assert not behind.ok
    assert ".jsonl" in behind.detail
    assert _examine(home, now=time.time())["clock"].ok


def test_a_damaged_ledger_and_a_newer_one_are_told_with_the_way_back(home: Home) -> None:
    """The ledger's own errors come with their hints, once, and the other checks go on."""
    extractord(home, "once", "--yes")
    with sqlite3.connect(home.state / "ledger.sqlite") as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    bad = _bad(_doctor(home))
    assert set(bad) == {"ledger"}
    assert "999" in bad["ledger"]["detail"]
    (home.state / "ledger.sqlite").write_bytes(b"no database at all, but long enough" * 40)
    bad = _bad(_doctor(home))
    assert set(bad) == {"ledger"}
    assert "copies" in bad["ledger"]["fix"]


def test_a_copy_that_cannot_be_made_is_told(home: Home) -> None:
    """The ledger is fine, but its daily copy failed: that is a finding with the folder's name."""
    extractord(home, "once", "--yes")
    extractord(home, "sessions")
    copies = home.state / "copies"
    for copy in copies.glob("*") if copies.is_dir() else ():
        copy.unlink()
    if copies.is_dir():
        copies.rmdir()
    copies.write_text("in the way")
    copies.chmod(0o600)
    assert "copy" in _bad(_doctor(home))["ledger"]["detail"]


def test_parked_stretches_are_told_with_the_command_that_frees_them(home: Home) -> None:
    """What failed too often is counted and the way to try again is named."""
    with Ledger.open(home.state) as ledger:
        row = StretchRow(
            "s1", "k1", 0, str(home.memory("shop")), "/shop", "/t.jsonl", Outcome.FAILED, "worker died", time.time(), parked=True
        )
        ledger.finish(row)
    line = _bad(_doctor(home))["parked"]
    assert "1 stretch" in line["detail"]
    assert "--again" in line["fix"]


def test_a_service_is_told_as_it_is(home: Home, system: StandIns) -> None:
    """Not installed is a choice; installed and stopped, not enabled, of a missing or another program are faults with fixes."""
    assert "install" in _found(_doctor(home, system=system))["service"]["fix"]
    unit = home.root / UNIT
    unit.parent.mkdir(parents=True)
    environ = {**home.env(), "PATH": f"{system.folder}{os.pathsep}{os.defpath}"}

    def write(program: Path) -> None:
        unit.write_text(rendered(Init.SYSTEMD, Wanted(program, carried_over(environ), home.state, __version__)))

    write(console_script(home.root / "program"))
    assert "not enabled" in _bad(_doctor(home, system=system))["service"]["detail"]
    system.mark("enabled")
    assert "does not run" in _bad(_doctor(home, system=system))["service"]["detail"]
    system.mark("active")
    line = _found(_doctor(home, system=system))["service"]
    assert (line["ok"], line["fix"]) == (True, "")
    assert __version__ in line["detail"]
    write(home.root / "gone" / "extractord")
    assert "gone" in _bad(_doctor(home, system=system))["service"]["detail"]
    write(Path("/usr/bin/env"))
    assert "no extractord" in _bad(_doctor(home, system=system))["service"]["detail"]
    unit.write_text("nonsense")
    assert "names no program" in _bad(_doctor(home, system=system))["service"]["detail"]


def test_a_unit_that_nothing_runs_is_told(home: Home, system: StandIns) -> None:
    """A unit in a place without a user session is a fault; nothing installed there is none."""
    system.mark("no-bus")
    assert "No medium" in _found(_doctor(home, system=system))["service"]["detail"]
    unit = home.root / UNIT
    unit.parent.mkdir(parents=True)
    unit.write_text(rendered(Init.SYSTEMD, Wanted(console_script(home.root / "program"), (), home.state, __version__)))
    assert "nothing runs it" in _bad(_doctor(home, system=system))["service"]["detail"]


@pytest.fixture
def running(home: Home) -> Iterator[int]:
    """A process that holds the daemon's lock as a daemon does."""
    home.state.mkdir(mode=0o700)
    code = "import sys,time;from pathlib import Path;from extractord.daemon.single import only_daemon\n"
    code += "with only_daemon(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(600)\n"
    holder = subprocess.Popen([sys.executable, "-c", code, str(home.state)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    yield holder.pid
    holder.kill()
    holder.wait()


@pytest.mark.parametrize(
    ("troubled", "said"),
    [
        ({"last_error": "worker died", "last_error_at": time.time() - 60}, "worker died"),
        ({"degraded": ("300 of 1,000 folders watched",)}, "300 of 1,000"),
        ({"config_problem": "config.toml, line 3: unknown key"}, "line 3"),
        ({"version": "0.0.1"}, "0.0.1"),
    ],
)
def test_what_troubles_a_running_daemon_is_told(troubled: dict[str, object], said: str, home: Home, running: int) -> None:
    """Last error, lost watches, a refused configuration, an old version: each is a finding while the daemon runs."""
    fields: dict[str, object] = {"pid": running, "version": __version__, "started": 0.0, "config_home": "", "watching": "events"}
    write_state(home.state, DaemonState(**{**fields, **troubled}))  # type: ignore[arg-type]
    assert said in _bad(_doctor(home))["daemon"]["detail"]
    old: dict[str, object] = {"last_error": "worker died", "last_error_at": time.time() - 3 * 86_400}
    write_state(home.state, DaemonState(**{**fields, **old}))  # type: ignore[arg-type]
    assert _found(_doctor(home))["daemon"]["ok"]


def test_transcripts_that_cannot_be_listed_are_told(home: Home) -> None:
    """A projects folder that leads nowhere readable is a finding with its path."""
    home.projects.rename(home.root / "away")
    home.projects.symlink_to(home.projects)
    assert str(home.projects) in _bad(_doctor(home))["transcripts"]["detail"]


def test_a_required_sandbox_that_cannot_be_had_is_a_fault(home: Home) -> None:
    """Without Landlock "required" is a finding that says why, and the default tells what it costs; "off" is said."""
    found = _found(_doctor(home, prefix=WITHOUT_LANDLOCK))["sandbox"]
    assert found["ok"]
    assert "Bash is not offered" in found["detail"]
    home.config('sandbox = "required"\n')
    bad = _bad(_doctor(home, prefix=WITHOUT_LANDLOCK))
    assert set(bad) == {"sandbox"}
    assert "Landlock cannot be had" in bad["sandbox"]["detail"]
    home.config('sandbox = "off"\n')
    assert "policy alone" in _found(_doctor(home))["sandbox"]["detail"]


def test_online_asks_the_backend_once_and_only_when_told(home: Home) -> None:
    """It answers, and what that cost is counted; a login that is refused is a fault with its way out; offline nothing is asked."""
    assert _found(_doctor(home, "--online"))["online"]["detail"] == "nothing was asked: the backend is offline"
    with serving(NOTHING) as server:
        assert "online" not in _found(extractord(home, "doctor", "--json", env=model_env(server)))
        assert server.asked == []
        found = _found(extractord(home, "doctor", "--json", "--online", env=model_env(server)))["online"]
        assert (found["ok"], len(server.asked), len(spent(home))) == (True, 1, 1)
    with serving(Scripted(status=401, error="authentication_error")) as server:
        assert "ANTHROPIC_API_KEY" in _bad(extractord(home, "doctor", "--json", "--online", env=model_env(server)))["online"]["fix"]


def _examine(home: Home, now: float) -> dict[str, Finding]:
    surroundings = Surroundings(home.env(), home.root, "linux")
    return {finding.check: finding for finding in examine(Visit.of(surroundings, Locations.of(home.env()), now))}
