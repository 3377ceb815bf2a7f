"""Which program the service starts, and whether it will still be there tomorrow.

Owns: the path that goes into the unit, and the places that are emptied behind a person's back. Pure but for looking.
"""

from __future__ import annotations

import os
import re
import shutil
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from extractord.service.steps import ServiceError

PROGRAM = "extractord"
INSTALL = "uv tool install extractord"
_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm", "/run/user", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders")  # noqa: S108 - never used, only recognised
_CACHES = frozenset({".cache", "Caches", ".tox", ".nox", ".eggs"})
_BUILDS = frozenset({"build", "_build", "dist"})
_UV = re.compile(r"(?:archive|environments|builds)-v\d+")  # folders of uv's cache, wherever UV_CACHE_DIR puts it
_UNSAFE = re.compile(r"[\"'\\\x00-\x1f\x7f]")  # systemd: "Executable name contains special characters"


def as_invoked(argv0: str, environ: Mapping[str, str]) -> Path:
    """Return the program as the person started it; the name in PATH where that leads to the same file.

    Raises ServiceError where there is no such program (a module run from a source tree).
    """
    in_path = shutil.which(PROGRAM, path=environ.get("PATH"))
    for candidate in _candidates(argv0, environ):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            same = in_path is not None and Path(in_path).resolve() == candidate.resolve()
            return Path(in_path).absolute() if same and in_path is not None else candidate
    raise ServiceError("there is no program `extractord` beside this Python, so that a service cannot start it", hint=f"Type `{INSTALL}`.")


def _candidates(argv0: str, environ: Mapping[str, str]) -> Iterator[Path]:
    if Path(argv0).name == PROGRAM:
        found = argv0 if os.sep in argv0 else shutil.which(argv0, path=environ.get("PATH"))
        if found:
            yield Path(found).absolute()
    yield Path(sysconfig.get_path("scripts")) / PROGRAM
    yield Path(sysconfig.get_path("scripts", f"{os.name}_user")) / PROGRAM


def objection(executable: Path, prefix: Path, environ: Mapping[str, str], home: Path) -> str:
    """Return why a service cannot rely on ``executable`` (and the environment at ``prefix`` that runs it), "" if it can."""
    if _UNSAFE.search(str(executable)):
        return f"{executable} holds a quote, a backslash or a control character, which no unit can name"
    temporary = tuple(_temporary(environ))
    for path in (executable, executable.resolve(), prefix, prefix.resolve()):
        if why := _vanishing(path, home, temporary, environ):
            return f"{path} {why}"
    return ""


def _vanishing(path: Path, home: Path, temporary: Iterable[Path], environ: Mapping[str, str]) -> str:
    if any(path.is_relative_to(place) for place in temporary):
        return "lies in a temporary folder and will vanish"
    caches = [Path(place) for name in ("UV_CACHE_DIR", "XDG_CACHE_HOME") if (place := environ.get(name))]
    if _CACHES.intersection(path.parts) or any(map(_UV.fullmatch, path.parts)) or any(path.is_relative_to(place) for place in caches):
        return "lies in a cache (as of `uvx` or `pipx run`) and will vanish"
    inside = path.relative_to(home).parts if path.is_relative_to(home) else path.parts[3:]
    if _BUILDS.intersection(inside):
        return "lies in a build folder and will vanish"
    return ""


def _temporary(environ: Mapping[str, str]) -> Iterator[Path]:
    named = [environ.get(name) for name in ("TMPDIR", "TEMP", "TMP", "XDG_RUNTIME_DIR")]
    for place in (*_TEMPORARY, tempfile.gettempdir(), *filter(None, named)):
        # A folder that holds everything says nothing about what is in it.
        if Path(place).is_absolute() and len(Path(place).parts) > 1:
            yield Path(place)
            yield Path(place).resolve()
