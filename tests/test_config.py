"""What the config file promises."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from extractord.config import (
    FOREVER,
    Backend,
    ClockTime,
    Config,
    Headless,
    Locations,
    Price,
    Sandbox,
    Seconds,
    SkipScope,
    Style,
    Watch,
    Write,
    backend_for,
    escape,
    load,
    matches,
    parse,
    rule_for,
    sources,
)
from extractord.config.edit import Switch, set_off, set_value
from extractord.durable import make_private_folder
from extractord.errors import UsageError
from tests.command import words_below

HOME = Path("/home/dev")
FILE = Path("config.toml")


def read(text: str) -> Config:
    return parse(text, FILE)


def test_the_defaults_are_those_of_the_contract() -> None:
    """With no file at all every option has the value of the table in CONTRACTS."""
    config = read("")
    assert (config.backend, config.model, config.base_url) == (Backend.AUTO, "claude-haiku-5-5", None)
    assert config.backend.offline
    budget = config.budget
    assert (budget.usd_per_stretch, budget.usd_per_day, budget.usd_per_month, budget.sessions_per_day) == (0.05, 0.25, 3.0, 20)
    settle = config.settle
    assert [str(one) for one in (settle.idle, settle.exited, settle.pending, settle.longest)] == ["30m", "1m", "1h", "6h"]
    memory = config.memory
    assert (memory.write, memory.style, memory.skip_scope, memory.new_topics) == (Write.APPLY, Style.TOPICS, SkipScope.STRETCH, 3)
    assert (config.headless, config.exclude, config.project, config.off) == (Headless.EXTRACT, None, (), False)
    assert (config.sandbox, config.watch, config.workers) == (Sandbox.AUTO, Watch.AUTO, 1)
    assert (config.limits.digest_tokens, config.limits.turns, config.limits.extraction_seconds) == (12000, 5, 120)
    assert (str(config.retry.first), str(config.retry.longest), config.retry.park_after) == ("1m", "6h", 6)
    assert (config.dream.at, config.dream.backend) == (ClockTime.read("03:00"), None)
    assert (str(config.history.keep), config.evidence.keep) == ("180d", None)


def test_every_key_of_the_contract_can_be_set() -> None:
    """Each key of the table is read, with its type."""
    config = read(
        """
        backend = "anthropic"
        model = "local-model"
        base_url = "http://127.0.0.1:8080"
        headless = "review"
        exclude = ["~/private", "scratch-*"]
        sandbox = "required"
        watch = "poll"
        workers = 2
        budget = { usd_per_stretch = 0.01, usd_per_day = 1, usd_per_month = 2.5, sessions_per_day = 5 }
        [settle]
        idle = "10m"
        exited = "5s"
        pending = "2h"
        longest = "1d"
        [memory]
        write = "review"
        style = "daily-log"
        skip_scope = "turn"
        new_topics = 1
        [limits]
        digest_tokens = 4000
        turns = 3
        extraction_seconds = 60
        [retry]
        first = "2m"
        longest = "3h"
        park_after = 2
        [dream]
        at = "04:30"
        backend = "offline"
        [history]
        keep = "30d"
        [evidence]
        keep = "forever"
        [prices."local-model"]
        input = 0.5
        output = 2
        [[project]]
        match = "~/work/*"
        backend = "offline"
        off = true
        """
    )
    assert (config.backend, config.exclude, config.workers) == (Backend.ANTHROPIC, ("~/private", "scratch-*"), 2)
    assert (float(config.settle.idle), float(config.settle.longest)) == (600, 86400)
    assert config.budget.usd_per_day == 1.0
    assert config.memory.style is Style.DAILY_LOG
    assert (config.dream.at, config.dream.backend) == (ClockTime(4 * 60 + 30), Backend.OFFLINE)
    assert config.evidence.keep == FOREVER
    assert config.prices == {"local-model": Price(input=0.5, output=2.0)}
    assert config.project[0].off is True


def test_a_flat_price_is_that_of_the_model() -> None:
    """``[prices]`` without a model's name holds for the model in use."""
    config = read('model = "m"\n[prices]\ninput = 1\noutput = 5\ncache_read = 0.1\n')
    assert config.prices == {"m": Price(input=1, output=5, cache_read=0.1)}


