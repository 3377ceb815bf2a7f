"""Which project a directory belongs to: the table of the facts, against repositories that git itself made."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from extractord.claude_home import canonical_root, locate_project


def git(where: Path, *words: str) -> None:
    """Run git as a stranger to whoever runs the tests."""
    settings = ["-c", "user.name=dev", "-c", "user.email=dev@example.invalid", "-c", "protocol.file.allow=always"]
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(where), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *settings, *words], cwd=where, env=environ, check=True, capture_output=True)


def make(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def repository(path: Path) -> Path:
    git(make(path), "init", "-q")
    git(path, "commit", "-q", "--allow-empty", "-m", "first")
    return path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return make(tmp_path.resolve() / "base")


def test_a_repository_and_its_subdirectories_share_the_top(base: Path) -> None:
    """Everything below the ``.git`` entry belongs to its folder, also the inside of ``.git``."""
    repo = repository(base / "repo")
    make(repo / "web" / "src")
    for cwd in (repo, repo / "web" / "src", repo / ".git", repo / ".git" / "refs"):
        assert canonical_root(str(cwd)) == str(repo)


def test_a_linked_worktree_belongs_to_the_main_repository(base: Path) -> None:
    """So does a folder in it, and one below ``.claude/worktrees``."""
    repo = repository(base / "repo")
    git(repo, "worktree", "add", "-q", "-b", "sso", str(base / "repo-sso"))
    git(repo, "worktree", "add", "-q", "-b", "x", str(repo / ".claude" / "worktrees" / "x"))
    make(base / "repo-sso" / "deep")
    for cwd in (base / "repo-sso", base / "repo-sso" / "deep", repo / ".claude" / "worktrees" / "x"):
        assert canonical_root(str(cwd)) == str(repo)


def test_a_worktree_with_relative_links_belongs_to_the_main_repository(base: Path) -> None:
    """Newer git may write both links relative to where they stand."""
    repo = repository(base / "repo")
    git(repo, "worktree", "add", "-q", "-b", "w", str(base / "w"))
    (base / "w" / ".git").write_text("gitdir: ../repo/.git/worktrees/w\n")
    (repo / ".git" / "worktrees" / "w" / "gitdir").write_text("../../../../w/.git\n")
    assert canonical_root(str(base / "w")) == str(repo)


def test_a_copied_worktree_gets_nobody_elses_memory(base: Path) -> None:
    """A ``.git`` file whose back-link names another place is its own root."""
    repo = repository(base / "repo")
    git(repo, "worktree", "add", "-q", "-b", "w", str(base / "w"))
    shutil.copytree(base / "w", base / "copy")
    make(base / "linked")
    (base / "linked" / ".git").symlink_to(base / "w" / ".git")
    assert canonical_root(str(base / "copy")) == str(base / "copy")
    assert canonical_root(str(base / "linked")) == str(base / "linked")


def test_a_commondir_elsewhere_is_not_believed(base: Path) -> None:
    """A made-up git directory that claims somebody's repository as its own does not get its memory."""
    victim = repository(base / "victim")
    fake, git_dir = make(base / "fake"), make(base / "fake" / "inner" / "worktrees" / "w")
    (fake / ".git").write_text(f"gitdir: {git_dir}\n")
    (git_dir / "commondir").write_text(f"{victim / '.git'}\n")
    (git_dir / "gitdir").write_text(f"{fake / '.git'}\n")
    assert canonical_root(str(fake)) == str(fake)


def test_a_submodule_is_its_own_project(base: Path) -> None:
    """Not part of the one around it."""
    repository(base / "lib")
    repo = repository(base / "repo")
    git(repo, "submodule", "add", "-q", str(base / "lib"), "vendor/sub")
    make(repo / "vendor" / "sub" / "deep")
    for cwd in (repo / "vendor" / "sub", repo / "vendor" / "sub" / "deep"):
        assert canonical_root(str(cwd)) == str(repo / "vendor" / "sub")
    assert canonical_root(str(repo / "vendor")) == str(repo)


def test_a_bare_repository_and_its_worktrees(base: Path) -> None:
    """The bare directory itself is the root of both."""
    repository(base / "repo")
    git(base, "clone", "-q", "--bare", str(base / "repo"), str(base / "bare.git"))
    git(base / "bare.git", "worktree", "add", "-q", "-b", "w", str(base / "w"))
    assert canonical_root(str(base / "bare.git")) == str(base / "bare.git")
    assert canonical_root(str(base / "w")) == str(base / "bare.git")


def test_a_hidden_bare_repository_beside_its_worktrees(base: Path) -> None:
    """``proj`` is its own root, the worktrees in it share ``proj/.bare``."""
    repository(base / "repo")
    proj = make(base / "proj")
    git(proj, "clone", "-q", "--bare", str(base / "repo"), ".bare")
    (proj / ".git").write_text("gitdir: ./.bare\n")
    git(proj, "worktree", "add", "-q", "-b", "main2", "main")
    assert canonical_root(str(proj)) == str(proj)
    assert canonical_root(str(proj / "main")) == str(proj / ".bare")


def test_a_separate_git_directory(base: Path) -> None:
    """The work tree's top is the root."""
    git(base, "init", "-q", f"--separate-git-dir={base / 'elsewhere.git'}", str(base / "tree"))
    make(base / "tree" / "sub")
    for cwd in (base / "tree", base / "tree" / "sub"):
        assert canonical_root(str(cwd)) == str(base / "tree")


