"""Whether file events can be relied on: what the kernel watches for us, beside what there is to watch.

Owns: counting both, and knowing the file systems on which others' changes give no events. watchdog does not say when the kernel
refuses a watch (performance.md §3, trap 3), so the kernel's own account is read. Leaves watching to ``watching``.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

_FDINFO = Path("/proc/self/fdinfo")
_MOUNTS = Path("/proc/self/mountinfo")
_INOTIFY = "anon_inode:inotify"
# Changes made by another machine, or on the other side of a virtual one, reach these without an event.
_SHARED = frozenset(
    {
        "9p",
        "afs",
        "ceph",
        "cifs",
        "coda",
        "drvfs",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "prl_fs",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
    }
)
_SHARED_OVER_FUSE = frozenset({"glusterfs", "grpcfuse", "osxfs", "portal", "rclone", "s3fs", "sshfs", "vmhgfs-fuse"})


@dataclass(frozen=True, slots=True)
class Folders:
    """What there is to watch below a folder, itself included. ``linked`` are project folders that lie behind a link."""

    count: int
    linked: int = 0


def folders_below(root: Path) -> Folders:
    """Count the folders at and below ``root`` that may be read; links are not followed, as watchdog does not."""
    count = linked = 0
    waiting = [os.fspath(root)]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif folder == os.fspath(root) and entry.is_symlink() and entry.is_dir():
                        linked += 1
        except OSError:  # gone meanwhile, or not ours to read: no watch is to be had of it either
            continue
        count += 1
    return Folders(count, linked)


def inotify_handles() -> frozenset[int]:
    """Return this process's open inotify handles; none where there is no /proc."""
    found = set()
    try:
        names = os.listdir("/proc/self/fd")  # noqa: PTH208
    except OSError:
        return frozenset()
    for name in names:
        try:
            if os.readlink(f"/proc/self/fd/{name}") == _INOTIFY:  # noqa: PTH115
                found.add(int(name))
        except OSError:  # the handle of the listing itself
            continue
    return frozenset(found)


def watches_on(handles: frozenset[int]) -> int:
    """Return how many folders the kernel watches through ``handles``."""
    total = 0
    for handle in handles:
        try:
            total += (_FDINFO / str(handle)).read_bytes().count(b"inotify wd:")
        except OSError:  # closed meanwhile
            continue
    return total


def without_events(path: Path) -> str | None:
    """Return the kind of file system that ``path`` lies on if changes there may come without events; None if all is well."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    kind = filesystem_of(path, mounts)
    return kind if kind is not None and is_shared(kind) else None


def is_shared(kind: str) -> bool:
    """Whether others than this kernel write to file systems of this kind."""
    family, _, program = kind.partition(".")
    return kind in _SHARED or (family == "fuse" and program in _SHARED_OVER_FUSE)


def filesystem_of(path: Path, mounts: str) -> str | None:
    """Return the kind of the file system ``path`` (absolute, without links) lies on, by the text of /proc/self/mountinfo."""
    best: tuple[int, str] | None = None
    for line in mounts.splitlines():
        place, _, rest = line.partition(" - ")
        fields, kind = place.split(" "), rest.split(" ")[0]
        if len(fields) < 5 or not kind:
            continue
        mounted = Path(_unescaped(fields[4]))
        depth = len(mounted.parts)
        if path.is_relative_to(mounted) and (best is None or depth >= best[0]):  # a later mount covers an earlier one
            best = (depth, kind)
    return best[1] if best else None


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
