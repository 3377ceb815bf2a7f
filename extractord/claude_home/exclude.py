"""Projects that are left alone because our own configuration says so.

Owns: exclude globs, temp folders, the off switches of the configuration. Leaves the client's own switches to ``memory_home``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from extractord.claude_home.surroundings import Surroundings, resolved
from extractord.config import Config, matches, rule_for
from extractord.system.paths import TEMP_VARIABLES

_TEMP_FOLDERS = ("/tmp", "/var/tmp", "/private/tmp", "/var/folders")  # noqa: S108  (CONTRACTS, "exclude")


def excluded(root: str, config: Config, surroundings: Surroundings) -> str:
    """Return why the project at ``root`` is excluded, "" if it is not. A glob matches a folder with all that lies below it."""
    if config.exclude is not None:
        pattern = next((one for one in config.exclude if matches(one, root, surroundings.home)), "")
        return f"excluded by {pattern!r} in the configuration" if pattern else ""
    folder = next((one for one in temp_folders(surroundings) if _lies_in(Path(root), one)), None)
    return f"it lies in the temp folder {folder}; set `exclude` to change that" if folder else ""


def switched_off(root: str, config: Config, surroundings: Surroundings) -> str:
    """Return why extraction is off for ``root`` by the configuration (``extractord off``), "" if it is on."""
    if config.off:
        return "extraction is switched off; `extractord on` resumes it"
    rule = rule_for(root, config, surroundings.home)
    return "extraction is switched off for this project; `extractord on --cwd …` resumes it" if rule.off else ""


def temp_folders(surroundings: Surroundings) -> Iterator[Path]:
    """Yield the temp folders whose projects are excluded by default: not those that the config home itself lies in."""
    named = [surroundings.environ.get(name, "") for name in TEMP_VARIABLES]
    for folder in dict.fromkeys(Path(place) for place in (*named, *_TEMP_FOLDERS) if Path(place).is_absolute()):
        asked = folder in map(Path, filter(None, named))  # a TMPDIR of ``/`` or the home holds more than what is to pass
        if not (asked and _lies_in(surroundings.home, folder)) and not _lies_in(surroundings.config_home, folder):
            yield folder


def _lies_in(place: Path, folder: Path) -> bool:
    """Whether ``place`` is ``folder`` or lies below it, as written or with links resolved."""
    real_place, real_folder = resolved(place) or place, resolved(folder) or folder
    return place.is_relative_to(folder) or real_place.is_relative_to(real_folder)
