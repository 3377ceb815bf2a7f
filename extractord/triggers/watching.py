"""File events of a config home: transcripts that change, clients that leave.

Owns: the observer, what an event means, and noticing that it no longer tells the truth: a folder that was replaced, a thread that
died, events that were lost, watches the kernel refused. Leaves what to do then to ``triggers``; events are hints, never truth.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.utils import BaseThread

from extractord.claude_home.clients import FOLDER as SESSIONS
from extractord.claude_home.transcript_files import is_session_name
from extractord.triggers.watches import folders_below, inotify_handles, watches_on

PROJECTS = "projects"
# Without a filter watchdog asks for opens and closes too: any program that lists the tree would keep us busy, and on large trees
# its own first walk overflows the kernel's queue, again and again (watchdog 7.1, performance.md §3, traps 1 and 2).
WANTED: list[type[FileSystemEvent]] = [
    FileModifiedEvent,
    FileCreatedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]
Identity = tuple[int, int] | None  # device and inode; None: not there


@dataclass(frozen=True, slots=True)
class Account:
    """What is watched beside what there is to watch. ``watches`` is None where the kernel does not tell."""

    folders: int = 0
    watches: int | None = None
    linked: int = 0

    @property
    def unwatched(self) -> int:
        """Folders whose changes give no event."""
        return (0 if self.watches is None else max(0, self.folders - self.watches)) + self.linked


@dataclass(frozen=True, slots=True)
class Heard:
    """Whom to tell. Called on the observer's threads: quick, and never waiting for another thread."""

    changed: Callable[[str, Path], None]  # a session and where its transcript lies
    client: Callable[[str], None]  # the name of a file in the clients' folder
    folders: Callable[[], None]  # some came or went
    lost: Callable[[], None]  # events, or watches


class Watching:
    """An observer on one config home. ``begin`` and ``end`` are called by one thread at a time."""

    def __init__(self, config_home: Path, heard: Heard) -> None:
        self._projects, self._sessions = config_home / PROJECTS, config_home / SESSIONS
        self._heard = heard
        self._observer: BaseObserver | None = None
        self._threads: list[threading.Thread] = []
        self._handles: frozenset[int] = frozenset()
        self._seen: tuple[Identity, Identity] = (None, None)
        self._complaints = _Complaints(heard.lost)

    def begin(self) -> None:
        """Watch the folders that are there now. Raises OSError if the kernel refuses, with nothing left running."""
        self.end()
        self._seen = self._identities()
        threads, handles = set(threading.enumerate()), inotify_handles()
        observer = Observer()
        observer.start()
        try:
            self._schedule(observer)
        except BaseException:
            observer.stop()
            observer.join()
            raise
        self._observer = observer
        self._threads = [one for one in threading.enumerate() if one not in threads and isinstance(one, BaseThread)]
        self._handles = inotify_handles() - handles
        logging.getLogger("watchdog").addHandler(self._complaints)

    def end(self) -> None:
        """Stop watching; does nothing if it was not begun."""
        logging.getLogger("watchdog").removeHandler(self._complaints)
        observer, self._observer = self._observer, None
        self._threads, self._handles = [], frozenset()
        if observer is not None:
            observer.stop()
            observer.join()

    @property
    def begun(self) -> bool:
        """Whether there is an observer."""
        return self._observer is not None

    def moved_on(self) -> bool:
        """Whether a watched folder is not the one that is there now: made, removed, unmounted or mounted since."""
        return self._seen != self._identities()

    def alive(self) -> bool:
        """Whether everything that was begun still runs (an observer whose thread died stays silent, no more)."""
        return self._observer is not None and self._observer.is_alive() and all(thread.is_alive() for thread in self._threads)

    def deaf(self, account: Account) -> bool:
        """Whether watches went since they were counted. An unmount takes them all without an event, and what is mounted there next may
        have the same numbers as what was.
        """
        return account.watches is not None and watches_on(self._handles) < account.watches

    def account(self) -> Account:
        """Count folders and watches; looked at twice if they differ, since folders come while they are counted."""
        counted = self._counted()
        return self._counted() if counted.unwatched else counted

    def _counted(self) -> Account:
        if self._observer is None:
            return Account()
        there, sessions = self._seen
        below = folders_below(Path(os.path.realpath(self._projects))) if there else None
        folders = (below.count if below else 0) + (1 if sessions else 0)
        watches = watches_on(self._handles) if self._handles else None
        return Account(folders, watches, below.linked if below else 0)

    def _identities(self) -> tuple[Identity, Identity]:
        return (_identity(self._projects), _identity(self._sessions))

    def _schedule(self, observer: BaseObserver) -> None:
        """Ask for what is there; by its real place, since a link itself never changes. The small folder first, while there are watches."""
        projects, sessions = self._seen
        if sessions:
            observer.schedule(_ClientFiles(self._heard), os.path.realpath(self._sessions), event_filter=WANTED)
        if projects:
            root = os.path.realpath(self._projects)
            observer.schedule(_Transcripts(root, self._projects, self._heard), root, recursive=True, event_filter=WANTED)


class _Transcripts(FileSystemEventHandler):
    """Hears of everything below ``projects``; transcripts lie exactly two levels down."""

    def __init__(self, root: str, shown_as: Path, heard: Heard) -> None:
        self._root = root
        self._shown_as = shown_as
        self._heard = heard

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.is_directory:
            self._heard.folders()
            return
        place = event.src_path
        if isinstance(event, FileMovedEvent):
            place = event.dest_path
        elif isinstance(event, FileDeletedEvent):  # the first half of a move, or nothing to read any more
            return
        if (found := transcript_at(os.fsdecode(place), self._root)) is not None:
            session, below = found
            self._heard.changed(session, self._shown_as / below)


class _ClientFiles(FileSystemEventHandler):
    """Hears of everything in the clients' folder; the file may be read, so names decide first which one it is."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard

    def on_any_event(self, event: FileSystemEvent) -> None:
        if not event.is_directory:
            for place in (event.src_path, event.dest_path):
                if place:
                    self._heard.client(os.path.basename(os.fsdecode(place)))  # noqa: PTH119 - a name, on the way of every event


class _Complaints(logging.Handler):
    """watchdog tells of lost events and watches in its log only."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - that it complains is enough
        self._lost()


def transcript_at(place: str, root: str) -> tuple[str, str] | None:
    """Return the session and the place below ``root`` of a transcript; None for every other file."""
    if not place.startswith(root + os.sep):
        return None
    below = place[len(root) + 1 :]
    folder, _, name = below.partition(os.sep)
    stem, dot, suffix = name.rpartition(".")
    if not folder or not dot or suffix != "jsonl" or os.sep in name or not is_session_name(stem):
        return None
    return stem, below


def _identity(place: Path) -> Identity:
    try:
        status = place.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino)
