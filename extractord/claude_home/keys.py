"""Folder names below ``projects/``.

Owns: the name the client gives to a directory's folder (facts §2). Leaves which directory it is to ``git_root``.
"""

from __future__ import annotations

import itertools
import os
import unicodedata
from array import array
from collections.abc import Iterator
from pathlib import Path

import msgspec

from extractord.claude_home.surroundings import resolved

LONGEST_NAME = 200  # UTF-16 units; a longer name is cut here and given a hash (facts §2)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LOOKED_AT = 20  # transcripts of a folder that are asked for the directory they started in
_LINES = 60  # records of one of them
_LONGEST_LINE = 1 << 20  # bytes


class _Where(msgspec.Struct):
    cwd: str | None = None


def sanitize(path: str) -> str:
    """Return the folder name of ``path`` as the client forms it: no Unicode normalisation, nothing collapsed or trimmed."""
    units = _utf16_units(path)
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}-{_hash(units)}"


def project_key(root: str, config_home: Path) -> str:
    """Return the name of the folder below ``projects/`` that belongs to ``root``.

    It is ``sanitize(root)``, unless another build of the client made the folder: one that hashes long names otherwise, or that
    normalises to NFC first. Such a folder is taken if its transcripts name ``root`` and ours is not there.
    """
    own = sanitize(root)
    projects = config_home / "projects"
    if (len(own) <= LONGEST_NAME and root.isascii()) or resolved(projects / own):
        return own
    others = (name for name in _other_names(root, own, projects) if _names_root(projects / name, root))
    return next(others, own)


def _utf16_units(path: str) -> array[int]:
    units = array("H")
    units.frombytes(path.encode("utf-16-le", "surrogatepass"))
    return units


def _hash(units: array[int]) -> str:
    """Return the 31-multiplier 32-bit hash of the units, absolute, in base 36."""
    value = 0
    for unit in units:
        value = (value * 31 + unit) & 0xFFFFFFFF
    value = abs(value - (1 << 32) if value & 0x80000000 else value)
    digits = _DIGITS[value % 36]
    while value := value // 36:
        digits = _DIGITS[value % 36] + digits
    return digits


def _other_names(root: str, own: str, projects: Path) -> Iterator[str]:
    composed = sanitize(unicodedata.normalize("NFC", root))
    if composed != own:
        yield composed
    prefixes = tuple({f"{name[:LONGEST_NAME]}-" for name in (own, composed) if len(name) > LONGEST_NAME})
    if not prefixes:
        return
    try:
        with os.scandir(projects) as entries:
            yield from sorted(entry.name for entry in entries if entry.name.startswith(prefixes) and entry.is_dir())
    except OSError:  # no projects yet: nobody made a folder of another name
        return


def _names_root(folder: Path, root: str) -> bool:
    wanted = unicodedata.normalize("NFC", root)
    try:
        files = sorted(path for path in folder.glob("*.jsonl") if path.is_file())
    except OSError:
        return False
    return any(unicodedata.normalize("NFC", first_cwd(path)) == wanted for path in files[:_LOOKED_AT])


def first_cwd(transcript: Path) -> str:
    """Return the directory that a session was started in, "" if its first records do not say."""
    try:
        with transcript.open("rb") as lines:
            for line in itertools.islice(iter(lambda: lines.readline(_LONGEST_LINE), b""), _LINES):
                try:
                    cwd = msgspec.json.decode(line, type=_Where).cwd
                except (ValueError, RecursionError):
                    continue  # a damaged or foreign line names nothing
                if cwd:
                    return cwd
    except OSError:
        return ""
    return ""
