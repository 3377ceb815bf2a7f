"""Appends to transcripts, one at a time, and how long each takes to be noticed; then a burst of which nothing may be missed.

Prints {"seconds": [...], "missed": n, "burst_missed": n} for a config home.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from extractord.config import Config
from extractord.triggers import Reason, Triggers

SINGLE, PATIENCE = 300, 3.0  # appends; seconds after which one counts as missed


def main(config_home: Path) -> None:
    """Append, wait, count."""
    every = sorted(config_home.glob("projects/*/*.jsonl"))
    chosen = random.Random(1).sample(every, min(SINGLE, len(every)))
    triggers = Triggers(config_home, Config())
    triggers.start()
    first = triggers.next(PATIENCE)
    assert first is not None
    assert first.reason is Reason.SWEEP
    taken = [seconds for path in chosen if (seconds := _noticed(triggers, path)) is not None]
    for path in every:
        _append(path)
    left = {path.stem for path in every}
    while left and (wakeup := triggers.next(PATIENCE)):
        left = left - {wakeup.session} if wakeup.session else set()  # a sweep looks at everything
    triggers.stop()
    print(json.dumps({"seconds": taken, "missed": len(chosen) - len(taken), "burst_missed": len(left)}))


def _noticed(triggers: Triggers, path: Path) -> float | None:
    began = time.perf_counter()
    _append(path)
    while wakeup := triggers.next(PATIENCE):
        if wakeup.session == path.stem and wakeup.reason is Reason.EVENT:
            return time.perf_counter() - began
    return None


def _append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x" * 1023 + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
