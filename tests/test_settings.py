"""What the client's settings say about memory, and which of them are listened to."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from extractord.claude_home import MemoryHome, Surroundings, cleanup_period_days, memory_home

DISABLE = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
OVERRIDE = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
REMOTE_BASE = "CLAUDE_CODE_REMOTE_MEMORY_DIR"


@dataclass
class World:
    """A home with a repository in it, as the client would find it."""

    base: Path
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def repo(self) -> Path:
        return self.home / "work" / "shop"

    @property
    def config(self) -> Path:
        return self.home / ".claude"

    @property
    def ordinary(self) -> Path:
        return self.config / "projects" / self.ask().project_key / "memory"

    @property
    def surroundings(self) -> Surroundings:
        return Surroundings(self.environ, self.home, platform="linux", policy=self.base / "policy")

    def write(self, scope: str, content: object) -> None:
        places = {
            "managed": self.base / "policy" / "managed-settings.json",
            "local": self.repo / ".claude" / "settings.local.json",
            "project": self.repo / ".claude" / "settings.json",
            "user": self.config / "settings.json",
        }
        path = places[scope]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())

    def trust(self, place: Path | None = None) -> None:
        entry = {str(place or self.repo): {"hasTrustDialogAccepted": True, "lastCost": 1.5}}
        (self.home / ".claude.json").write_text(json.dumps({"numStartups": 3, "projects": {"/else": 7, **entry}}))

    def ask(self, cwd: Path | None = None) -> MemoryHome:
        return memory_home(str(cwd or self.repo), self.surroundings)


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path.resolve())
    (made.repo / ".git").mkdir(parents=True)
    made.config.mkdir()
    return made


def files_below(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


# --- switches ---------------------------------------------------------------------------------------------------------


def test_with_nothing_set_memory_is_on(world: World) -> None:
    """The ordinary directory, no reason, and nothing is made."""
    before = files_below(world.base)
    found = world.ask()
    assert (found.enabled, found.reason, found.remarks) == (True, "", ())
    assert found.directory == world.config / "projects" / found.project_key / "memory"
    assert files_below(world.base) == before


@pytest.mark.parametrize("value", ["1", "true", "yes", "on", "TRUE", " On ", "\tyes\n"])
def test_a_true_variable_switches_memory_off(world: World, value: str) -> None:
    """Even where a setting says true."""
    world.write("user", {"autoMemoryEnabled": True})
    world.environ[DISABLE] = value
    found = world.ask()
    assert not found.enabled
    assert DISABLE in found.reason


@pytest.mark.parametrize("value", ["0", "false", "no", "off", "OFF", " No "])
def test_a_false_variable_switches_memory_on(world: World, value: str) -> None:
    """It beats a setting that says false."""
    world.write("user", {"autoMemoryEnabled": False})
    world.environ[DISABLE] = value
    assert world.ask().enabled


@pytest.mark.parametrize("value", ["", " ", "2", "enabled", "y", "-1"])
def test_any_other_value_counts_as_unset(world: World, value: str) -> None:
    """The setting decides."""
    world.environ[DISABLE] = value
    assert world.ask().enabled
    world.write("user", {"autoMemoryEnabled": False})
    assert not world.ask().enabled


# The chain, strongest first: what sets a switch, and whether memory is on by it. Read pairwise below.
CHAIN: tuple[tuple[str, dict[str, str], str, bool | None, bool], ...] = (
    ("simple", {"CLAUDE_CODE_SIMPLE": "1"}, "", None, False),
    ("disable true", {DISABLE: "1"}, "", None, False),
    ("disable false", {DISABLE: "0"}, "", None, True),
    ("remote without its directory", {"CLAUDE_CODE_REMOTE": "1"}, "", None, False),
    ("managed settings, off", {}, "managed", False, False),
    ("managed settings, on", {}, "managed", True, True),
    ("local settings, off", {}, "local", False, False),
    ("local settings, on", {}, "local", True, True),
    ("project settings, off", {}, "project", False, False),
    ("project settings, on", {}, "project", True, True),
    ("user settings, off", {}, "user", False, False),
    ("user settings, on", {}, "user", True, True),
)
PAIRS = [
    pytest.param(stronger, weaker, id=f"{stronger[0]} over {weaker[0]}")
    for place, stronger in enumerate(CHAIN)
    for weaker in CHAIN[place + 1 :]
    if stronger[4] != weaker[4] and not (stronger[1].keys() & weaker[1].keys()) and (not stronger[2] or stronger[2] != weaker[2])
]


@pytest.mark.parametrize(("stronger", "weaker"), PAIRS)
def test_the_first_switch_that_applies_decides(
    world: World, stronger: tuple[str, dict[str, str], str, bool | None, bool], weaker: tuple[str, dict[str, str], str, bool | None, bool]
) -> None:
    """Each switch of the chain against each one below it that says the opposite, in a trusted workspace."""
    world.trust()
    for _, environ, scope, setting, enabled in (weaker, stronger):
        world.environ.update(environ)
        if scope:
            world.write(scope, {"autoMemoryEnabled": setting})
        assert world.ask().enabled is enabled


@pytest.mark.parametrize(
    ("environ", "enabled"),
    [
        ({"CLAUDE_CODE_SIMPLE": "1"}, False),
        ({"CLAUDE_CODE_SIMPLE": "0"}, True),
        ({"CLAUDE_CODE_SIMPLE": "1", DISABLE: "0"}, False),
        ({"CLAUDE_CODE_REMOTE": "1"}, False),
        ({"CLAUDE_CODE_REMOTE": "0"}, True),
        ({"CLAUDE_CODE_REMOTE": "1", DISABLE: "0"}, True),
        ({"CLAUDE_CODE_REMOTE": "1", REMOTE_BASE: "/remote"}, True),
        ({"CLAUDE_CODE_REMOTE": "1", REMOTE_BASE: ""}, False),
        ({REMOTE_BASE: "/remote"}, True),
    ],
)
def test_simple_and_remote(world: World, environ: dict[str, str], enabled: bool) -> None:
    """The rows of the facts, and the order of the chain."""
    world.environ.update(environ)
    assert world.ask().enabled is enabled


@pytest.mark.parametrize("scope", ["managed", "local", "project", "user"])
def test_a_switch_off_counts_from_any_scope(world: World, scope: str) -> None:
    """In a workspace that nobody trusted too, and it says where it stands."""
    world.write(scope, {"autoMemoryEnabled": False})
    found = world.ask()
    assert not found.enabled
    assert f"{scope} settings" in found.reason


@pytest.mark.parametrize(
    ("settings", "enabled"),
    [
        ({"user": False, "project": True}, True),
        ({"project": False, "local": True}, True),
        ({"local": True, "managed": False}, False),
        ({"user": True, "project": False}, False),
    ],
)
def test_the_stronger_scope_decides_in_a_trusted_workspace(world: World, settings: dict[str, bool], enabled: bool) -> None:
    """managed > local > project > user."""
    world.trust()
    for scope, value in settings.items():
        world.write(scope, {"autoMemoryEnabled": value})
    assert world.ask().enabled is enabled


def test_an_untrusted_repository_cannot_switch_memory_on(world: World) -> None:
    """Neither by the setting nor by its ``env`` block."""
    world.write("user", {"autoMemoryEnabled": False})
    world.write("project", {"autoMemoryEnabled": True, "env": {DISABLE: "0"}})
    assert not world.ask().enabled
    world.trust()
    assert world.ask().enabled


@pytest.mark.parametrize("scope", ["managed", "local", "project", "user"])
@pytest.mark.parametrize(
    "env", [{DISABLE: "1"}, {DISABLE: 1}, {DISABLE: True}, {"CLAUDE_CODE_SIMPLE": "true"}, {"CLAUDE_CODE_REMOTE": "1"}]
)
def test_an_env_block_counts_as_environment(world: World, scope: str, env: dict[str, object]) -> None:
    """Trusted or not, it switches off."""
    world.write(scope, {"env": env})
    assert not world.ask().enabled


def test_an_env_block_wins_over_the_environment_and_the_setting(world: World) -> None:
    """Settings win over the process environment; a variable wins over ``autoMemoryEnabled``."""
    world.environ[DISABLE] = "1"
    world.write("user", {"env": {DISABLE: "0"}, "autoMemoryEnabled": False})
    assert world.ask().enabled
    world.write("user", {"env": {DISABLE: ""}})
    assert world.ask().enabled


def test_a_file_with_a_byte_order_mark_is_read(world: World) -> None:
    """As if it were not there; UTF-16, as an old editor writes it, too."""
    for encoding in ("utf-8-sig", "utf-16"):
        world.write("user", '{"autoMemoryEnabled": false}'.encode(encoding))
        assert not world.ask().enabled


@pytest.mark.parametrize(
    "content",
    [
        b'{"autoMemoryEnabled": "false"}',
        b'{"autoMemoryEnabled": null}',
        b'{"autoMemoryEnabled": false, "autoMemoryDirectory": 3}',
        b'{"autoMemoryEnabled": false, "env": []}',
        b'{"autoMemoryEnabled": false',
        b'["autoMemoryEnabled"]',
        b"[" * 100_000,
        b'{"autoMemoryEnabled": false, "x": ' + b"[" * 100_000,
        b"\xff\xfe\x00\x01\x02",
    ],
)
def test_a_file_that_fails_validation_is_ignored_as_a_whole(world: World, content: bytes) -> None:
    """Memory is on, as for the client, and a remark names the file."""
    world.write("user", content)
    found = world.ask()
    assert found.enabled
    assert str(world.config / "settings.json") in found.reason
    assert len(found.remarks) == 1


def test_an_empty_settings_file_says_nothing(world: World) -> None:
    """It is no mistake either."""
    world.write("user", b" \n")
    assert (world.ask().enabled, world.ask().remarks) == (True, ())


def test_a_pipe_in_a_repository_does_not_block(world: World) -> None:
    """What is no regular file is not opened."""
    (world.repo / ".claude").mkdir()
    os.mkfifo(world.repo / ".claude" / "settings.json")
    os.mkfifo(world.home / ".claude.json")
    assert world.ask().enabled


def test_a_repository_that_switches_off_means_its_subfolders(world: World) -> None:
    """The client reads project settings where it was started; the wish to be left alone holds further down too."""
    (world.repo / "web").mkdir()
    world.write("project", {"autoMemoryEnabled": False})
    assert not world.ask(world.repo / "web").enabled
    world.write("project", {"autoMemoryEnabled": True, "autoMemoryDirectory": str(world.base / "elsewhere")})
    found = world.ask(world.repo / "web")
    assert (found.enabled, found.directory) == (True, world.ordinary)


def test_local_settings_at_the_top_hold_for_subfolders(world: World) -> None:
    """Newer clients read them at the repository's top."""
    (world.repo / "web").mkdir()
    world.trust()
    world.write("local", {"autoMemoryDirectory": str(world.base / "mine")})
    assert world.ask(world.repo / "web").directory == world.base / "mine"


