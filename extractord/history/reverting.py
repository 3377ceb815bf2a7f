"""A topic as it would be without one changeset.

Owns: the pure step back, line by line, onto today's text. Leaves which changesets are meant to ``undo`` and ``forget``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from extractord.ledger import FileRow
from extractord.memory.age import log_date
from extractord.memory.daily_log import added
from extractord.memory.merge import merge_topics, same_but_for_stamp


@dataclass(frozen=True, slots=True)
class Reverted:
    """What a topic becomes; None: no file."""

    text: str | None


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why a topic cannot be brought back."""

    reason: str


def revert(file: FileRow, today: str | None) -> Reverted | Blocked:
    """Return the topic without the changeset's write of it, given its text today (None: no file)."""
    match file.before, file.after, today:
        case before, after, now if before == after:  # it found its work done already: there is nothing of it to take back
            return Reverted(now)
        case _, after, now if after == now:
            return Reverted(file.before)
        case before, _, now if before == now:
            return Reverted(now)
        case None, _, None:
            return Reverted(None)
        case _, None, str():
            return Blocked("a topic of that name was made again since")
        case None, str() as after, str() as now if same_but_for_stamp(now, after):
            return Reverted(None)  # what a change between had brought was taken back out of turn
        case None, str(), str() if log_date(file.path) is None:
            return Blocked("its lines were changed since")
        case str(), str(), None:
            return Blocked("the topic was removed since")
        case _, str(), str() as now if log_date(file.path) is not None and added(file.before, file.after) is not None:
            without = without_lines_of(file, now)  # a log is only ever added to: its lines stand where they stand
            return Reverted(without if file.before is not None or without.strip() else None)
        case str() as before, str() as after, str() as now:
            merged = merge_topics(after, before, now)
            return Blocked("its lines were changed since") if merged is None else Reverted(merged)
        case _:
            return Reverted(today)


def without_lines_of(file: FileRow, today: str) -> str:
    """Return ``today`` without the lines that the changeset brought into the topic."""
    old = set((file.before or "").splitlines())
    return without_lines(today, {line for line in (file.after or "").splitlines() if line.strip() and line not in old})


def without_lines(today: str, brought: Collection[str]) -> str:
    """Return a topic without these lines; those of its header that belong to the form stay."""
    gone = {line for line in brought if not _is_header(line)}
    return "".join(line for line in today.splitlines(keepends=True) if line.rstrip("\r\n") not in gone)


def _is_header(line: str) -> bool:
    """Whether a line belongs to the form of a topic rather than to what it says."""
    return line.strip() in {"---", "metadata:"} or line.lstrip().startswith(
        ("node_type:", "type:", "originSessionId:", "modified:", "name:", "description:")
    )
