"""What of a session, and of memory, leaves this machine where a model elsewhere is asked: the one wording of it.

Owns: these sentences. Leaves what is really sent to ``agent.prompting``, which server it goes to to ``asking``.
"""

from __future__ import annotations

from extractord.agent.claude_code import OUTSIDE

NOTHING = "nothing leaves this machine"
_SENT = (
    "what was typed (secrets and <private> text taken out), the agent's words shortened, a line per tool call and no tool output; the "
    "project folder's path, MEMORY.md, the list of topics and those that may be touched"
)
TO_A_MODEL = f"{_SENT}; what the model then reads of project and memory (never files that bear secrets)"
TO_OWN_CLIENT = f"to your own Claude Code, which sends it on to wherever it is logged in: {_SENT}. {OUTSIDE}"
