"""Where the client keeps things, and what we find there."""

from __future__ import annotations

import json
import os
import re
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.claude_home import Surroundings, excluded, memory_home, project_key, sanitize, switched_off, transcripts
from extractord.config import Config, ProjectRule
from extractord.errors import TranscriptError
from tests.command import words_below

CASES = sorted((Path(__file__).parent / "cases" / "transcripts").glob("*/case.json"))
SESSION = "6c6025c5-fd84-458e-94ec-ffe7179d50ba"


def around(home: Path, **environ: str) -> Surroundings:
    return Surroundings(environ, home, platform="linux", policy=home / "no-policy")


# --- folder names -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "-"),
        ("/home/dev/work/tzcalc", "-home-dev-work-tzcalc"),
        ("/home/kim/my_shop.v2", "-home-kim-my-shop-v2"),
        ("/home/dev/repo/.claude/worktrees/x", "-home-dev-repo--claude-worktrees-x"),
        ("/home/dev/work/项目/订单服务", "-home-dev-work--------"),
        ("/a/cafe\u0301-u\u0308ber", "-a-cafe--u-ber"),
        ("/a/café-über", "-a-caf---ber"),
        ("/a/😀", "-a---"),
        ("/a//b/", "-a--b-"),
        ("C:\\Users\\Dev", "C--Users-Dev"),
        ("/a/Ⅷ²٣", "-a----"),
        ("", ""),
    ],
)
def test_every_unit_but_letters_and_digits_is_a_dash(path: str, name: str) -> None:
    """UTF-16 units count, nothing is normalised, collapsed or trimmed."""
    assert sanitize(path) == name


def test_a_name_of_200_units_is_left_alone() -> None:
    """One more, and it is cut and given a hash."""
    assert sanitize("/" + "a" * 199) == "-" + "a" * 199
    assert re.fullmatch(r"-a{199}-[0-9a-z]+", sanitize("/" + "a" * 200))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.parent.name)
def test_folder_names_of_real_sessions(case: Path) -> None:
    """The client's own names, long and Chinese ones among them."""
    said = json.loads(case.read_text("utf-8"))
    moved = said.get("transcript_moved_from_folder")
    assert sanitize(said["cwd"]) == (moved or said["project_folder"])
    if said["memory_root"]:
        assert f"projects/{sanitize(said['memory_root'])}/memory/" == said["memory_dir"]


@settings(max_examples=50)
@given(st.text(alphabet=st.characters(), max_size=400))
def test_a_name_is_plain_and_bounded(path: str) -> None:
    """Whatever the path, lone surrogates too."""
    assert re.fullmatch(r"[A-Za-z0-9-]{0,200}(?:-[0-9a-z]{1,6})?", sanitize(path))


def long_root(tmp_path: Path) -> str:
    return str(tmp_path.resolve().joinpath(*["deep-folder"] * 20))


def transcript(folder: Path, cwd: str, name: str = SESSION) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text(json.dumps({"type": "mode"}) + "\nno json\n" + json.dumps({"type": "user", "cwd": cwd}) + "\n", "utf-8")
    return path


def test_a_long_name_with_another_hash_is_right_if_its_transcripts_name_the_directory(tmp_path: Path) -> None:
    """Builds of the client hash differently; what is there decides."""
    root, config_home = long_root(tmp_path), tmp_path / "c"
    own = sanitize(root)
    assert project_key(root, config_home) == own
    other = f"{own[:200]}-1a2b3c4d5e"
    transcript(config_home / "projects" / other, f"{root}/elsewhere")
    assert project_key(root, config_home) == own
    transcript(config_home / "projects" / other, root, "0" * 8)
    assert project_key(root, config_home) == other
    assert memory_home(root, around(tmp_path, CLAUDE_CONFIG_DIR=str(config_home))).directory == config_home / "projects" / other / "memory"
    (config_home / "projects" / own).mkdir()
    assert project_key(root, config_home) == own


def test_a_short_name_is_never_looked_up(tmp_path: Path) -> None:
    """Two directories may share a short name; the folder is still the one."""
    transcript(tmp_path / "projects" / "-a-b-1a2b", "/a/b")
    assert project_key("/a/b", tmp_path) == "-a-b"


def test_a_folder_of_the_composed_name_is_taken_if_only_that_exists(tmp_path: Path) -> None:
    """Some builds normalise first."""
    root = "/a/cafe\u0301"
    assert project_key(root, tmp_path) == "-a-cafe-"
    transcript(tmp_path / "projects" / "-a-caf-", unicodedata.normalize("NFC", root))
    assert project_key(root, tmp_path) == "-a-caf-"


