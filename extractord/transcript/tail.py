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
from pathlib import Path

import msgspec

from extractord.errors import TranscriptError
from extractord.system.files import O_NOCTTY, O_NONBLOCK, open_path, read_at

BLOCK = 256 << 10  # bytes read at once: what a processor's cache holds


class TailLimits(msgspec.Struct, frozen=True):
    """Bounds of a line."""

    line: int = 8 << 20  # bytes; longer ones are dropped (performance.md: a 96 MB line costs 50 MB so, 289 MB without)
    ending: int = 32 << 10  # last bytes of a dropped line that are kept, where the envelope stands, and words behind a picture


class Opened(msgspec.Struct, frozen=True):
    """A transcript that is open for reading, and what it was at that moment."""

    fd: int
    size: int
    inode: int
    device: int
    mtime: float  # seconds since the epoch


class CutLine(msgspec.Struct, frozen=True):
    """A line over the limit: its beginning and its end."""

    head: bytes
    ending: bytes
    end: int  # offset after it


class Unfinished(msgspec.Struct, frozen=True):
    """The last line of a file, if it does not end in a newline."""

    line: bytes


@contextmanager
def opened(path: Path) -> Iterator[Opened]:
    """Open a transcript; raise ``TranscriptError`` where it cannot be read. Never waits (a FIFO is refused)."""
    try:
        fd = open_path(path, os.O_RDONLY | O_NONBLOCK | O_NOCTTY)
    except FileNotFoundError:
        raise TranscriptError(
            f"{path}: no such transcript", hint="It may have been renamed; the next look finds it by its session id."
        ) from None
    except OSError as error:
        raise TranscriptError(f"{path}: cannot be read: {error.strerror}", hint="Check the file's permissions.") from error
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise TranscriptError(f"{path}: not a regular file", hint="Name a session's .jsonl file.")
        yield Opened(fd, status.st_size, status.st_ino, status.st_dev, status.st_mtime)
    finally:
        os.close(fd)


def batches(source: Opened, start: int, limits: TailLimits) -> Iterator[tuple[int, list[bytes] | CutLine | Unfinished]]:
    """Yield what stands from ``start`` on: (offset, whole lines), (offset, a line over the limit), at
    last (offset, a line without newline) if there is one that is not over the limit."""
    try:
        os.lseek(source.fd, start, os.SEEK_SET)
        yield from _batches(source.fd, start, source.size, limits)
    except OSError as error:
        raise _unreadable(error) from error


def part(source: Opened, start: int, size: int) -> bytes:
    """Return at most ``size`` bytes from ``start`` on; fewer where the file ends before."""
    try:
        return read_at(source.fd, size, start)
    except OSError as error:
        raise _unreadable(error) from error


def _unreadable(error: OSError) -> TranscriptError:
    hint = "It is looked at again at the next sweep."
    return TranscriptError(f"the transcript could not be read on: {error.strerror}", hint=hint)


def _batches(fd: int, at: int, stop: int, limits: TailLimits) -> Iterator[tuple[int, list[bytes] | CutLine | Unfinished]]:
    carried: list[bytes] = []  # the beginning of a line, in blocks
    length, reached = 0, at
    size = min(BLOCK, limits.line)  # so that only the first line of a block, with what was carried, can be over the limit
    while reached < stop and (block := os.read(fd, min(size, stop - reached))):
        reached += len(block)
        lines = io.BytesIO(block).readlines()  # several times as fast as split, and copies only lines
        rest = b"" if lines[-1].endswith(b"\n") else lines.pop()
        if lines:
            if carried:
                lines[0] = b"".join((*carried, lines[0]))
                carried = []
            if len(lines[0]) > limits.line:
                first = lines.pop(0)
                yield at, CutLine(first[: limits.line], first[-limits.ending :], at + len(first))
                at += len(first)
                del first
            if lines:
                yield at, lines
            at = reached - len(rest)
            length = 0
        if rest:
            carried.append(rest)
            length += len(rest)
        if length >= limits.line:
            head = b"".join(carried)[: limits.line]
            carried, length = [], 0
            ending, reached = _rest_of_line(fd, head[-limits.ending :], reached, stop, limits)
            if not ending.endswith(b"\n"):
                return  # a long line that is still being written
            yield at, CutLine(head, ending, reached)
            at = reached
            os.lseek(fd, at, os.SEEK_SET)
    rest_of_file = b"".join(carried)
    if rest_of_file and len(rest_of_file) <= limits.line:
        yield at, Unfinished(rest_of_file)


def _rest_of_line(fd: int, ending: bytes, reached: int, stop: int, limits: TailLimits) -> tuple[bytes, int]:
    """Read to the end of a line whose last bytes so far are ``ending``; return its last bytes and the offset after it."""
    while reached < stop and (block := os.read(fd, min(BLOCK, limits.line, stop - reached))):
        line, newline, _ = block.partition(b"\n")
        reached += len(line) + len(newline)
        ending = (ending + line + newline)[-limits.ending :]
        if newline:
            break
    return ending, reached
