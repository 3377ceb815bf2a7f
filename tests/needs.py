"""Programs and kernel features that tests need.

Owns: finding a program, installing it where that is allowed, and saying in one line what is missing and which test it stops.
Leaves turning skips into failures under CI to ``conftest``.
"""

from __future__ import annotations

import ctypes
import enum
import fcntl
import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

# As found before conftest redirects the home: installers need the machine's own registries and caches.
AMBIENT = dict(os.environ)
KERNEL = "kernel feature: "  # a skip that begins so is allowed under CI, as is
UNREACHABLE = "npm cannot be reached: "
INSTALL_SECONDS = 600
_ORDINARY_USER = ("unshare", "-U", "--map-user=1000", "--map-group=1000")


class KernelFeature(enum.Enum):
    """What only the kernel can give; no package brings it."""

    LANDLOCK = "Landlock"
    USER_NAMESPACES = "user namespaces"
    NOTIFY_SOCKET = "notify socket"


class Needs:
    """``needs("strace", apt="strace")`` returns the program's path, or skips the test that asked.

    Processes that share the tests share the ``folder`` into which npm packages go, and install one after the other.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._found: dict[str, Path | None] = {}
        self._packages: dict[str, Path | None] = {}

    def __call__(self, program: str, *, apt: str | None = None, npm: str | None = None) -> Path:
        """Return where ``program`` is, installed from the Debian package ``apt`` or the npm package ``npm`` if need be."""
        if program not in self._found:
            self._found[program] = self._find(program) or self._install(program, apt, npm)
        path = self._found[program]
        if path is None:
            pytest.skip(f"needs {program} (package {apt or npm or program}), which {_asking()} uses")
        return path

    def npm(self, program: str, package: str) -> Path:
        """Return ``program`` of the npm package (with a version, so that everybody tests the same), never one that lies around.

        Skips, in a way that CI allows, only where the registry cannot be reached.
        """
        if package not in self._packages:
            self._packages[package] = self._of_package(program, package)
        path = self._packages[package]
        if path is not None:
            return path
        npm = self._find("npm")
        reachable = npm is not None and _run([str(npm), "view", package, "version"])
        why = f"{package} could not be installed" if reachable or npm is None else f"{UNREACHABLE}{package}"
        pytest.skip(f"{why}, which {_asking()} uses")

    def _of_package(self, program: str, package: str) -> Path | None:
        path = self._prefix(package) / "node_modules" / ".bin" / program
        with _alone():
            if not path.exists():
                if self._find("npm") is None:
                    self._apt("npm")
                self._npm_install(package)
        return path if path.exists() else None

    def _prefix(self, package: str) -> Path:
        """Return where a package goes: each version into a folder of its own."""
        return self._folder / re.sub(r"[^\w.-]", "_", package)

    def file(self, path: Path, *, apt: str) -> Path:
        """Return ``path``, installed from the Debian package ``apt`` if need be."""
        with _alone():
            if not path.exists():
                self._apt(apt)
        if not path.exists():
            pytest.skip(f"needs {path} (package {apt}), which {_asking()} uses")
        return path

    def made(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return the folder of that name into which ``make`` puts what takes long to make, once for all processes."""
        folder = self._folder / name
        with _alone():
            if not (folder / ".made").exists():
                folder.mkdir(exist_ok=True)
                make(folder)
                (folder / ".made").touch()
        return folder

    def ordinary_user(self) -> tuple[str, ...]:
        """Return what to put before a command so that it has no more rights than an ordinary person, whoever runs the tests."""
        if os.geteuid() != 0:
            return ()
        if subprocess.run([*_ORDINARY_USER, "true"], capture_output=True, check=False).returncode != 0:
            self.kernel(KernelFeature.USER_NAMESPACES)
            pytest.skip(f"needs unshare with --map-user (package util-linux), which {_asking()} uses")
        return _ORDINARY_USER

    def kernel(self, feature: KernelFeature) -> None:
        """Skip the test that asked, in a way that CI allows, where the kernel lacks ``feature``."""
        if not _PROBES[feature]():
            pytest.skip(f"{KERNEL}{feature.value} is missing, which {_asking()} uses")

    def _find(self, program: str) -> Path | None:
        places = [AMBIENT.get("PATH", os.defpath), "/usr/sbin", "/sbin", *map(str, self._folder.glob("*/node_modules/.bin"))]
        found = shutil.which(program, path=os.pathsep.join(places))
        return Path(found) if found else None

    def _install(self, program: str, apt: str | None, npm: str | None) -> Path | None:
        with _alone():
            if (found := self._find(program)) is not None:  # another process was first
                return found
            if apt is not None:
                self._apt(apt)
            elif npm is not None:
                self._npm_install(npm)
        return self._find(program)

    def _apt(self, package: str) -> None:
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            return
        updated = self._folder / "apt-updated"
        if not updated.exists():
            _run(["apt-get", "update", "-q"])
            updated.touch()
        _run(["apt-get", "install", "-q", "-y", "--no-install-recommends", package])

    def _npm_install(self, package: str) -> None:
        npm = self._find("npm")
        if npm is not None:
            _run([str(npm), "install", "--no-audit", "--no-fund", "--prefix", str(self._prefix(package)), package])


@contextmanager
def _alone() -> Iterator[None]:
    """Keep every other run on this machine from installing meanwhile: apt-get fails where another one works."""
    with (Path(tempfile.gettempdir()) / "extractord-installing.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _run(argv: list[str]) -> bool:
    """Run an installer; whether an installation worked shows in whether the program is there afterwards."""
    env = {**AMBIENT, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=INSTALL_SECONDS, check=False)
    return done.returncode == 0


def _asking() -> str:
    return os.environ.get("PYTEST_CURRENT_TEST", "a test").rsplit(" ", 1)[0]


def _landlock() -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    create_ruleset, version_flag = 444, 1
    return bool(libc.syscall(create_ruleset, None, 0, version_flag) > 0)


def _user_namespaces() -> bool:
    unshare = shutil.which("unshare")
    return unshare is not None and subprocess.run([unshare, "-Ur", "true"], capture_output=True, check=False).returncode == 0


def _notify_socket() -> bool:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        try:
            listener.bind(str(Path(folder) / "notify"))
        except OSError:
            return False
    return True


_PROBES: dict[KernelFeature, Callable[[], bool]] = {
    KernelFeature.LANDLOCK: _landlock,
    KernelFeature.USER_NAMESPACES: _user_namespaces,
    KernelFeature.NOTIFY_SOCKET: _notify_socket,
}
