"""Promises about a consolidation by a model: what it may change, what carries over, the undo, and the client's lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractord.ledger import PAID
from tests.client_runs import PACKAGE, changes, client_env, settle
from tests.command import Answer as CommandAnswer
from tests.command import extractord
from tests.dreams import SESSION, THURSDAYS, TUESDAYS, agreed, lock_of, put_lock, rule, saved, shown, working
from tests.homes import DAY, Home, put, tree
from tests.model_runs import NOTHING, model_env, spent
from tests.needs import Needs
from tests.scripted_server import Answer, Block, ScriptedServer, call, serving

REAL = "Integration tests run against a real database, never against mocks of it."
NO_MOCKS = "Never mock the database in tests, a migration failed in production once."
MERGED = f"{REAL} A migration failed in production once."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def lay_out(home: Home, *, first: bool = False) -> Path:
    """A memory of ours with two topics on one subject and two that contradict each other."""
    home.project("shop")
    with working(home) as supervisor:
        if not first:
            agreed(supervisor, home, "shop")
        saved(
            supervisor,
            home,
            "shop",
            {
                "feedback_real.md": (rule("real database", REAL), 60),
                "feedback_mocks.md": (rule("no mocks", NO_MOCKS), 30),
                "feedback_tuesdays.md": (rule("deploy day", TUESDAYS), 50),
                "feedback_thursdays.md": (rule("day of deploys", THURSDAYS), 10),
            },
        )
    return home.memory("shop")


def dream(home: Home, server: ScriptedServer, *argv: str, **env: str) -> CommandAnswer:
    return extractord(home, "dream", "--cwd", str(home.project("shop")), *argv, env=model_env(server, **env))


def merge_calls() -> tuple[Block, ...]:
    quotes = [
        {"message": "feedback_real.md", "quote": "run against a real database"},
        {"message": "feedback_mocks.md", "quote": "a migration failed in production"},
    ]
    return (
        call("Edit", "c1", file_path="feedback_real.md", old_string=REAL, new_string=MERGED, evidence=quotes),
        call("Delete", "c2", file_path="feedback_mocks.md", evidence=quotes[:1]),
    )


def test_a_merge_takes_evidence_and_time_along_and_is_one_undo(home: Home) -> None:
    """The topic that stays is as old as the newest evidence in it and shows both sentences; an undo brings back every byte."""
    memory = lay_out(home)
    before, younger = tree(memory), (memory / "feedback_mocks.md").stat().st_mtime
    with serving(Answer(merge_calls())) as server:
        answer = dream(home, server)
        assert len(server.asked) == 1
    assert answer.status == 0, answer.stderr
    assert MERGED in (memory / "feedback_real.md").read_text()
    assert not (memory / "feedback_mocks.md").exists()
    assert "feedback_mocks.md" not in (memory / "MEMORY.md").read_text()
    assert (memory / "feedback_real.md").stat().st_mtime == pytest.approx(younger, abs=0.01)
    facts = extractord(home, "why", str(memory / "feedback_real.md"), "--json").lines
    assert [fact["quote"] for fact in facts] == ["said of feedback_real.md", "said of feedback_mocks.md"]
    assert {fact["session"] for fact in facts} == {SESSION}
    lock = lock_of(memory)
    assert lock is not None
    assert (lock[0], lock[1] < 120) == ("", True)
    entry = extractord(home, "log", "--json").lines[0]
    assert (entry["kind"], entry["outcome"]) == ("consolidation", "saved")
    assert {file["change"] for file in entry["files"]} == {"update", "delete"}
    assert extractord(home, "undo", entry["id"]).status == 0
    assert shown(tree(memory)) == shown(before)
    assert len(spent(home)) == 1


def test_the_newest_evidence_wins(home: Home) -> None:
    """The older of two that contradict each other may go on the word of the newer one, never the other way round."""
    memory = lay_out(home)
    older = [{"message": "feedback_tuesdays.md", "quote": TUESDAYS}]
    wrong = (
        call("Edit", "c1", file_path="feedback_thursdays.md", old_string=THURSDAYS, new_string=TUESDAYS, evidence=older),
        call("Delete", "c2", file_path="feedback_thursdays.md", evidence=older),
    )
    right = call("Delete", "c3", file_path="feedback_tuesdays.md", evidence=[{"message": "feedback_thursdays.md", "quote": THURSDAYS}])
    with serving(lambda asked, n: Answer(wrong) if n == 0 else Answer((right,))) as server:
        dream(home, server)
        told = [result["content"] for result in server.asked[1].results]
    assert "newer" in told[0], told
    assert [file["path"] for file in extractord(home, "review", "--json").only["files"]] == ["feedback_thursdays.md"]
    assert THURSDAYS in (memory / "feedback_thursdays.md").read_text()
    assert not (memory / "feedback_tuesdays.md").exists()


def test_many_that_go_at_once_wait_for_a_person(home: Home) -> None:
    """Whatever it cites: nothing is deleted, all of it is proposed, and a rejection is the end of it."""
    memory = lay_out(home)
    before = tree(memory)
    files = ["feedback_real.md", "feedback_mocks.md", "feedback_tuesdays.md", "feedback_thursdays.md", "reference_first.md"]
    quotes = {"feedback_real.md": REAL, "feedback_mocks.md": NO_MOCKS, "feedback_tuesdays.md": TUESDAYS, "feedback_thursdays.md": THURSDAYS}
    calls = tuple(
        call("Delete", f"c{n}", file_path=file, evidence=[{"message": file, "quote": quotes.get(file, "Dashboards are in Grafana")}])
        for n, file in enumerate(files)
    )
    with serving(Answer(calls)) as server:
        answer = dream(home, server)
        assert answer.status == 0
        pending = extractord(home, "review", "--json").only
        assert [file["change"] for file in pending["files"]] == ["delete"] * 5
        assert {k: v for k, v in tree(memory).items() if not k.startswith(".")} == {
            k: v for k, v in before.items() if not k.startswith(".")
        }
        assert extractord(home, "review", "--reject", pending["id"]).status == 0
        dream(home, server)
    assert extractord(home, "review", "--json").lines == ()
    assert sorted(file.name for file in memory.glob("*.md")) == sorted([*files, "MEMORY.md"])


@pytest.mark.parametrize("lock", [None, 3 * DAY])
def test_a_run_that_comes_too_late_changes_nothing_and_gives_the_lock_back(home: Home, lock: float | None) -> None:
    """As it was: with the time of the last run, or not there."""
    memory = lay_out(home)
    home.config("limits.extraction_seconds = 2\n")
    if lock is not None:
        put_lock(memory, "999999999", lock)
    before = tree(memory)
    with serving(Answer(merge_calls(), drip=0.05)) as server:
        answer = dream(home, server)
    assert answer.status == 1
    assert "in time" in answer.stderr
    assert shown(tree(memory)) == shown(before)
    seen = lock_of(memory)
    assert seen is None if lock is None else seen is not None and seen[1] == pytest.approx(lock, abs=60)


def test_while_the_client_consolidates_nothing_is_asked(home: Home) -> None:
    """A lock that a living process has held for less than an hour is respected; an older one, or a dead one's, is not."""
    memory = lay_out(home)
    with serving(NOTHING) as server:
        put_lock(memory, "1", 60)
        answer = dream(home, server)
        assert (answer.status, server.asked) == (1, [])
        seen = lock_of(memory)
        assert seen is not None
        assert (seen[0], seen[1] < 3600) == ("1", True)
        put_lock(memory, "1", 7200)
        assert dream(home, server).status == 0
        assert len(server.asked) == 1


