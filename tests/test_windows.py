"""Promises on Windows, as far as wine is Windows: there are no links in its file system, and a job does not count processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.needs import Needs
from tests.windows_python import windows_python

SCENES = ("once", "refused")
MORE = ("demo", "review", "paths", "locks", "children", "kills")


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("scene", [*SCENES, *(pytest.param(scene, marks=pytest.mark.soak) for scene in MORE)])
def test_on_windows(scene: str, tmp_path: Path, needs: Needs) -> None:
    """Each scene of ``windows_scenes`` goes as it says there."""
    home = tmp_path / "home"
    home.mkdir()
    done = windows_python(needs).run("-m", "tests.windows_scenes", scene, home=home)
    assert done.returncode == 0, done.stderr[-4000:] + done.stdout[-4000:]
    assert done.stdout.splitlines()[-1] == "as it should be"
