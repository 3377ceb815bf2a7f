"""What a worker is offered beyond Read, Grep, Glob, Write, Edit and Delete: when Bash is.

Owns: that decision. Leaves how far workers are confined to the sandbox, what Bash allows to ``agent.shell``. A worker that turns out
to be confined less than this machine was found to confine has no Bash, whatever it was offered.
"""

from __future__ import annotations

from extractord.agent.supervise import ShellOffer, attained_with
from extractord.config import Config
from extractord.sandbox.level import Level


def shell_offer(config: Config) -> ShellOffer:
    """Return whether Bash is offered: only to a worker that the kernel confines, or where a person switched that off."""
    level = attained_with(config.sandbox).level
    return ShellOffer.OFFERED if level.holds or level is Level.OFF else ShellOffer.NO_SANDBOX
