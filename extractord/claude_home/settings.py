"""The client's settings files, as far as they decide about memory.

Owns: where they lie, how one is read (a byte order mark is tolerated; one that fails validation is ignored as a whole, facts §1b),
and how far each counts. Leaves what follows from them to ``switches`` and ``directory_setting``.
"""

from __future__ import annotations

import codecs
import enum
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from extractord.claude_home.git_root import Project
from extractord.claude_home.surroundings import Surroundings
from extractord.claude_home.trust import is_trusted

_T = TypeVar("_T")
_LONGEST_FILE = 4 << 20  # bytes; a settings file is a few kilobytes


class Scope(enum.Enum):
    """Whose settings they are; the order is that of precedence (the first that says something decides)."""

    MANAGED = "managed"
    LOCAL = "local"
    PROJECT = "project"
    USER = "user"


class Authority(enum.Enum):
    """How far a file counts. A switch-off counts in each."""

    FULL = "full"
    UNTRUSTED = "untrusted"  # it lies in a repository that the person was not asked about yet
    SWITCH_OFF = "switch-off only"  # beside those that the client reads: the repository's own, for a session in a subfolder


class Settings(msgspec.Struct, frozen=True):
    """What one file says about memory; None where it says nothing."""

    scope: Scope
    path: Path
    authority: Authority = Authority.FULL
    enabled: bool | None = None
    directory: str | None = None
    env: Mapping[str, str] = {}
    cleanup_days: int | None = None
    remark: str = ""  # why the file was ignored; it then says nothing

    @property
    def called(self) -> str:
        """How the file is named to people."""
        return f"{self.scope.value} settings ({self.path})"


class _File(msgspec.Struct):
    """The keys that are used. ``null`` is no valid value for the client, so absence is told apart from it."""

    autoMemoryEnabled: bool | msgspec.UnsetType = msgspec.UNSET  # noqa: N815
    autoMemoryDirectory: str | msgspec.UnsetType = msgspec.UNSET  # noqa: N815
    env: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    cleanupPeriodDays: Annotated[int, msgspec.Meta(ge=0)] | msgspec.UnsetType = msgspec.UNSET  # noqa: N815


def settings_chain(project: Project, surroundings: Surroundings) -> tuple[Settings, ...]:
    """Return the settings that exist for ``project``, the strongest first."""
    found = [settings for settings in _all_files(project, surroundings) if settings]
    if not any(settings.scope in (Scope.LOCAL, Scope.PROJECT) for settings in found) or is_trusted(project, surroundings):
        return tuple(found)
    return tuple(_distrusted(settings, surroundings) for settings in found)


def cleanup_period_days(surroundings: Surroundings) -> int | None:
    """Return after how many days the client removes old transcripts; None if managed and user settings do not say."""
    chain = [settings for settings in (*_managed(surroundings), _user(surroundings)) if settings]
    return next((settings.cleanup_days for settings in chain if settings.cleanup_days is not None), None)


def read_settings(path: Path, scope: Scope) -> Settings | None:
    """Return what the file at ``path`` says; None if there is none. Never raises: a bad file is ignored, with a remark."""
    try:
        if not path.is_file():  # a pipe in a repository would block
            return None
        with path.open("rb") as file:
            content = file.read(_LONGEST_FILE)
        return _parsed(content, Settings(scope=scope, path=path))
    except OSError as error:
        return Settings(scope=scope, path=path, remark=f"{path} cannot be read ({error.strerror}) and is ignored")
    except (ValueError, RecursionError) as error:
        return Settings(scope=scope, path=path, remark=f"{path} is ignored as a whole, as the client does: {error}")


def decode_text(content: bytes) -> str:
    """Return the text of a file that some editor may have given a byte order mark."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    return content.decode("utf-8-sig", "replace")


def _parsed(content: bytes, empty: Settings) -> Settings:
    text = decode_text(content)
    if not text.strip():
        return empty
    file = msgspec.json.decode(text, type=_File)
    return msgspec.structs.replace(
        empty,
        enabled=_or_none(file.autoMemoryEnabled),
        directory=_or_none(file.autoMemoryDirectory),
        env={name: _as_variable(value) for name, value in (_or_none(file.env) or {}).items()},
        cleanup_days=_or_none(file.cleanupPeriodDays),
    )


def _or_none(value: _T | msgspec.UnsetType) -> _T | None:
    return None if isinstance(value, msgspec.UnsetType) else value


def _as_variable(value: object) -> str:
    """Return what a value of an ``env`` block becomes as a variable (the client makes strings of them as JavaScript does)."""
    match value:
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer():
            return str(int(value))
        case None:
            return "null"
        case _:
            return str(value)


def _all_files(project: Project, surroundings: Surroundings) -> Iterator[Settings | None]:
    yield from _managed(surroundings)
    yield from _of_project(_folders(project), surroundings.config_home)
    yield _user(surroundings)


def _of_project(folders: list[Path], config_home: Path) -> Iterator[Settings | None]:
    if folders and folders[0] / ".claude" == config_home:  # started in the home: the project's settings are the user's own
        yield read_settings(config_home / "settings.local.json", Scope.LOCAL)
        return
    # Newer clients read the local settings at the repository's top, older ones where they were started; the shared ones are read
    # only where they were started. A repository that switches memory off means its subfolders too.
    yield from (read_settings(folder / ".claude" / "settings.local.json", Scope.LOCAL) for folder in folders)
    for place, folder in enumerate(folders):
        settings = read_settings(folder / ".claude" / "settings.json", Scope.PROJECT)
        yield settings and msgspec.structs.replace(settings, authority=Authority.FULL if place == 0 else Authority.SWITCH_OFF)


def _folders(project: Project) -> list[Path]:
    """Return where project settings may lie: the start directory first (for one that is gone its project), then the tops above it."""
    repository = project.repository
    tops = [repository.top, repository.root] if repository else []
    start = [project.folder] if project.folder else []
    places = [*start, *tops] or [Path(project.root)]
    return list(dict.fromkeys(place for place in places if place.is_absolute()))


def _managed(surroundings: Surroundings) -> Iterator[Settings | None]:
    """Read the managed settings: of the drop-ins the last one is the strongest, then the file itself."""
    folder = surroundings.policy_folder
    for path in sorted((folder / "managed-settings.d").glob("*.json"), reverse=True):
        yield read_settings(path, Scope.MANAGED)
    yield read_settings(folder / "managed-settings.json", Scope.MANAGED)


def _user(surroundings: Surroundings) -> Settings | None:
    return read_settings(surroundings.config_home / "settings.json", Scope.USER)


def _distrusted(settings: Settings, surroundings: Surroundings) -> Settings:
    in_repository = settings.scope in (Scope.LOCAL, Scope.PROJECT) and settings.path.parent != surroundings.config_home
    if in_repository and settings.authority is Authority.FULL:
        return msgspec.structs.replace(settings, authority=Authority.UNTRUSTED)
    return settings
