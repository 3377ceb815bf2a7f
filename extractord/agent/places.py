"""Where paths lead: the thin layer that looks at the disk for ``policy`` and opens what it allowed.

Owns: resolving a path as a model wrote it to an area and components below its root, and reading regular files and directories
there without ever following a link at the moment of opening or waiting on a FIFO. Leaves the decision to ``policy``, what is
done with the bytes to the tools.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from extractord.agent.policy import ALLOWED, Area, Kind, Located, Roots, is_plain, rule_text
from extractord.agent.protocol import Decision, Ruling
from extractord.system.files import O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, open_path
from extractord.system.folders import listing, open_beneath
from extractord.system.paths import native, slashed

Parts = tuple[str, ...]

_ENTRIES = 50_000  # of one directory
_DEPTH = 48  # of a walk


@dataclass(frozen=True, slots=True)
class Root:
    """An allowed directory: as it was given, as it really is, and an open descriptor (None: not there)."""

    area: Area
    spelled: Parts
    real: Parts
    fd: int | None

    @classmethod
    def open(cls, area: Area, path: str) -> Root:
        """Open the directory at ``path``; one that is not there is an empty root."""
        real = os.path.realpath(path)
        try:
            fd = open_path(real, os.O_RDONLY | O_DIRECTORY)
        except OSError:
            fd = None  # memory directories are made by the first apply; projects get deleted
        return cls(area, _parts(os.path.normpath(path)), _parts(real), fd)

    def below(self, parts: Parts) -> Parts | None:
        """Return what of ``parts`` (absolute) lies below this root, None if it is elsewhere. By component, never by prefix."""
        for root in (self.real, self.spelled):
            if parts[: len(root)] == root:
                return parts[len(root) :]
        return None


@dataclass(frozen=True, slots=True)
class Resolved:
    """A path that was asked for: the ruling on its text and, if that allows it, the facts about the place."""

    text: Ruling
    place: Located


_NOWHERE = Located(Area.OUTSIDE)


def _parts(path: str) -> Parts:
    return tuple(part for part in PurePosixPath(slashed(path)).parts if part not in ("/", "//"))


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISDIR(mode):
        return Kind.DIRECTORY
    return Kind.LINK if stat.S_ISLNK(mode) else Kind.SPECIAL


def _kind_at(path: str) -> Kind:
    """Return what is at ``path``, not following a link there."""
    try:
        return _kind(os.lstat(native(path)).st_mode)
    except OSError as error:
        return Kind.MISSING if error.errno in (errno.ENOENT, errno.ENOTDIR) else Kind.UNKNOWN
    except ValueError:
        return Kind.UNKNOWN


class Places:
    """The two allowed roots, and what is below them."""

    def __init__(self, roots: Roots) -> None:
        self.memory = Root.open(Area.MEMORY, roots.memory)
        self.project = Root.open(Area.PROJECT, roots.project) if roots.project else None
        self._barred = tuple(_parts(os.path.realpath(path)) for path in roots.barred)

    @property
    def default(self) -> str:
        """Return where a search begins that names no path."""
        return "/" + "/".join((self.project or self.memory).spelled)

    def for_reading(self, text: str) -> Resolved:
        """Resolve ``text``, links and all; a relative path counts from the project."""
        ruling = self.rule(text)
        if ruling.decision is Decision.DENIED:
            return Resolved(ruling, _NOWHERE)
        base = self.project or self.memory
        absolute = text if text.startswith("/") else f"/{'/'.join(base.real)}/{text}"
        real = os.path.realpath(native(absolute))
        root, parts = self._area_of(_parts(real))
        named = root.below(_parts(absolute)) if root else None
        return Resolved(ALLOWED, Located(root.area, parts, named or (), _kind_at(real)) if root else _NOWHERE)

    def for_writing(self, text: str) -> Resolved:
        """Resolve ``text`` to a topic; a relative path counts from the memory directory. Links are reported, not followed."""
        ruling = self.rule(text)
        if ruling.decision is Decision.DENIED:
            return Resolved(ruling, _NOWHERE)
        absolute = _parts(text) if text.startswith("/") else (*self.memory.real, *_parts(text))
        plain = _without_climbs(absolute)
        parts = None if plain is None else self.memory.below(plain)
        if parts is None:
            return Resolved(ALLOWED, _NOWHERE)
        place = self._look_at(parts)
        if text.endswith("/") and place.kind is not Kind.DIRECTORY:
            place = Located(Area.MEMORY, parts, parts, Kind.DIRECTORY, place.links, place.files)  # it names a directory
        return Resolved(ALLOWED, place)

    def _look_at(self, parts: Parts) -> Located:
        """Collect the facts about each component of ``parts`` below the memory directory."""
        links, files, kind = [], [], Kind.DIRECTORY
        path = "/" + "/".join(self.memory.real)
        for place, part in enumerate(parts):
            path = f"{path}/{part}"
            kind = _kind_at(path)
            if kind is Kind.LINK:
                links.append(part)
            elif place < len(parts) - 1 and kind in (Kind.FILE, Kind.SPECIAL):
                files.append(part)
        return Located(Area.MEMORY, parts, parts, kind, tuple(links), tuple(files))

    def rule(self, text: str) -> Ruling:
        """Apply ``rule_text`` to what stands below a root: the root's own name is not the model's choice."""
        for root in (self.memory, self.project):
            for spelled in (root.spelled, root.real) if root else ():
                prefix = "/" + "/".join(spelled) + "/"
                if text.startswith(prefix) and len(text) > len(prefix):
                    return rule_text(text[len(prefix) :])
                if text in (prefix, prefix[:-1]):
                    return ALLOWED
        return rule_text(text)

    def _area_of(self, real: Parts) -> tuple[Root | None, Parts]:
        if (parts := self.memory.below(real)) is not None:
            return self.memory, parts
        if any(real[: len(barred)] == barred for barred in self._barred):
            return None, ()
        if self.project and (parts := self.project.below(real)) is not None:
            return self.project, parts
        return None, ()

    def is_barred(self, root: Root, parts: Parts) -> bool:
        """Return whether ``parts`` below ``root`` lie where nothing is shown."""
        return self._area_of((*root.real, *parts))[0] is not root

    def barred_below(self, root: Root, parts: Parts) -> tuple[Parts, ...]:
        """Return where, counted from ``parts`` below ``root``, nothing is shown. What lies round ``parts`` does not count."""
        start = (*root.real, *parts)
        return tuple(barred[len(start) :] for barred in self._barred if barred[: len(start)] == start and len(barred) > len(start))

    def root_of(self, area: Area) -> Root:
        """Return the root of an allowed area."""
        return self.project if area is Area.PROJECT and self.project else self.memory

    def shown(self, area: Area, parts: Parts) -> str:
        """Return how a path is called towards the model: relative to the project, absolute in the memory directory."""
        if area is Area.PROJECT:
            return "/".join(parts) or "."
        return "/" + "/".join((*self.memory.spelled, *parts))


def _without_climbs(parts: Parts) -> Parts | None:
    """Return ``parts`` with each ``..`` carried out, None where one goes up from something that is not a plain directory."""
    plain: list[str] = []
    for part in parts:
        if part == "..":
            here = "/" + "/".join(plain)
            if _kind_at(here) is not Kind.DIRECTORY:  # a link is not either: its parent is elsewhere
                return None
            plain = plain[:-1]
        else:
            plain.append(part)
    return tuple(plain)


def read_regular(root: Root, parts: Parts, limit: int) -> bytes:
    """Return at most ``limit`` bytes of the regular file at ``parts`` below ``root``.

    No link is followed and nothing waited for, whatever was put there since it was looked at. Raises OSError (EINVAL for what
    is not a regular file).
    """
    if root.fd is None:
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    fd = open_beneath(root.fd, "/".join(parts), os.O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        return _read_up_to(fd, limit)
    finally:
        os.close(fd)


def _read_up_to(fd: int, limit: int) -> bytes:
    pieces, left = [], limit
    while left > 0 and (piece := os.read(fd, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def walk(root: Root, start: Parts, left_out: frozenset[str]) -> Iterator[Parts]:
    """Yield the regular files below ``start``, in order of names; links are not followed, ``left_out`` not entered.

    Passed over are names that are not UTF-8 or have control characters (no tool takes them), and what vanishes meanwhile.
    """
    stack = [start]
    while stack:
        here = stack.pop()
        directories, files = _entries(root, here)
        yield from (((*here, name)) for name in files)
        if len(here) - len(start) < _DEPTH:
            stack += [(*here, name) for name in reversed(directories) if name not in left_out]


def _entries(root: Root, parts: Parts) -> tuple[list[str], list[str]]:
    """Return the names of directories and of regular files in the directory at ``parts``, sorted."""
    if root.fd is None:
        return [], []
    try:
        fd = open_beneath(root.fd, "/".join(parts) or ".", os.O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    except OSError:
        return [], []
    directories, files = [], []
    try:
        with listing(fd) as entries:
            for _, entry in zip(range(_ENTRIES), entries, strict=False):
                if not is_plain(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    directories.append(entry.name)
                elif entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
    finally:
        os.close(fd)
    return sorted(directories), sorted(files)
