"""Promises of ``history.keep`` and ``evidence.keep``: what is old is let go of, and nothing that is still needed with it."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from extractord.claude_home import Surroundings
from extractord.config import Config, load
from extractord.history.retention import keep_house
from extractord.ledger import HeldChangeset, HeldFile, Ledger, LetGo, Outcome
from tests.command import extractord
from tests.homes import DAY, SAYINGS, Home
from tests.ledger_rows import MEMORY, carry_out, head, write

LINTER = "feedback_linter_commit.md"
NOW = time.time()
OLD = NOW - 200 * DAY


def _house_kept(ledger: Ledger, home: Home, config: Config | None = None) -> LetGo:
    return keep_house(ledger, config or load(home.root / "config.toml", {}), Surroundings(environ=home.env(), home=home.root), NOW)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_old_texts_go_but_never_the_newest_version_nor_what_waits(home: Home) -> None:
    """Of three old versions of a topic the last stays whole, a held text too; the words of the others are nowhere in the file."""
    with Ledger.open(home.state) as ledger:
        carry_out(ledger, head("c1", time=OLD), write("a.md", None, "first version\n"))
        carry_out(ledger, head("c2", time=OLD), write("a.md", "first version\n", "second version\n"))
        carry_out(ledger, head("c3", time=OLD), write("a.md", "second version\n", "third version\n"))
        for one in ("c1", "c2", "c3"):
            ledger.spares_settled(one)
        ledger.hold(
            HeldChangeset(head("h1", time=OLD, outcome=Outcome.PENDING_REVIEW), (HeldFile("b.md", None, "waiting words\n", "why"),))
        )
        assert _house_kept(ledger, home).versions == 2
        first, last = ledger.changeset("c1").files[0], ledger.changeset("c3").files[0]
        assert (first.let_go, first.before, first.after) == (True, None, None)
        assert (last.let_go, last.before, last.after) == (False, "second version\n", "third version\n")
        assert ledger.held()[0].files[0].after == "waiting words\n"
        assert ledger.own_lines(MEMORY, "a.md") == {"third version"}
        assert _house_kept(ledger, home) == LetGo()
    assert b"first version" not in (home.state / "ledger.sqlite").read_bytes()


def test_what_was_let_go_of_cannot_be_undone_and_says_so(home: Home) -> None:
    """``undo`` of it is refused with status 1 and the way out, ``show`` says why there is no diff, forgetting still works."""
    home.talk("shop", SAYINGS[0], days_ago=30)
    extractord(home, "once", "--json")
    ids = [line["id"] for line in extractord(home, "log", "--json").lines]
    with closing(sqlite3.connect(home.state / "ledger.sqlite")) as db, db:
        db.execute("UPDATE changesets SET time = ? WHERE id = ?", (OLD, ids[-1]))
        db.execute(
            "INSERT INTO changesets (id, time, memory_dir, outcome, kind, state, reason) SELECT 'zz', time, memory_dir, outcome,"
            " kind, state, reason FROM changesets WHERE id = ?",
            (ids[-1],),
        )
        db.execute(
            "INSERT INTO files (changeset, path, position, change, before, after, result, spare, reason) SELECT 'zz', path, 0,"
            " 'update', after, after, 'written', '', '' FROM files WHERE changeset = ?",
            (ids[-1],),
        )
    extractord(home, "once", "--json")
    refused = extractord(home, "undo", ids[-1])
    assert (refused.status, "history.keep" in refused.stderr, "extractord forget" in refused.stderr) == (1, True, True)
    assert "history.keep" in extractord(home, "show", ids[-1]).stdout
    assert extractord(home, "forget", "--project", home.project("shop"), "--yes").status == 0
    assert not (home.memory("shop") / LINTER).exists()


@pytest.mark.parametrize(
    ("config", "days", "kept"),
    [("", 7, False), ("", 30, True), ('evidence.keep = "forever"\n', 5, True), ('evidence.keep = "9d"\n', 30, False)],
)
def test_quotes_are_kept_as_long_as_is_wanted(home: Home, config: str, days: int, kept: bool) -> None:
    """For ever; as long as the client keeps transcripts where that is a week at most; or as configured. The fact itself stays."""
    home.config(config)
    home.config_home.mkdir(exist_ok=True)
    (home.config_home / "settings.json").write_text(json.dumps({"cleanupPeriodDays": days}))
    home.talk("shop", SAYINGS[0], days_ago=10)
    extractord(home, "once", "--json")
    [fact] = extractord(home, "why", LINTER, "--cwd", home.project("shop"), "--json").lines
    assert fact["quote"] == (SAYINGS[0] if kept else "")
    shown = extractord(home, "why", LINTER, "--cwd", home.project("shop")).stdout
    assert ("evidence.keep" in shown) is not kept