def test_managed_drop_ins_win_over_the_managed_file(world: World) -> None:
    """The last drop-in is the strongest."""
    world.write("managed", {"autoMemoryEnabled": False})
    drop_ins = world.base / "policy" / "managed-settings.d"
    drop_ins.mkdir()
    (drop_ins / "10-a.json").write_text('{"autoMemoryEnabled": false}')
    (drop_ins / "20-b.json").write_text('{"autoMemoryEnabled": true}')
    assert world.ask().enabled


def test_the_clients_own_keeping_time_is_known(world: World) -> None:
    """Evidence follows it where it is short."""
    assert cleanup_period_days(world.surroundings) is None
    world.write("user", {"cleanupPeriodDays": 30})
    assert cleanup_period_days(world.surroundings) == 30
    world.write("managed", {"cleanupPeriodDays": 7})
    assert cleanup_period_days(world.surroundings) == 7


# --- where memory is asked to be ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", ["managed", "local", "project", "user"])
def test_a_directory_is_taken_from_any_trusted_scope(world: World, scope: str) -> None:
    """Absolute, no folder of the project below it; it need not exist and is not made."""
    world.trust()
    world.write(scope, {"autoMemoryDirectory": str(world.base / "mine")})
    found = world.ask()
    assert (found.directory, found.enabled) == (world.base / "mine", True)
    assert not found.directory.exists()


