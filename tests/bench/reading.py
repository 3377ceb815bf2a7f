"""How fast transcripts become digests, beside a parse that does nothing with what it parsed; and that no fact gets lost.

Measured is the processor time of fresh processes, start included: other work on the machine disturbs it least.
"""

from __future__ import annotations

import os
import subprocess
import sys

from tests.bench import corpora
from tests.bench.corpora import Corpus
from tests.bench.goals import Goal
from tests.measure import spent

ROUNDS = 5
SPEED = 1.3  # of an orjson-only parse, on one core
PROGRAMS = "tests.bench.programs"


def bench() -> list[Goal]:
    """Measure all on 300 MB in 1,000 sessions, taking turns, and look for every needle."""
    corpus = corpora.thousand_sessions()
    size = sum(path.stat().st_size for path in corpus.transcripts) / 1e6
    taken: dict[str, list[float]] = {"orjson_only": [], "read_only": [], "read_digest": []}
    for _ in range(ROUNDS):
        for name, seconds in taken.items():
            argv = [sys.executable, "-m", f"{PROGRAMS}.{name}", str(corpus.projects)]
            seconds.append(spent(argv, env=compiled(), cores=1).cpu)
    print(f"{'reading, one core':24}{'MB/s best':>12}{'median':>10}{'of orjson':>12}   {size:.0f} MB in {len(corpus.transcripts)} sessions")
    best = {name: min(seconds) for name, seconds in taken.items()}
    for name, seconds in taken.items():
        median = sorted(seconds)[ROUNDS // 2]
        print(f"{name:24}{size / best[name]:12.0f}{size / median:10.0f}{best['orjson_only'] / best[name]:11.2f}x")
    speed = Goal("reading + digest, of an orjson-only parse", best["orjson_only"] / best["read_digest"], SPEED, at_least=True)
    return [speed, needles(corpus)]


def compiled() -> dict[str, str]:
    """Return an environment in which modules are compiled once, as they are where they are installed; the best round finds them so."""
    left = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**left, "PYTHONPYCACHEPREFIX": str(corpora.CACHE / "bytecode")}


def needles(corpus: Corpus) -> Goal:
    """Return how many planted facts are missing from the digests."""
    planted = len(corpus.needles.read_text(encoding="utf-8").splitlines())
    argv = [sys.executable, "-m", f"{PROGRAMS}.find_needles", str(corpus.projects), str(corpus.needles)]
    missing = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    print(f"needles: {planted - len(missing)} of {planted} in the digests", *missing[:5], sep="\n  ")
    return Goal(f"needles missing of {planted}", len(missing), 0, at_least=False)
