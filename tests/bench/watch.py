"""How soon an append is noticed, on 1,000 and on 10,000 project folders; none may be missed."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.bench.goals import Goal
from tests.bench.reading import PROGRAMS
from tests.bench.trees import config_home

SIZES = (1_000, 10_000)
P95_MS = 50  # performance.md G7; a session counts only after minutes of quiet


def bench() -> list[Goal]:
    """Measure each size in a fresh process on a tree of its own."""
    goals = []
    print(f"{'append → noticed':24}{'p50 ms':>10}{'p95 ms':>10}{'max ms':>10}{'missed':>10}{'of a burst':>12}")
    for size in SIZES:
        with config_home(size) as home:
            argv = [sys.executable, "-m", f"{PROGRAMS}.watch_appends", str(home)]
            found = json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)
        taken = sorted(1000 * seconds for seconds in found["seconds"])
        p50, p95 = taken[len(taken) // 2], taken[len(taken) * 95 // 100]
        print(f"{f'{size:,} folders':24}{p50:10.2f}{p95:10.2f}{taken[-1]:10.2f}{found['missed']:10}{found['burst_missed']:12}")
        goals.append(Goal(f"append → noticed, p95 ms on {size:,} folders", p95, P95_MS, at_least=False))
        goals.append(Goal(f"appends missed on {size:,} folders", found["missed"] + found["burst_missed"], 0, at_least=False))
    return goals
