"""Promises of ``recall``: few topics, clearly called for, whoever chooses."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from extractord.memory.manifest import TopicHead
from extractord.memory.recall import HEADERS, by_words, recall, worth_offering
from tests.command import Answer, extractord
from tests.homes import Home, put, topic
from tests.model_runs import KEY, model_env, spent
from tests.scripted_server import Answer as Reply
from tests.scripted_server import ScriptedServer, serving, text

REAL = "integration tests run against a real database, never mocks"
TOPICS = {
    "feedback_db.md": (
        "testing database",
        "integration tests run against a real database, never mocks",
        "feedback",
        "Mocks hid a broken migration.",
    ),
    "user_role.md": ("role", "backend developer, new to React", "user", "Twelve years of Go."),
    "project_freeze.md": ("merge freeze", "merges are frozen from 2026-03-05 for the mobile release", "project", "Only fixes."),
    "reference_ingest.md": ("ingest bugs", "pipeline bugs are tracked in the Linear project INGEST", "reference", "Look there first."),
    "feedback_zh.md": ("注释语言", "代码注释一律用中文写", "feedback", "不要用英文写注释。"),
}


def heads(topics: dict[str, tuple[str, str, str, str]] = TOPICS) -> tuple[TopicHead, ...]:
    return tuple(TopicHead(file, *said[:3], float(time), said[3]) for time, (file, said) in enumerate(topics.items()))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    for file, (name, description, kind, body) in TOPICS.items():
        put(made.memory("shop"), file, topic(name, body, kind, description), days_ago=3.5)
    return made


def _recall(home: Home, query: str, *argv: str, env: dict[str, str] | None = None) -> Answer:
    answer = extractord(home, "recall", query, "--cwd", home.project("shop"), "--json", *argv, env=env)
    assert answer.status == 0, answer.stderr
    return answer


def _agree(home: Home, server: ScriptedServer) -> None:
    """Let a person agree once that the model costs money."""
    home.talk("shop", "why does the build take so long?")
    extractord(home, "once", "--yes", "--json", env=model_env(server))


def _files(answer: Answer) -> list[str]:
    return [line["file"] for line in answer.lines]


@pytest.mark.parametrize(
    ("query", "file"),
    [
        ("How should I test the database layer?", "feedback_db.md"),
        ("may I merge this before the mobile release", "project_freeze.md"),
        ("where are pipeline bugs tracked?", "reference_ingest.md"),
        ("注释用什么语言写？", "feedback_zh.md"),
        ("请把这段代码的注释写好", "feedback_zh.md"),
        ("what is my role", "user_role.md"),
    ],
)
def test_offline_words_find_the_topic(query: str, file: str) -> None:
    """English and Chinese, other forms of a word, words of the body."""
    assert [head.file for head in recall(query, heads(), by_words)][:1] == [file]


@pytest.mark.parametrize("query", ["", "  ", "hello, thanks!", "please make it work now", "刚才那个怎么样了", "rename that variable"])
def test_when_unsure_nothing_is_found(query: str) -> None:
    """A prompt that is about none of the topics brings none up."""
    assert recall(query, heads(), by_words) == ()


def test_what_is_found_is_told_with_its_age(home: Home) -> None:
    """Each line has the topic's head, its age in words, and from two days on a warning."""
    line = _recall(home, "how do we test the database?").only
    assert line == {
        "file": "feedback_db.md",
        "name": "testing database",
        "description": REAL,
        "type": "feedback",
        "age": "3 days ago",
        "freshness": line["freshness"],
    }
    assert "3 days ago" in line["freshness"]


def test_nobody_is_asked_where_there_is_nothing_to_choose_from() -> None:
    """No topics, none that may be shown, no question: no call."""

    def never(query: str, manifest: tuple[TopicHead, ...]) -> Iterable[str]:
        raise AssertionError(query, manifest)

    assert recall("how do we test?", (), never) == ()
    assert recall(" ", heads(), never) == ()
    assert recall("how do we test?", worth_offering(heads(), list(TOPICS), ()), never) == ()


