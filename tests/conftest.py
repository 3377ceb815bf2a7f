"""What holds for every test: the real home is out of reach, skips are counted, and under CI a skip fails.

Owns: the guard round the real home, the options, how many processes share the tests, and the closing summary. Leaves programs
to ``needs``, cases to ``case_files``.
"""

from __future__ import annotations

import compileall
import importlib.util
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from hypothesis import HealthCheck, settings

import extractord
from tests import case_files
from tests.needs import AMBIENT, KERNEL, UNREACHABLE, Needs

CI = AMBIENT.get("CI", "").lower() == "true"
OURS = ("CLAUDE", "EXTRACTORD_", "ANTHROPIC_", "XDG_", "GIT_")  # variables that would carry the person's own set-up into a test
KEPT = ("EXTRACTORD_CASES",)
WATCHED_EVENTS = frozenset(
    {"open", "sqlite3.connect", "os.chmod", "os.chown", "os.link", "os.listdir", "os.mkdir", "os.remove", "os.rename", "os.rmdir"}
    | {"os.scandir", "os.symlink", "os.truncate", "os.utime"}
)
ALLOWED = {KERNEL: "for want of a kernel feature", UNREACHABLE: "because npm cannot be reached"}  # skips that are no failure under CI
LONG = ("test_soak.py", "test_wheel.py", "test_killed_once.py", "test_state_machine.py")  # begin first: at the end all would wait for them
programs = pytest.StashKey[Path]()
UNHURRIED = "unhurried"
# Times are never asserted; the first text that is drawn on a fresh machine waits for the table of all characters.
settings.register_profile(UNHURRIED, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(UNHURRIED)


class RealHomeTouchedError(BaseException):
    """A test opened something of the person who runs it. No ``except Exception`` may swallow that."""


class _HomeGuard:
    """Refuses, while a test runs, every file operation of this process at or below a place of the real home."""

    def __init__(self) -> None:
        home = Path(AMBIENT.get("HOME") or Path.home())
        claude = Path(AMBIENT.get("CLAUDE_CONFIG_DIR") or home / ".claude")
        places = [home / ".claude", home / ".claude.json", claude, Path(platformdirs.user_state_path("extractord"))]
        places += [Path(platformdirs.user_config_path("extractord")), Path(platformdirs.user_data_path("extractord"))]
        self._places = tuple({str(place) for place in places})
        self.active = False
        self.touched: list[str] = []

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        if self.active and event in WATCHED_EVENTS:
            for arg in args[:2]:
                if isinstance(arg, (str, bytes, os.PathLike)):
                    self._check(event, os.path.abspath(os.fsdecode(arg)))  # noqa: PTH100 - resolving would touch the disk in here

    def _check(self, event: str, path: str) -> None:
        if path.startswith(self._places) and any(path == place or path.startswith(place + os.sep) for place in self._places):
            self.touched.append(f"{event} {path}")
            raise RealHomeTouchedError(f"{event} of {path}: tests never touch the real home")


_guard = _HomeGuard()
sys.addaudithook(_guard)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the long seeded tests too")


def pytest_configure(config: pytest.Config) -> None:
    shared: dict[str, Any] | None = getattr(config, "workerinput", None)  # set in a process that others started
    if shared is not None:
        config.stash[programs] = Path(shared["programs"])
        return
    config.stash[programs] = Path(tempfile.mkdtemp(prefix="extractord-programs-"))
    _compile_once()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a process that shares the tests where programs are installed for all."""
    node.workerinput["programs"] = str(node.config.stash[programs])


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(config.stash[programs], ignore_errors=True)


def _compile_once() -> None:
    """Leave compiled files for the children: many are started with ``-B`` or die young, and each would compile anew.

    Importing the SDK alone costs seconds uncompiled. Some installers compile nothing, and some machines ask for no compiled files.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    compileall.compile_dir(Path(extractord.__file__).parent, quiet=2)
    sdk = importlib.util.find_spec("anthropic")
    if sdk is None or sdk.origin is None or not Path(importlib.util.cache_from_source(sdk.origin)).exists():
        compileall.compile_dir(sysconfig.get_path("purelib"), quiet=2, workers=0)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two processes more than cores, because tests wait as well; none beside this one where a single module is asked for."""
    asked = {arg.split("::")[0] for arg in config.args}
    if len(asked) == 1 and Path(*asked).is_file():
        return 0
    return 2 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name not in LONG)
    if config.getoption("--soak"):
        return
    soak = [item for item in items if item.get_closest_marker("soak")]
    if soak:
        config.hook.pytest_deselected(items=soak)
        items[:] = [item for item in items if item not in soak]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Make a skip a failure under CI, unless it is one that is allowed."""
    report = yield
    if CI and report.skipped and not hasattr(report, "wasxfail") and not any(begins in _reason(report) for begins in ALLOWED):
        report.outcome = "failed"
        report.longrepr = f"a skip fails under CI=true: {_reason(report)}"
    return report


def _reason(report: pytest.TestReport) -> str:
    return str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skips = [(report.nodeid, _reason(report)) for report in terminalreporter.stats.get("skipped", ())]  # of all processes
    for begins, told in ALLOWED.items():
        skipped = [f"{test}: {reason}" for test, reason in skips if begins in reason]
        if skipped:
            terminalreporter.section(f"{len(skipped)} skipped {told}")
            terminalreporter.write_line("\n".join(skipped))
    new = case_files.handed_without_copy()
    if new:
        terminalreporter.section(f"{len(new)} handed cases have no copy in tests/cases")
        terminalreporter.write_line("\n".join(new))


@pytest.fixture(scope="session")
def needs(pytestconfig: pytest.Config) -> Needs:
    """Find or install a program: ``needs("strace", apt="strace")``."""
    return Needs(pytestconfig.stash[programs])


@pytest.fixture(scope="session", autouse=True)
def _out_of_reach(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Take the person's home and set-up away from the whole session, fixtures of any scope included."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [*os.environ]:
            if name.startswith(OURS) and name not in KEPT:
                patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home-of-all")))
        _guard.active = True
        yield
        _guard.active = False


@pytest.fixture(autouse=True)
def throwaway_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give each test, and every process it starts, an empty home of its own; fail it if it reached for the real one."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    yield home
    touched, _guard.touched = _guard.touched, []
    assert not touched, f"the test touched the real home: {touched}"
