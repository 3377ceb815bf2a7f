"""How much a process may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of processor time in seconds, bytes of a file it writes, and of memory in bytes; None: as much as before."""

    file_bytes: int
    open_files: int
    memory: int
    cpu_seconds: int | None = None