def test_only_what_was_offered_comes_back() -> None:
    """Newest first they are offered; names outside, doubles and more than five are dropped, the order stays."""
    many = tuple(TopicHead(f"t{number}.md", "n", "d", "user", float(number)) for number in range(9))
    offered: list[str] = []

    def choose(query: str, manifest: tuple[TopicHead, ...]) -> Iterable[str]:
        offered.extend(head.file for head in manifest)
        return ["t8.md", "no.md", "../t1.md", "t2.md", "t8.md", "t0.md", "t3.md", "t4.md", "t5.md"]

    found = [head.file for head in recall("x", many, choose)]
    assert offered == [f"t{number}.md" for number in reversed(range(9))]
    assert found == ["t8.md", "t2.md", "t0.md", "t3.md", "t4.md"]


def test_a_model_is_shown_the_200_newest_and_words_are_looked_for_in_all(tmp_path: Path) -> None:
    """An old topic is found by its words; a model cannot name what it was not shown."""
    home = Home(tmp_path)
    for number in range(HEADERS + 5):
        put(home.memory("shop"), f"t{number}.md", topic(f"topic {number}", "x", description=f"about animal{number}x"), days_ago=number)
    assert _files(_recall(home, "animal203x")) == ["t203.md"]
    home.config('[prices."claude-haiku-5-5"]\ninput = 0\noutput = 0\n')
    with serving(Reply((text("t203.md\nt199.md"),))) as server:
        assert _files(_recall(home, "animal203x", env=model_env(server))) == ["t199.md"]
        (asked,) = server.asked
    assert asked.raw.count(b" about animal") == HEADERS


@pytest.mark.parametrize("tool", ["psql", "mcp__psql__query", "PSQL"])
def test_documentation_of_a_tool_in_use_is_left_out_but_warnings_stay(tool: str) -> None:
    """Who uses it knows how; what is known to go wrong they may not know."""
    topics = {
        "usage.md": ("psql usage", "psql command reference and examples", "reference", ""),
        "gotchas.md": ("psql gotchas", "known issue: the psql reference lies about -w", "reference", ""),
        "zh.md": ("psql 用法", "psql 命令参考", "reference", ""),
        "pointer.md": ("psql host", "the staging database is reached over psql at db.internal", "reference", ""),
        "rule.md": ("psql style", "write psql commands in upper case", "feedback", ""),
        "other.md": ("redis usage", "redis command reference", "reference", ""),
    }
    left = {head.file for head in worth_offering(heads(topics), (), [tool])}
    assert left == {"gotchas.md", "pointer.md", "rule.md", "other.md"}


def test_what_the_session_has_seen_is_left_out(home: Home) -> None:
    """Named by file or by path."""
    for seen in ("feedback_db.md", str(home.memory("shop") / "feedback_db.md")):
        assert _files(_recall(home, "how do we test the database?", "--surfaced", seen)) == []


def test_recent_logs_and_team_memory_are_looked_through(home: Home) -> None:
    """A log of the last days is as old as its name says; older ones were distilled."""
    from datetime import UTC, datetime, timedelta

    today = datetime.now(UTC).astimezone().date()
    for days, word in ((1, "kangaroo"), (30, "wombat")):
        day = today - timedelta(days=days)
        put(home.memory("shop"), f"logs/{day:%Y}/{day:%m}/{day}.md", f"- 09:00 [project] the {word} importer is paused\n", days_ago=0)
    put(home.memory("shop"), "team/rule.md", topic("koala", "The koala service is owned by the platform team.", "project"))
    (line,) = _recall(home, "what about the kangaroo importer?").lines
    assert (line["age"], line["freshness"]) == ("yesterday", "")
    assert _files(_recall(home, "what about the wombat importer?")) != [f"logs/{today - timedelta(days=30):%Y/%m/%Y-%m-%d}.md"]
    assert _files(_recall(home, "who owns the koala service?")) == ["team/rule.md"]


