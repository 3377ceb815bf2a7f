"""Changing one file below a memory directory so that nobody's words are lost, whoever else writes, whenever we are killed.

Owns: the exchange of a file with a spare of ours, looking at what came out, putting it back, and finishing all that after a
crash. Leaves looking at a name to ``found``, which files and what is in them to ``directory``, the system calls to ``durable``.

A spare is at any time one of: not there; the text that is to go in, whole; what came out. A text that is not whole yet has
``.part`` behind its name. So the content alone tells what a spare is.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
from collections.abc import Callable, Iterator

from extractord.memory.daily_log import holds_lines, with_lines
from extractord.memory.found import Found, folder_of, look, text_of
from extractord.memory.kept import Kept
from extractord.memory.prepared import WriteState
from extractord.open_folders import ExchangeSupport
from extractord.system.files import O_NONBLOCK, set_mode, set_time, sync_folder
from extractord.system.folders import open_beneath, remove_at, rename_exchange, rename_noreplace, rename_over
from extractord.system.unsupported import UnsupportedError

SETTLE_SECONDS = 2.0  # within which a program that had the old file open is done writing into it
_TURNS = 8  # of putting back, while somebody else keeps writing

Step = Callable[[str], None]


def _wait(time: float, now: float) -> float:
    """A clock that was put back does not make anything wait for ever."""
    since = now - time
    return SETTLE_SECONDS - since if abs(since) < SETTLE_SECONDS else 0.0


class FileExchange:
    """One file and its spare, both below the open folder ``root``. Each step is announced to ``step`` before it is taken."""

    def __init__(self, root: int, path: str, spare: str, kept: Kept, support: ExchangeSupport, step: Step) -> None:
        self._root, self.path, self.spare = root, path, spare
        self.kept = kept
        self._support = support
        self._step = step

    def file(self) -> Found:
        return look(self._root, self.path)

    def came_out(self) -> Found:
        return look(self._root, self.spare)

    def wait_seconds(self, now: float) -> float:
        """Return how long until all spares, and the copies of what came out, can be settled; 0: now, or there are none."""
        times = [spare.came_out().ctime for spare in (self, *self.asides())]
        return max((_wait(time, now) for time in (*times, *self.kept.times())), default=0.0)

    def is_open(self) -> bool:
        """Whether there is anything to settle: a spare, or a copy."""
        return self.came_out().exists or bool(self.asides() or self.kept.places() or look(self._root, self.spare + ".part").exists)

    def left_seconds(self) -> float:
        """Return how long to wait for what settling has left: a spare of its own, or a copy whose words are not all in yet.

        0: nothing, or nothing that time will help.
        """
        waits = self.asides() or self.came_out().data is not None
        return SETTLE_SECONDS if waits or (self.kept.places() and text_of(self.file()) is not None) else 0.0

    # --- going forward ---

    def carry_out(self, before: bytes | None, after: bytes | None, mtime_ns: int | None, mode: int | None) -> WriteState:
        """Bring the file from ``before`` to ``after`` (None: no file), or finish what an earlier call began."""
        return self._recover(before, after) or self.change(before, after, mtime_ns, mode)

    def change(self, before: bytes | None, after: bytes | None, mtime_ns: int | None, mode: int | None) -> WriteState:
        """The same where there is no spare yet. CONFLICTED: the file is as somebody else made it."""
        now = self.file()
        if now.holds(after):
            return WriteState.WRITTEN
        if not now.holds(before):
            return WriteState.CONFLICTED
        if after is None:
            return self._take_out(before)
        self._stage(after, mtime_ns, now.mode if now.exists else mode or 0o600)
        return self._put_in() if before is None else self._swap(before, after)

    def _stage(self, data: bytes, mtime_ns: int | None, mode: int) -> None:
        part = self.spare + ".part"
        self._step(f"write {self.path}")
        fd = open_beneath(self._root, part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(fd, "wb") as file:
            set_mode(fd, mode)
            file.write(data[: len(data) // 2])
            file.flush()
            self._step(f"write the rest of {self.path}")
            file.write(data[len(data) // 2 :])
            file.flush()
            if mtime_ns is not None:
                set_time(fd, mtime_ns)
            os.fsync(fd)
        self._step(f"stage {self.path}")
        with folder_of(self._root, part) as folder:
            rename_noreplace(folder, posixpath.basename(part), folder, posixpath.basename(self.spare))
            sync_folder(folder)

    def _put_in(self) -> WriteState:
        self._step(f"put in {self.path}")
        try:
            with self._folders() as (folder, name, spare_folder, spare):
                rename_noreplace(spare_folder, spare, folder, name)
                self._sync(folder, spare_folder)
        except FileExistsError:
            self.remove_spare()
            return WriteState.CONFLICTED
        return WriteState.WRITTEN

    def _swap(self, before: bytes, after: bytes) -> WriteState:
        self._step(f"exchange {self.path}")
        try:
            if not self._exchanged():
                return self._compare_and_rename(before)
        except FileNotFoundError:
            self.remove_spare()
            return WriteState.CONFLICTED
        self._step(f"look at what came out of {self.path}")
        came = self.came_out()
        if came.holds(before):
            return WriteState.WRITTEN
        self.put_back(after, came)
        return WriteState.CONFLICTED

    def _compare_and_rename(self, before: bytes) -> WriteState:
        """The next best where two files cannot change places: a moment remains in which another's write is not seen."""
        if not self.file().holds(before):
            self.remove_spare()
            return WriteState.CONFLICTED
        self._spare_over_file()
        return WriteState.WRITTEN

    def _take_out(self, before: bytes | None) -> WriteState:
        self._step(f"take out {self.path}")
        with self._folders() as (folder, name, spare_folder, spare):
            try:
                rename_noreplace(folder, name, spare_folder, spare)
            except FileNotFoundError:
                return WriteState.WRITTEN
            self._sync(folder, spare_folder)
        self._step(f"look at what came out of {self.path}")
        came = self.came_out()
        if came.holds(before):
            return WriteState.WRITTEN
        self.put_back(None, came)
        return WriteState.CONFLICTED

    def has_begun(self, after: bytes | None) -> bool:
        """Whether an earlier call got so far that the file is, or is about to be, in the state ``after``."""
        return self.came_out().exists or self.file().holds(after)

    def add_lines(self, lines: str, mode: int | None) -> WriteState:
        """Bring whole lines to the end of a log, once, whatever others add to it meanwhile."""
        self.remove_part()
        if self.came_out().exists:  # staged by a call that was interrupted, and never put in
            self.remove_spare()
        now = self.file()
        if not now.exists:
            self._stage(lines.encode("utf-8", "surrogatepass"), None, mode or 0o600)
            if self._put_in() is WriteState.WRITTEN:
                return WriteState.WRITTEN
            now = self.file()
        text = text_of(now)
        if text is None:
            return WriteState.CONFLICTED
        if not holds_lines(text, lines):
            self.append(with_lines(text[-1:], lines)[len(text[-1:]) :].encode("utf-8", "surrogatepass"))
        return WriteState.WRITTEN if holds_lines(text_of(self.file()) or "", lines) else WriteState.CONFLICTED

    def append(self, data: bytes) -> None:
        """Write ``data`` behind what the file holds, as other programs append to it: no word of theirs can be in the way."""
        self._step(f"append to {self.path}")
        try:
            fd = open_beneath(self._root, self.path, os.O_WRONLY | os.O_APPEND | O_NONBLOCK)
        except FileNotFoundError:
            return  # taken away in this moment: the caller looks again
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(fd)

    # --- going back ---

    def put_back(self, after: bytes | None, came: Found) -> None:
        """Bring what ``came`` out back to its place, where only ``after`` stands there now, and keep a copy until it is settled.

        A copy, because a program may have read ``after`` meanwhile and write it, with its own words, over what we put back. If
        somebody's newer text stands there already, that stays and what came out stays as the spare.
        """
        self._bring_back(after)
        self.kept.keep(came.data)

    def _bring_back(self, after: bytes | None) -> None:
        for _ in range(_TURNS):
            self._step(f"put back {self.path}")
            now = self.file()
            if now.exists and (after is None or not now.holds(after)):
                return
            try:
                if not now.exists:
                    self._spare_to_gap()
                    return
                if not self._exchanged():
                    self._spare_over_file()
                    return
            except FileExistsError:
                continue
            except FileNotFoundError:
                return  # the folder is gone: the spare stays for settle
            if not self.came_out().holds(after):  # a newer text stood there in that moment: that is the one to stay
                with contextlib.suppress(FileNotFoundError):
                    self._exchanged()
            return

    def _recover(self, before: bytes | None, after: bytes | None) -> WriteState | None:
        """Finish an interrupted change, the spare first; None: it had not begun, or was put back."""
        self.remove_part()
        came, now = self.came_out(), self.file()
        if not came.exists:
            return None
        if before is not None and came.holds(before):
            if now.holds(after):
                return WriteState.WRITTEN
            if not now.holds(before):
                return WriteState.CONFLICTED
        elif after is None or not came.holds(after):
            self.put_back(after, came)
            return WriteState.CONFLICTED
        self.remove_spare()
        return None

    # --- single steps ---

    def remove_spare(self) -> None:
        self._step(f"remove the spare of {self.path}")
        self._remove(self.spare)

    def remove_part(self) -> None:
        if look(self._root, self.spare + ".part").exists:
            self._step(f"remove the part of {self.path}")
            self._remove(self.spare + ".part")

    def asides(self) -> tuple[FileExchange, ...]:
        """Return the same file with each spare that was moved aside."""
        found: list[FileExchange] = []
        while look(self._root, f"{self.spare}.{len(found) + 1}").exists:
            found.append(self._with_spare(f"{self.spare}.{len(found) + 1}"))
        return tuple(found)

    def move_aside(self) -> None:
        """Make the spare's name free, without removing what may still be written into."""
        aside = self._with_spare(f"{self.spare}.{len(self.asides()) + 1}").spare
        self._step(f"move the spare of {self.path} aside")
        with folder_of(self._root, self.spare) as folder:
            rename_noreplace(folder, posixpath.basename(self.spare), folder, posixpath.basename(aside))

    def _with_spare(self, spare: str) -> FileExchange:
        return FileExchange(self._root, self.path, spare, self.kept, self._support, self._step)

    def _remove(self, relative: str) -> None:
        with contextlib.suppress(FileNotFoundError), folder_of(self._root, relative) as folder:
            remove_at(folder, posixpath.basename(relative))

    def _exchanged(self) -> bool:
        """Let file and spare change places; False where that cannot be done in one step."""
        if self._support is ExchangeSupport.ATOMIC:
            with self._folders() as (folder, name, spare_folder, spare), contextlib.suppress(UnsupportedError):
                rename_exchange(spare_folder, spare, folder, name)
                self._sync(folder, spare_folder)
                return True
            self._support = ExchangeSupport.COMPARE
        return False

    def _spare_over_file(self) -> None:
        with self._folders() as (folder, name, spare_folder, spare):
            rename_over(spare_folder, spare, folder, name)
            self._sync(folder, spare_folder)

    def _spare_to_gap(self) -> None:
        with self._folders() as (folder, name, spare_folder, spare):
            rename_noreplace(spare_folder, spare, folder, name)
            self._sync(folder, spare_folder)

    def _sync(self, *folders: int) -> None:
        for folder in folders:
            sync_folder(folder)

    @contextlib.contextmanager
    def _folders(self) -> Iterator[tuple[int, str, int, str]]:
        """Open the folders of file and spare: (folder, name, folder of the spare, its name). FileNotFoundError if one is gone."""
        with folder_of(self._root, self.path) as folder, folder_of(self._root, self.spare) as spare_folder:
            yield folder, posixpath.basename(self.path), spare_folder, posixpath.basename(self.spare)
