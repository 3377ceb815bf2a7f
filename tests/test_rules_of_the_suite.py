"""The suite keeps its own rules: the real home is out of reach, a skip fails under CI, long runs are asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import dev_home
from tests.case_files import place_case, sanitized
from tests.needs import KERNEL, UNREACHABLE

ROOT = Path(__file__).parent.parent


def _suite(folder: Path, code: str, *argv: str, home: Path | None = None, ci: str = "true") -> subprocess.CompletedProcess[str]:
    """Run a suite of one module that obeys our conftest."""
    (folder / "test_it.py").write_text("import os, pytest\nfrom pathlib import Path\n" + code, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = soak: long\n", encoding="utf-8")
    env = {**os.environ, "CI": ci, "HOME": str(home or folder), "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    env.pop("EXTRACTORD_CASES", None)  # may be relative to another folder
    argv = ("-p", "xdist", *argv) if "-n" in argv else argv
    argv = (sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", *argv, str(folder / "test_it.py"))
    return subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "use", ["open(PATH)", "Path(PATH).mkdir()", "os.listdir(PATH)", "open(os.path.join(PATH, '..', '.claude', 'x'), 'w')"]
)
def test_a_test_that_touches_the_real_home_fails(use: str, tmp_path: Path) -> None:
    """Whatever way a test reaches for the real ~/.claude, it fails, and nothing is made there."""
    home = tmp_path / "person"
    home.mkdir()
    path = str(home / ".claude")
    done = _suite(tmp_path, f"PATH = {path!r}\ndef test_it():\n    try:\n        {use}\n    except Exception:\n        pass\n", home=home)
    assert done.returncode == 1, done.stdout
    assert "tests never touch the real home" in done.stdout
    assert list(home.iterdir()) == []


def test_a_test_has_an_empty_home_of_its_own(tmp_path: Path) -> None:
    """HOME is an empty folder below the temporary one, and no variable of the person's set-up gets through."""
    done = _suite(
        tmp_path,
        "def test_it():\n    assert list(Path.home().iterdir()) == []\n    assert Path.home() != Path(" + repr(str(tmp_path)) + ")\n",
    )
    assert done.returncode == 0, done.stdout


PROCESSES = pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["one", "shared"])


@PROCESSES
@pytest.mark.parametrize(("ci", "status"), [("true", 1), ("", 0)])
def test_a_skip_fails_under_ci(ci: str, status: int, processes: tuple[str, ...], tmp_path: Path) -> None:
    """A test that skips for want of a program fails where CI=true, and only there; in one process or shared by several."""
    done = _suite(tmp_path, "def test_it(needs):\n    needs('no-such-program-anywhere')\n", "-rs", *processes, ci=ci)
    assert done.returncode == status, done.stdout
    assert "no-such-program-anywhere" in done.stdout
    assert "test_it.py::test_it" in done.stdout


@PROCESSES
def test_a_skip_for_want_of_the_kernel_is_counted_and_named(processes: tuple[str, ...], tmp_path: Path) -> None:
    """A missing kernel feature may be skipped under CI too, and stands in the summary, whichever process met it."""
    skip = f"pytest.skip('{KERNEL}Landlock is missing')"
    done = _suite(tmp_path, "\n".join(f"def test_{n}():\n    {skip}\n" for n in range(4)), *processes)
    assert done.returncode == 0, done.stdout
    assert "4 skipped for want of a kernel feature" in done.stdout
    assert done.stdout.count("Landlock") == 4


def test_processes_that_share_the_tests_share_what_is_installed(tmp_path: Path) -> None:
    """A program that one of them put into the common folder is found by all, and the folder is gone at the end."""
    code = """
def test_it(needs, tmp_path_factory):
    folder = needs._folder
    program = folder / "a-package" / "node_modules" / ".bin" / "made-here"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.touch()
    program.chmod(0o700)
    assert needs("made-here", npm="no-such-package") == program
    Path(OUT, str(os.getpid())).write_text(str(folder))
test_that = test_it
"""
    (tmp_path / "out").mkdir()
    done = _suite(tmp_path, f"OUT = {str(tmp_path / 'out')!r}\n{code}", "-n", "2", "--dist", "each")
    assert done.returncode == 0, done.stdout
    folders = [file.read_text() for file in (tmp_path / "out").iterdir()]
    assert len(folders) == 2
    assert len(set(folders)) == 1
    assert not Path(folders[0]).exists()


def test_a_skip_because_npm_cannot_be_reached_is_said_aloud(tmp_path: Path) -> None:
    """Without the registry there is no client to test with; CI goes on, and the summary says what was not tested."""
    done = _suite(tmp_path, f"def test_it():\n    pytest.skip('{UNREACHABLE}the-client')\n")
    assert done.returncode == 0, done.stdout
    assert "1 skipped because npm cannot be reached" in done.stdout
    assert "the-client" in done.stdout


@pytest.mark.parametrize(("argv", "ran"), [((), "1 deselected"), (("--soak",), "1 passed")])
def test_long_runs_are_asked_for(argv: tuple[str, ...], ran: str, tmp_path: Path) -> None:
    """A test marked soak runs with --soak only."""
    done = _suite(tmp_path, "@pytest.mark.soak\ndef test_it():\n    pass\n", *argv)
    assert ran in done.stdout


def test_folder_names_are_the_clients() -> None:
    """The test's own folder names agree with what the client was seen to use."""
    assert sanitized("/home/dev/work/项目/订单服务") == "-home-dev-work--------"
    long = "/home/dev/work/monorepo-of-the-platform-team/services/customer-notifications/packages/email-rendering/templates-v2"
    long += "/localized-variants/experiments/2026-q4-subject-line-tests/fixtures-and-golden-files/snapshots"
    assert sanitized(long).endswith("-wlzt3q")


def test_a_placed_case_has_the_times_of_its_records(tmp_path: Path) -> None:
    """A transcript gets the time of its last record, a topic its modified time, the index that of the first record."""
    case = Path(__file__).parent / "cases" / "transcripts" / "d04-memory-write"
    home = place_case(case, tmp_path / "home")
    (folder,) = (home / "projects").iterdir()
    (transcript,) = folder.glob("*.jsonl")
    times = {path.name: path.stat().st_mtime for path in (folder / "memory").iterdir()}
    assert transcript.stat().st_mtime > max(times.values())
    assert not (home / "case.json").exists()
    assert times["MEMORY.md"] == min(times.values()) < times["api-freeze.md"]


@pytest.mark.parametrize("by", [way for way in dev_home.Way if way is dev_home.way()])
def test_a_child_sees_a_laid_out_home_and_the_machine_does_not(by: dev_home.Way) -> None:
    """In the child /home/dev holds the repository; outside nothing of it remains."""
    if by is dev_home.Way.NOTHING:
        return
    before = _homes()
    layout = (("/home/dev/a", "git repository"), ("/home/dev/b", "linked worktree of /home/dev/a, branch x"))
    plan = dev_home.Plan(steps=(dev_home.Step(("/bin/cat", "/home/dev/b/.git")),), layout=layout)
    (ran,) = dev_home.run(plan, by)
    assert ran.stdout == "gitdir: /home/dev/a/.git/worktrees/b\n"
    assert _homes() == before


def _homes() -> list[Path]:
    with dev_home.made_alone():
        return sorted(dev_home.DEV.parent.iterdir())
