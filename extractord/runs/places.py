"""What an agent run may read, and whose the lines in memory are.

Owns: the roots of a run, and telling foreign lines from ours. Leaves ruling on paths to ``agent.policy``, which lines are ours to
the ledger.
"""

from __future__ import annotations

from pathlib import Path

from extractord.agent.policy import Roots
from extractord.ledger import Ledger, lines_of
from extractord.memory.directory import Snapshot
from extractord.memory.facts import Sharing, TopicFacts
from extractord.supervisor import Supervisor


def topic_facts(ledger: Ledger, memory_dir: str, snapshot: Snapshot) -> dict[str, TopicFacts]:
    """Return the state of each topic, with the lines in it that are not ours."""
    ours = ledger.own_lines_of(memory_dir)
    return {
        path: TopicFacts(text, snapshot.time_of(path), foreign_lines(text, ours.get(path, frozenset())))
        for path, text in snapshot.texts().items()
    }


def foreign_lines(text: str, own: frozenset[str]) -> frozenset[str]:
    """Return the lines of a topic that the ledger did not write."""
    return frozenset(lines_of(text)) - own


def sharing_of(supervisor: Supervisor, project_root: str) -> Sharing:
    """Return whether a project has team memory that may be written: a rule of the configuration names a remote for it."""
    return Sharing.OFF if supervisor.team_remote(project_root) is None else Sharing.ON


def roots_of(supervisor: Supervisor, project_root: str, memory_dir: Path) -> Roots:
    """Return what an agent run may read: the project, if it is still there, and the memory directory."""
    project = Path(project_root) if Path(project_root).is_dir() else None
    ours = supervisor.locations
    barred = [supervisor.surroundings.config_home, ours.state, ours.config_file, ours.credentials]
    folder = ours.config_file.parent
    if project is None or not project.resolve().is_relative_to(folder.resolve()):  # else a relocated file would hide the project
        barred.append(folder)
    return Roots(project_root if project else None, str(memory_dir), tuple(str(path) for path in barred))