@pytest.mark.parametrize(
    ("text", "line", "key", "near"),
    [
        ('\nbackand = "offline"\n', 2, "backand", "backend"),
        ("[budget]\n\n# a comment\nusd_per_dai = 1\n", 4, "budget.usd_per_dai", "budget.usd_per_day"),
        ('exclude = [\n  "a",\n]\n[bugdet]\nusd_per_day = 1\n', 4, "bugdet", "budget"),
        ("usd_per_month = 1\n", 1, "usd_per_month", "budget.usd_per_month"),
        ("skip-scope = 1\n", 1, "skip-scope", "memory.skip_scope"),
        ('[[project]]\nmatch = "a"\n[[project]]\nmatch = "b"\nmacth = "c"\n', 5, "project.macth", "project.match"),
        ("limits = { digest_token = 1 }\n", 1, "limits.digest_token", "limits.digest_tokens"),
    ],
)
def test_an_unknown_key_is_refused_with_its_line_and_the_nearest(text: str, line: int, key: str, near: str) -> None:
    """A misspelt key is not silently the default: the error names line, key, and what was probably meant."""
    with pytest.raises(UsageError) as caught:
        read(text)
    assert f"line {line}: unknown key `{key}`" in caught.value.message
    assert f"`{near}`" in caught.value.hint
    assert caught.value.exit_status == 2


def test_a_key_like_no_other_gets_no_suggestion() -> None:
    """Where nothing is near, nothing is guessed."""
    with pytest.raises(UsageError) as caught:
        read("zzzzzzzz = 1")
    assert "Did you mean" not in caught.value.hint


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ('workers = "two"\n', 1, "workers"),
        ("workers = 0\n", 1, "workers"),
        ("\n[settle]\nidle = 30\n", 3, "settle.idle"),
        ('[settle]\nexited = "1m"\nidle = "30 minutes"\n', 3, "settle.idle"),
        ('backend = "openai"\n', 1, "backend"),
        ("[budget]\nusd_per_day = -1\n", 2, "budget.usd_per_day"),
        ("[budget]\nusd_per_day = nan\n", 2, "budget.usd_per_day"),
        ('[dream]\nat = "25:00"\n', 2, "dream.at"),
        ('[history]\nkeep = "always"\n', 2, "history.keep"),
        ('exclude = "a"\n', 1, "exclude"),
        ('[[project]]\nmatch = "a"\noff = "yes"\n', 3, "project.off"),
        ("off = 1\n", 1, "off"),
        ("[prices.m]\ninput = 1\n", 1, "prices"),
        ('prices = "cheap"\n', 1, "prices"),
        ("settle = 3\n", 1, "settle"),
    ],
)
def test_a_wrong_value_is_refused_with_its_line(text: str, line: int, key: str) -> None:
    """A value of the wrong type or out of bounds names key and line."""
    with pytest.raises(UsageError) as caught:
        read(text)
    assert f"line {line}: `{key}" in caught.value.message


def test_what_is_no_toml_is_refused_with_its_line() -> None:
    """The parser's own line and column reach the person."""
    with pytest.raises(UsageError, match="line 2"):
        read('a = "b"\n=\n')


@pytest.mark.parametrize(
    ("written", "seconds"), [("90s", 90), ("30m", 1800), ("6h", 21600), ("180d", 15552000), ("2w", 1209600), ("1.5h", 5400)]
)
def test_durations(written: str, seconds: int) -> None:
    """A duration is a number with its unit."""
    assert float(Seconds.read(written)) == seconds


