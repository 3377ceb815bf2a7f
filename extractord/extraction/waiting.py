"""What of a stretch waits for a person's review whatever the checks say: by configuration, or since a program drove it.

Owns: these rules, and counting sessions that open alike. Leaves the checks' own reasons to ``memory.checks``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from extractord.config import Headless, Write
from extractord.extraction.subject import Subject
from extractord.memory.changeset import Proposal
from extractord.memory.facts import Checked, Fate
from extractord.memory.topics import TYPES, parse
from extractord.supervisor import Supervisor

ALIKE = 3  # sessions of a project with the same opening: from here on nobody types them (CONTRACTS, headless)
PERSONAL = frozenset(("user", "feedback"))


@dataclass(frozen=True, slots=True)
class Waiting:
    """That topics of these types wait, and why."""

    reason: str
    types: frozenset[str] = frozenset(TYPES)

    def holds(self, proposal: Proposal) -> bool:
        """Whether a proposal waits; a topic without a known type waits like any."""
        kinds = {parse(text).type for text in (proposal.before, proposal.after) if text is not None}
        return not kinds <= frozenset(TYPES) - self.types


def waiting_of(supervisor: Supervisor, subject: Subject) -> Waiting | None:
    """Return what of a stretch waits for review, None if nothing does. Notes how a session that a program drove opens."""
    stretch, alike = subject.stretch, 0
    if stretch.headless and stretch.first_prompt:
        alike = supervisor.ledger.note_opening(_opening(subject.home.project_root, stretch.first_prompt), subject.session)
    if supervisor.config.memory.write is Write.REVIEW:
        return Waiting("memory.write is review")
    if stretch.headless and supervisor.config.headless is Headless.REVIEW:
        return Waiting("a program drove this session (headless = review)")
    if alike >= ALIKE:
        return Waiting(f"a program drove this session: {alike} sessions of this project open with the same words", PERSONAL)
    return None


def held_back(checked: Checked, waiting: Waiting) -> Checked:
    """Return a checked changeset with what waits held."""
    held = tuple((p, replace(f, fate=Fate.HELD, reason=waiting.reason)) for p, f in checked.accepted if waiting.holds(p))
    accepted = tuple((p, f) for p, f in checked.accepted if not waiting.holds(p))
    return Checked(accepted, (*checked.held, *held), checked.refused)


def _opening(project_root: str, first_prompt: str) -> str:
    """Return a hash: what was typed has no place in the ledger."""
    return hashlib.sha256(f"{project_root}\0{first_prompt}".encode("utf-8", "surrogatepass")).hexdigest()
