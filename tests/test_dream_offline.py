"""Promises about putting memory in order offline: what is merged, dropped, dated, marked and made of logs, and that once is enough."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from extractord.consolidation.marks import marked, named_in, without_mark
from extractord.ledger import Outcome
from extractord.memory.daily_log import path_of
from extractord.memory.topics import parse
from tests.command import extractord
from tests.dreams import WHY, agreed, dreamt, rule, saved, shown, working
from tests.homes import Home, put, topic, tree
from tests.large_memory import large

LINTER = "Always run the linter before every single commit."
TODAY = date(2026, 12, 1)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.project("shop")
    return home


def ordered(home: Home, topics: dict[str, tuple[str, float]]) -> Path:
    """Save topics as ours and put memory in order; twice, since the second time must change nothing."""
    with working(home) as supervisor:
        agreed(supervisor, home, "shop")
        saved(supervisor, home, "shop", topics)
        dreamt(supervisor, home, "shop")
        once = tree(home.memory("shop"))
        assert dreamt(supervisor, home, "shop").changeset is None
        assert shown(tree(home.memory("shop"))) == shown(once)
    return home.memory("shop")


def left(memory: Path) -> list[str]:
    return sorted(file.name for file in memory.glob("*.md") if file.name not in ("MEMORY.md", "reference_first.md"))


def test_of_duplicates_the_newest_stays_with_the_reason_of_the_other(home: Home) -> None:
    """Its evidence is there too, and the line of the other leaves the index."""
    why = LINTER + "\n\n**Why:** the build broke twice.\n**How to apply:** always."
    memory = ordered(home, {"feedback_a.md": (topic("a", why), 50), "feedback_b.md": (rule("b", LINTER), 5)})
    assert left(memory) == ["feedback_b.md"]
    assert "the build broke twice" in (memory / "feedback_b.md").read_text()
    facts = extractord(home, "why", str(memory / "feedback_b.md"), "--json").lines
    assert [fact["quote"] for fact in facts] == ["said of feedback_b.md", "said of feedback_a.md"]
    assert "feedback_a.md" not in (memory / "MEMORY.md").read_text()


@pytest.mark.parametrize(
    "other",
    [
        "Never run the linter before every single commit.",
        "Always run the formatter before every single commit.",
        "Always run the linter before every 2nd single commit.",
        "Always commit before every single run of the linter.",
    ],
)
def test_what_differs_in_a_word_that_tells_something_is_not_the_same(home: Home, other: str) -> None:
    """A denial, another thing, a number, another order: two topics."""
    memory = ordered(home, {"feedback_a.md": (rule("a", LINTER), 50), "feedback_b.md": (rule("b", other), 5)})
    assert left(memory) == ["feedback_a.md", "feedback_b.md"]


def test_of_duplicates_the_persons_own_stays(home: Home) -> None:
    """Ours goes, whichever is newer: a person's words are not touched."""
    put(home.memory("shop"), "feedback_mine.md", rule("mine", LINTER), days_ago=90)
    before = (home.memory("shop") / "feedback_mine.md").read_bytes()
    memory = ordered(home, {"feedback_a.md": (rule("a", LINTER), 5)})
    assert left(memory) == ["feedback_mine.md"] or (memory / "feedback_mine.md").read_bytes() == before


def test_two_of_a_person_that_say_the_same_are_only_proposed(home: Home) -> None:
    """Both stay until the person says so."""
    for name, days in (("one", 90.0), ("two", 9.0)):
        put(home.memory("shop"), f"feedback_{name}.md", rule(name, LINTER), days_ago=days)
    memory = ordered(home, {})
    assert left(memory) == ["feedback_one.md", "feedback_two.md"]
    pending = extractord(home, "review", "--json").only
    assert [file["path"] for file in pending["files"]] == ["feedback_one.md"]


def test_what_is_over_goes_and_what_was_decided_stays(home: Home) -> None:
    """A freeze of last spring; not a decision of that day, not what begins then and goes on, not what lies ahead."""
    ahead = (date.today() + timedelta(days=30)).isoformat()  # noqa: DTZ011
    texts = {
        "project_freeze.md": "All merges are frozen until 2026-03-05 for the mobile release.",
        "project_decided.md": "On 2026-03-05 we decided to keep Postgres for the ledger.",
        "project_since.md": "Since 2026-03-05 the staging cluster runs in Frankfurt.",
        "project_ahead.md": f"All merges are frozen until {ahead} for the audit.",
    }
    memory = ordered(home, {file: (topic(file, text + WHY, "project"), 100) for file, text in texts.items()})
    assert left(memory) == ["project_ahead.md", "project_decided.md", "project_since.md"]


