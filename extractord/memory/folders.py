"""The folders of a memory directory: made for new topics, removed again where an undo leaves them empty.

Owns: which folders a changeset needs, makes and gives back; a kill between any two steps changes nothing about the end. A hand of
``directory``, which leaves a folder that cannot be made to the write itself.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
from collections.abc import Iterable
from pathlib import Path

from extractord.durable import make_private_folder
from extractord.memory.exchange import Step
from extractord.memory.found import folder_of
from extractord.memory.paths import is_plain
from extractord.memory.prepared import Prepared, TopicWrite
from extractord.open_folders import open_folder
from extractord.system.files import sync_folder
from extractord.system.folders import exists_at, make_folder_at, remove_folder_at


def missing_folders(root: Path, writes: Iterable[TopicWrite]) -> tuple[str, ...]:
    """Return the folders that some writes need and that are not there, relative to ``root``; "." is the memory directory itself."""
    needed = {folder for write in writes if write.after is not None for folder in _parents(write.path)}
    return tuple(sorted(folder for folder in needed if not (root / folder).exists()))


def make_folders(root: Path, prepared: Prepared, step: Step) -> tuple[str, ...]:
    """Make what new topics need; return what this changeset made, now or before it was interrupted."""
    made = [folder for folder in prepared.make_folders if _is_folder(root, folder)]
    needed = {folder for write in prepared.writes if write.after is not None and write.before is None for folder in _parents(write.path)}
    for folder in sorted(needed, key=lambda folder: (folder != ".", folder)):
        if folder == "." and not root.exists():
            step("make the memory directory")
            make_private_folder(root)
            sync_folder(root.parent)
            made.append(folder)
        elif folder != "." and _make(root, folder, step):
            made.append(folder)
    return tuple(dict.fromkeys(made))


def remove_folders(root: Path, prepared: Prepared, step: Step) -> None:
    """For an undo: remove the folders that the changeset had made, if nothing is in them."""
    made = prepared.restore.made_folders if prepared.restore else ()
    for folder in sorted(made, key=lambda folder: (folder == ".", -folder.count("/"))):
        if (folder == "." or is_plain(folder)) and _is_folder(root, folder):
            step(f"remove the folder {folder}")
            with contextlib.suppress(OSError):  # somebody's file is in it, or a link came in its way: it stays
                _remove(root, folder)


def _make(root: Path, folder: str, step: Step) -> bool:
    """Make a folder that is missing; whether it is there now and was not before."""
    with open_folder(root) as directory, contextlib.ExitStack() as stack:
        try:
            parent = stack.enter_context(folder_of(directory, folder))
        except OSError:
            return False  # a link or a file is in the way: the write itself will say so
        if exists_at(parent, posixpath.basename(folder)):
            return False
        step(f"make the folder {folder}")
        with contextlib.suppress(FileExistsError):
            make_folder_at(parent, posixpath.basename(folder))
        sync_folder(parent)
        return _is_folder(root, folder)  # what somebody put there at that moment may be a link or a file


def _remove(root: Path, folder: str) -> None:
    if folder == ".":
        root.rmdir()
        return
    with open_folder(root) as directory, folder_of(directory, folder) as parent:
        remove_folder_at(parent, posixpath.basename(folder))


def _is_folder(root: Path, folder: str) -> bool:
    """Whether a folder is there, without a link on the way below ``root`` (a real path)."""
    place = root / folder
    return place.is_dir() and os.path.realpath(place) == str(place)


def _parents(path: str) -> tuple[str, ...]:
    """Return the folders a file needs, outermost first; "." is the memory directory."""
    parts = path.split("/")[:-1]
    return (".", *("/".join(parts[: at + 1]) for at in range(len(parts))))
