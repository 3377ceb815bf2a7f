"""A memory directory that somebody asked for.

Owns: who is listened to (override > ``autoMemoryDirectory`` > remote base, MEMORY-RULES §2) and which values are refused. Leaves the
ordinary place to ``memory_home``. It looks at the disk and changes nothing.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from extractord.claude_home.git_root import Project
from extractord.claude_home.settings import Authority, Settings
from extractord.claude_home.surroundings import Surroundings, prefer_existing, resolved
from extractord.claude_home.switches import REMOTE_MEMORY, variables

OVERRIDE = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
_SETTING = "autoMemoryDirectory"
_SHORTEST = 3  # characters of a path (facts §1b)
_NOT_CONTENT = frozenset({".DS_Store", ".consolidate-lock", ".gitkeep", ".keep"})  # files that say nothing about a folder


class Refused(msgspec.Struct, frozen=True):
    """A value that is ignored, and why; the sentence goes on from "it is ignored: "."""

    why: str


class DirectorySetting(msgspec.Struct, frozen=True):
    """What was asked for: a directory, or none (the ordinary one is used), or one that only an untrusted repository asks for."""

    directory: Path | None = None
    untrusted: str = ""  # the file that set it
    remarks: tuple[str, ...] = ()


def asked_directory(project: Project, key: str, chain: Sequence[Settings], surroundings: Surroundings) -> DirectorySetting:
    """Return the memory directory that override, setting or remote base name for ``project``; the first that holds decides."""
    remarks: tuple[str, ...] = ()
    for wish in _wishes(chain, surroundings.environ):
        found = _judge(wish, project, key, surroundings)
        if not isinstance(found, Refused):
            return DirectorySetting(found.directory, found.untrusted, remarks)
        remarks = (*remarks, f"{wish.name} {wish.value!r} in {wish.origin} is ignored: {found.why}")
    return DirectorySetting(remarks=remarks)


class _Wish(msgspec.Struct, frozen=True):
    name: str
    value: str
    origin: str
    authority: Authority


def _wishes(chain: Sequence[Settings], environ: Mapping[str, str]) -> list[_Wish]:
    """Return what is asked for, the strongest first.

    Of each kind a place with full authority hides the weaker ones, whatever it says (facts §1b); an untrusted one hides none.
    """
    settings = [_Wish(_SETTING, layer.directory, f"the {layer.called}", layer.authority) for layer in chain if layer.directory is not None]
    kinds = (_set_in(OVERRIDE, chain, environ), settings, _set_in(REMOTE_MEMORY, chain, environ))
    return [wish for kind in kinds for wish in _heard(kind) if wish.value]


def _set_in(name: str, chain: Sequence[Settings], environ: Mapping[str, str]) -> list[_Wish]:
    return [_Wish(name, one.value, one.origin, one.authority) for one in variables(name, chain, environ)]


def _heard(wishes: list[_Wish]) -> list[_Wish]:
    listened = [wish for wish in wishes if wish.authority is not Authority.SWITCH_OFF]
    first_full = next((place for place, wish in enumerate(listened) if wish.authority is Authority.FULL), len(listened))
    return listened[: first_full + 1]


def _judge(wish: _Wish, project: Project, key: str, surroundings: Surroundings) -> DirectorySetting | Refused:
    path = read_path(wish.value, surroundings.home if wish.name == _SETTING else None)
    if isinstance(path, Refused):  # the client ignores it too, trusted or not
        return path
    if wish.authority is Authority.UNTRUSTED:
        return DirectorySetting(untrusted=wish.origin)
    directory = prefer_existing(path / "projects" / key / "memory" if wish.name == REMOTE_MEMORY else path)
    return objection(directory, project, surroundings) or DirectorySetting(directory=directory)


def read_path(written: str, home: Path | None) -> Path | Refused:
    """Return the path that ``written`` means: absolute, or below ``home`` as ``~/…`` if one is given. Other forms are refused."""
    if "\0" in written or not _encodable(written):
        return Refused("it holds a character that no path may hold")
    if written.startswith(("//", "\\\\")):
        return Refused("it is a network (UNC) path")
    if written.startswith("~") and home is not None:
        return _below_home(written, home)
    if not Path(written).is_absolute():
        return Refused("it is relative; it must be absolute" + (" or begin with ~/" if home else ""))
    path = os.path.normpath(written)
    if len(path) < _SHORTEST:
        return Refused("it is a file system's root or too short")
    return Path(path)


def _below_home(written: str, home: Path) -> Path | Refused:
    if not written.startswith("~/"):
        return Refused("only ~/ and a folder below it may be written for the home")
    below = os.path.normpath(written[2:].lstrip("/") or ".")
    if below in (".", ".."):
        return Refused("it is the home itself")
    return Path(os.path.normpath(home / below))


def _encodable(written: str) -> bool:
    try:
        os.fsencode(written)
    except UnicodeEncodeError:
        return False
    return True


def objection(directory: Path, project: Project, surroundings: Surroundings) -> Refused | None:
    """Return why memory may not be written into ``directory``, whoever asks for it; None if it may."""
    places = dict.fromkeys(place for place in (directory, _real(directory)))
    reasons = (_objection_to_place(place, project, surroundings) for place in places)
    why = next((reason for reason in reasons if reason), "") or _objection_to_content(directory)
    return Refused(why) if why else None


def _objection_to_place(place: Path, project: Project, surroundings: Surroundings) -> str:
    homes = (surroundings.home, _real(surroundings.home))
    config_homes = (surroundings.config_home, _real(surroundings.config_home))
    if any(home.is_relative_to(place) for home in homes):
        return "it is the home, or holds it"
    if any(config_home.is_relative_to(place) for config_home in config_homes):
        return "it is the client's own folder, or holds it"
    if any(place.is_relative_to(config_home) for config_home in config_homes):
        return ""
    if any(_is_private(place, home, surroundings.platform) for home in homes):
        return "it lies in a dot folder of the home, or in Library"
    repository = project.repository
    tops = {Path(project.root), *([repository.top, repository.root] if repository else [])}
    if any(top.is_absolute() and top.is_relative_to(place) for top in tops) or ".git" in place.parts:
        return "it is the repository itself, or holds it"
    return ""


def _is_private(place: Path, home: Path, platform: str) -> bool:
    if not place.is_relative_to(home):
        return False
    first = unicodedata.normalize("NFC", place.relative_to(home).parts[0])
    library = first.casefold() == "library" if platform == "darwin" else first == "Library"
    return first.startswith(".") or library


def _objection_to_content(directory: Path) -> str:
    if not os.path.lexists(directory):
        return ""
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry in entries if not entry.is_dir()]
    except NotADirectoryError:
        return "it is no folder"
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    if "MEMORY.md" in names or all(name.endswith(".md") or name in _NOT_CONTENT for name in names):
        return ""
    return "it holds other files than Markdown and no MEMORY.md"


def _real(path: Path) -> Path:
    """Return where ``path`` would really lie: its nearest existing ancestor resolved."""
    for ancestor in (path, *path.parents):
        if real := resolved(ancestor):
            return real / path.relative_to(ancestor)
    return path
