"""What holds for every test: the real home is out of reach, skips are counted, and under CI a skip fails.

Owns: the guard round the real home, the options and the closing summary. Leaves programs to ``needs``, cases to ``case_files``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest

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
allowed_skips = pytest.StashKey[dict[str, list[str]]]()


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
    nothing: dict[str, list[str]] = {begins: [] for begins in ALLOWED}
    config.stash[allowed_skips] = nothing


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--soak"):
        return
    soak = [item for item in items if item.get_closest_marker("soak")]
    if soak:
        config.hook.pytest_deselected(items=soak)
        items[:] = [item for item in items if item not in soak]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Count the skips that are allowed; make any other one a failure under CI."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        begins = next((begins for begins in ALLOWED if begins in reason), None)
        if begins is not None:
            item.config.stash[allowed_skips][begins].append(f"{item.nodeid}: {reason}")
        elif CI:
            report.outcome = "failed"
            report.longrepr = f"a skip fails under CI=true: {reason}"
    return report


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for begins, skipped in config.stash[allowed_skips].items():
        if skipped:
            terminalreporter.section(f"{len(skipped)} skipped {ALLOWED[begins]}")
            terminalreporter.write_line("\n".join(skipped))
    new = case_files.handed_without_copy()
    if new:
        terminalreporter.section(f"{len(new)} handed cases have no copy in tests/cases")
        terminalreporter.write_line("\n".join(new))


@pytest.fixture(scope="session")
def needs() -> Iterator[Needs]:
    """Find or install a program: ``needs("strace", apt="strace")``."""
    found = Needs()
    yield found
    found.forget_installed()


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
