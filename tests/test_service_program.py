"""A service never rests on a program that will be gone: caches, temporary and build folders are recognised."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from extractord.service import Init, Wanted, as_invoked, objection, rendered
from tests.command import Place
from tests.stand_ins import console_script

HOME = Path("/home/sam")
SOUND = Path("/home/sam/.local/share/uv/tools/extractord")


@pytest.mark.parametrize(
    "program",
    [
        "/home/sam/.cache/uv/archive-v0/kXq2/bin/extractord",
        "/home/sam/.cache/uv/environments-v2/one-9f/bin/extractord",
        "/srv/uv-cache/archive-v0/kXq2/bin/extractord",
        "/home/sam/Library/Caches/uv/archive-v0/k/bin/extractord",
        "/home/sam/.local/pipx/.cache/4f1/bin/extractord",
        "/home/sam/.cache/pipx/4f1/bin/extractord",
        "/tmp/x/bin/extractord",
        "/var/tmp/venv/bin/extractord",
        "/private/var/folders/zz/T/venv/bin/extractord",
        "/run/user/1000/venv/bin/extractord",
        "/scratch/sam/venv/bin/extractord",
        "/home/sam/src/extractord/.tox/py311/bin/extractord",
        "/home/sam/src/extractord/build/venv/bin/extractord",
    ],
)
@pytest.mark.parametrize("where", ["program", "environment"])
def test_a_path_that_will_vanish_is_told(program: str, where: str) -> None:
    """Caches, temporary folders and build folders are named, be it the program that lies there or the environment it runs in."""
    environ = {"TMPDIR": "/scratch/sam"}
    if where == "program":
        assert "will vanish" in objection(Path(program), SOUND, environ, HOME)
    else:
        assert "will vanish" in objection(SOUND / "bin" / "extractord", Path(program).parent.parent, environ, HOME)


@pytest.mark.parametrize(
    "program",
    [
        "/home/sam/.local/bin/extractord",
        "/home/sam/.local/share/uv/tools/extractord/bin/extractord",
        "/home/sam/.local/pipx/venvs/extractord/bin/extractord",
        "/home/sam/src/extractord/.venv/bin/extractord",
        "/home/build/venv/bin/extractord",
        "/usr/bin/extractord",
        "/opt/homebrew/bin/extractord",
        "/run/current-system/sw/bin/extractord",
        "/home/sam/tmp/bin/extractord",
    ],
)
def test_a_path_that_stays_is_taken(program: str) -> None:
    """The ordinary ways to install a program are not refused."""
    assert objection(Path(program), SOUND, {"TMPDIR": "/"}, HOME) == ""


def test_a_cache_named_by_its_variable_is_a_cache() -> None:
    """UV_CACHE_DIR and XDG_CACHE_HOME say where caches lie."""
    for name in ("UV_CACHE_DIR", "XDG_CACHE_HOME"):
        assert "cache" in objection(Path("/srv/c/x/bin/extractord"), SOUND, {name: "/srv/c"}, HOME)


def test_a_link_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    """A program in ~/.local/bin that is a link into a temporary folder will vanish too."""
    (tmp_path / "venv").mkdir()
    target = tmp_path / "venv" / "extractord"
    target.touch()
    assert "will vanish" in objection(target, Path("/usr"), {}, HOME)


def test_a_name_that_systemd_refuses_is_told_before() -> None:
    """systemd takes no quotes and backslashes in the path of a program."""
    for name in ('a"b', "a'b", "a\\b", "a\nb"):
        assert "no unit can name" in objection(HOME / name / "extractord", SOUND, {}, HOME)


def test_the_name_in_path_is_taken_where_it_leads_to_the_same_program(tmp_path: Path) -> None:
    """The link that uv and pipx put into ~/.local/bin survives an upgrade, so it is what the service starts."""
    tool, shown = tmp_path / "tools" / "extractord", tmp_path / "bin" / "extractord"
    for folder in (tool.parent, shown.parent):
        folder.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    shown.symlink_to(tool)
    assert as_invoked(str(tool), {"PATH": str(shown.parent)}) == shown
    assert as_invoked("extractord", {"PATH": str(shown.parent)}) == shown
    other = tmp_path / "other" / "extractord"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    assert as_invoked(str(tool), {"PATH": str(other.parent)}) == tool


def test_install_from_a_temporary_folder_is_refused_with_the_line_to_type(tmp_path: Path) -> None:
    """A program in a temporary folder is refused with status 1, nothing is written, and the hint says what to type."""
    place = Place(tmp_path)
    program = console_script(tmp_path / "bin")
    before = sorted(tmp_path.rglob("*"))
    env = {**os.environ, **place.env(), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([str(program), "install"], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "uv tool install extractord" in done.stderr
    assert str(program) in done.stderr
    assert sorted(tmp_path.rglob("*")) == before
    shown = subprocess.run([str(program), "install", "--print"], env=env, capture_output=True, text=True, check=False)
    assert (shown.returncode, f"ExecStart={program} run" in shown.stdout) == (0, True)
    assert sorted(tmp_path.rglob("*")) == before


def test_print_prints_the_unit_and_nothing_else(tmp_path: Path) -> None:
    """--print puts the unit on stdout, byte for byte what would be written."""
    wanted = Wanted(Path("/opt/x/extractord"), (), tmp_path, "1.0")
    assert rendered(Init.NONE, wanted) == rendered(Init.SYSTEMD, wanted)
