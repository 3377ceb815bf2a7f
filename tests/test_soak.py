"""Promises about nights with kills: whatever is killed and whenever, what is left is what an undisturbed night leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.__main__ import soak

SEED = 20_261_201
A_ROUND, SOAK_A_ROUND = 8, 24
KILLS, SOAK_KILLS = 8, 2000


@pytest.mark.timeout(0)
def test_a_daemon_that_is_killed_at_random_beside_clients_and_hand_edits_leaves_what_an_undisturbed_one_leaves(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Each stretch has exactly one final outcome; memory, facts and changesets are the same; ≥ 2,000 kills with ``--soak``."""
    long = request.config.getoption("--soak")
    table = soak(tmp_path, SOAK_KILLS if long else KILLS, SEED, SOAK_A_ROUND if long else A_ROUND)
    print(table)
    assert table.kills.total() >= KILLS
    assert table.stretches >= 10
    assert table.differences == []


def test_the_same_with_a_model(tmp_path: Path) -> None:
    """The model process is killed too; what was on its way to it is asked again."""
    table = soak(tmp_path, 6, SEED + 1, 6, with_model=1)
    assert table.kills["model process"] >= 1
    assert table.stretches >= 10
    assert table.differences == []