def test_the_first_one_of_a_project_waits_for_review_and_keeps_its_times(home: Home) -> None:
    """Nothing is written before a person agrees; what is then written is as old as what it rests on, with the evidence."""
    memory = lay_out(home, first=True)
    before, younger = tree(memory), (memory / "feedback_mocks.md").stat().st_mtime
    with serving(Answer(merge_calls())) as server:
        assert dream(home, server).status == 0
    assert shown(tree(memory)) == shown(before)
    pending = extractord(home, "review", "--json").only
    assert extractord(home, "review", "--accept", pending["id"]).status == 0
    assert MERGED in (memory / "feedback_real.md").read_text()
    assert (memory / "feedback_real.md").stat().st_mtime == pytest.approx(younger, abs=0.01)
    assert len(extractord(home, "why", str(memory / "feedback_real.md"), "--json").lines) == 2
    entry = extractord(home, "log", "--json").lines[0]
    assert extractord(home, "undo", entry["id"]).status == 0
    assert shown(tree(memory)) == shown(before)


def test_lines_of_a_person_are_only_proposed(home: Home) -> None:
    """A topic of theirs is merged in a proposal, with all that hangs on it; ours alone is changed at once."""
    memory = lay_out(home)
    mine = put(memory, "feedback_mocks.md", rule("no mocks", NO_MOCKS + " Ask Zoe."), days_ago=20)
    with serving(Answer(merge_calls())) as server:
        dream(home, server)
    assert "Ask Zoe." in mine.read_text()
    pending = extractord(home, "review", "--json").only
    assert [file["path"] for file in pending["files"]] == ["feedback_mocks.md"]


