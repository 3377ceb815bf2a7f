"""What a command costs: wall time, processor time, peak memory.

Owns: measuring one command in a fresh process. The peak that the kernel reports of a child is at least that of the process
which started it, so the command is started by this module as a script, in an interpreter that holds next to nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spent:
    """What one run cost: seconds and MiB."""

    wall: float
    cpu: float
    peak_mib: float
    stdout: bytes


def spent(argv: list[str], env: dict[str, str] | None = None, cores: int | None = None) -> Spent:
    """Run ``argv`` with ``env`` (None: as this process) on so many cores (None: all) and return what it cost.

    Raises RuntimeError with the command's own words if its status is not 0.
    """
    launcher = [sys.executable, "-I", "-S", __file__, str(cores or 0), *argv]
    done = subprocess.run(launcher, env=env, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)}: {done.stderr.decode('utf-8', 'replace')[-2000:]}")
    figures = json.loads(done.stderr.rsplit(b"\n", 2)[-2])
    return Spent(figures["wall"], figures["cpu"], figures["peak_mib"], done.stdout)


def main(cores: int, argv: list[str]) -> None:
    """Run ``argv`` and print its figures as the last line of stderr; its stdout passes through."""
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    start = time.perf_counter()
    child = os.posix_spawn(argv[0], argv, os.environ)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        sys.exit(code if code > 0 else 1)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # ru_maxrss: bytes there, KiB on Linux
    figures = {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak_mib": usage.ru_maxrss / unit}
    print(json.dumps(figures), file=sys.stderr)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
