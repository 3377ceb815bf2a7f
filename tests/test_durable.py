"""Promises of atomic files, locks, renames and opening below a folder."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from extractord.durable import FileLock, write_atomically
from extractord.errors import BusyError
from extractord.open_folders import ExchangeSupport, exchange_support, open_folder
from extractord.system import posix_folders
from extractord.system.folders import open_beneath, rename_exchange, rename_noreplace

HOLDER = """
import sys, time
from pathlib import Path
from extractord.durable import FileLock
FileLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
time.sleep(600)
"""


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_atomic_write_replaces_the_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    """The new content is there whole, with the mode asked for, and no temporary file stays."""
    place = tmp_path / "a.txt"
    place.write_text("old")
    write_atomically(place, b"new", mode=0o640)
    assert place.read_bytes() == b"new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o640
    assert names_in(tmp_path) == ["a.txt"]


def test_an_atomic_write_that_cannot_be_leaves_the_old_state(tmp_path: Path) -> None:
    """A failing rename (a folder is in the way) leaves no temporary file."""
    place = tmp_path / "a.txt"
    place.mkdir()
    with pytest.raises(OSError):
        write_atomically(place, b"new")
    assert names_in(tmp_path) == ["a.txt"]


def test_a_lock_excludes_other_processes_until_they_are_gone(tmp_path: Path) -> None:
    """A lock held by another process is busy; when that process is killed it is free, with nothing to clean up."""
    place = tmp_path / "deep" / "one.lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(place)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(BusyError):
        FileLock(place).acquire(0.1)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    holder.stdout.close()
    with FileLock(place).hold():
        assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_a_lock_excludes_within_a_process_too(tmp_path: Path) -> None:
    """Two lock objects on one path cannot both be held; after a block it is free again."""
    first, second = FileLock(tmp_path / "l"), FileLock(tmp_path / "l")
    with first.hold(), pytest.raises(BusyError):
        second.acquire()
    with second.hold():
        assert second.held
    assert not second.held


@pytest.mark.parametrize("rename", [rename_noreplace, posix_folders._link_instead])
def test_noreplace_never_replaces(tmp_path: Path, rename: Callable[[int, str, int, str], None]) -> None:
    """An existing target stays as it is, whether the system has the call or a link stands in for it."""
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    with open_folder(tmp_path) as fd:
        with pytest.raises(FileExistsError):
            rename(fd, "a", fd, "b")
        rename(fd, "a", fd, "c")
    assert {name: (tmp_path / name).read_text() for name in names_in(tmp_path)} == {"b": "b", "c": "a"}


def test_exchange_swaps_two_files_and_needs_both(tmp_path: Path) -> None:
    """Where this file system can exchange, both files have changed places; a missing one is an error and changes nothing."""
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    support = exchange_support(tmp_path)
    assert names_in(tmp_path) == ["a", "b"]
    if support is ExchangeSupport.ATOMIC:
        with open_folder(tmp_path) as fd:
            rename_exchange(fd, "a", fd, "b")
            assert (tmp_path / "a").read_text() == "b"
            with pytest.raises(FileNotFoundError):
                rename_exchange(fd, "a", fd, "missing")


@pytest.mark.parametrize("opening", [open_beneath, posix_folders._open_by_steps])
@pytest.mark.parametrize("path", ["../outside", "/etc/hostname", "link", "linked/inside", "sub/../../outside", "sub/link"])
def test_nothing_outside_and_no_link_is_opened(tmp_path: Path, opening: Callable[[int, str, int, int], int], path: str) -> None:
    """Links anywhere on the way, parents and absolute paths are refused, by the kernel's own call and by what stands in for it."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "outside").write_text("secret")
    (tmp_path / "inside").write_text("secret")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "sub" / "link").symlink_to("../link")
    (root / "linked").symlink_to(tmp_path)
    with open_folder(root) as fd, pytest.raises(OSError) as refused:
        opening(fd, path, os.O_RDONLY | os.O_NOFOLLOW, 0)
    assert refused.value.errno in (errno.EXDEV, errno.ELOOP, errno.ENOTDIR)


@pytest.mark.parametrize("opening", [open_beneath, posix_folders._open_by_steps])
def test_what_is_beneath_is_opened_and_made(tmp_path: Path, opening: Callable[[int, str, int, int], int]) -> None:
    """Files below are opened and made with the mode asked for; "." is the folder itself."""
    (tmp_path / "sub").mkdir()
    with open_folder(tmp_path) as fd:
        made = opening(fd, "sub/a", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.close(made)
        here = opening(fd, ".", os.O_RDONLY | os.O_DIRECTORY, 0)
        assert os.path.sameopenfile(fd, here)
        assert not os.get_inheritable(here)
        os.close(here)
    assert stat.S_IMODE((tmp_path / "sub" / "a").stat().st_mode) == 0o600
