"""What confinement costs a worker's start, and how soon a worker asks its first question, beside a bare interpreter with its imports."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import extractord
import extractord.agent.worker
from extractord.agent.briefing import Briefing
from extractord.agent.frames import Backend
from extractord.agent.protocol import Reply, ToolAnswer
from extractord.agent.supervise import CheckAnswer, Decision, Roots, Sandbox, extract
from extractord.transcript.digest import Digest
from tests.bench.goals import Goal

ROUNDS = 21
CONFINEMENT_MS = 50  # the goal
RATIO = 3  # the goal
FILES, SECRETS = 5_000, 3
_IMPORTS = "import json,sys;sys.path[:]=json.loads(sys.argv[1]);import extractord.agent.worker"


def bench() -> list[Goal]:
    """Measure all of them, taking turns."""
    with tempfile.TemporaryDirectory(prefix="extractord-bench-") as folder:
        small, large = _project(Path(folder) / "small", 20), _project(Path(folder) / "large", FILES)
        paths = json.dumps([str(Path(extractord.__file__).parent.parent), *(path for path in sys.path if path)])
        ways: dict[str, Callable[[], float]] = {
            "python -I -S -c pass": lambda: _run("pass"),
            "with a worker's imports": lambda: _run(_IMPORTS, paths),
            "worker, not confined": lambda: _first_request(small, Sandbox.OFF),
            "worker": lambda: _first_request(small, Sandbox.AUTO),
            f"worker, {FILES:,} files": lambda: _first_request(large, Sandbox.AUTO),
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(ROUNDS):
            for name, measure in ways.items():
                taken[name].append(1000 * measure())
    print(f"{'to the first request':28}{'ms best':>12}{'median':>10}")
    for name, times in taken.items():
        print(f"{name:28}{min(times):12.1f}{sorted(times)[ROUNDS // 2]:10.1f}")
    best = {name: min(times) for name, times in taken.items()}
    free, held, held_large = best["worker, not confined"], best["worker"], best[f"worker, {FILES:,} files"]
    return [
        Goal("confinement, ms", held - free, CONFINEMENT_MS, at_least=False),
        Goal(f"confinement with {FILES:,} files and {SECRETS} secrets, ms", held_large - free, CONFINEMENT_MS, at_least=False),
        Goal("to the first request, of an interpreter with the imports", held / best["with a worker's imports"], RATIO, at_least=False),
    ]


def _project(folder: Path, files: int) -> Roots:
    """Make a project with so many files, of which some bear secrets, and a memory directory."""
    for number in range(files):
        place = folder / "project" / f"part{number % 50}" / f"{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x = 1\n")
    for number in range(SECRETS):
        (folder / "project" / f"part{number}" / ".env").write_text("x=1\n")
    (folder / "memory").mkdir()
    return Roots(str(folder / "project"), str(folder / "memory"))


def _run(code: str, *argv: str) -> float:
    start = time.perf_counter()
    argv = (sys.executable, "-I", "-S", "-B", "-c", code, *argv)
    subprocess.run(argv, env={}, check=True, start_new_session=True)  # as a worker is: a session has its own share of a busy machine
    return time.perf_counter() - start


def _first_request(roots: Roots, sandbox: Sandbox) -> float:
    """Return the seconds from a worker's start until it asks for a model's first reply."""
    asked: list[float] = []

    def answer(turn: int, answers: tuple[ToolAnswer, ...]) -> Reply:
        asked.append(time.perf_counter())
        return Reply()

    briefing = Briefing(Digest("s", "/", (), 0, 0), (), "", "2026-12-01T10:00:00+00:00")
    start = time.perf_counter()
    extract(briefing, roots, lambda _: CheckAnswer(Decision.DENIED), backend=Backend.RELAYED, answer=answer, sandbox=sandbox)
    return asked[0] - start
