"""How full a project's memory is: its topics, and what of the index's caps is used.

Owns: this line. Leaves reading the directory to ``memory``, the caps to ``memory.entries``.
"""

from __future__ import annotations

from extractord.memory.directory import Snapshot
from extractord.memory.entries import DEFAULT_LIMITS
from extractord.memory.loading import line_count, trimmed, units
from extractord.report.text import counted


def filling(project_root: str, snapshot: Snapshot) -> str:
    """Return the line: an index is as full as the cap of which it uses most; beyond it the client loads a part only."""
    whole = trimmed(snapshot.index or "")
    used = max(line_count(whole) / DEFAULT_LIMITS.lines, units(whole) / DEFAULT_LIMITS.units)
    return f"{counted(len(snapshot.topics), 'topic'):>12}, index {used:4.0%} full  {project_root}"
