"""The entry: choose benchmarks, run them, print their goals."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

from tests.bench import backfill, confinement, cost, dream, idle, memory, quality, reading, start, watch
from tests.bench.goals import Goal, shown

BENCHMARKS: dict[str, Callable[[], list[Goal]]] = {
    "reading": reading.bench,
    "memory": memory.bench,
    "help": start.bench,
    "quality": quality.bench,
    "cost": cost.bench,
    "backfill": backfill.bench,
    "dream": dream.bench,
    "watch": watch.bench,
    "idle": idle.bench,
    "confinement": confinement.bench,
}


def main() -> int:
    """Run the named benchmarks; 1 if a goal was missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure extractord beside simpler programs.")
    parser.add_argument("names", nargs="+", choices=[*BENCHMARKS, "all"], metavar="NAME", help=f"{', '.join(BENCHMARKS)} or all")
    parser.add_argument("--backend", choices=["offline", "anthropic"], default="offline", help="for quality: who extracts")
    options = parser.parse_args()
    benchmarks = BENCHMARKS | {"quality": partial(quality.bench, options.backend)}
    goals = [goal for name, bench in benchmarks.items() if name in options.names or "all" in options.names for goal in bench()]
    print("\n" + "\n".join(shown(goal) for goal in goals))
    return 0 if all(goal.met for goal in goals) else 1


if __name__ == "__main__":
    sys.exit(main())
