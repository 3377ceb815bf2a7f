"""Lines of a transcript as bytes, from an offset, in bounded memory.

Owns: opening a transcript without ever waiting for it, cutting it into lines, the cap on a line's length, and not taking half
a last line. The file is read as far as it reached when it was opened; what happens to it meanwhile (appended to, truncated,
replaced, renamed, deleted) does no harm: a truncated file ends early, the others are read as they were opened, and the next
look sees the change. Leaves what a line says to ``records``.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from extractord.errors import TranscriptError

BLOCK = 256 << 10  # bytes read at once: what a processor's cache holds


@dataclass(frozen=True, slots=True)
class TailLimits:
    """Bounds of a line."""

    line: int = 8 << 20  # bytes; longer ones are dropped (performance.md: a 96 MB line costs 50 MB so, 289 MB without)
    ending: int = 4096  # last bytes of a dropped line that are kept, where the envelope stands


@dataclass(frozen=True, slots=True)
class Opened:
    """A transcript that is open for reading, and what it was at that moment."""

    file: BinaryIO
    size: int
    inode: int
    device: int
    mtime: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class CutLine:
    """A line over the limit: its beginning and its end."""

    head: bytes
    ending: bytes
    end: int  # offset after it


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The last line of a file, if it does not end in a newline."""

    line: bytes


@contextmanager
def opened(path: Path) -> Iterator[Opened]:
    """Open a transcript; raise ``TranscriptError`` where it cannot be read. Never waits (a FIFO is refused)."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise TranscriptError(
            f"{path}: no such transcript", hint="It may have been renamed; the next look finds it by its session id."
        ) from None
    except OSError as error:
        raise TranscriptError(f"{path}: cannot be read: {error.strerror}", hint="Check the file's permissions.") from error
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise TranscriptError(f"{path}: not a regular file", hint="Name a session's .jsonl file.")
    with os.fdopen(fd, "rb", buffering=0) as file:
        yield Opened(file, status.st_size, status.st_ino, status.st_dev, status.st_mtime)


def batches(source: Opened, start: int, limits: TailLimits) -> Iterator[tuple[int, list[bytes] | CutLine | Unfinished]]:
    """Yield what stands from ``start`` on: (offset, whole lines), (offset, a line over the limit), at
    last (offset, a line without newline) if there is one that is not over the limit."""
    try:
        source.file.seek(start)
        yield from _batches(source.file, start, source.size, limits)
    except OSError as error:
        hint = "It is looked at again at the next sweep."
        raise TranscriptError(f"the transcript could not be read on: {error.strerror}", hint=hint) from error


def _batches(file: BinaryIO, at: int, stop: int, limits: TailLimits) -> Iterator[tuple[int, list[bytes] | CutLine | Unfinished]]:
    carried: list[bytes] = []  # the beginning of a line, in blocks
    length, reached = 0, at
    size = min(BLOCK, limits.line)  # so that only the first line of a block, with what was carried, can be over the limit
    while reached < stop and (block := file.read(size)):
        reached += len(block)
        last = block.rfind(b"\n")
        if last < 0:
            carried.append(block)
            length += len(block)
            if length < limits.line:
                continue
            head = b"".join(carried)[: limits.line]
            carried, length = [], 0
            ending, reached, rest = _rest_of_line(file, head, reached, limits)
            if rest is None:
                return  # a long line that is still being written
            yield at, CutLine(head, ending, reached - len(rest))
            at = reached - len(rest)
            del head, ending
            block, last = rest, rest.rfind(b"\n")
            if last < 0:
                carried, length = [rest], len(rest)
                continue
        carried.append(block[: last + 1])
        found = io.BytesIO(b"".join(carried)).readlines()  # several times as fast as split
        carried, length = [block[last + 1 :]], len(block) - last - 1
        if len(found[0]) > limits.line:
            yield at, CutLine(found[0][: limits.line], found[0][-limits.ending :], at + len(found[0]))
            at += len(found[0])
            del found[0]
        if found:
            yield at, found
            at = reached - length
    rest_of_file = b"".join(carried)
    if rest_of_file and len(rest_of_file) <= limits.line:
        yield at, Unfinished(rest_of_file)


def _rest_of_line(file: BinaryIO, head: bytes, reached: int, limits: TailLimits) -> tuple[bytes, int, bytes | None]:
    """Read to the end of a line; return its last bytes, how far the file is read, and what was read beyond the line (None: no end)."""
    ending = head[-limits.ending :]
    while block := file.read(min(BLOCK, limits.line)):
        reached += len(block)
        line, newline, rest = block.partition(b"\n")
        ending = (ending + line)[-limits.ending :]
        if newline:
            return ending, reached, rest
    return ending, reached, None