@pytest.mark.parametrize("seconds", [1, 60, 90, 3600, 5400, 86400, 15552000])
def test_a_duration_is_shown_as_it_can_be_read(seconds: int) -> None:
    """What ``config --show`` prints may be put into the file."""
    assert float(Seconds.read(str(Seconds(seconds)))) == seconds


@pytest.mark.parametrize(("days", "kept"), [(None, FOREVER), (30, FOREVER), (8, FOREVER), (7, 7 * 86400), (0, 0)])
def test_quotes_follow_a_client_that_forgets_within_a_week(days: int | None, kept: float) -> None:
    """Evidence is kept for ever, unless the client removes its transcripts after at most seven days."""
    assert Config().evidence_keep(days) == kept
    assert read('[evidence]\nkeep = "2d"').evidence_keep(days) == 2 * 86400


def test_the_environment_overrides_the_backend_everywhere(tmp_path: Path) -> None:
    """``EXTRACTORD_BACKEND`` decides over the file, over a project's rule and over the dream."""
    file = tmp_path / "config.toml"
    file.write_text('backend = "anthropic"\n[dream]\nbackend = "claude-code"\n[[project]]\nmatch = "*"\nbackend = "claude-code"\n')
    config = load(file, {"EXTRACTORD_BACKEND": "offline"})
    assert (config.backend, config.dream.backend, backend_for("/a", config, HOME)) == (Backend.OFFLINE, None, Backend.OFFLINE)
    assert backend_for("/a", load(file, {}), HOME) is Backend.CLAUDE_CODE
    with pytest.raises(UsageError, match="EXTRACTORD_BACKEND"):
        load(file, {"EXTRACTORD_BACKEND": "cloud"})


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    """Some editors write one."""
    file = tmp_path / "config.toml"
    file.write_bytes(b"\xef\xbb\xbfworkers = 3\r\n")
    assert load(file, {}).workers == 3


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """It is not half read."""
    file = tmp_path / "config.toml"
    file.write_bytes(b'model = "\xff"\n')
    with pytest.raises(UsageError, match="UTF-8"):
        load(file, {})


def test_a_missing_file_means_the_defaults(tmp_path: Path) -> None:
    """No file need exist, and none is made."""
    assert load(tmp_path / "none" / "config.toml", {}) == Config()
    assert list(tmp_path.iterdir()) == []


def test_each_value_tells_where_it_came_from(tmp_path: Path) -> None:
    """``config --show`` can name the file, the variable or the default for every key."""
    file = tmp_path / "config.toml"
    file.write_text('workers = 2\n[settle]\nidle = "10m"\n[[project]]\nmatch = "x"\noff = true\n')
    shown = {one.key: (one.value, one.source) for one in sources(load(file, {"EXTRACTORD_BACKEND": "offline"}))}
    assert shown["backend"] == ("offline", "EXTRACTORD_BACKEND")
    assert shown["workers"] == ("2", str(file))
    assert shown["settle.idle"] == ("10m", str(file))
    assert shown["settle.exited"] == ("1m", "default")
    assert shown["history.keep"] == ("180d", "default")
    assert shown["dream.at"] == ("03:00", "default")
    assert shown["project[0]"] == ("match = x, off = true", str(file))


def test_locations_are_those_of_the_environment() -> None:
    """The three variables of CONTRACTS move all that is ours."""
    environ = {"EXTRACTORD_CONFIG": "/a/c.toml", "EXTRACTORD_STATE_DIR": "/a/state", "EXTRACTORD_CREDENTIALS": "/a/keys"}
    assert Locations.of(environ) == Locations(Path("/a/c.toml"), Path("/a/state"), Path("/a/keys"))


def test_locations_of_the_platform_are_below_the_home(tmp_path: Path) -> None:
    """Without them everything lies below the home that the process has."""
    code = "import os; from extractord.config import Locations as L; l = L.of(os.environ); print(l.config_file, l.state, l.credentials)"
    places = words_below(tmp_path, code)
    assert len(places) == 3
    assert all(place.startswith(str(tmp_path)) for place in places)


