"""How long what was written can be taken back and explained.

Owns: from the configured times to what the ledger lets go of. Leaves which rows those are to the ledger.
"""

from __future__ import annotations

from extractord.claude_home import cleanup_period_days
from extractord.ledger import LetGo
from extractord.supervisor import Supervisor


def keep_house(supervisor: Supervisor) -> LetGo:
    """Let go of the texts and quotes that are older than they are to be kept."""
    config, now = supervisor.config, supervisor.wall()
    history = config.history.keep
    assert history is not None  # it has a default
    evidence = config.evidence_keep(cleanup_period_days(supervisor.surroundings))
    return supervisor.ledger.let_go(now - history, now - evidence)
