"""What is released works by itself: the wheel, in an environment of its own, without the clone."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.needs import AMBIENT

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of this clone."""
    out = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a fresh environment; return its folder of programs."""
    venv = tmp_path_factory.mktemp("fresh") / "venv"
    _run(sys.executable, "-m", "venv", venv)
    _run(venv / "bin" / "python", "-m", "pip", "install", "-q", wheel)
    return venv / "bin"


def _run(*argv: str | Path) -> None:
    """Run a build step with the machine's own package settings and caches."""
    env = {name: value for name, value in AMBIENT.items() if name != "PYTHONPATH"}
    done = subprocess.run([*map(str, argv)], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _outside(installed: Path, home: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": f"{installed}{os.pathsep}{os.defpath}", "HOME": str(home), "LANG": "C.UTF-8"}
    return subprocess.run([str(installed / "extractord"), *argv], cwd=home, env=env, capture_output=True, text=True, check=False)


def test_the_wheel_holds_the_package_and_no_tests(wheel: Path) -> None:
    """The wheel has the package, typed and with its samples and SQL, and neither tests nor cases."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"extractord"}
    assert "extractord/py.typed" in names
    assert any(name.endswith(".jsonl") for name in names), "the demo's samples"
    assert any(name.endswith(".sql") for name in names), "the ledger's schema"


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
