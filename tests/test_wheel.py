"""What is released works by itself: the wheel, in an environment of its own, without the clone; the sdist, from which it is built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.needs import AMBIENT

ROOT = Path(__file__).parent.parent
LATER = ("3.12", "3.13")  # what pyproject names beyond the Python that runs the tests


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist of this clone, and the wheel from the sdist."""
    out = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT)
    return out


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (built,) = dist.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _installed(wheel, sys.executable, tmp_path_factory.mktemp("fresh") / "venv")


def _installed(wheel: Path, python: str | Path, venv: Path) -> Path:
    """Install the wheel into a fresh environment of ``python``, with the pip of these tests; return its folder of programs."""
    _run(python, "-m", "venv", "--without-pip", venv)
    _run(sys.executable, "-m", "pip", "--python", venv / "bin" / "python", "install", "-q", "--no-compile", wheel)
    return venv / "bin"


def _run(*argv: str | Path) -> None:
    """Run a build step with the machine's own package settings and caches."""
    env = {name: value for name, value in AMBIENT.items() if name != "PYTHONPATH"}
    done = subprocess.run([*map(str, argv)], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _outside(installed: Path, home: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": f"{installed}{os.pathsep}{os.defpath}", "HOME": str(home), "LANG": "C.UTF-8"}
    return subprocess.run([str(installed / "extractord"), *argv], cwd=home, env=env, capture_output=True, text=True, check=False)


def _package_files() -> set[str]:
    """Return what git knows of the package: code, units, prompts, samples, SQL."""
    listed = subprocess.run(["git", "ls-files", "-z", "extractord"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return set(filter(None, listed.split("\0")))


def test_the_wheel_holds_the_whole_package_and_no_tests(wheel: Path) -> None:
    """The wheel has every file of the package, typed and with units, prompts, samples and SQL, and neither tests nor cases."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == _package_files()
    assert "extractord/py.typed" in names
    endings = {Path(name).suffix for name in names}
    assert endings >= {".jsonl", ".sql", ".md", ".service", ".plist"}, "samples, schema, prompts, units"


def test_the_sdist_holds_what_tests_and_readers_need(dist: Path) -> None:
    """From the sdist one can build, read and test: the package, tests with cases, units, README with its picture."""
    (packed,) = dist.glob("*.tar.gz")
    with tarfile.open(packed) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    assert names >= _package_files()
    assert names >= {
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "docs/session.svg",
        "systemd/extractord.service",
        "launchd/local.extractord.plist",
    }
    assert "tests/test_wheel.py" in names
    assert any(name.startswith("tests/cases/quality/") for name in names)


def test_the_installed_demo_shows_memory_and_where_it_came_from(installed: Path, tmp_path: Path) -> None:
    """demo runs from the wheel alone, saves topics with the sentences they came from, and leaves the home as it was."""
    done = _outside(installed, tmp_path, "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ".md" in done.stdout
    assert "denied" in done.stdout.lower()
    assert list(tmp_path.iterdir()) == [], "demo works in a temporary home"


def test_the_installed_command_tells_its_version(installed: Path, tmp_path: Path) -> None:
    """--version names the version of the wheel."""
    done = _outside(installed, tmp_path, "--version")
    assert done.returncode == 0
    assert "0." in done.stdout


def _pythons() -> list[Path]:
    """Return the later Pythons of this machine: in PATH, or kept by pyenv."""
    kept = Path(AMBIENT.get("PYENV_ROOT") or Path(AMBIENT.get("HOME", "/")) / ".pyenv") / "versions"
    found = []
    for version in LATER:
        beside = [str(path) for path in sorted(kept.glob(f"{version}*/bin/python{version}"))]
        found += [Path(path) for path in (shutil.which(f"python{version}", path=AMBIENT.get("PATH")), *beside) if path][-1:]
    return found


@pytest.mark.parametrize("python", _pythons(), ids=lambda path: path.name)
def test_later_pythons_install_the_wheel_and_run_the_demo(python: Path, wheel: Path, tmp_path: Path) -> None:
    """Each Python that pyproject names and this machine has runs the whole pipeline from the wheel."""
    home = tmp_path / "home"
    home.mkdir()
    done = _outside(_installed(wheel, python, tmp_path / "venv"), home, "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 changesets taken back" in done.stdout