# --- config home ------------------------------------------------------------------------------------------------------


def test_the_config_home(tmp_path: Path) -> None:
    """The variable, in NFC and without a slash at the end, else ``~/.claude``."""
    assert around(tmp_path).config_home == tmp_path / ".claude"
    assert around(tmp_path).state_file == tmp_path / ".claude.json"
    named = around(tmp_path, CLAUDE_CONFIG_DIR="/c/cafe\u0301/")
    assert str(named.config_home) == "/c/café"
    assert str(named.state_file) == "/c/café/.claude.json"
    assert around(tmp_path, CLAUDE_CONFIG_DIR="").config_home == tmp_path / ".claude"


def test_the_policy_folder_is_that_of_the_platform(tmp_path: Path) -> None:
    """Managed settings lie where an administrator puts them."""
    assert Surroundings({}, tmp_path, "linux").policy_folder == Path("/etc/claude-code")
    assert Surroundings({}, tmp_path, "darwin").policy_folder == Path("/Library/Application Support/ClaudeCode")


def test_the_surroundings_of_a_process_are_its_own(tmp_path: Path) -> None:
    """HOME decides about the home."""
    code = "from extractord.claude_home import Surroundings as S; s = S.of_process(); print(s.home, s.config_home)"
    assert words_below(tmp_path, code) == [str(tmp_path), str(tmp_path / ".claude")]


# --- no store for a home ----------------------------------------------------------------------------------------------


def test_there_is_no_store_for_the_home_or_the_root(tmp_path: Path) -> None:
    """Nor for a folder whose repository is the home; the reason says so."""
    home = tmp_path.resolve() / "home"
    (home / ".git").mkdir(parents=True)
    (home / "stuff").mkdir()
    for cwd in (str(home), f"{home}/", "/", str(home / "stuff")):
        found = memory_home(cwd, around(home))
        assert not found.enabled
        assert "not a project" in found.reason
    assert memory_home("/", around(home)).project_key == "-"


def test_a_linked_home_is_still_the_home(tmp_path: Path) -> None:
    """HOME may be a link; records name the real path."""
    real, link = tmp_path.resolve() / "real", tmp_path.resolve() / "link"
    real.mkdir()
    link.symlink_to(real)
    assert not memory_home(str(real), around(link)).enabled
    assert memory_home(str(real), around(link)).directory.is_relative_to(link)


@pytest.mark.parametrize("cwd", ["/home/somebody-else", "/Users/somebody-else", "/root"])
def test_another_persons_home_is_no_project(tmp_path: Path, cwd: str) -> None:
    """A copied config home does not make a project of the home it came from."""
    assert not memory_home(cwd, around(tmp_path)).enabled
    assert memory_home(f"{cwd}/proj", around(tmp_path)).enabled


def test_a_session_without_a_directory_of_this_machine(tmp_path: Path) -> None:
    """There is no memory for it."""
    for cwd in ("", "C:\\work\\shop"):
        assert not memory_home(cwd, around(tmp_path)).enabled


def test_what_the_home_asks_for_itself_is_no_repositorys_wish(tmp_path: Path) -> None:
    """Started in the home, the project's settings are the person's own: never "untrusted"."""
    home = tmp_path.resolve()
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"autoMemoryDirectory": "~/notes"}')
    found = memory_home(str(home), around(home))
    assert (found.enabled, found.directory) == (True, home / "notes")


# --- the recorded sessions --------------------------------------------------------------------------------------------


def moved(text: str, base: Path) -> str:
    return text.replace("/home/dev", str(base / "home" / "dev"))


