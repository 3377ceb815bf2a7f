"""What the agent's tools may touch: pure rules over facts about a path, deny by default.

Owns: which path strings are taken at all, what may be read, what may be written, and the reasons people and models are told.
Leaves gathering the facts (``Located``) to ``places``, names that bear secrets to ``secret_files``, what may stand in a topic
to the supervisor's checks. No input or output here.
"""

from __future__ import annotations

import enum
import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote

import msgspec

from extractord.agent.protocol import Decision, Ruling
from extractord.agent.secret_files import bears_secrets, lies_among_secrets
from extractord.system.paths import disguised

ALLOWED = Ruling(Decision.ALLOWED)


class Roots(msgspec.Struct, frozen=True):
    """What an agent run may read: two directories, absolute.

    ``project`` is None where the project no longer exists. Nothing below ``barred`` (the config home, the state folder …) is
    shown but the memory directory, for the case that the project lies around them.
    """

    project: str | None
    memory: str
    barred: tuple[str, ...] = ()


class Area(enum.Enum):
    """Where a path leads once links are resolved."""

    MEMORY = "memory"
    PROJECT = "project"
    OUTSIDE = "outside"


class Kind(enum.Enum):
    """What is there."""

    FILE = "file"
    DIRECTORY = "directory"
    MISSING = "missing"
    LINK = "link"  # for reading, where links are followed: one that leads round in a loop
    SPECIAL = "special"  # FIFO, device, socket
    UNKNOWN = "unknown"  # cannot be looked at: no permission, a name that is too long


@dataclass(frozen=True, slots=True)
class Located:
    """The facts about a path by which it is judged.

    ``parts`` are the components below the area's root with links resolved, ``named`` those that were asked for. For writing,
    ``links`` and ``files`` tell which components above or at the end are symlinks, and which above the end are files.
    """

    area: Area
    parts: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    kind: Kind = Kind.MISSING
    links: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def denied(reason: str) -> Ruling:
    """Return a refusal."""
    return Ruling(Decision.DENIED, reason)


# Bidirectional controls, and characters that show as nothing. Joiners (200C, 200D) belong to ordinary scripts and emoji.
_HIDDEN = frozenset(
    "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u00ad\ufeff"
)
_UNSHOWN_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_DECODINGS = 4  # %25252e… is peeled this often; what is still encoded then is refused


def is_plain(text: str) -> bool:
    """Return whether ``text`` has no control, bidirectional or invisible character."""
    return not any(c in _HIDDEN or unicodedata.category(c) in _UNSHOWN_CATEGORIES or 0xE0000 <= ord(c) <= 0xE007F for c in text)


def _seen_otherwise(text: str) -> list[str]:
    """Return what less careful programs would take ``text`` for: percent-decoded (repeatedly) and NFKC-folded."""
    seen = [unicodedata.normalize("NFKC", text)]
    for _ in range(_DECODINGS):
        text = unquote(text, errors="replace")
        seen += [text, unicodedata.normalize("NFKC", text)]
    return [*seen, "\0"] if unquote(text, errors="replace") != text else seen


def _shape(text: str) -> tuple[int, int]:
    """Return how many separators and how many ``..`` components a path has."""
    separated = text.replace("\\", "/")
    return separated.count("/"), separated.split("/").count("..")


def rule_text(text: str) -> Ruling:
    """Return whether ``text`` may be a path at all; ``text`` is what stands below an allowed root, or all that was written."""
    if not text:
        return denied("the path is empty")
    if not is_plain(text):
        return denied("the path has control, bidirectional or invisible characters")
    if "\\" in text:
        return denied("the path has a backslash")
    if text.startswith("~"):
        return denied("the path begins with ~, which is not expanded here")
    if "$" in text:
        return denied("the path has a $, which is not expanded here")
    if "://" in text:
        return denied("a URL is not a path")
    if any(part != part.strip() for part in text.split("/")):
        return denied("a component of the path begins or ends with a space")
    if reason := next(filter(None, map(disguised, text.split("/"))), ""):
        return denied(reason)
    plain = _shape(text)
    if any(_shape(other) != plain or not is_plain(other) for other in _seen_otherwise(text)):
        return denied("the path would gain a separator, a '..' or a control character when decoded or normalized")
    return ALLOWED


def rule_read(place: Located) -> Ruling:
    """Return whether the file or directory at ``place`` may be read."""
    if place.area is Area.OUTSIDE:
        return denied("outside the project and the memory directory")
    test = lies_among_secrets if place.kind is Kind.DIRECTORY else bears_secrets
    if test(place.parts) or test(place.named):
        return denied("a file that bears secrets by its name is never shown")
    match place.kind:
        case Kind.FILE | Kind.DIRECTORY | Kind.MISSING:
            return ALLOWED
        case Kind.SPECIAL:
            return denied("neither a regular file nor a directory")
        case _:
            return denied("it cannot be resolved to a file (a loop of links, a name that is too long, or no permission)")


_INDEX = "memory.md"
_PEOPLES = frozenset({"claude.md", "claude.local.md", "agents.md"})
_NAME_BYTES = 250  # 255 is the usual limit of file systems; the dot-file of an exchange needs a few
_PATH_BYTES = 1024
_DEPTH = 8


def rule_write(place: Located) -> Ruling:
    """Return whether a topic may be written or deleted at ``place``."""
    if place.area is not Area.MEMORY:
        return denied("only topics in the memory directory may be written")
    if not place.parts:
        return denied("the memory directory itself is not a topic")
    if any(part.startswith(".") for part in place.parts):
        return denied("dot-files and what lies below dot-directories are not topics")
    if any(len(part.encode()) > _NAME_BYTES for part in place.parts) or len("/".join(place.parts).encode()) > _PATH_BYTES:
        return denied(f"the path is too long (a name may have {_NAME_BYTES} bytes, the whole {_PATH_BYTES})")
    if len(place.parts) > _DEPTH:
        return denied(f"the path is too deep (at most {_DEPTH} components)")
    return _rule_topic_name(place.parts[-1], place)


def _rule_topic_name(name: str, place: Located) -> Ruling:
    seen = unicodedata.normalize("NFKC", name).casefold()  # full-width letters are letters to whoever reads
    if seen == _INDEX:
        return denied("the index MEMORY.md is kept by extractord: write the topic, its line follows from name and description")
    if seen in _PEOPLES:
        return denied("instruction files are written by people, never here")
    if not name.endswith(".md"):
        return denied("only .md files are topics")
    if place.links:
        return denied("a component of the path is a symbolic link")
    if place.files:
        return denied("a component of the path is a file, not a directory")
    match place.kind:
        case Kind.FILE | Kind.MISSING:
            return ALLOWED
        case Kind.DIRECTORY:
            return denied("it is a directory")
        case _:
            return denied("it is not a regular file")
