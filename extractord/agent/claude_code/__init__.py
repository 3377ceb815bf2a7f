"""The backend ``claude-code``: the user's own, unmodified ``claude -p``, asked once a run.

It stands outside the three-process guarantee: what it may do is decided by its options, not by us. Leaves what comes of its answer
to the worker's toolbox and the checks, which a change of its passes like any tool call.
"""

from __future__ import annotations

OUTSIDE = (
    "claude-code runs your own Claude Code outside the guarantee of three confined processes: "
    "what it may do is held by its own options (no tools, no memory, no hooks), not by the kernel"
)
