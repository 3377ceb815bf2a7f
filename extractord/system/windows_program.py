"""What of this program works on Windows, and what is said of the rest.

Owns: the list, and the streams in UTF-8. Leaves the commands to ``cli``.
"""

from __future__ import annotations

import io
import sys

_WORKING = frozenset({  # each was run
    "demo", "once", "inspect", "memory-dir", "try-tool", "recall", "prompt", "status", "sessions", "log", "show", "why", "undo",
    "forget", "config", "review", "on", "off",
})  # fmt: skip
_SERVICE = frozenset({"install", "uninstall", "run"})
WSL = "In WSL all of it runs, for a Claude Code there."


def refusal(command: str) -> str:
    """Return why a command is not to be had on Windows, "" if it is, or is none."""
    if command in _SERVICE:
        return f"`{command}` is not to be had on Windows: there is no service here, and nothing that watches; `extractord once` works"
    if command in _WORKING or command.startswith("-") or not command:
        return ""
    return f"`{command}` is not to be had on Windows: it was never run here"


def speak_utf8() -> None:
    """Let pipes and files get UTF-8, whatever the code page."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", newline="\n")