def test_only_the_existence_of_the_entry_counts(base: Path) -> None:
    """An empty ``.git`` directory and a ``.git`` file that points nowhere make a root."""
    make(base / "fake" / ".git")
    make(base / "fake" / "sub")
    make(base / "dangling" / "sub")
    (base / "dangling" / ".git").write_text("gitdir: /nowhere/at/all\n")
    make(base / "empty" / "sub")
    (base / "empty" / ".git").write_bytes(b"")
    make(base / "odd" / "sub")
    (base / "odd" / ".git").write_bytes(b"gitdir: \xff\x00\n")
    for name in ("fake", "dangling", "empty", "odd"):
        assert canonical_root(str(base / name / "sub")) == str(base / name)


def test_nested_repositories(base: Path) -> None:
    """The nearest one decides; a plain folder between two belongs to the outer one."""
    outer = repository(base / "outer")
    inner = repository(outer / "mid" / "inner")
    assert canonical_root(str(outer / "mid")) == str(outer)
    assert canonical_root(str(inner)) == str(inner)


def test_a_link_means_what_it_points_to(base: Path) -> None:
    """The client started in a link works in the real path."""
    repo = repository(base / "repo")
    make(repo / "sub")
    (base / "link").symlink_to(repo)
    assert canonical_root(str(base / "link" / "sub")) == str(repo)


def test_no_git_anywhere(base: Path) -> None:
    """A plain directory is its own root, whatever its name is made of."""
    for name in ("plain", "cafe\u0301", "café", "订单", "a b"):
        assert canonical_root(str(make(base / name))) == str(base / name)


def test_a_directory_that_is_gone_is_what_was_seen_of_it(base: Path) -> None:
    """What the ledger saw comes before every guess, also for a root that is gone itself."""
    repository(base / "repo")
    gone = str(base / "repo" / "gone")
    assert canonical_root(gone, {gone: "/seen/root"}.get) == "/seen/root"
    assert canonical_root(str(base / "repo"), {str(base / "repo"): "/seen/root"}.get) == str(base / "repo")


def test_a_gone_worktree_of_the_client_belongs_to_what_precedes_it(base: Path) -> None:
    """``.claude/worktrees/x`` is removed when the work is done; its sessions stay."""
    repo = repository(base / "repo")
    make(repo / "app")
    assert canonical_root(str(repo / ".claude" / "worktrees" / "x" / "src")) == str(repo)
    assert canonical_root(str(repo / "app" / ".claude" / "worktrees" / "x")) == str(repo)
    assert canonical_root("/nowhere/proj/.claude/worktrees/x/src") == "/nowhere/proj"
    seen = {"/nowhere/proj": "/nowhere"}.get
    assert canonical_root("/nowhere/proj/.claude/worktrees/x", seen) == "/nowhere"


def test_a_gone_directory_belongs_to_the_repository_it_lay_in(base: Path) -> None:
    """The nearest ancestor that exists decides; without a repository the directory stands for itself."""
    repo = repository(base / "repo")
    make(repo / "src")
    assert canonical_root(str(repo / "src" / "gone" / "deep")) == str(repo)
    assert canonical_root(str(base / "gone" / "deep")) == str(base / "gone" / "deep")
    assert canonical_root(f"{base / 'gone'}/") == str(base / "gone")


def test_a_file_at_that_place_is_no_directory(base: Path) -> None:
    """A directory that became a file is gone."""
    repo = repository(base / "repo")
    (repo / "note").write_text("x")
    assert canonical_root(str(repo / "note")) == str(repo)


@pytest.mark.parametrize("cwd", ["", "relative/path", "C:\\Users\\dev\\proj", "~/proj"])
def test_what_is_no_path_of_this_machine_stands_for_itself(cwd: str) -> None:
    """Nothing is looked up relative to where we happen to run."""
    project = locate_project(cwd)
    assert (project.root, project.folder, project.repository) == (cwd, None, None)


@pytest.mark.parametrize("cwd", ["/nowhere/a\0b", "/nowhere/\ud800", "/nowhere/" + "x" * 5000])
def test_impossible_paths_are_only_gone(cwd: str) -> None:
    """What no file system takes raises nothing."""
    assert canonical_root(cwd) == cwd


def test_looping_links_are_only_gone(base: Path) -> None:
    """A link to itself is no directory."""
    (base / "loop").symlink_to(base / "loop")
    assert canonical_root(str(base / "loop")) == str(base / "loop")
    make(base / "proj" / "sub")
    (base / "proj" / ".git").symlink_to(base / "proj" / ".git")
    assert canonical_root(str(base / "proj" / "sub")) == str(base / "proj" / "sub")


def test_git_is_never_asked(base: Path) -> None:
    """The answer is the same with no program to be found at all."""
    repo = repository(base / "repo")
    git(repo, "worktree", "add", "-q", "-b", "w", str(base / "w"))
    code = "import sys; from extractord.claude_home import canonical_root as r; print(r(sys.argv[1]))"
    run = subprocess.run(
        [sys.executable, "-c", code, str(base / "w")],
        env={"PATH": "/nowhere", "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == str(repo)
