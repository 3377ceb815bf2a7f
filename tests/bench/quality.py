"""What the offline extractor keeps of the written conversations, beside the two baselines of their README."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.goals import Goal
from tests.case_files import COPIES
from tests.command import Place, extractord

FIGURES = ("recall", "precision", "false", "explicit", "date", "why", "update")
# From the set's README: what two trivial extractors reach on dev.
BASELINES = {
    "every prompt": {"recall": 0.98, "precision": 0.12},
    "prompts with key words": {"recall": 0.39, "precision": 0.40, "why": 0.0, "update": 0.0, "false": 9},
}


def bench(backend: str = "offline") -> list[Goal]:
    """Extract and score the development set with a backend, print our row beside the baselines. A real model costs cents."""
    with tempfile.TemporaryDirectory(prefix="extractord-quality-") as folder:
        place = Place(Path(folder) / "q")
        scripts, dev = COPIES / "quality", str(COPIES / "quality" / "dev")
        _script(scripts / "build.py", dev, str(place.root))
        answer = extractord(place, "once", "--now", "session", "--yes", "--json", env={"EXTRACTORD_BACKEND": backend})
        if answer.status != 0:
            raise RuntimeError(answer.stderr)
        ours = json.loads(_script(scripts / "score.py", dev, str(place.root), "--json"))["overall"]
    print(f"{'quality, dev':24}" + "".join(f"{name:>11}" for name in FIGURES))
    for name, row in {**BASELINES, f"extractord {backend}": ours}.items():
        print(f"{name:24}" + "".join(f"{row.get(figure, '–')!s:>11.6}" for figure in FIGURES))
    bounds = {"precision": 0.95, "date": 1.0, "explicit": 0.8, "recall": 0.45}
    if spent := answer.summary["cost_usd"]:
        print(f"spent ${spent:.4f} on {answer.summary['sessions']} sessions")
    goals = [Goal(name, ours[name] or 0.0, bound, at_least=True) for name, bound in bounds.items()]
    return [*goals, Goal("false memories", ours["false"], 0, at_least=False)]


def _script(script: Path, *argv: str) -> str:
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, str(script), *argv], env=env, capture_output=True, text=True, check=True).stdout
