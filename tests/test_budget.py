"""Promises about money: nothing is spent unasked, nothing over a cap, and the price told beforehand is the price."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.bench import cost
from tests.command import Place, extractord
from tests.homes import SAYINGS, Home, tree
from tests.model_runs import NOTHING, model_env, once, spent, write
from tests.scripted_server import Answer, Asked, call, serving, text
from tests.terminal import on_terminal

SESSIONS = 8
LINTER = write("feedback_linter.md", "Always run the linter before a commit.", "always run the linter before you commit")
LARGEST = {"input_tokens": 1_000_000, "output_tokens": 0}  # 10 cents


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def talks(home: Home, count: int, project: str = "shop") -> None:
    for number in range(count):
        home.talk(project, f"why is the build of part {number} slow?", days_ago=20 - number)


def test_two_supervisors_with_money_for_three_calls_make_three(home: Home) -> None:
    """The caps hold for all processes together: what is put aside by one is not there for the other."""
    talks(home, 4, "shop")
    talks(home, 4, "site")
    with serving(Answer((text("nothing"),), uncounted=True)) as server:  # so each call costs what was put aside for it
        probe = Home(home.root / "probe")
        probe.talk("shop", "why is the build of part 0 slow?")
        once(probe, server)
        with sqlite3.connect(probe.state / "ledger.sqlite") as db:
            ((upper,),) = db.execute("SELECT upper_nano FROM spend").fetchall()
        server.asked.clear()
        home.config(f"budget.usd_per_day = {3.5 * upper / 1e9:.9f}\n")
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda name: once(home, server, "--project", home.root / "work" / name), ("shop", "site")))
        assert len(server.asked) == 3
    assert all("budget.usd_per_day" in answer.stderr for answer in answers)
    assert [answer.status for answer in answers] == [1, 1]
    assert sum(answer.summary["nothing_to_save"] for answer in answers) == 3
    assert sum(answer.summary["postponed"] for answer in answers) == 5


def test_a_stretch_that_is_too_dear_is_postponed_alone(home: Home) -> None:
    """Its own cap stops it and not the others; its reason says which key to raise."""
    home.config("budget.usd_per_stretch = 0.01\n")
    talks(home, 2)

    def script(asked: Asked, n: int) -> Answer:
        dear = Answer((call("Glob", f"c{n}", pattern="*"),), usage=LARGEST)
        return dear if "part 0" in str(asked.messages[0]) else NOTHING

    with serving(script) as server:
        answer = once(home, server)
        assert len(server.asked) == 2
    assert [line["outcome"] for line in answer.lines[:-1]] == ["postponed", "nothing_to_save"]
    assert "usd_per_stretch" in answer.lines[0]["reason"]
    assert answer.lines[0]["cost_usd"] == pytest.approx(0.1)
    assert answer.status == 0


@pytest.mark.parametrize("cap", ["usd_per_day", "usd_per_month"])
def test_a_cap_of_day_or_month_ends_the_run(home: Home, cap: str) -> None:
    """The rest of the plan is postponed without a call, with status 1; with money it goes on where it stood."""
    home.config(f"budget.{cap} = 0.01\nbudget.usd_per_stretch = 1\n")
    talks(home, 4)
    with serving(Answer((text("nothing"),), usage=LARGEST)) as server:
        answer = once(home, server)
        assert len(server.asked) == 1
        assert [line["outcome"] for line in answer.lines[:-1]] == ["nothing_to_save", *["postponed"] * 3]
        assert (answer.status, cap in answer.stderr) == (1, True)
        home.config("budget.usd_per_day = 9\nbudget.usd_per_month = 9\nbudget.usd_per_stretch = 1\n")
        assert once(home, server).summary["nothing_to_save"] == 3


def test_a_ledger_that_cannot_be_used_sends_nothing(home: Home) -> None:
    """Whoever cannot count does not spend: no ledger can be opened, or it was damaged and what it knew is lost."""
    talks(home, 1)
    (home.state / "ledger.sqlite").mkdir(parents=True)
    with serving(NOTHING) as server:
        answer = once(home, server)
        assert (answer.status, server.asked, server.looked) == (1, [], [])
        (home.state / "ledger.sqlite").rmdir()
        (home.state / "ledger.sqlite").write_bytes(b"no database" * 1000)
        answer = once(home, server)
        assert (answer.summary["sessions"], server.asked, server.looked) == (1, [], [])
        assert "ledger" in answer.stderr


def test_a_key_that_lies_around_is_no_choice(home: Home) -> None:
    """``auto`` is offline: no request is made, whatever credentials and servers the environment names."""
    home.talk("shop", SAYINGS[0])
    with serving(NOTHING) as server:
        env = {name: value for name, value in model_env(server).items() if name != "EXTRACTORD_BACKEND"}
        assert extractord(home, "once", "--yes", "--json", env=env).summary["saved"] == 1
        assert (server.asked, server.looked) == ([], [])


def test_where_nobody_can_be_asked_nothing_is_spent_without_consent(home: Home) -> None:
    """Refused as wrong usage, with the way out; ``--yes`` agrees for this state folder; a dry run spends too."""
    talks(home, 2)
    with serving(NOTHING) as server:
        for argv in (("once", "--json"), ("once",), ("once", "--dry-run")):
            refused = extractord(home, *argv, env=model_env(server))
            assert (refused.status, "--yes" in refused.stderr, server.asked) == (2, True, [])
        assert once(home, server, "--limit", "1").status == 0
        assert extractord(home, "once", "--json", env=model_env(server)).summary["nothing_to_save"] == 1


def test_a_person_is_shown_the_price_and_asked(home: Home) -> None:
    """On a terminal: no means nothing is sent, yes that it is."""
    talks(home, 2)
    with serving(NOTHING) as server:
        said = _once_on_terminal(home, server.url, "n\n")
        assert "2 sessions would be sent" in said
        assert "about $0.00" in said
        assert server.asked == []
        _once_on_terminal(home, server.url, "y\n")
        assert len(server.asked) == 2


def test_a_dry_run_writes_nothing_but_what_it_spent(home: Home) -> None:
    """The caps count it; the same session is still open afterwards."""
    home.talk("shop", SAYINGS[0])
    before = tree(home.config_home)
    with serving(Answer((LINTER,))) as server:
        dry = once(home, server, "--dry-run")
        assert "+Always run the linter before a commit." in dry.lines[0]["diff"]
        assert tree(home.config_home) == before
        assert [cost for _, _, cost in spent(home)] == [pytest.approx(dry.lines[0]["cost_usd"])]
        assert extractord(home, "sessions", "--json").lines == ()
        assert once(home, server).summary["saved"] == 1


def test_a_model_of_unknown_price_is_refused_unless_it_costs_nothing_here(home: Home) -> None:
    """On a server of this machine it is free and needs no consent; elsewhere a price has to be given."""
    talks(home, 1)
    home.config('model = "qwen3"\nbase_url = "http://model.invalid"\n')
    with serving(NOTHING, {"object": "list", "data": []}) as server:
        refused = extractord(home, "once", "--yes", env=model_env(server))
        assert (refused.status, "qwen3" in refused.stderr, "[prices" in refused.stderr) == (2, True, True)
        home.config(f'model = "qwen3"\nbase_url = "{server.url}"\n')
        local = extractord(home, "once", "--backend", "anthropic", "--json")
        assert (local.status, local.summary["nothing_to_save"], local.summary["cost_usd"]) == (0, 1, 0.0), local.stderr
        assert server.asked[0].body["model"] == "qwen3"


def test_a_project_that_is_offline_stays_so(home: Home) -> None:
    """A rule of its own keeps it from the model of the others."""
    home.talk("secret", SAYINGS[0])
    home.config(f'backend = "anthropic"\n[[project]]\nmatch = "{home.project("secret")}"\nbackend = "offline"\n')
    with serving(NOTHING) as server:
        env = {name: value for name, value in model_env(server).items() if name != "EXTRACTORD_BACKEND"}
        assert extractord(home, "once", "--json", env=env).summary["saved"] == 1
        assert server.asked == []


def test_the_estimate_is_what_a_server_counts_by_four_bytes_a_token_and_asks_nobody(home: Home) -> None:
    """Within a fifth; no request is made for it."""
    for number, said in enumerate(SAYINGS):
        home.talk(f"work{number}", said, days_ago=20 - number)
    with serving(NOTHING) as server:
        told = extractord(home, "once", "--estimate", "--json", env=model_env(server))
        assert (server.asked, server.looked, len(told.lines)) == ([], [], len(SAYINGS) + 1), told.stderr
        done = once(home, server)
        assert done.summary["nothing_to_save"] == len(SAYINGS)
        assert told.summary["input_tokens"] == pytest.approx(server.tokens, rel=0.2)
        assert told.summary["cost_usd"] == pytest.approx(done.summary["cost_usd"], rel=0.2)


def test_the_estimate_holds_for_a_tokenizer_and_a_session_costs_little(tmp_path: Path) -> None:
    """On sessions of the corpus: tokens and dollars within a fifth, two calls a run at most on average, at most $0.0015 a session."""
    once_each = cost.measured(Place(tmp_path / "once"), SESSIONS, cost.Honest(thoughts=0, looks=False))
    looking = cost.measured(Place(tmp_path / "looking"), SESSIONS, cost.Honest(thoughts=cost.THOUGHTS, looks=True))
    assert min(once_each.saved, looking.saved) > 0
    assert looking.calls > looking.runs
    assert [goal for goal in cost.goals(once_each, looking, SESSIONS) if not goal.met] == []


def _once_on_terminal(home: Home, url: str, typed: str) -> str:
    env = {"EXTRACTORD_BACKEND": "anthropic", "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "k"}
    return on_terminal(home, "once", typed=typed, env=env)[1]
