"""The lines of the index that tell of a topic: their form, and the sizes they have to keep.

Owns: composing such a line, finding them in a text, the file a link points to, cutting a line's hook. Leaves operations on
the index to ``index``.
"""

from __future__ import annotations

import posixpath
import re
import urllib.parse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from extractord.memory.lines import Lines

_NAME = r"(?:\\.|[^\[\]\\]|\[[^\[\]]*\])*"
_TARGET = r"<[^<>]*>|[^()]*(?:\([^()]*\)[^()]*)*"
_ENTRY = re.compile(rf"^(?P<lead>[ \t]*(?:[-*+]|\d{{1,3}}[.)])[ \t]+)\[(?P<name>{_NAME})\]\((?P<target>{_TARGET})\)")
_TITLE = re.compile(r"[ \t]+(?:\"[^\"]*\"|'[^']*')$")
_SEPARATOR = re.compile(r"[ \t]*(?:[—–:-]+[ \t]*)?")
_FENCE = re.compile(r"^[ ]{0,3}(```+|~~~+)")


@dataclass(frozen=True, slots=True)
class IndexLimits:
    """Sizes of the index (MEMORY-RULES §4). The client counts UTF-16 units and calls them bytes."""

    lines: int = 200
    units: int = 25_000
    line_characters: int = 150  # Unicode characters, not UTF-16 units
    short_characters: int = 90  # what a line is cut to when the index is full


DEFAULT_LIMITS = IndexLimits()


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the index that tells of a topic."""

    position: int
    file: str  # relative to the memory directory, with /
    hook: int  # where in the line the text after link and dash begins


def line_of(file: str, name: str, description: str, limits: IndexLimits = DEFAULT_LIMITS) -> str:
    """Return ``- [name](file.md) — description`` in at most 150 characters (more only if the file's name alone needs them)."""
    link = _target(file)
    shown = _one_line(name) or posixpath.basename(file).removesuffix(".md")
    room = max(limits.line_characters - len(f"- []({link})"), 10)
    start = f"- [{_escaped(_cut(shown, min(60, room)), room)}]({link})"
    hook = _cut(_one_line(description), limits.line_characters - len(start) - len(" — "))
    return f"{start} — {hook}" if hook else start


def entries_of(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield the index lines of a text: list items that begin with a link to a .md file of the directory, outside code fences."""
    held: list[Entry] = []  # what a fence hides if it ends: one that never does hides nothing
    fence = ""
    for position, line in enumerate(lines):
        marks = _FENCE.match(line)
        if marks and not fence:
            fence = marks[1]
        elif marks and marks[1].startswith(fence):
            fence = ""
            held.clear()
        elif entry := _entry(position, line):
            if fence:
                held.append(entry)
            else:
                yield entry
    yield from held


def _entry(position: int, line: str) -> Entry | None:
    found = _ENTRY.match(line)
    file = _file_of(found["target"]) if found else ""
    if found is None or not file:
        return None
    separator = _SEPARATOR.match(line, found.end())
    return Entry(position, file, separator.end() if separator else found.end())


def files_of(text: str) -> frozenset[str]:
    """Return the files that an index names."""
    return frozenset(entry.file for entry in entries_of(Lines(text)))


def lead_of(line: str) -> str:
    """Return what stands before the link of an index line: indent and bullet."""
    found = _ENTRY.match(line)
    return found["lead"] if found else "- "


def shortened(line: str, entry: Entry, characters: int) -> str:
    """Return the line with its hook cut, so that it has so many characters where 20 of the hook can stay."""
    hook = _cut(line[entry.hook :].rstrip(), max(characters - entry.hook, 20))
    return line if len(hook) >= len(line) - entry.hook else line[: entry.hook] + hook


def _file_of(target: str) -> str:
    """Return the file a link points to, relative to the memory directory, or "" if it is none of its .md files."""
    bare = target[1:-1] if target.startswith("<") else _TITLE.sub("", target.strip())
    path = urllib.parse.unquote(bare.partition("#")[0].strip(), errors="replace")
    if not path.endswith(".md") or "://" in path or path.startswith("/") or "\0" in path:
        return ""
    normal = posixpath.normpath(path)
    return "" if normal.startswith("../") else normal


def _target(file: str) -> str:
    plain = re.sub(r"[%#<>\x00-\x1f\x7f]", lambda found: f"%{ord(found[0]):02X}", file)
    return f"<{plain}>" if re.search(r"[\s()]", plain) else plain


def _one_line(text: str) -> str:
    """Bring a text to one line without control characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _escaped(name: str, room: int) -> str:
    escaped = re.sub(r"([\[\]\\])", r"\\\1", name)
    return escaped if len(escaped) <= room else re.sub(r"[\[\]\\]", " ", name)


def _cut(text: str, room: int) -> str:
    """Return ``text`` in at most ``room`` characters, cut between words where one ends in the second half."""
    if len(text) <= room:
        return text
    if room < 2:
        return ""
    piece = text[: room - 1]
    at = piece.rfind(" ")
    return (piece[:at] if at > room // 2 else piece).rstrip(" ,;:—–-") + "…"