@pytest.mark.parametrize(
    ("pattern", "root", "hit"),
    [
        ("/home/dev/private", "/home/dev/private", True),
        ("/home/dev/private", "/home/dev/private/deep/down", True),
        ("/home/dev/private", "/home/dev/private2", False),
        ("/home/dev/private/", "/home/dev/private", True),
        ("~/private", "/home/dev/private", True),
        ("~", "/home/dev/x", True),
        ("~/w*/client-?", "/home/dev/work/client-a", True),
        ("~/w*", "/srv/home/dev/work", False),
        ("~/*/secret", "/home/dev/a/b/secret", False),
        ("~/**/secret", "/home/dev/a/b/secret", True),
        ("~/**/secret", "/home/dev/secret", True),
        ("/srv/**", "/srv/a/b", True),
        ("scratch-*", "/home/dev/scratch-1/x", True),
        ("scratch", "/home/dev/scratchy", False),
        ("/a/[bc]", "/a/b", True),
        ("/a/[!bc]", "/a/b", False),
        ("/a/[!bc]", "/a/d", True),
        ("/a/[", "/a/[", True),
        ("/a/b.c", "/a/bxc", False),
        ("**/café", "/srv/cafe\u0301", True),
        ("*", "/anything", True),
        ("/", "/anything", True),
    ],
)
def test_globs_on_a_project_root(pattern: str, root: str, hit: bool) -> None:
    """A glob matches a folder and all that lies below it, and nothing that only begins alike."""
    assert matches(pattern, root, HOME) is hit


@pytest.mark.parametrize("root", ["/a/b", "/a/[b]", "/a/*", "/a/b?", "/a/!x", "/a/]", "/a/b\\c"])
def test_an_escaped_root_matches_itself(root: str) -> None:
    """What ``off`` writes for a folder with odd characters means that folder."""
    assert matches(escape(root), root, HOME)
    assert not matches(escape(root), "/a/other", HOME)


def test_a_glob_over_a_link_means_what_it_points_to(tmp_path: Path) -> None:
    """Roots are real paths; a person may write the link."""
    (tmp_path / "real" / "p").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert matches(f"{tmp_path}/link/*", str(tmp_path / "real" / "p"), HOME)


def test_the_later_rule_wins_key_by_key() -> None:
    """A rule further down changes only what it names."""
    config = read('[[project]]\nmatch = "~/**"\nbackend = "anthropic"\noff = true\n[[project]]\nmatch = "~/work/*"\noff = false\n')
    rule = rule_for("/home/dev/work/a", config, HOME)
    assert (rule.backend, rule.off) == (Backend.ANTHROPIC, False)
    assert rule_for("/home/dev/other", config, HOME).off is True
    assert rule_for("/srv", config, HOME).off is None


WRITTEN = """# my settings
# of last year

backend = "offline"   # for now

[settle]
idle = "20m" # patient

[[project]]
match = "~/old"   # archived
off = true
"""


def test_off_and_on_keep_what_a_person_wrote(tmp_path: Path) -> None:
    """Switching everything off and on again changes one line; comments and order stay."""
    file = tmp_path / "config.toml"
    file.write_text(WRITTEN)
    set_off(file, None, Switch.OFF)
    assert load(file, {}).off
    assert file.read_text().replace("off = true\n", "", 1) == WRITTEN
    set_off(file, None, Switch.ON)
    assert file.read_text().replace("off = false\n", "") == WRITTEN
    assert not load(file, {}).off


def test_off_for_a_project_is_a_rule_of_its_own(tmp_path: Path) -> None:
    """Only that project is switched off, and switched on again in place."""
    file = tmp_path / "config.toml"
    file.write_text(WRITTEN)
    root = "/srv/odd [name]*"
    set_off(file, root, Switch.OFF)
    config = load(file, {})
    assert rule_for(root, config, HOME).off is True
    assert rule_for("/srv/odd n", config, HOME).off is None
    assert file.read_text().startswith(WRITTEN.rstrip())
    set_off(file, root, Switch.ON)
    assert rule_for(root, load(file, {}), HOME).off is False
    assert file.read_text().count("[[project]]") == 2