def test_more_that_is_over_than_one_in_four_waits_for_a_person(home: Home) -> None:
    """The guard counts what nothing else says."""
    topics = {
        f"project_{n}.md": (topic(f"p{n}", f"The {name} is frozen until 2026-03-0{n + 1}." + WHY, "project"), 100.0)
        for n, name in enumerate(("shop", "site", "mailer", "billing"))
    }
    memory = ordered(home, topics)
    assert left(memory) == sorted(topics)
    assert "would go at once" in extractord(home, "review", "--json").only["reason"]


def test_what_stands_in_claude_md_goes(home: Home) -> None:
    """Norms are people's; the same is not kept twice."""
    put(home.project("shop"), "CLAUDE.md", f"# Rules\n\n- {LINTER}\n")
    memory = ordered(home, {"feedback_a.md": (rule("a", LINTER), 5), "feedback_b.md": (rule("b", "Answer in French."), 5)})
    assert left(memory) == ["feedback_b.md"]


def test_relative_dates_are_written_out_from_the_day_of_the_topic(home: Home) -> None:
    """In our topics of type project; the topic keeps its time."""
    memory = ordered(home, {"project_a.md": (topic("a", "The auditors of the ledger arrive tomorrow." + WHY, "project"), 10)})
    day = date.fromtimestamp((memory / "project_a.md").stat().st_mtime) + timedelta(days=1)  # noqa: DTZ012
    assert f"tomorrow ({day.isoformat()})" in (memory / "project_a.md").read_text()


def test_topics_that_name_what_is_gone_are_marked_and_unmarked(home: Home) -> None:
    """Not deleted; what is there, wherever in the project, and prose are left alone; the mark goes when the file comes back."""
    put(home.project("shop"), "src/app.py", "def run_importer():\n    pass\n")
    text = "The importer is `src/old.py` and src/app.py, in words app.py; it calls `run_importer()` and `old_step()`, see `make deploy`."
    memory = ordered(home, {"reference_a.md": (topic("a", text, "reference"), 10)})
    marked_text = (memory / "reference_a.md").read_text()
    assert "Not found in the project on" in marked_text
    assert marked_text.rstrip().endswith("`src/old.py`, `old_step`")
    put(home.project("shop"), "src/old.py", "def old_step(): ...\n")
    with working(home) as supervisor:
        dreamt(supervisor, home, "shop")
    assert "Not found" not in (memory / "reference_a.md").read_text()


def test_bullets_become_topics_by_the_offline_rules(home: Home) -> None:
    """Ours say their kind, the client's are read like speech; what says nothing lasting stays in its log, and the log as it is."""
    day = date.today() - timedelta(days=4)  # noqa: DTZ011
    text = (
        "- 09:00 From now on always use pnpm instead of npm in this repository.\n- 10:00 looked at the importer\n"
        "- 11:00 [feedback] Never deploy on Fridays. **Why:** nobody is there. **How to apply:** to all services.\n"
    )
    log = put(home.memory("shop"), path_of(day), text, days_ago=4)
    memory = ordered(home, {})
    bodies = {file: parse((memory / file).read_text()) for file in left(memory)}
    assert sorted(topic.type for topic in bodies.values()) == ["feedback", "feedback"]
    fridays = next(topic for topic in bodies.values() if "Fridays" in topic.body)
    assert "**Why:** nobody is there." in fridays.body
    assert "**How to apply:** to all services." in fridays.body
    assert log.read_text() == text
    pnpm = next(file for file, topic in bodies.items() if "pnpm" in topic.body)
    [fact] = extractord(home, "why", str(memory / pnpm), "--json").lines
    assert (fact["message"], "pnpm" in fact["quote"]) == (path_of(day), True)
    log.write_text(text + "- 12:00 [feedback] Always sign the release tags by hand.\n")
    with working(home) as supervisor:
        assert len(dreamt(supervisor, home, "shop").files) == 1


