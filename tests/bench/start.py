"""How soon ``--help`` is there, beside a bare click program with as many commands."""

from __future__ import annotations

import re
import sys

from tests.bench.goals import Goal
from tests.bench.reading import PROGRAMS
from tests.measure import spent

ROUNDS = 21
RATIO = 1.4  # the goal


def bench() -> list[Goal]:
    """Measure both, taking turns."""
    ours = [sys.executable, "-m", "extractord", "--help"]
    commands = len(re.findall(r"^ {2}[a-z][a-z-]+ {2,}\S", spent(ours).stdout.decode(), re.MULTILINE))
    bare = [sys.executable, "-m", f"{PROGRAMS}.bare_click", str(commands)]
    walls: dict[str, list[float]] = {"bare click": [], "extractord --help": []}
    for _ in range(ROUNDS):
        walls["bare click"].append(spent(bare).wall)
        walls["extractord --help"].append(spent(ours).wall)
    print(f"{'start':24}{'ms best':>12}{'median':>10}   {commands} commands")
    for name, taken in walls.items():
        print(f"{name:24}{1000 * min(taken):12.1f}{1000 * sorted(taken)[ROUNDS // 2]:10.1f}")
    return [Goal("--help, of a bare click program", min(walls["extractord --help"]) / min(walls["bare click"]), RATIO, at_least=False)]
