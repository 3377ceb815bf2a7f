"""Why nothing, or not everything, of what an agent proposed was taken, in words that may stand in ledger and logs.

Owns: these words. A reason as the model is told it may quote what was said, or what it wrote; here that is left out. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from extractord.agent.loop import WRITING, Ruled
from extractord.agent.protocol import Decision
from extractord.memory.facts import Checked

REFUSALS_TOLD = 3
_QUOTED = re.compile(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)""", re.DOTALL)


def refusals(checked: Checked, rulings: Iterable[Ruled] = ()) -> str:
    """Return why nothing of what the agent proposed was taken, while it ran or at the end; "" if it proposed nothing."""
    meant = [r for r in rulings if r.tool in WRITING and (r.failed or r.decision is Decision.DENIED)]
    reasons = [*(finding.reason for _, finding in checked.refused), *(r.reason or "a change could not be made" for r in meant)]
    return "; ".join([f"refused: {reason}" for reason in dict.fromkeys(map(unquoted, reasons))][:REFUSALS_TOLD])


def unquoted(reason: str) -> str:
    """Return a reason without the passages that it quotes."""
    return _QUOTED.sub("…", reason)
