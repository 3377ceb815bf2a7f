"""The memory section of a session's prompt: where memory is, what belongs there, how to save and read it, and the index.

Owns: the variants and the order of the parts. Pure: the same facts give the same bytes. Leaves the words to ``sections/*.md``, what
of the index is loaded to ``loading``, making the directory to ``directory``, keeping a session's section to ``recalling``.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from extractord.memory.loading import load


class Variant(enum.Enum):
    """How a session is to keep memory; where several apply the first one does (MEMORY-RULES §8)."""

    DAILY_LOG = "daily log"
    TEAM = "team"
    ORDINARY = "ordinary"


_PARTS = {
    Variant.DAILY_LOG: ("types.md", "logging.md", "not_saved.md", "reading.md"),
    Variant.TEAM: ("team.md", "types.md", "saving.md", "not_saved.md", "reading.md"),
    Variant.ORDINARY: ("types.md", "saving.md", "not_saved.md", "reading.md"),
}


@dataclass(frozen=True, slots=True)
class SectionFacts:
    """What a section is made of. ``team_index`` is None where there is no team memory."""

    directory: Path  # of the memory; it exists
    variant: Variant
    index: str = ""
    team_index: str | None = None


def section(facts: SectionFacts) -> str:
    """Return the memory section, ending in a newline."""
    return "\n\n".join(part.strip("\n") for part in _parts(facts)) + "\n"


def _parts(facts: SectionFacts) -> Iterator[str]:
    yield (
        "# Memory\n\n"
        f"What earlier sessions learnt about this project and its person is kept in files, in `{facts.directory}/`. That directory exists: "
        "write into it with your ordinary file tools; do not make it, and do not check for it."
    )
    folder = resources.files("extractord.memory.sections")
    for name in _PARTS[facts.variant]:
        yield folder.joinpath(name).read_text(encoding="utf-8")
    yield _index("MEMORY.md", facts.index)
    if facts.variant is Variant.TEAM and facts.team_index is not None:
        yield _index("team/MEMORY.md", facts.team_index)


def _index(name: str, text: str) -> str:
    return f"## {name}\n\n{str(load(text)) or 'It is empty: nothing has been saved yet.'}"
