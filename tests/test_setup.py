"""Promises about ``setup``: what is found and what it would cost is shown, the choice is written down, and nothing is asked of a model."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from extractord.choosing import local_servers
from extractord.choosing.configuring import new_text
from extractord.config import Config, parse
from tests.command import extractord
from tests.homes import SAYINGS, Home, tree
from tests.model_runs import KEY, NOTHING, once
from tests.scripted_server import Answer, serving
from tests.terminal import on_terminal

OUTSIDE = "outside the guarantee of three confined processes"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.talk("shop", SAYINGS[0], days_ago=5)
    made.talk("shop", SAYINGS[1], days_ago=20)
    made.talk("shop", SAYINGS[2], days_ago=45)
    return made


@pytest.fixture
def client(tmp_path: Path) -> Path:
    """A program that says a version, as the client does, and fails for everything else."""
    made = tmp_path / "bin" / "claude"
    made.parent.mkdir()
    made.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "2.1.332 (Claude Code)" || exit 9\n')
    made.chmod(0o755)
    return made


def test_it_shows_what_there_is_and_what_the_last_30_days_would_cost(home: Home, client: Path) -> None:
    """Each choice with its price for the same sessions, what leaves the machine, and where a key is, never the key."""
    extractord(home, "once", "--json")  # what was dealt with counts all the same
    (home.root / "credentials").write_text(f"ANTHROPIC_AUTH_TOKEN={KEY}\n")
    answer = extractord(home, "setup", "--json", env={"ANTHROPIC_API_KEY": KEY, "PATH": f"{client.parent}:/usr/bin:/bin"})
    assert answer.status == 0, answer.stderr
    offers = {line["option"]: line for line in answer.lines if "option" in line}
    assert set(offers) == {"offline", "anthropic", "claude-code"}
    assert {offer["sessions"] for offer in offers.values()} == {2}
    asked = offers["anthropic"]
    assert 0 < asked["cost_usd"] <= (asked["input_tokens"] * 0.125 + asked["output_tokens_guess"] * 0.50) / 1e6
    assert "ANTHROPIC_API_KEY in the environment" in asked["detail"]
    assert f"ANTHROPIC_AUTH_TOKEN in {home.root / 'credentials'}" in asked["detail"]
    assert (offers["offline"]["leaves"], offers["offline"]["cost_usd"]) == ("nothing leaves this machine", 0.0)
    assert (offers["claude-code"]["cost_usd"], OUTSIDE in offers["claude-code"]["leaves"]) == (None, True)
    assert f"{client}, version 2.1.332" in offers["claude-code"]["detail"]
    assert answer.lines[-1]["setup"]["written"] is False
    assert KEY not in answer.stdout + answer.stderr
    assert not (home.root / "config.toml").exists()


def test_a_choice_by_flags_is_written_with_every_key_explained(home: Home) -> None:
    """A new file, 0600, that says what was chosen and shows the default of everything else."""
    with serving(Answer()) as server:
        argv = ("--backend", "anthropic", "--model", "own-model", "--price", "1", "2.5", "--base-url", server.url, "--yes")
        answer = extractord(home, "setup", *argv)
        assert (server.asked, server.looked) == ([], [])
    assert answer.status == 0, answer.stderr
    file = home.root / "config.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    shown = {line["key"]: line["value"] for line in extractord(home, "config", "--json").lines}
    assert (shown["backend"], shown["model"], shown["base_url"]) == ("anthropic", "own-model", server.url)
    assert shown["prices.own-model"] == "input = 1, output = 2.5"
    assert "# usd_per_day = 0.25" in file.read_text()
    assert "next: `extractord once --estimate`" in answer.stderr


def test_every_key_of_a_new_file_stands_at_its_default() -> None:
    """Taking the marks away changes nothing but the keys that have no default of their own."""
    lines = new_text({}).splitlines()
    opened = [line.removeprefix("# ") if " = " in line.split("  #")[0] else line for line in lines]
    end = next(number for number, line in enumerate(lines) if line.startswith("# A price"))
    config, default = parse("\n".join(opened[:end]), Path("c")), Config()
    for key in default.__struct_fields__:
        if key not in ("base_url", "claude", "exclude", "dream", "evidence", "origins"):
            assert getattr(config, key) == getattr(default, key), key
    told = "\n".join(lines)
    assert {key for key in default.__struct_fields__ if f"{key} = " not in told and f"[{key}" not in told} == {"origins"}


def test_a_file_that_is_there_keeps_everything_else(home: Home) -> None:
    """Comments and keys of the person stay; a model without a price is refused before anything is written."""
    home.config('# mine\nbackend = "offline"  # for now\nworkers = 2\n')
    before = (home.root / "config.toml").read_text()
    refused = extractord(home, "setup", "--backend", "anthropic", "--model", "nobody-knows", "--yes")
    assert (refused.status, "price of model nobody-knows is not known" in refused.stderr) == (2, True), refused.stderr
    assert (home.root / "config.toml").read_text() == before
    assert extractord(home, "setup", "--backend", "anthropic", "--yes").status == 0
    assert (home.root / "config.toml").read_text() == before.replace('"offline"', '"anthropic"')


def test_a_choice_agrees_to_what_it_costs_only_if_said_so(home: Home) -> None:
    """After ``--yes`` a later run does not ask again; a choice without it is no consent."""
    with serving(NOTHING) as server:
        env = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
        assert extractord(home, "setup", "--backend", "anthropic", env=env).status == 0
        assert extractord(home, "once", "--json", env=env).status == 2
        assert not server.asked
        assert extractord(home, "setup", "--backend", "anthropic", "--yes", env=env).status == 0
        assert extractord(home, "once", "--json", env=env).summary["nothing_to_save"] == 3


def test_a_key_is_kept_for_the_service_where_that_is_wanted(home: Home) -> None:
    """0600, beside what stood there; shown by name alone."""
    credentials = home.root / "credentials"
    credentials.write_text("# mine\nOTHER=1\nANTHROPIC_API_KEY=old\n")
    env = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_LOG": "debug"}
    answer = extractord(home, "setup", "--backend", "anthropic", "--keep-key", "--yes", env=env)
    assert answer.status == 0, answer.stderr
    assert credentials.read_text() == f"# mine\nOTHER=1\nANTHROPIC_API_KEY={KEY}\n"
    assert stat.S_IMODE(credentials.stat().st_mode) == 0o600
    assert KEY not in answer.stdout + answer.stderr
    assert "ANTHROPIC_API_KEY" in answer.stderr


def test_the_users_own_client_is_named_and_its_place_is_told(home: Home, client: Path) -> None:
    """A program that a service would not find is written down; the sentence about the guarantee stands wherever it is shown."""
    env = {"PATH": f"{client.parent}:/usr/bin:/bin"}
    answer = extractord(home, "setup", "--backend", "claude-code", "--yes", env=env)
    assert (answer.status, OUTSIDE in answer.stderr) == (0, True), answer.stderr
    assert f'claude = "{client}"' in (home.root / "config.toml").read_text()
    for argv in (("status",), ("config", "--show")):
        shown = extractord(home, *argv)
        assert OUTSIDE in shown.stdout + shown.stderr
    assert extractord(home, "status", "--json").only["client_runs"] == {"today": 0, "most": 20}
    with (home.root / "config.toml").open("r+") as file:
        text = file.read()
        file.seek(0)
        file.write(text.replace('# sandbox = "auto"', 'sandbox = "required"'))
    refused = extractord(home, "setup", "--backend", "claude-code", "--yes", env=env)
    assert (refused.status, "required" in refused.stderr) == (2, True)
    without = extractord(home, "setup", "--backend", "claude-code", "--yes", env={"PATH": "/nonexistent"})
    assert without.status == 2


def test_a_person_is_asked_and_may_say_no(home: Home) -> None:
    """The choices, the price, one question before anything is written, then the two offers."""
    status, shown = on_terminal(home, "setup", typed="anthropic\nn\n")
    assert (status, "Which one?" in shown, "Write that to" in shown) == (1, True, True), shown
    assert not (home.root / "config.toml").exists()
    status, shown = on_terminal(home, "setup", typed="offline\ny\ny\nn\n")
    assert status == 0, shown
    assert 'backend = "offline"' in (home.root / "config.toml").read_text()
    assert "once --estimate" in shown
    assert "sessions would be read" in shown
    assert "Install the daemon" in shown


def test_servers_of_this_machine_are_looked_for_only_when_asked(home: Home) -> None:
    """One that speaks the Messages API is told apart from one that does not, without a word for a model."""
    listed = {"data": [{"id": "small-one"}], "has_more": False}
    with serving(Answer(status=400), listed) as server, serving(Answer(status=404)) as other:
        ports = {server.http.server_port: "Here", other.http.server_port: "Elsewhere"}
        (found,) = local_servers.look(ports)
        assert (found.base_url, found.models) == (f"http://127.0.0.1:{server.http.server_port}", ("small-one",))
        assert [asked.raw for asked in server.asked] == [b"{}"]
    before = tree(home.root / "work")
    assert [line["option"] for line in extractord(home, "setup", "--json").lines[:-1]] == ["offline", "anthropic", "claude-code"]
    assert tree(home.root / "work") == before


def test_spend_is_told_per_day_and_month(home: Home) -> None:
    """Calls, tokens and dollars, days first; a line of today and this month below what was written."""
    assert extractord(home, "log", "--spend", "--json").lines == ()
    with serving(NOTHING) as server:
        assert once(home, server).status == 0
        calls, tokens = len(server.asked), server.tokens
    rows = extractord(home, "log", "--spend", "--json").lines
    assert [len(row["period"]) for row in rows] == [10, 7]
    assert all((row["calls"], row["input_tokens"]) == (calls, tokens) for row in rows)
    assert all(0 < row["cost_usd"] < 0.01 for row in rows)
    told = extractord(home, "log")
    assert "today" in told.stderr
    assert "this month" in told.stderr