def test_a_later_bullet_changes_what_an_earlier_one_said(home: Home) -> None:
    """Day by day: the newest statement stands, in one topic."""
    for days, text in (
        (9, "From now on always deploy the shop service on Tuesdays."),
        (3, "Forget the rule about deploying the shop service, we no longer do that."),
    ):
        put(home.memory("shop"), path_of(date.today() - timedelta(days=days)), f"- 09:00 {text}\n", days_ago=days)  # noqa: DTZ011
    assert left(ordered(home, {})) == []


def test_what_a_person_removed_does_not_come_back_from_a_log(home: Home) -> None:
    """A bullet from before the removal makes no topic again."""
    put(home.memory("shop"), path_of(date.today() - timedelta(days=9)), "- 09:00 From now on always use pnpm instead of npm here.\n")  # noqa: DTZ011
    memory = ordered(home, {})
    [file] = left(memory)
    assert extractord(home, "forget", str(memory / file), "--yes").status == 0
    put(memory, path_of(date.today() - timedelta(days=8)), "- 09:00 From now on always use pnpm instead of npm here.\n")  # noqa: DTZ011
    with working(home) as supervisor:
        dreamt(supervisor, home, "shop")
    assert left(memory) == []


def test_daily_logs_of_ours_are_distilled(home: Home) -> None:
    """From a session over the log to a topic that shows the sentence it came from."""
    home.config('memory.style = "daily-log"\n')
    home.talk("shop", "From now on always run the linter before you commit.", days_ago=2)
    extractord(home, "once", "--json")
    assert left(home.memory("shop")) == []
    with working(home) as supervisor:
        agreed(supervisor, home, "shop")
    assert extractord(home, "dream", "--cwd", str(home.project("shop"))).status == 0
    [file] = left(home.memory("shop"))
    [fact] = extractord(home, "why", str(home.memory("shop") / file), "--json").lines
    assert "always run the linter" in fact["quote"]
    assert fact["session"]


def test_dead_lines_leave_the_index_and_an_undo_brings_them_back(home: Home) -> None:
    """The line of a file that is not there; headings, prose and other lines stay."""
    index = "# Mine\n\n- [first](reference_first.md) — x\n- [gone](gone.md) — no more\n\nProse.\n"
    with working(home) as supervisor:
        agreed(supervisor, home, "shop")
        put(home.memory("shop"), "MEMORY.md", index)
        done = dreamt(supervisor, home, "shop")
    assert (home.memory("shop") / "MEMORY.md").read_text() == index.replace("- [gone](gone.md) — no more\n", "")
    assert done.changeset is not None
    assert extractord(home, "undo", done.changeset).status == 0
    assert (home.memory("shop") / "MEMORY.md").read_text() == index


def test_a_memory_of_years_is_put_in_order_once(home: Home) -> None:
    """A thousand topics and four hundred days of logs: the second time changes not a byte, and nothing of a person's is touched."""
    memory = large(home, "shop")
    before = tree(memory)
    with working(home) as supervisor:
        agreed(supervisor, home, "shop")
        first = dreamt(supervisor, home, "shop")
        after = tree(memory)
        second = dreamt(supervisor, home, "shop")
        assert shown(tree(memory)) == shown(after)
    assert first.outcome is Outcome.PENDING_REVIEW
    assert second.changeset is None
    assert len(first.files) > 20
    assert {file for file, what in before.items() if after.get(file) != what} == {"MEMORY.md"}


# --- marks


def test_which_names_are_code() -> None:
    """Paths with an ending of code, identifiers written as code; not addresses, versions, commands or plain words."""
    code = "See src/a.py:12, `lib/b.ts`, `c.go`, `Shop.run_all()`, `snake_case`, `CamelCase`"
    named = named_in(f"{code}; https://x.org/y/z.py 1.2.3 `make x` `word` ~/d.py /e/f.py")
    assert named.files == ("src/a.py", "lib/b.ts", "c.go")
    assert named.symbols == ("run_all", "snake_case", "CamelCase")


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_mark_is_put_once_and_taken_off_whole(eol: str) -> None:
    """The same names keep their day; without a mark the text is as before."""
    text = f"---{eol}name: a{eol}---{eol}{eol}Body.{eol}"
    once = marked(text, ["x.py"], TODAY)
    assert marked(once, ["x.py"], TODAY + timedelta(days=9)) == once
    assert marked(once, ["x.py", "y.py"], TODAY).count("Not found") == 1
    assert marked(once, [], TODAY) == without_mark(once) == text
