"""What waits for review and is to be forgotten with what stands in memory.

Owns: which waiting changes a person means when they forget a topic, words, a session or a project. Leaves what stands to
``forget``, turning down to ``review``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from extractord.history.topics_named import NamedTopic
from extractord.ledger import HeldChangeset, HeldFile
from extractord.supervisor import Supervisor


def of_topic(supervisor: Supervisor, topic: NamedTopic) -> tuple[HeldChangeset, ...]:
    """Return what waits for a whole topic; of a line nothing: what waits is merged without it."""
    if topic.line is not None:
        return ()
    return _waiting(supervisor, topic.memory_dir, lambda _, file: file.path == topic.path and file.after is not None)


def of_text(supervisor: Supervisor, memory_dir: Path, wanted: str) -> tuple[HeldChangeset, ...]:
    """Return the waiting topics that would bring ``wanted`` into a memory directory."""
    return _waiting(supervisor, memory_dir, lambda _, file: any(wanted in line for line in _brought(file)))


def of_session(supervisor: Supervisor, session: str) -> tuple[HeldChangeset, ...]:
    """Return what waits from a session."""
    return _waiting(supervisor, None, lambda held, _: held.row.session == session)


def of_project(supervisor: Supervisor, memory_dir: Path) -> tuple[HeldChangeset, ...]:
    """Return all that waits for a project."""
    return _waiting(supervisor, memory_dir, lambda _, __: True)


def _brought(file: HeldFile) -> set[str]:
    return set((file.after or "").splitlines()) - set((file.before or "").splitlines())


def _waiting(
    supervisor: Supervisor, memory_dir: Path | None, is_meant: Callable[[HeldChangeset, HeldFile], bool]
) -> tuple[HeldChangeset, ...]:
    found = supervisor.ledger.held(None if memory_dir is None else str(memory_dir))
    meant = (replace(held, files=tuple(file for file in held.files if is_meant(held, file))) for held in found)
    return tuple(held for held in meant if held.files)