def test_the_stronger_scope_names_the_directory(world: World) -> None:
    """managed > local > project > user."""
    world.trust()
    for scope in ("user", "project", "local", "managed"):
        world.write(scope, {"autoMemoryDirectory": f"{world.base}/{scope}"})
        assert world.ask().directory == world.base / scope


@pytest.mark.parametrize(
    ("written", "below_home"),
    [
        ("~/notes", "notes"),
        ("~/notes/agent-memory", "notes/agent-memory"),
        ("~/x/../y", "y"),
        ("~//notes/", "notes"),
        ("~/订单", "订单"),
    ],
)
def test_a_directory_below_the_home(world: World, written: str, below_home: str) -> None:
    """``~/`` is the home; the path is folded."""
    world.write("user", {"autoMemoryDirectory": written})
    assert world.ask().directory == world.home / below_home


def test_an_absolute_directory_is_folded(world: World) -> None:
    """Double slashes, dots and a slash at the end do not make another place."""
    world.write("user", {"autoMemoryDirectory": f"{world.base}//a/./b/../mine/"})
    assert world.ask().directory == world.base / "a" / "mine"


REFUSED = [
    "rel",
    "./.claude/memory",
    "../up",
    "~",
    "~/",
    "~/.",
    "~/..",
    "~user/x",
    "~notes",
    "/",
    "//",
    "/a",
    "/a/",
    "C:\\x",
    "C:\\",
    "C:",
    "\\\\server\\share",
    "//server/share",
    "/tmp/a\0b",
    "/tmp/\ud800",
    "~/.ssh",
    "~/.ssh/memory",
    "~/.config/x",
    "~/x/../.ssh",
    "~/.claude",
    "~/.claude-other/memory",
    "~/Library",
    "~/Library/Notes",
    "~/x/..",
    "~/work",
    "~/work/shop",
    "~/work/shop/.git/memory",
    "/home/..",
]