def test_a_model_chooses_from_redacted_headers_and_is_paid_for(home: Home) -> None:
    """It sees names and descriptions, no bodies, no secret; what it names beyond the list is dropped; the ledger has the call."""
    secret = "ghp_" + "aB3dE5fG7hJ9" * 3
    put(home.memory("shop"), "leaky.md", topic("leaky", "x", description=f"token {secret} of the bot"))
    with serving(Reply((text("- `user_role.md`\nno_such.md\nfeedback_db.md"),))) as server:
        _agree(home, server)
        before = len(spent(home))
        answer = _recall(home, f"unrelated words {secret}", env=model_env(server))
        assert _files(answer) == ["user_role.md", "feedback_db.md"]
        asked = server.asked[-1]
    heard = asked.raw.decode()
    assert "backend developer, new to React" in heard
    assert "Twelve years of Go" not in heard
    assert secret not in heard
    assert len(spent(home)) == before + 1


def test_no_model_is_asked_that_costs_money_and_nobody_agreed_to(home: Home) -> None:
    """Words choose instead, and stderr says why."""
    home.config('[prices."claude-haiku-5-5"]\ninput = 1.0\noutput = 5.0\n')
    with serving(Reply((text("user_role.md"),))) as server:
        answer = _recall(home, "how do we test the database?", env=model_env(server))
        assert server.asked == []
    assert _files(answer) == ["feedback_db.md"]
    assert "nobody agreed" in answer.stderr


@pytest.mark.parametrize("config", ["off = true\n", 'exclude = ["**/shop"]\n', '[[project]]\nmatch = "**/shop"\nbackend = "offline"\n'])
def test_nothing_of_a_project_that_is_off_or_excluded_is_sent(home: Home, config: str) -> None:
    """Words choose there, on this machine."""
    home.config(f'{config}[prices."claude-haiku-5-5"]\ninput = 0\noutput = 0\n')
    with serving(Reply((text("user_role.md"),))) as server:
        (home.root / "credentials").write_text(f"ANTHROPIC_API_KEY={KEY}\nANTHROPIC_BASE_URL={server.url}\n")
        (home.root / "config.toml").write_text('backend = "anthropic"\n' + (home.root / "config.toml").read_text())
        assert _files(_recall(home, "how do we test the database?")) == ["feedback_db.md"]
        assert server.asked == []


def test_private_text_of_a_prompt_is_not_sent(home: Home) -> None:
    """What stands between the tags, or behind one that is never closed."""
    home.config('[prices."claude-haiku-5-5"]\ninput = 0\noutput = 0\n')
    with serving(Reply((text("none"),))) as server:
        _recall(home, "where do <private>the kangaroos</private> graze? <private> and the wombats", env=model_env(server))
        (asked,) = server.asked
    assert b"graze" in asked.raw
    assert b"One a line, or: none" in asked.raw
    assert b"kangaroos" not in asked.raw
    assert b"wombats" not in asked.raw


@pytest.mark.parametrize("reply", [Reply(status=529), Reply(status=401), Reply(raw=b"no json")])
def test_words_choose_where_the_model_cannot(home: Home, reply: Reply) -> None:
    """A server that is busy, refuses or babbles is told of, and the topic is found all the same."""
    home.config('[prices."claude-haiku-5-5"]\ninput = 0\noutput = 0\n')
    with serving(reply) as server:
        answer = _recall(home, "how do we test the database?", env=model_env(server))
    assert _files(answer) == ["feedback_db.md"]
    assert "chosen by words" in answer.stderr


def test_at_the_end_of_the_budget_words_choose(home: Home) -> None:
    """The cap is checked before the call: nothing is sent."""
    home.config('[budget]\nusd_per_day = 0.0\n[prices."claude-haiku-5-5"]\ninput = 1.0\noutput = 5.0\n')
    with serving(Reply((text("user_role.md"),))) as server:
        _agree(home, server)
        answer = _recall(home, "how do we test the database?", env=model_env(server))
        assert server.asked == []
    assert _files(answer) == ["feedback_db.md"]
    assert "chosen by words" in answer.stderr
    assert "day" in answer.stderr
