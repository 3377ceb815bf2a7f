"""The handed cases are in the clone, whole and unchanged."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import case_files
from tests.case_files import COPIES, KINDS, TESTS, TOOLS


@pytest.mark.parametrize("kind", KINDS)
def test_a_clone_has_cases_of_every_kind(kind: str) -> None:
    """Each kind of handed case is in tests/cases with its README."""
    assert (COPIES / kind / "README.md").is_file()
    assert len(list(case_files.files_of(COPIES / kind))) > 4


@pytest.mark.parametrize("tool", ["fake_messages_server.py", "make_corpus.py", "style_figures.py"])
def test_a_clone_has_the_tools(tool: str) -> None:
    """The tools that tests and benchmarks start are in tests/tools."""
    assert (TOOLS / tool).is_file()


def test_no_case_is_ignored_by_git() -> None:
    """Every file of tests/cases and tests/tools would be committed: a clone lacks none."""
    if not (TESTS.parent / ".git").exists():
        return  # an unpacked sdist: nothing is committed from there
    argv = ["git", "-C", str(TESTS.parent), "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "tests/cases", "tests/tools"]
    ignored = subprocess.run(argv, capture_output=True, check=True).stdout.decode().split("\0")
    assert [name for name in ignored if name and "__pycache__" not in name] == []


def _pairs() -> list[tuple[Path, Path]]:
    root = case_files.handed_root()
    if root is None:
        return []
    return [(root / kind, COPIES / kind) for kind in KINDS] + [(root / "tools", TOOLS)]


def test_no_copy_differs_from_the_handed_original() -> None:
    """With EXTRACTORD_CASES set, a copy that is not byte for byte the handed file is reported by name."""
    differing = [
        str((ours / name).relative_to(TESTS))
        for theirs, ours in _pairs()
        for name in case_files.files_of(theirs)
        if (ours / name).is_file() and (ours / name).read_bytes() != (theirs / name).read_bytes()
    ]
    assert differing == [], "copy these again from the handed cases"