@pytest.mark.parametrize("written", REFUSED)
@pytest.mark.parametrize("scope", ["user", "managed", "local", "project"])
def test_a_refused_directory_is_ignored_with_a_remark(world: World, written: str, scope: str) -> None:
    """Whatever the scope: the ordinary directory is used, and people can read why."""
    world.trust()
    try:
        world.write(scope, {"autoMemoryDirectory": written})
    except UnicodeEncodeError:
        world.write(scope, b'{"autoMemoryDirectory": "/tmp/\\ud800"}')
    found = world.ask()
    assert (found.directory, found.enabled) == (world.ordinary, True)
    assert "ignored" in found.reason
    assert len(found.remarks) == 1


def test_an_empty_directory_setting_is_none(world: World) -> None:
    """It hides a weaker one, as for the client, without a word."""
    world.trust()
    world.write("user", {"autoMemoryDirectory": str(world.base / "mine")})
    world.write("local", {"autoMemoryDirectory": ""})
    found = world.ask()
    assert (found.directory, found.remarks) == (world.ordinary, ())


@pytest.mark.parametrize("written", ["{home}/.ssh", "{home}", "{base}", "{home}/work/shop", "{home}/.claude", "{home}/.claude/projects/.."])
def test_an_absolute_path_to_a_refused_place_is_refused_too(world: World, written: str) -> None:
    """The place counts, not how it is written."""
    world.write("user", {"autoMemoryDirectory": written.format(home=world.home, base=world.base)})
    assert world.ask().directory == world.ordinary


def test_a_link_to_a_refused_place_is_refused_too(world: World) -> None:
    """Both the path as written and where it leads are looked at."""
    (world.home / ".ssh").mkdir()
    (world.home / "notes").symlink_to(world.home / ".ssh")
    for written in ("~/notes", "~/notes/memory"):
        world.write("user", {"autoMemoryDirectory": written})
        assert world.ask().directory == world.ordinary


def test_a_folder_of_the_config_home_may_be_named(world: World) -> None:
    """It is the one dot folder that memory belongs in."""
    world.write("user", {"autoMemoryDirectory": "~/.claude/shared-memory"})
    assert world.ask().directory == world.config / "shared-memory"


def test_a_config_home_elsewhere_makes_the_usual_one_a_dot_folder(world: World) -> None:
    """Only the config home in force is excepted."""
    other = world.home / ".claude-work"
    other.mkdir()
    world.environ["CLAUDE_CONFIG_DIR"] = str(other)
    (other / "settings.json").write_text('{"autoMemoryDirectory": "~/.claude/memory"}')
    assert "ignored" in world.ask().reason
    (other / "settings.json").write_text('{"autoMemoryDirectory": "~/.claude-work/memory"}')
    assert world.ask().directory == other / "memory"


def test_a_folder_of_something_else_is_refused(world: World) -> None:
    """Other files than Markdown and no MEMORY.md: not a memory."""
    folder = world.base / "photos"
    folder.mkdir()
    (folder / "a.jpg").write_bytes(b"x")
    world.write("user", {"autoMemoryDirectory": str(folder)})
    assert world.ask().directory == world.ordinary
    (folder / "MEMORY.md").write_text("# Index\n")
    assert world.ask().directory == folder


@pytest.mark.parametrize("names", [[], ["a.md"], ["a.md", ".DS_Store"], [".consolidate-lock"]])
def test_an_empty_folder_or_one_of_markdown_is_taken(world: World, names: list[str]) -> None:
    """Subfolders (team, logs) do not matter."""
    folder = world.base / "mine"
    (folder / "team").mkdir(parents=True)
    for name in names:
        (folder / name).write_text("x")
    world.write("user", {"autoMemoryDirectory": str(folder)})
    assert world.ask().directory == folder


