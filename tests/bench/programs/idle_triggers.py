"""The triggers at rest: prints a line when they have begun, then waits for wakeups until its stdin ends."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from extractord.config import Config
from extractord.triggers import Triggers


def main(config_home: Path) -> None:
    """Wait as the daemon does."""
    triggers = Triggers(config_home, Config())
    triggers.start()
    triggers.next()
    threading.Thread(target=_until_stdin_ends, args=(triggers,), daemon=True).start()
    print("ready", flush=True)
    while triggers.next():
        pass
    triggers.stop()


def _until_stdin_ends(triggers: Triggers) -> None:
    sys.stdin.read()
    triggers.interrupt()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