def lay_out(said: dict[str, object], base: Path) -> None:
    for entry in json.loads(moved(json.dumps(said["layout"]), base)):
        path, kind = Path(entry["path"]), entry["kind"]
        path.mkdir(parents=True, exist_ok=True)
        if kind.startswith("git repository"):
            (path / ".git").mkdir()
        elif found := re.match(r"linked worktree of ([^,]+)", kind):
            git_dir = Path(found[1]) / ".git" / "worktrees" / path.name
            git_dir.mkdir(parents=True)
            (path / ".git").write_text(f"gitdir: {git_dir}\n")
            (git_dir / "commondir").write_text("../..\n")
            (git_dir / "gitdir").write_text(f"{path}/.git\n")
    for name, content in json.loads(moved(json.dumps(said.get("project_files", {})), base)).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content)


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.parent.name)
def test_the_memory_of_each_recorded_session(case: Path, tmp_path: Path) -> None:
    """Root, directory and switch are what the client had, in the same layout under another home."""
    said, base = json.loads(case.read_text("utf-8")), tmp_path.resolve()
    home = base / "home" / "dev"
    home.mkdir(parents=True)
    lay_out(said, base)
    environ = {} if said.get("memory_off_seen_in") else said.get("environment", {})
    found = memory_home(moved(said["cwd"], base), around(home, CLAUDE_CONFIG_DIR=str(case.parent), **environ))
    if said["memory_dir_is"] == "absolute":
        assert found.directory == Path(moved(said["memory_dir"], base))
    else:
        root = moved(said["memory_root"], base)
        assert found.project_root == root
        assert found.directory == case.parent / "projects" / sanitize(root) / "memory"
    seen_by_us = said["auto_memory_enabled"] or bool(said.get("memory_off_seen_in"))
    assert found.enabled is (seen_by_us and said["cwd"] != "/home/dev")
    assert bool(found.reason) is not found.enabled or said["memory_dir_is"] == "absolute"


# --- transcripts ------------------------------------------------------------------------------------------------------


def test_transcripts_are_the_files_at_depth_two(tmp_path: Path) -> None:
    """Not those of subagents, and not what sync tools, editors and people leave beside them."""
    folder = tmp_path / "projects" / "-a"
    right = transcript(folder, "/a")
    transcript(folder / SESSION / "subagents", "/a", "agent-1")
    transcript(folder, "/a", "agent-af7133ec88ae96a10")
    transcript(tmp_path / "projects", "/a")
    for name in (
        f"{SESSION} (1)",
        f"{SESSION} (conflicted copy 2026-03-09)",
        f"{SESSION}-LAPTOP",
        f"{SESSION} 2",
        f"{SESSION}.sync-conflict-20260309-090000-ABCDEF",
        f".{SESSION}",
        f"{SESSION}~",
        "",
    ):
        transcript(folder, "/a", name)
    (folder / f"{SESSION}.jsonl.swp").write_text("x")
    (folder / "other.txt").write_text("x")
    (folder / "fffffff0-0000-4000-8000-000000000000.jsonl").mkdir()
    found = list(transcripts(tmp_path))
    assert [(one.session, one.path) for one in found] == [(SESSION, right)]
    status = right.stat()
    assert (found[0].size, found[0].mtime_ns, found[0].inode) == (status.st_size, status.st_mtime_ns, status.st_ino)


def test_a_session_may_have_any_plain_name(tmp_path: Path) -> None:
    """Ids need not be the client's usual form."""
    for name in ("s1", "first_session", SESSION.upper()):
        transcript(tmp_path / "projects" / "-a", "/a", name)
    assert {one.session for one in transcripts(tmp_path)} == {"s1", "first_session", SESSION.upper()}


@pytest.mark.parametrize("make", ["nothing", "home", "file"])
def test_no_client_installed(tmp_path: Path, make: str) -> None:
    """A missing, empty or odd config home holds no transcripts, and nothing is made there."""
    home = tmp_path / "home"
    if make != "nothing":
        home.mkdir()
    if make == "file":
        (home / "projects").write_text("x")
    before = set(tmp_path.rglob("*"))
    assert list(transcripts(home)) == []
    assert set(tmp_path.rglob("*")) == before


def test_links_do_not_double_or_loop(tmp_path: Path) -> None:
    """A folder reached twice counts once; links that loop or dangle are nothing."""
    projects = tmp_path / "projects"
    transcript(projects / "-a", "/a")
    (projects / "-b").symlink_to(projects / "-a")
    (projects / "-loop").symlink_to(projects / "-loop")
    (projects / "-up").symlink_to(projects)
    (projects / "-a" / "0000.jsonl").symlink_to("/nowhere")
    assert [one.session for one in transcripts(tmp_path)] == [SESSION]


def test_projects_that_may_not_be_read_are_told() -> None:
    """Not taken for an empty home."""
    with tempfile.TemporaryDirectory() as home, as_ordinary_user(Path(home)), pytest.raises(TranscriptError, match="cannot be read"):
        list(transcripts(Path(home)))


@contextmanager
def as_ordinary_user(home: Path) -> Iterator[None]:
    """Close ``projects`` in ``home``, and give up root's right to read everything for a while."""
    (home / "projects").mkdir(mode=0)
    home.chmod(0o755)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        (home / "projects").rmdir()


