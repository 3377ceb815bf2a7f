"""Where a topic may lie.

Owns: the rules for the path of a topic, judged from its text alone (``place``), and a look at what stands there on disk
(``inspect_target``). Leaves opening and writing files to ``directory``.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from extractord.redact import invisible, secrets_in
from extractord.system.paths import odd_name, slashed

INDEX = "MEMORY.md"
_NAME_BYTES = 255  # NAME_MAX of every file system we know
_PATH_BYTES = 1_024  # PATH_MAX of macOS, with room for the memory directory


@dataclass(frozen=True, slots=True)
class Placed:
    """A path that a topic may have: ``relative`` to the memory directory, with ``/``, without ``.`` and ``..``."""

    relative: str


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A path that no topic may have, and why."""

    reason: str


def place(path: str, memory_dir: Path) -> Placed | Misplaced:
    """Return where ``path`` (absolute, or relative to ``memory_dir``) lies in the memory directory, or why it may not be written.

    Pure: nothing is looked up on disk, links are the business of ``inspect_target``.
    """
    if reason := _odd_text(path):
        return Misplaced(reason)
    parts = _parts_below(path, memory_dir)
    if parts is None:
        return Misplaced("the path is outside the memory directory; topics are written inside it only, e.g. feedback_testing.md")
    if not parts or path.endswith("/"):
        return Misplaced("the path names a directory; name a topic file, e.g. feedback_testing.md")
    if reason := _odd_name(parts):
        return Misplaced(reason)
    return Placed("/".join(parts))


def is_plain(path: str) -> bool:
    """Whether a recorded path plainly lies below the memory directory: the last look before the disk, whatever was checked before."""
    return not any(part in ("", ".", "..") or "\0" in part or "\\" in part for part in path.split("/"))


def inspect_target(memory_dir: Path, relative: str) -> str:
    """Return why ``relative`` (from ``place``) must not be written as things are on disk, "" if it may be.

    Every component is looked at by lstat: a link anywhere, something else than a directory above, something else than a
    regular file with one name at the end are reasons.
    """
    here = memory_dir
    *folders, name = PurePosixPath(relative).parts
    for folder in folders:
        here = here / folder
        mode = _mode(here)
        if mode is None:
            return ""
        if stat.S_ISLNK(mode):
            return f"{folder}/ is a symbolic link; nothing is written through links"
        if not stat.S_ISDIR(mode):
            return f"{folder} is a file, not a directory"
    try:
        found = os.lstat(here / name)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return f"{name} cannot be looked at: {error.strerror}"
    if stat.S_ISLNK(found.st_mode):
        return f"{name} is a symbolic link; nothing is written through links"
    if stat.S_ISDIR(found.st_mode):
        return f"{name} is a directory"
    if not stat.S_ISREG(found.st_mode):
        return f"{name} is no regular file"
    return f"{name} has other hard links and is left alone" if found.st_nlink > 1 else ""


def _mode(path: Path) -> int | None:
    try:
        return path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return 0  # cannot be looked at: no directory to go through


def _odd_text(path: str) -> str:
    if not path.strip():
        return "the path is empty"
    if len(path.encode("utf-8", "surrogatepass")) > _PATH_BYTES:
        return "the path is too long; name the topic in a few words"
    if any("\ud800" <= c <= "\udfff" for c in path):
        return "the path is not valid Unicode"
    if invisible(path) or any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in path):
        return "the path has control or invisible characters"
    if "\\" in path or "$" in path or path.startswith("~"):
        return "the path has a backslash, a $ or a leading ~; write it plainly, with /"
    if "://" in path:
        return "the path is an address, not a path"
    return _grows_when_decoded(path)


def _grows_when_decoded(path: str) -> str:
    """Return a reason if percent-decoding or NFKC, in any order and depth, adds a separator, a ``..`` or a control character."""
    plain = _shape(path)
    seen = path
    for _ in range(4):
        for form in (unicodedata.normalize("NFKC", seen), unquote(seen), unquote(unicodedata.normalize("NFKC", seen))):
            if _shape(form) != plain or any(unicodedata.category(c) == "Cc" for c in form):
                return "the path hides a separator or .. behind an encoding"
        seen = unquote(unicodedata.normalize("NFKC", seen))
    return ""


def _shape(path: str) -> tuple[int, int]:
    flat = path.replace("\\", "/")
    return flat.count("/"), sum(part.strip() == ".." for part in flat.split("/"))


def _parts_below(path: str, memory_dir: Path) -> tuple[str, ...] | None:
    """Return the components below the memory directory, dots resolved as text; None if they lead outside."""
    root = [part for part in slashed(str(memory_dir)).split("/") if part]
    parts = [] if path.startswith("/") else list(root)
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return tuple(parts[len(root) :]) if parts[: len(root)] == root else None


def _odd_name(parts: tuple[str, ...]) -> str:
    *folders, name = parts
    if any(part != part.strip() for part in parts):
        return "a component of the path begins or ends with a space"
    if reason := next(filter(None, map(odd_name, parts)), ""):
        return reason
    if any(len(part.encode()) > _NAME_BYTES for part in parts):
        return f"a component of the path is longer than {_NAME_BYTES} bytes; name the topic in a few words"
    if any(folder.startswith(".") for folder in folders):
        return "nothing is written below a dot directory"
    if not name.endswith(".md") or name == ".md":
        return "topics are .md files; end the name with .md"
    if unicodedata.normalize("NFKC", name).casefold() == INDEX.casefold():
        return f"{INDEX} is kept by extractord: its lines follow from the topics' names and descriptions; write the topic only"
    if secrets_in("/".join(parts)) or any(secrets_in(part.removesuffix(".md")) for part in parts):
        return "the path holds a secret; name the topic by its subject"
    return ""
