"""How fast transcripts become digests, beside a parse that does nothing with what it parsed; and that no fact gets lost."""

from __future__ import annotations

import subprocess
import sys

from tests.bench import corpora
from tests.bench.corpora import Corpus
from tests.bench.goals import Goal
from tests.measure import spent

ROUNDS = 5
SPEED = 1.3  # of an orjson-only parse, on one core (issue 01)
PROGRAMS = "tests.bench.programs"


def bench() -> list[Goal]:
    """Measure both on 300 MB in 1,000 sessions, taking turns, and look for every needle."""
    corpus = corpora.thousand_sessions()
    size = sum(path.stat().st_size for path in corpus.transcripts) / 1e6
    walls: dict[str, list[float]] = {"orjson_only": [], "read_digest": []}
    for _ in range(ROUNDS):
        for name, taken in walls.items():
            taken.append(spent([sys.executable, "-m", f"{PROGRAMS}.{name}", str(corpus.projects)], cores=1).wall)
    print(f"{'reading, one core':24}{'MB/s best':>12}{'median':>10}   {size:.0f} MB in {len(corpus.transcripts)} sessions")
    for name, taken in walls.items():
        print(f"{name:24}{size / min(taken):12.0f}{size / sorted(taken)[ROUNDS // 2]:10.0f}")
    speed = Goal("reading + digest, of an orjson-only parse", min(walls["orjson_only"]) / min(walls["read_digest"]), SPEED, at_least=True)
    return [speed, needles(corpus)]


def needles(corpus: Corpus) -> Goal:
    """Return how many planted facts are missing from the digests."""
    planted = len(corpus.needles.read_text(encoding="utf-8").splitlines())
    argv = [sys.executable, "-m", f"{PROGRAMS}.find_needles", str(corpus.projects), str(corpus.needles)]
    missing = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    print(f"needles: {planted - len(missing)} of {planted} in the digests", *missing[:5], sep="\n  ")
    return Goal(f"needles missing of {planted}", len(missing), 0, at_least=False)
