"""Reading a memory directory as it is: its topics, its index, and what in it is no topic.

Owns: which files are topics, the bounds, and what is said of files that are left alone. Leaves the form of a topic to
``topics``, every change to ``directory``.
"""

from __future__ import annotations

import contextlib
import enum
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from extractord.errors import MemoryDirectoryError
from extractord.memory.found import Found, look
from extractord.memory.manifest import TopicHead
from extractord.memory.topics import TYPES, Topic, TopicForm, parse
from extractord.open_folders import open_folder
from extractord.system.files import O_DIRECTORY
from extractord.system.folders import listing, open_beneath

INDEX = "MEMORY.md"
TEAM_INDEX = "team/MEMORY.md"
MANIFEST_TOPICS = 200  # as the client (MEMORY-RULES §7)
_NS = 1_000_000_000
# What sync tools leave beside a file that changed on two machines (Syncthing; Dropbox, Nextcloud; Seafile; Insync, pCloud), and editors.
_COPY = re.compile(r"\.sync-conflict-|\(.*conflicted copy.*\)|\(SFConflict .*\)|[\[(]conflict(?:ed)?\b.*[\])]|~$", re.IGNORECASE)
# iCloud, Google Drive, OneDrive: a copy only beside the file itself, since people number topics too.
_NUMBERED = re.compile(r"(?P<name>.+?)(?: \d{1,2}| ?\(\d{1,2}\))\.md")


class Place(enum.Enum):
    """What a .md file is by where it lies."""

    TOPIC = "topic"
    LOG = "daily log"  # below logs/
    TEAM = "team memory"  # below team/, which has an index of its own


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """How much of a directory is looked at."""

    files: int = 2_000
    file_bytes: int = 1_000_000
    depth: int = 8


DEFAULT_LIMITS = ReadLimits()


@dataclass(frozen=True, slots=True)
class TopicFile:
    """A topic as found."""

    file: str  # relative to the memory directory, with /
    text: str
    mtime_ns: int
    mode: int  # permission bits
    topic: Topic
    place: Place

    @property
    def time(self) -> float:
        """Its evidence time: the later of ``metadata.modified`` and mtime, seconds since the epoch."""
        return max(self.mtime_ns / _NS, self.topic.modified or 0.0)


@dataclass(frozen=True, slots=True)
class Remark:
    """A file that was found wanting, and in what way."""

    file: str
    what: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A memory directory at one moment. ``topics`` holds every .md file that can be read, by its relative path."""

    topics: Mapping[str, TopicFile] = field(default_factory=dict)
    index: str | None = None  # the text of MEMORY.md; None if there is none, or none that can be read
    index_mtime_ns: int | None = None
    team_index: str | None = None  # the text of team/MEMORY.md, likewise
    remarks: tuple[Remark, ...] = ()
    names: frozenset[str] = frozenset()  # all .md files, also those that cannot be read or are no topics
    complete: bool = True  # False: there are more files than are looked at

    def text_of(self, file: str) -> str | None:
        there = self.topics.get(file)
        return None if there is None else there.text

    def mtime_of(self, file: str) -> int | None:
        """In nanoseconds."""
        there = self.topics.get(file)
        return None if there is None else there.mtime_ns

    def mode_of(self, file: str) -> int | None:
        there = self.topics.get(file)
        return None if there is None else there.mode

    def time_of(self, file: str) -> float:
        """Return a topic's evidence time, 0.0 if it is not there."""
        there = self.topics.get(file)
        return 0.0 if there is None else there.time

    def texts(self) -> dict[str, str]:
        return {file: there.text for file, there in self.topics.items()}


def manifest(snapshot: Snapshot, limit: int = MANIFEST_TOPICS) -> tuple[TopicHead, ...]:
    """Return the heads of the topics, newest first; logs and team memory are no topics."""
    return heads(snapshot, (Place.TOPIC,), limit)


def heads(snapshot: Snapshot, places: Collection[Place], limit: int) -> tuple[TopicHead, ...]:
    """Return the heads of the files that lie in one of these places, newest first."""
    topics = [one for one in snapshot.topics.values() if one.place in places]
    return tuple(_head(one) for one in sorted(topics, key=lambda one: (-one.time, one.file))[:limit])


def _head(one: TopicFile) -> TopicHead:
    topic = one.topic
    name = topic.name or Path(one.file).stem
    return TopicHead(one.file, name, topic.description, topic.type if topic.type in TYPES else "", one.time, topic.body)


def read(path: Path, limits: ReadLimits = DEFAULT_LIMITS) -> Snapshot:
    """Read the directory at ``path`` (a real path); one that is not there is empty. Raises MemoryDirectoryError."""
    try:
        with open_folder(path) as root:
            return _Reading(root, limits).snapshot()
    except FileNotFoundError:
        return Snapshot()
    except OSError as error:
        raise MemoryDirectoryError(f"{path} cannot be read: {error.strerror}", hint="Check its owner and permissions.") from error


