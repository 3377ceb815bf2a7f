"""How long it takes to put a memory of years in order: a thousand topics and four hundred days of logs, offline."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests.bench.goals import Goal
from tests.dreams import agreed, working
from tests.homes import Home
from tests.large_memory import DAYS, TOPICS, large

ROUNDS = 3
SECONDS = 5.0  # the goal


def bench() -> list[Goal]:
    """Measure the first time, and the second, which has nothing to do."""
    from extractord.consolidation.dream import dream

    walls: dict[str, list[float]] = {"first": [], "again": []}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory(prefix="extractord-bench-") as folder:
            home = Home(Path(folder))
            large(home, "shop")
            with working(home) as supervisor:
                agreed(supervisor, home, "shop")
                for taken in walls.values():
                    began = time.monotonic()
                    dream(supervisor, supervisor.home_of(str(home.project("shop"))))
                    taken.append(time.monotonic() - began)
    print(f"{'dream, offline':24}{'s best':>12}{'worst':>10}   {TOPICS} topics, {DAYS} days of logs")
    for name, taken in walls.items():
        print(f"{name:24}{min(taken):12.2f}{max(taken):10.2f}")
    return [Goal("offline dream over years, s", min(walls["first"]), SECONDS, at_least=False)]
