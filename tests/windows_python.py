"""A Windows Python under wine, for tests of what this program does there.

Owns: putting one together of what the registries have: Python's own libraries for Windows from the wheel of Panda3D, which ships them
for those who deploy to Windows; the standard library of the Python that runs the tests; our dependencies' wheels for Windows; and a
program of four lines that calls ``Py_Main``. Leaves what is run to ``windows_scenes``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tests.needs import AMBIENT, Needs

LIBRARIES = "panda3d==1.10.16"
_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
_START = """
#include <wchar.h>
extern int Py_Main(int, wchar_t **);
int wmain(int argc, wchar_t **argv) { return Py_Main(argc, argv); }
"""
_NOT_NEEDED = shutil.ignore_patterns(*["site-packages", "lib-dynload", "config-*", "test", "tests", "idlelib", "tkinter", "__pycache__"])
_SDK = "anthropic"  # of the model process, which there is none of
_AT_MOST = 600.0  # seconds for one program


@dataclass(frozen=True)
class WindowsPython:
    """The folder of a Python and of what wine keeps."""

    folder: Path
    wine: Path

    def run(self, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
        """Run it with our package, and with all that is ours below ``home``."""
        root = Path(__file__).parent.parent
        environ = {
            "PATH": AMBIENT["PATH"],
            "HOME": str(self.folder),
            "WINEPREFIX": str(self.folder / "prefix"),
            "WINEDEBUG": "-all",
            "PYTHONPATH": windows_path(root),
            "SCENE_HOME": windows_path(home),
            "CLAUDE_CONFIG_DIR": windows_path(home / ".claude"),
            "EXTRACTORD_CONFIG": windows_path(home / "config.toml"),
            "EXTRACTORD_STATE_DIR": windows_path(home / "state"),
            "EXTRACTORD_CREDENTIALS": windows_path(home / "credentials"),
        }
        argv = [str(self.wine), str(self.folder / "python" / "python.exe"), *arguments]
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        return subprocess.run(
            argv, env=environ, cwd=home, stdin=nothing, stdout=pipe, stderr=pipe, encoding="utf-8", timeout=_AT_MOST, check=False
        )


def windows_path(path: Path) -> str:
    """Return what wine calls a path of this machine."""
    return "Z:" + str(path).replace("/", "\\")


def windows_python(needs: Needs) -> WindowsPython:
    """Return it, put together by whichever process asks first."""
    wine = needs("wine", apt="wine")
    compiler = needs("x86_64-w64-mingw32-gcc", apt="gcc-mingw-w64-x86-64-win32")
    return WindowsPython(needs.made("windows", lambda folder: _put_together(folder, compiler)), wine)


def _put_together(folder: Path, compiler: Path) -> None:
    python, wheels = folder / "python", folder / "wheels"
    shutil.copytree(sysconfig.get_path("stdlib"), python / "Lib", ignore=_NOT_NEEDED)
    _download(wheels / "libraries", "--no-deps", LIBRARIES)
    _download(wheels / "packages", *(one for one in _dependencies() if not one.startswith(_SDK)), "colorama")
    for wheel in (wheels / "packages").glob("*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(python / "Lib" / "site-packages")
    (python / "DLLs").mkdir()
    with zipfile.ZipFile(next((wheels / "libraries").glob("*.whl"))) as packed:
        for name in packed.namelist():
            if name.startswith("deploy_libs/"):
                file = name.removeprefix("deploy_libs/")
                beside = re.fullmatch(r"(?i)(python3\d+|vcruntime\d+(_\d)?)\.dll", file)
                (python / ("" if beside else "DLLs") / file).write_bytes(packed.read(name))
    source = folder / "start.c"
    source.write_text(_START)
    library = next(python.glob("python3??.dll"))
    subprocess.run([compiler, "-municode", "-o", python / "python.exe", source, library], check=True)
    shutil.rmtree(wheels)


def _download(folder: Path, *what: str) -> None:
    where = ("--platform", "win_amd64", "--python-version", _VERSION, "--only-binary=:all:", "-q", "-d", str(folder))
    subprocess.run([sys.executable, "-m", "pip", "download", *where, *what], env=AMBIENT, check=True, stdin=subprocess.DEVNULL)


def _dependencies() -> list[str]:
    return [one for one in metadata.requires("extractord") or () if "extra ==" not in one]
