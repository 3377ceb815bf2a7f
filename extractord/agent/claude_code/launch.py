"""The last step before the client: tie its life to ours, then become it.

Owns: that a client does not outlive a supervisor that was killed (Linux; elsewhere its own time ends it). Started by
``child.command_of`` with the client's command as its arguments.
"""

from __future__ import annotations

import os

from extractord.sandbox.surrender import die_with, gain_nothing


def main(supervisor_pid: int, *command: str) -> None:
    """Become the client."""
    gain_nothing()
    die_with(supervisor_pid)
    os.umask(0o077)
    os.execv(command[0], command)  # noqa: S606 - no shell is wanted