# --- excluded ---------------------------------------------------------------------------------------------------------

HOME = Path("/home/dev")


@pytest.mark.parametrize("root", ["/tmp/x", "/tmp", "/var/tmp/x", "/private/tmp/x", "/var/folders/a/b", "/scratch/t/x"])
def test_temp_folders_are_excluded_by_default(root: str) -> None:
    """TMPDIR's folder too."""
    assert "temp folder" in excluded(root, Config(), around(HOME, TMPDIR="/scratch/t"))


@pytest.mark.parametrize("root", ["/home/dev/work", "/tmpx", "/var/lib", "/scratch", "/home/dev/tmp"])
def test_other_folders_are_not_excluded(root: str) -> None:
    """Nothing that only looks like one."""
    assert excluded(root, Config(), around(HOME, TMPDIR="/scratch/t")) == ""


def test_a_config_home_in_a_temp_folder_excepts_that_folder_alone() -> None:
    """A try-out in /tmp works; the other temp folders stay excluded."""
    here = around(HOME, CLAUDE_CONFIG_DIR="/tmp/try/.claude")
    assert excluded("/tmp/try/proj", Config(), here) == ""
    assert excluded("/tmp/other", Config(), here) == ""
    assert excluded("/var/tmp/proj", Config(), here)


@pytest.mark.parametrize("folder", ["/", "/home", "/home/dev", "relative", ""])
def test_a_temp_folder_that_holds_the_home_excludes_nothing(folder: str) -> None:
    """A strange TMPDIR does not switch everything off."""
    here = around(HOME, TMPDIR=folder, CLAUDE_CONFIG_DIR="/srv/claude")
    assert excluded("/home/dev/work", Config(), here) == ""


def test_globs_replace_the_default() -> None:
    """``exclude`` says what is excluded; the reason names the glob."""
    config = Config(exclude=("~/private/**", "client-*"))
    assert "~/private/**" in excluded("/home/dev/private/a", config, around(HOME))
    assert excluded("/home/dev/work/client-x/sub", config, around(HOME))
    assert excluded("/tmp/x", config, around(HOME)) == ""
    assert excluded("/tmp/x", Config(exclude=()), around(HOME)) == ""


def test_what_is_switched_off_says_how_to_go_on() -> None:
    """For one project, or for all."""
    rule = ProjectRule(match="~/work/*", off=True)
    config = Config(project=(rule,))
    assert "on --cwd" in switched_off("/home/dev/work/a", config, around(HOME))
    assert switched_off("/home/dev/other", config, around(HOME)) == ""
    assert switched_off("/home/dev/work/a", Config(project=(rule, replace_off(rule))), around(HOME)) == ""
    assert "extractord on" in switched_off("/home/dev/other", Config(off=True), around(HOME))


def replace_off(rule: ProjectRule) -> ProjectRule:
    return ProjectRule(match=rule.match, off=False)


# --- links in the memory's place ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (".ssh", "dot folder"),
        (".", "it is the home"),
        ("work/shop", "it is the repository itself"),
        ("pictures", "other files than Markdown"),
        ("nowhere", "leads nowhere"),
        ("notes", ""),
        (".claude/projects/other/memory", ""),
    ],
)
@pytest.mark.parametrize("at", ["memory", "project"])
def test_a_link_in_the_memorys_place_must_lead_where_memory_may_be_written(tmp_path: Path, target: str, reason: str, at: str) -> None:
    """What is refused for a directory that is asked for is refused for one that a link leads to; an ordinary folder is allowed."""
    home = tmp_path.resolve()
    for folder in (".ssh", "work/shop/.git/objects", "work/shop/.git/refs", "pictures", "notes", ".claude/projects/other/memory"):
        (home / folder).mkdir(parents=True)
    (home / "work/shop/.git/HEAD").write_text("ref: refs/heads/main\n")
    (home / "pictures" / "cat.jpg").write_text("x")
    (home / "notes" / "own.md").write_text("x")
    place = home / ".claude" / "projects" / project_key(str(home / "work/shop"), home / ".claude")
    (home / "between").mkdir()
    if at == "memory":
        place.mkdir()
    else:
        place.symlink_to(home / "between")
    (place / "memory").symlink_to(home / target)
    found = memory_home(str(home / "work/shop"), around(home))
    assert found.enabled is not bool(reason)
    assert reason in found.reason
