"""Whether a person said that a folder's settings may count.

Owns: the reading of ``projects[…].hasTrustDialogAccepted`` in the client's ``.claude.json`` (facts §6). Leaves what an untrusted
setting may still do to ``settings``.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path

import msgspec

from extractord.claude_home.git_root import Project
from extractord.claude_home.surroundings import Surroundings

_LONGEST_FILE = 256 << 20  # bytes; the client keeps much else in it


class _Entry(msgspec.Struct):
    hasTrustDialogAccepted: bool = False  # noqa: N815


class _State(msgspec.Struct):
    projects: dict[str, msgspec.Raw] = {}


def is_trusted(project: Project, surroundings: Surroundings) -> bool:
    """Whether the trust dialog was accepted for the session's directory or for its repository; no answer means no."""
    accepted = _accepted(surroundings.state_file)
    return any(unicodedata.normalize("NFC", name) in accepted for name in _names(project))


def _names(project: Project) -> set[str]:
    top = project.repository.top if project.repository else None
    return {str(place).rstrip("/") or "/" for place in (project.cwd, project.folder, top, project.root) if place}


def _accepted(path: Path) -> frozenset[str]:
    try:
        if not path.is_file():
            return frozenset()
        with path.open("rb") as file:
            content = file.read(_LONGEST_FILE)
        state = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"), type=_State)
    except (OSError, ValueError, RecursionError):  # unreadable or half written: nobody's word can be taken from it, so nothing is trusted
        return frozenset()
    return frozenset(unicodedata.normalize("NFC", name) for name, entry in state.projects.items() if _says_yes(entry))


def _says_yes(entry: msgspec.Raw) -> bool:
    try:
        return msgspec.json.decode(entry, type=_Entry).hasTrustDialogAccepted
    except (ValueError, RecursionError):  # an entry of a form we do not know
        return False
