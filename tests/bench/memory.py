"""How much memory reading and digesting takes: on many sessions, on a huge one, on a huge line."""

from __future__ import annotations

import sys

from tests.bench import corpora
from tests.bench.goals import Goal
from tests.bench.reading import PROGRAMS, needles
from tests.measure import spent

PEAK_MIB = 64  # the goal


def bench() -> list[Goal]:
    """Measure the peak on each corpus."""
    goals = []
    print(f"{'memory':24}{'peak MiB':>12}{'seconds':>10}")
    found = {
        "1,000 sessions": corpora.thousand_sessions(),
        "1 GB session": corpora.one_large_session(),
        "96 MB line": corpora.one_long_line(),
    }
    for name, corpus in found.items():
        cost = spent([sys.executable, "-m", f"{PROGRAMS}.read_digest", str(corpus.projects)])
        print(f"{name:24}{cost.peak_mib:12.1f}{cost.wall:10.1f}")
        goals.append(Goal(f"peak MiB on {name}", cost.peak_mib, PEAK_MIB, at_least=False))
    return [*goals, needles(found["1 GB session"]), needles(found["96 MB line"])]
