"""Any program, run as a confined worker is: to see what the kernel alone holds, with the tools' policy out of the way.

Owns: becoming that program, for the hidden command ``confined``. It takes no tool calls and is used by tests only.
"""

from __future__ import annotations

import os
import sys
from functools import partial

from extractord.agent.child import confined, give_up
from extractord.agent.confinement import confine_worker
from extractord.agent.shell.running import ENVIRONMENT
from extractord.agent.worker import BOUNDS

NOT_HELD = 77


def main(supervisor_pid: int, told: str, folder: str, *argv: str) -> None:
    """Confine this process as a worker and become ``argv`` in ``folder``; nothing runs where the kernel does not hold it."""
    give_up(supervisor_pid, BOUNDS)
    attained = confined(partial(confine_worker, told))
    if not attained.level.holds:
        sys.stderr.write(f"not confined: {attained.why or attained.level.value}\n")
        os._exit(NOT_HELD)
    os.chdir(folder)
    os.execvpe(argv[0], argv, ENVIRONMENT)  # noqa: S606 - no shell is what it is about
