"""What a worker is offered beyond Read, Grep, Glob, Write, Edit and Delete: when Bash is.

Owns: that decision. Leaves how far workers are confined to the sandbox, what Bash allows to ``agent.shell``. Pure.
"""

from __future__ import annotations

from extractord.agent.supervise import ShellOffer
from extractord.config import Config, Sandbox


def shell_offer(config: Config) -> ShellOffer:
    """Return whether Bash is offered: only to a worker that the kernel confines, or where a person switched that off.

    Nothing confines workers by the kernel yet.
    """
    return ShellOffer.OFFERED if config.sandbox is Sandbox.OFF else ShellOffer.NO_SANDBOX