def test_what_is_invented_or_misquoted_is_refused(home: Home) -> None:
    """A statement whose words stand nowhere, a quote that stands nowhere, a log, the index: each with its reason."""
    memory = lay_out(home)
    put(memory, "logs/2026/03/2026-03-01.md", "- 09:00 looked at the importer\n")
    before = tree(memory)
    good = [{"message": "feedback_real.md", "quote": "against a real database"}]
    calls = (
        call(
            "Edit",
            "c1",
            file_path="feedback_real.md",
            old_string=REAL,
            new_string=REAL + "\n\nKubernetes clusters roll out canaries hourly.",
            evidence=good,
        ),
        call(
            "Delete", "c2", file_path="feedback_real.md", evidence=[{"message": "feedback_real.md", "quote": "nobody ever said this here"}]
        ),
        call("Delete", "c3", file_path="feedback_real.md", evidence=[{"message": "m1", "quote": "against a real database"}]),
        call("Write", "c4", file_path="logs/2026/03/2026-03-02.md", content="- 10:00 x\n", evidence=good),
        call("Write", "c5", file_path="MEMORY.md", content="x", evidence=good),
    )
    with serving(lambda asked, n: Answer(calls) if n == 0 else NOTHING) as server:
        answer = dream(home, server)
        told = [result["content"] for result in server.asked[1].results]
    assert all(one.startswith("denied") for one in told), told
    assert "refused" in answer.stderr
    assert "nobody ever said" not in answer.stderr
    assert shown(tree(memory)) == shown(before)


def test_a_dry_run_shows_all_and_writes_nothing_but_its_spend(home: Home) -> None:
    """The diff on stdout; lock, ledger and memory as they were."""
    memory = lay_out(home)
    before = tree(memory)
    with serving(Answer(merge_calls())) as server:
        answer = dream(home, server, "--dry-run")
        assert f"+{MERGED}" in answer.stdout
    assert tree(memory) == before
    assert len(spent(home)) == 1
    assert len(extractord(home, "log", "--json").lines) == 2


def test_what_is_sent_is_memory_logs_and_norms_redacted(home: Home) -> None:
    """The topics, what is new in the logs and CLAUDE.md, without what looks like a secret; asked for once, the log is not new again."""
    memory = lay_out(home)
    put(home.project("shop"), "CLAUDE.md", "Run make check before every commit.\n")
    put(memory, "logs/2026/03/2026-03-01.md", "- 09:00 the zebra crossing is painted by Friday\n")
    put(memory, "reference_key.md", rule("key", "The key is " + "sk-ant-" + "api03-" + "Ab1" * 31 + "AA"))
    with serving(NOTHING) as server:
        dream(home, server)
        dream(home, server)
        first, second = (asked.raw.decode() for asked in server.asked)
    for words in (REAL, THURSDAYS, "make check before every commit", "zebra crossing"):
        assert words in first
    assert "Ab1Ab1" not in first
    assert "zebra crossing" not in second


def test_the_users_own_client_does_it_in_one_shot(home: Home, needs: Needs) -> None:
    """The same changes in one answer, under the same rules; nothing is asked before a person agreed."""
    memory = lay_out(home)
    claude = needs("claude", npm=PACKAGE)
    with serving(changes(*merge_calls())) as server:
        settle(home, server)
        argv = ("dream", "--cwd", str(home.project("shop")))
        refused = extractord(home, *argv, env=client_env(claude))
        assert (refused.status, server.asked) == (2, [])
        with working(home) as supervisor:
            supervisor.ledger.note_consent(PAID)
        answer = extractord(home, *argv, env=client_env(claude))
        assert answer.status == 0, answer.stderr
        assert len(server.asked) == 1
        assert "tidy up the long-term memory" in server.asked[0].raw.decode()
    assert MERGED in (memory / "feedback_real.md").read_text()
    assert not (memory / "feedback_mocks.md").exists()