def test_a_file_is_no_directory(world: World) -> None:
    """A setting that names a file is ignored."""
    (world.base / "note").write_text("x")
    world.write("user", {"autoMemoryDirectory": str(world.base / "note")})
    assert "no folder" in world.ask().reason


@pytest.mark.parametrize("scope", ["local", "project"])
@pytest.mark.parametrize("kind", ["setting", "override", "remote base"])
def test_an_untrusted_directory_means_no_memory(world: World, scope: str, kind: str) -> None:
    """A hostile repository cannot choose where we write, by none of the three ways."""
    wish = str(world.base / "trap")
    content = {
        "setting": {"autoMemoryDirectory": wish},
        "override": {"env": {OVERRIDE: wish}},
        "remote base": {"env": {REMOTE_BASE: wish}},
    }[kind]
    world.write(scope, content)
    found = world.ask()
    assert not found.enabled
    assert found.reason.startswith("untrusted directory")
    world.trust()
    assert str(world.ask().directory).startswith(wish)


def test_trust_is_that_of_the_directory_or_its_root(world: World) -> None:
    """Another folder's trust does not help; ``false`` is no trust."""
    (world.repo / "web" / ".claude").mkdir(parents=True)
    (world.repo / "web" / ".claude" / "settings.json").write_text(json.dumps({"autoMemoryDirectory": str(world.base / "x")}))
    for place, trusted in ((world.home, False), (world.repo / "web", True), (world.repo, True)):
        world.trust(place)
        assert world.ask(world.repo / "web").enabled is trusted
    (world.home / ".claude.json").write_text(json.dumps({"projects": {str(world.repo): {"hasTrustDialogAccepted": False}}}))
    assert not world.ask(world.repo / "web").enabled


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"projects": []}', b'{"projects": {"x": null}}', b"\xff\xfe"])
def test_a_broken_state_file_trusts_nobody(world: World, content: bytes) -> None:
    """No answer means no."""
    world.write("project", {"autoMemoryDirectory": str(world.base / "x")})
    (world.home / ".claude.json").write_bytes(content)
    assert not world.ask().enabled


def test_the_state_file_of_a_named_config_home_lies_in_it(world: World) -> None:
    """``CLAUDE_CONFIG_DIR/.claude.json``, not the one beside the ordinary config home."""
    world.write("project", {"autoMemoryDirectory": str(world.base / "x")})
    world.trust()
    other = world.base / "other"
    other.mkdir()
    world.environ["CLAUDE_CONFIG_DIR"] = str(other)
    assert not world.ask().enabled
    (world.home / ".claude.json").rename(other / ".claude.json")
    assert world.ask().directory == world.base / "x"


def test_what_the_client_would_ignore_needs_no_trust(world: World) -> None:
    """A relative path in an untrusted repository changes nothing: the ordinary directory, with a remark."""
    world.write("project", {"autoMemoryDirectory": "./memory"})
    found = world.ask()
    assert (found.enabled, found.directory) == (True, world.ordinary)
    assert "relative" in found.reason


def test_an_untrusted_value_that_is_ignored_hides_nothing(world: World) -> None:
    """The person's own setting still holds."""
    world.write("project", {"autoMemoryDirectory": "./memory"})
    world.write("user", {"autoMemoryDirectory": str(world.base / "mine")})
    assert world.ask().directory == world.base / "mine"


def test_the_order_of_places(world: World) -> None:
    """override > setting > remote base > ordinary."""
    assert world.ask().directory == world.ordinary
    world.environ[REMOTE_BASE] = str(world.base / "remote")
    assert world.ask().directory == world.base / "remote" / "projects" / world.ask().project_key / "memory"
    world.write("user", {"autoMemoryDirectory": str(world.base / "mine")})
    assert world.ask().directory == world.base / "mine"
    world.environ[OVERRIDE] = str(world.base / "override")
    assert world.ask().directory == world.base / "override"


@pytest.mark.parametrize("value", ["rel/x", "~/x", "~", "/"])
def test_an_override_must_be_absolute(world: World, value: str) -> None:
    """Otherwise it is ignored, with a remark, and the setting counts."""
    world.environ[OVERRIDE] = value
    world.write("user", {"autoMemoryDirectory": str(world.base / "mine")})
    found = world.ask()
    assert found.directory == world.base / "mine"
    assert OVERRIDE in found.reason


def test_a_project_that_is_gone_is_judged_by_the_settings_of_its_repository(world: World) -> None:
    """The worktree was removed; the switch in the repository it came from stays."""
    world.write("project", {"autoMemoryEnabled": False})
    assert not world.ask(world.repo / ".claude" / "worktrees" / "x").enabled