class _Reading:
    def __init__(self, root: int, limits: ReadLimits) -> None:
        self._root, self._limits = root, limits
        self._topics: dict[str, TopicFile] = {}
        self._remarks: list[Remark] = []
        self._names: set[str] = set()
        self._seen = 0

    def snapshot(self) -> Snapshot:
        for file in self._walk("", 0):
            self._names.add(file)
            if file.rpartition("/")[2] != INDEX:
                self._take(file)
        index = self._text(INDEX, look(self._root, INDEX))
        complete = self._seen <= self._limits.files
        if not complete:
            self._remarks.append(Remark(".", f"more than {self._limits.files} files: the rest is not looked at"))
        text, mtime_ns = index or (None, None)
        team = self._text(TEAM_INDEX, look(self._root, TEAM_INDEX)) if TEAM_INDEX in self._names else None
        return Snapshot(self._topics, text, mtime_ns, team and team[0], tuple(self._remarks), frozenset(self._names), complete)

    def _walk(self, folder: str, depth: int) -> Iterator[str]:
        """Yield the .md files below ``folder`` in order; links are named and not followed."""
        entries = self._entries(folder)
        beside = {name for name, _, _ in entries}
        for name, is_folder, is_file in entries:
            path = f"{folder}/{name}" if folder else name
            if name.startswith("."):
                continue
            if _is_copy(name, beside):
                if name.endswith(".md") and _is_text(path):
                    self._names.add(path)  # it is there, for the line of an index that somebody made of it
                continue
            if is_folder:
                if depth < self._limits.depth:
                    yield from self._walk(path, depth + 1)
            elif name.endswith(".md"):
                self._seen += 1
                if self._seen > self._limits.files:
                    return
                if not _is_text(path):
                    self._remarks.append(Remark(ascii(path), "its name is not UTF-8: left alone"))
                elif is_file:
                    yield path
                else:
                    self._names.add(path)
                    self._remarks.append(Remark(path, "no regular file (a link, a pipe …): left alone"))

    def _entries(self, folder: str) -> list[tuple[str, bool, bool]]:
        try:
            fd = open_beneath(self._root, folder or ".", os.O_RDONLY | O_DIRECTORY)
        except OSError as error:
            self._remarks.append(Remark(folder or ".", f"cannot be read: {error.strerror}"))
            return []
        with contextlib.ExitStack() as stack:
            stack.callback(os.close, fd)
            found = stack.enter_context(listing(fd))
            modes = [(entry.name, entry.stat(follow_symlinks=False).st_mode) for entry in found if _still_there(entry)]
        return sorted((name, stat.S_ISDIR(mode), stat.S_ISREG(mode)) for name, mode in modes)

    def _take(self, file: str) -> None:
        try:
            found = look(self._root, file)
        except OSError as error:
            self._remarks.append(Remark(file, f"cannot be read: {error.strerror}"))
            return
        read = self._text(file, found)
        if read is None:
            return
        text, mtime_ns = read
        topic, place = parse(text), _place(file)
        self._topics[file] = TopicFile(file, text, mtime_ns, found.mode, topic, place)
        if topic.problem and not (topic.form is TopicForm.NONE and place is Place.LOG):
            self._remarks.append(Remark(file, topic.problem))

    def _text(self, file: str, found: Found) -> tuple[str, int] | None:
        if not found.exists:
            return None
        if found.data is None or found.mtime_ns is None:
            self._remarks.append(Remark(file, "no regular file, or far too big: left alone"))
        elif len(found.data) > self._limits.file_bytes:
            self._remarks.append(Remark(file, f"larger than {self._limits.file_bytes} bytes: left alone"))
        else:
            try:
                return found.data.decode("utf-8"), found.mtime_ns
            except UnicodeDecodeError:
                self._remarks.append(Remark(file, "not UTF-8: left alone"))
        return None


def is_looked_at(path: str, limits: ReadLimits = DEFAULT_LIMITS) -> bool:
    """Whether a file of that name is read: not one that is hidden, another program's copy, or far too deep."""
    parts = path.split("/")
    return len(parts) <= limits.depth + 1 and not any(part.startswith(".") or _COPY.search(part) for part in parts)


def _still_there(entry: os.DirEntry[str]) -> bool:
    try:
        entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _is_copy(name: str, beside: Collection[str]) -> bool:
    """Whether a file is the copy that a sync tool or an editor made of another."""
    if _COPY.search(name):
        return True
    numbered = _NUMBERED.fullmatch(name)
    return numbered is not None and f"{numbered['name']}.md" in beside


def _is_text(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _place(file: str) -> Place:
    match file.partition("/"):
        case "logs", "/", _:
            return Place.LOG
        case "team", "/", _:
            return Place.TEAM
        case _:
            return Place.TOPIC
