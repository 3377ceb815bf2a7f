"""The offline extractor keeps what people said in so many words, and nothing else, on the written conversations.

Prints its row; README shows it beside the baselines. The thresholds are the issue's.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import case_files
from tests.case_files import Folder
from tests.command import Line, Place, extractord
from tests.model_runs import NOTHING, model_env, write
from tests.scripted_server import Answer, Asked, serving

SETS = [Folder(folder.name, folder.path / "dev") for folder in case_files.kind_folders("quality")]
PRECISION, EXPLICIT, RECALL = 0.95, 0.8, 0.45
ROW = ("recall", "precision", "f1", "false", "explicit", "type", "date", "why", "update", "twins", "excess", "lost", "clean")


@pytest.fixture(params=SETS, ids=lambda folder: folder.name, scope="module")
def figures(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Line:
    """Build the set, extract it offline, score it."""
    folder: Folder = request.param
    scripts, place = folder.path.parent, Place(tmp_path_factory.mktemp("quality") / "q")
    _script(scripts / "build.py", folder.path, place.root)
    answer = extractord(place, "once", "--now", "session", "--json", env={"EXTRACTORD_BACKEND": "offline"})
    assert answer.status == 0, answer.stderr
    assert answer.summary["failed"] == 0
    found = json.loads(_script(scripts / "score.py", folder.path, place.root, "--json"))
    assert isinstance(found, dict)
    return found


def _script(script: Path, *argv: str | Path) -> str:
    done = subprocess.run([sys.executable, "-B", str(script), *map(str, argv)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_offline_extraction_is_precise_and_keeps_what_is_explicit(figures: Line, capsys: pytest.CaptureFixture[str]) -> None:
    """Precision, false memories, dates, explicit and overall recall are at least what the issue asks for."""
    overall = figures["overall"]
    row = "  ".join(f"{key} {_cell(overall[key])}" for key in ROW)
    with capsys.disabled():
        print(f"\nquality, offline: {row}")
    remarks = {case["case"]: case["remarks"] for case in figures["cases"] if case["remarks"]}
    assert overall["false"] == 0, remarks
    assert overall["precision"] >= PRECISION, remarks
    assert overall["date"] == 1.0, remarks
    assert overall["explicit"] >= EXPLICIT, remarks
    assert overall["recall"] >= RECALL, remarks


def test_a_model_can_be_measured_for_cents() -> None:
    """The command that README names asks the server of the environment about each session, and prints the model's row."""
    quote = "weights in this codebase are in kg as integers"

    def script(asked: Asked, _: int) -> Answer:
        first = asked.messages[0]["content"][0]["text"]
        if len(asked.messages) > 1 or quote not in first:
            return NOTHING
        message = re.findall(r"^\[(m\d+)\]", first[: first.index(quote)], re.MULTILINE)[-1]
        return Answer((write("feedback_units.md", "Weights are in kg, as integers.", quote, message),))

    with serving(script) as server:
        env = {**os.environ, **model_env(server)}
        command = [sys.executable, "-m", "tests.bench", "quality", "--backend", "anthropic"]
        done = subprocess.run(command, cwd=case_files.TESTS.parent, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, "MISSED  recall" in done.stdout) == (1, True), done.stdout + done.stderr
        row = next(line for line in done.stdout.splitlines() if line.startswith("extractord anthropic"))
        assert 0 < float(row.split()[2]) < 0.2
        assert "spent $0.0" in done.stdout
        assert len(server.asked) >= 20


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"
