"""Topics are written inside the memory directory and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from extractord.memory.paths import Misplaced, Placed, inspect_target, place

MEM = Path("/h/.claude/projects/-p/memory")


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("feedback_testing.md", "feedback_testing.md"),
        (f"{MEM}/user_role.md", "user_role.md"),
        ("./logs//2026/03/2026-03-01.md", "logs/2026/03/2026-03-01.md"),
        ("topics/../a.md", "a.md"),
        ("100% sure.md", "100% sure.md"),
        ("メモ 数据库.md", "メモ 数据库.md"),
        ("memory-evil.md", "memory-evil.md"),
        ("naïve café 🚀.md", "naïve café 🚀.md"),
        (f"/{MEM}/a.md", "a.md"),
    ],
)
def test_ordinary_paths_are_placed(path: str, relative: str) -> None:
    """Relative and absolute paths below the memory directory come out relative to it."""
    assert place(path, MEM) == Placed(relative)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "  ",
        ".",
        "/",
        f"{MEM}",
        f"{MEM}/",
        "a.md/",
        "../a.md",
        "x/../../a.md",
        f"{MEM}-evil/a.md",
        f"{MEM}/../../settings.md",
        "/etc/a.md",
        "//etc/a.md",
        "..\\a.md",
        "a\\b.md",
        "~/a.md",
        "~root/a.md",
        "$HOME/a.md",
        "a$b.md",
        "a\n.md",
        "a\x00.md",
        "a\u202edm.md",
        "a\u200b.md",
        "a\x7f.md",
        "\ud800.md",
        " a.md",
        "a.md ",
        "x /a.md",
        "a\u3000/b.md",
        "%2e%2e/a.md",
        "%2e%2e%2fa.md",
        "%252e%252e%252fa.md",
        "a%2fb.md",
        "a%5cb.md",
        "..%2fa.md",
        "a%00.md",
        "\uff0e\uff0e/a.md",
        "\u2025/a.md",
        "..\uff0fa.md",
        "a\uff0fb.md",
        "a\uff3cb.md",
        "%ef%bc%8f.md",
        "a.txt",
        "a",
        ".md",
        "a.MD",
        "a.md.lock",
        ".consolidate-lock",
        ".git/a.md",
        ".GIT/a.md",
        "x/.hidden/a.md",
        "MEMORY.md",
        "memory.md",
        "./MEMORY.md",
        "team/MEMORY.md",
        "file:///etc/a.md",
        "https://x.example/a.md",
        "a" * 300 + ".md",
        "a/" * 800 + "a.md",
        "glpa" + "t-NGuOFsFafYcW9RAzAyR9.md",
    ],
)
def test_every_other_path_is_refused_with_a_reason(path: str) -> None:
    """Outside, encoded, hidden, odd, not a topic, the index, a secret: each is refused, and the model is told why."""
    found = place(path, MEM)
    assert isinstance(found, Misplaced)
    assert found.reason


def test_the_reason_does_not_repeat_a_secret() -> None:
    """A secret used as a file name is not told again."""
    name = "glpa" + "t-NGuOFsFafYcW9RAzAyR9"
    found = place(f"{name}.md", MEM)
    assert isinstance(found, Misplaced)
    assert name not in found.reason


def test_what_stands_on_disk_is_looked_at_component_by_component(tmp_path: Path) -> None:
    """Regular files and what is not there may be written; links, directories, pipes and shared files may not."""
    memory, out = tmp_path / "memory", tmp_path / "out"
    memory.mkdir()
    out.mkdir()
    (out / "victim.md").write_text("x")
    (memory / "a.md").write_text("x")
    (memory / "dir.md").mkdir()
    (memory / "link.md").symlink_to(out / "victim.md")
    (memory / "dangling.md").symlink_to(out / "none.md")
    (memory / "team").symlink_to(out)
    os.link(out / "victim.md", memory / "hard.md")
    os.mkfifo(memory / "pipe.md")
    for fine in ("a.md", "new.md", "logs/2026/03/2026-03-01.md"):
        assert inspect_target(memory, fine) == ""
    for odd in ("dir.md", "link.md", "dangling.md", "team/a.md", "hard.md", "pipe.md", "a.md/x.md", "x" * 300 + ".md"):
        assert inspect_target(memory, odd)
