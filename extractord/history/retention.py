"""How long what was written can be taken back and explained.

Owns: from the configured times to what the ledger lets go of. Leaves which rows those are to the ledger.
"""

from __future__ import annotations

from extractord.claude_home import Surroundings, cleanup_period_days
from extractord.config import Config
from extractord.ledger import Ledger, LetGo


def keep_house(ledger: Ledger, config: Config, surroundings: Surroundings, now: float) -> LetGo:
    """Let go of the texts and quotes that are older than they are to be kept."""
    history = config.history.keep
    assert history is not None  # it has a default
    evidence = config.evidence_keep(cleanup_period_days(surroundings))
    return ledger.let_go(now - history, now - evidence)