def test_on_for_a_project_wins_over_a_wider_rule(tmp_path: Path) -> None:
    """A project below a folder that is switched off can be switched on."""
    file = tmp_path / "config.toml"
    file.write_text('[[project]]\nmatch = "~/**"\noff = true\n')
    set_off(file, "/home/dev/work/a", Switch.ON)
    config = load(file, {})
    assert rule_for("/home/dev/work/a", config, HOME).off is False
    assert rule_for("/home/dev/work/b", config, HOME).off is True


def test_on_where_nothing_is_off_writes_nothing(tmp_path: Path) -> None:
    """No file appears for a switch that changes nothing."""
    set_off(tmp_path / "config.toml", None, Switch.ON)
    set_off(tmp_path / "config.toml", "/srv/a", Switch.ON)
    assert list(tmp_path.iterdir()) == []


def test_what_we_write_is_private(tmp_path: Path) -> None:
    """A new file is 0600, a new folder 0700."""
    file = tmp_path / "new" / "deep" / "config.toml"
    set_value(file, "backend", "offline")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.parent.parent.stat().st_mode) == 0o700
    make_private_folder(tmp_path / "state")
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    assert [entry.name for entry in file.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize(
    ("before", "key", "value", "after"),
    [
        ("", "backend", "anthropic", 'backend = "anthropic"\n'),
        ('backend = "offline" # why\n', "backend", "anthropic", 'backend = "anthropic" # why\n'),
        ('model = "a#b" # c\n', "model", "d", 'model = "d" # c\n'),
        ("# top\n\n[settle]\n", "workers", 2, "# top\nworkers = 2\n\n[settle]\n"),
        ("[budget]\n# caps\nusd_per_day = 1\n", "budget.usd_per_day", 0.5, "[budget]\n# caps\nusd_per_day = 0.5\n"),
        ("[budget]\n", "budget.usd_per_day", 0.5, "[budget]\nusd_per_day = 0.5\n"),
        ("workers = 1\n", "budget.usd_per_day", 2.0, "workers = 1\n\n[budget]\nusd_per_day = 2.0\n"),
        ('exclude = [\n  "a", # x\n]\nworkers = 1\n', "exclude", ("a", 'b"'), 'exclude = ["a", "b\\""]\nworkers = 1\n'),
        ("workers = 1\r\noff = true\r\n", "off", False, "workers = 1\r\noff = false\r\n"),
    ],
)
def test_one_key_is_set_and_the_rest_stays(
    tmp_path: Path, before: str, key: str, value: bool | float | str | tuple[str, ...], after: str
) -> None:
    """An edit changes the lines of its key alone."""
    file = tmp_path / "config.toml"
    file.write_bytes(before.encode())
    set_value(file, key, value)
    assert file.read_bytes().decode() == after


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("budget = { usd_per_day = 1 }\n", "budget.usd_per_day", 2.0),  # a form that is not edited
        ("workers = 1\n", "workers", 0),  # out of bounds
        ("workers = 1\n", "wrokers", 2),  # unknown
        ("wrokers = 1\n", "workers", 2),  # wrong already
    ],
)
def test_an_edit_that_would_go_wrong_leaves_the_file(tmp_path: Path, text: str, key: str, value: float) -> None:
    """The file stays as it is, byte for byte, and the person is told."""
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(UsageError):
        set_value(file, key, value)
    assert file.read_text() == text


def test_a_linked_config_file_stays_a_link(tmp_path: Path) -> None:
    """People keep their dot files in a repository."""
    (tmp_path / "dots").mkdir()
    real, link = tmp_path / "dots" / "extractord.toml", tmp_path / "config.toml"
    real.write_text("workers = 1\n")
    link.symlink_to(real)
    set_value(link, "workers", 2)
    assert link.is_symlink()
    assert real.read_text() == "workers = 2\n"
