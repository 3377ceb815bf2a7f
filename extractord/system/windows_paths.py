"""Paths on Windows: told in the form with ``/`` that the rest of the program thinks in, and names that are not what they seem.

``/C:/Users/sam`` is that form of ``C:\\Users\\sam``: absolute paths begin with ``/``, and a drive is the first component. Pure: the same
answer wherever it is asked.

Owns: the two forms, and the rules for one component of a path (Microsoft, "Naming Files, Paths, and Namespaces"). Leaves what is
refused to the caller.
"""

from __future__ import annotations

import re
import unicodedata

TEMP_VARIABLES = ("TEMP", "TMP")

_DRIVE = re.compile(r"([A-Za-z]):(?=[\\/]|$)")
_GIT_BASH = re.compile(r"/([A-Za-z])(?=/|$)")  # how the client's shell writes a drive there
_FORBIDDEN = re.compile(r'[<>"/\\|?*\x00-\x1f]')
_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|CLOCK\$|(?:COM|LPT)[0-9])", re.IGNORECASE)
_SHORT = re.compile(r"[^.~]{1,6}~[0-9]{1,6}(?:\.[^.]{0,3})?")


def slashed(path: str) -> str:
    """Return ``path`` with ``/``; an absolute one begins with ``/`` and its drive in capitals. A network path keeps its ``//``."""
    path = path.removeprefix("\\\\?\\")
    if drive := _DRIVE.match(path):
        return f"/{drive[1].upper()}:{path[2:]}".replace("\\", "/")
    if drive := _GIT_BASH.match(path):
        return f"/{drive[1].upper()}:{path[2:]}"
    return path.replace("\\", "/")


def native(path: str) -> str:
    """Return what the system calls a path that ``slashed`` returned; others are returned as they are."""
    return path[1:] if path.startswith("/") and _DRIVE.match(path[1:]) else path


def odd_name(name: str) -> str:
    """Return why ``name`` (one component) cannot be a file's on Windows, or is taken for something else; "" if it is a plain name."""
    if _FORBIDDEN.search(name):
        return "a component of the path has a character that no name has on Windows"
    return disguised(name)


def disguised(name: str) -> str:
    """Return why Windows takes ``name`` for something else, "" if it does not. It may be a pattern."""
    if name.endswith((".", " ")) and name not in (".", ".."):
        return "a component of the path ends with a dot or a blank, which Windows drops"
    if ":" in name:
        return "a component of the path has a colon: a drive or another stream of a file on Windows"
    # A device is one whatever stands behind a dot, and blanks before the dot do not count; a small raised digit counts as a digit.
    stem = unicodedata.normalize("NFKC", name).partition(".")[0].rstrip(" ")
    if _DEVICE.fullmatch(stem):
        return f"{stem} is a device on Windows"
    if _SHORT.fullmatch(name):
        return "a component of the path looks like Windows' short form of another name"
    return ""
