"""What a waiting process costs, as the kernel counts it.

Owns: reading the figures of all its threads from /proc. Leaves what they may be to tests and benchmarks.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Rest:
    """Figures of one process up to a moment: voluntary switches of all threads (how often one woke up and slept again), seconds."""

    seconds: float
    wake_ups: int
    cpu: float
    rss_mib: float

    def since(self, before: Rest) -> Rest:
        """Return what was added since ``before``; the memory is that of the end."""
        return Rest(self.seconds - before.seconds, self.wake_ups - before.wake_ups, self.cpu - before.cpu, self.rss_mib)


def rest_of(pid: int) -> Rest:
    """Return the figures of ``pid`` until now."""
    threads = list(Path(f"/proc/{pid}/task").iterdir())
    switches = sum(_number(thread / "status", "voluntary_ctxt_switches") for thread in threads)
    cpu = sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9  # ns on the processor
    return Rest(time.monotonic(), switches, cpu, _number(Path(f"/proc/{pid}/status"), "VmRSS") / 1024)


def _number(place: Path, field: str) -> int:
    found = re.search(rf"^{field}:\s+(\d+)", place.read_text(), re.MULTILINE)
    assert found, f"{place} has no {field}"
    return int(found[1])
