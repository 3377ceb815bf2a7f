"""The ledger about changesets: prepared, applied, held, undone; facts, own lines, tombstones."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from extractord.errors import LedgerError
from extractord.ledger import Burial, ChangesetState, FileState, Finish, HeldChangeset, HeldFile, Kind, Ledger, Outcome
from extractord.memory.changeset import ChangeKind, digest_of
from extractord.memory.manifest import Tombstone
from extractord.memory.prepared import FileResult, IndexRestore, IndexSeen, Prepared, WriteState
from tests.ledger_rows import MEMORY, NOON, applied, carry_out, fact, head, prepared, sighting, stretch, write


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.open(tmp_path / "state", lambda: NOON)


def undo(ledger: Ledger, new: str, old: str, *, conflicted: tuple[str, ...] = ()) -> str:
    """Take a changeset back as ``history`` does: its topics' texts the other way round."""
    files = [file for file in ledger.changeset(old).files if file.result is FileState.WRITTEN]
    writes = [write(file.path, file.after, file.before) for file in files]
    return carry_out(ledger, head(new, Kind.UNDO, undoes=old), *writes, conflicted=conflicted)


def state(ledger: Ledger, id: str) -> ChangesetState:  # noqa: A002
    return ledger.changeset(id).row.state


# --- prepared and applied -------------------------------------------------------------------------------------------------


def test_a_prepared_changeset_comes_back_exactly(ledger: Ledger) -> None:
    """Every text, time, index line and the stretch's end, also texts that are no UTF-8 and an undo's index."""
    restore = IndexRestore("old \ud800", "new", 17)
    made = Prepared("c1", MEMORY, (write("a.md", None, "x\udc80\r\n\x00"), write("d/b.md", "y", None)), (), ".s", restore)
    finish = Finish(stretch(topics=("a.md",)), sighting(resume=bytes(range(256))), ("u1",))
    ledger.prepare(head("c1"), made, [fact("a.md", "half an emoji \ud83d")], finish=finish)
    (left,) = ledger.unfinished()
    assert (left.row, left.prepared, left.finish) == (head("c1"), made, finish)
    assert ledger.unfinished("/elsewhere") == ()
    assert ledger.changeset("c1").facts[0].quote == "half an emoji \ud83d"


def test_applying_ends_changeset_and_stretch_in_one(ledger: Ledger) -> None:
    """State, index, cursor and handled uuids; then nothing is unfinished, and a second time is refused."""
    made = prepared("c1", write("a.md", None, "x"))
    ledger.prepare(head("c1"), made, [fact("a.md")])
    assert ledger.claim(MEMORY, "s1", "k1")
    assert ledger.applied("c1", applied(made), Finish(stretch(changeset="c1"), sighting(), ("u1",))) is ChangesetState.APPLIED
    full = ledger.changeset("c1")
    assert full.row.state is ChangesetState.APPLIED
    assert (full.index, full.made_folders, full.notes) == (applied(made).index, (".",), ("one line shortened",))
    assert [(file.path, file.change, file.result) for file in full.files] == [("a.md", ChangeKind.CREATE, FileState.WRITTEN)]
    assert ledger.unfinished() == ()
    assert ledger.handled(["u1"]) == {"u1"}
    assert ledger.sighting("s1") == sighting()
    with pytest.raises(LedgerError, match="applied already"):
        ledger.applied("c1", applied(made), Finish(stretch(), sighting(), ("u2",)))
    assert ledger.handled(["u2"]) == frozenset()


def test_a_conflict_is_told_and_only_what_was_written_counts(ledger: Ledger) -> None:
    """One topic of two conflicted: applied, outcome conflicted, facts of the other only; all conflicted: nothing stands."""
    carry_out(ledger, head("c1"), write("a.md", "x", "x\ny"), write("b.md", None, "z"), conflicted=("a.md",))
    assert (ledger.changeset("c1").row.outcome, state(ledger, "c1")) == (Outcome.CONFLICTED, ChangesetState.APPLIED)
    assert [found.file for found in ledger.facts(MEMORY)] == ["b.md"]
    assert ledger.own_lines(MEMORY, "a.md") == frozenset()
    carry_out(ledger, head("c2"), write("a.md", "x", "w"), conflicted=("a.md",))
    assert state(ledger, "c2") is ChangesetState.CONFLICTED


KILLED = """
import sys, os, signal
from pathlib import Path
from extractord.ledger import *
from tests.ledger_rows import *
ledger = Ledger.open(Path(sys.argv[1]))
assert ledger.claim(MEMORY, "s1", "k1")
made = prepared("c1", write("a.md", None, "x"))
ledger.prepare(head("c1"), made, [fact("a.md")],
    held=HeldChangeset(head("h1"), (HeldFile("h.md", None, "run this", "reads like an order"),)),
    finish=Finish(stretch(changeset="c1"), sighting(), ("u1",)))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_between_prepared_and_applied_loses_nothing(tmp_path: Path) -> None:
    """The next start finds the changeset with everything needed to finish it and its stretch; the claim is free."""
    child = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path(__file__).parent.parent, check=False)
    assert child.returncode == -signal.SIGKILL
    with Ledger.open(tmp_path) as ledger:
        assert (ledger.sightings(), ledger.handled(["u1"]), ledger.stretch_rows("s1")) == ({}, frozenset(), ())
        assert ledger.claim(MEMORY, "s1", "k1")
        (left,) = ledger.unfinished()
        ledger.applied(left.row.id, applied(left.prepared), left.finish)
        assert ledger.unfinished() == ()
        assert ledger.handled(["u1"]) == {"u1"}
        assert ledger.sightings() == {"s1": sighting()}
        assert [found.changeset for found in ledger.facts(MEMORY)] == ["c1"]
        assert [waiting.files[0].path for waiting in ledger.held()] == ["h.md"]


def test_spare_files_stay_known_until_they_are_settled(ledger: Ledger) -> None:
    """A topic that proves to be conflicted only then no longer counts as ours. The index they know is the one that was replaced."""
    carry_out(ledger, head("c1"), write("a.md", None, "x"))
    carry_out(ledger, head("c2"), write("b.md", "p", "q"))
    assert [(spares.id, spares.applied) for spares in ledger.spares()] == [("c1", NOON), ("c2", NOON)]
    replaced = IndexSeen(None)  # ``applied`` says that there was none
    assert ledger.spares()[1].prepared == replace(prepared("c2", write("b.md", "p", "q")), index_seen=replaced)
    ledger.spares_settled("c1")
    ledger.spares_settled("c2", [FileResult("b.md", WriteState.CONFLICTED)])
    assert ledger.spares() == ()
    assert ledger.changeset("c2").row.outcome is Outcome.CONFLICTED
    assert [found.file for found in ledger.facts(MEMORY)] == ["a.md"]


def test_an_undo_that_proves_conflicted_late_took_nothing_back(ledger: Ledger) -> None:
    """The topic it could not change still stands."""
    carry_out(ledger, head("c1"), write("a.md", None, "x"))
    undo(ledger, "c2", "c1")
    ledger.spares_settled("c2", [FileResult("a.md", WriteState.CONFLICTED)])
    assert state(ledger, "c1") is ChangesetState.APPLIED
    assert [found.file for found in ledger.facts(MEMORY)] == ["a.md"]


def test_a_late_conflict_goes_down_the_whole_chain(ledger: Ledger) -> None:
    """An undo of an undo that took nothing back after all: the first undo stands, what it had taken back is gone again."""
    carry_out(ledger, head("c1"), write("a.md", None, "x"))
    undo(ledger, "c2", "c1")
    undo(ledger, "c3", "c2")
    assert (state(ledger, "c1"), state(ledger, "c2")) == (ChangesetState.APPLIED, ChangesetState.UNDONE)
    ledger.spares_settled("c3", [FileResult("a.md", WriteState.CONFLICTED)])
    assert (state(ledger, "c1"), state(ledger, "c2")) == (ChangesetState.UNDONE, ChangesetState.APPLIED)
    assert ledger.facts(MEMORY) == ()


# --- ids and lists --------------------------------------------------------------------------------------------------------


def test_ids_are_short_sort_by_time_and_differ(tmp_path: Path) -> None:
    """Twelve characters at most."""
    clock = iter(range(1, 10_000))
    with Ledger.open(tmp_path, lambda: NOON + next(clock) / 100) as ledger:
        ids = [ledger.new_id() for _ in range(200)]
    assert ids == sorted(ids)
    assert len(set(ids)) == 200
    assert {len(made) for made in ids} == {12}


def test_a_changeset_is_found_by_the_beginning_of_its_id(ledger: Ledger) -> None:
    """The whole id wins; an ambiguous, an empty and an unknown beginning are refused, wildcards mean nothing."""
    for made in ("abc1", "abc12", "abd"):
        carry_out(ledger, head(made), write("a.md", None, made))
    assert ledger.changeset("abc1").row.id == "abc1"
    assert ledger.changeset("ABD").row.id == "abd"
    with pytest.raises(LedgerError, match="abc1, abc12"):
        ledger.changeset("abc")
    for unknown in ("", "%", "ab_", "zz", "abc123"):
        with pytest.raises(LedgerError, match="no changeset"):
            ledger.changeset(unknown)


def test_changesets_are_listed_newest_first(ledger: Ledger) -> None:
    """With their files, limited, since a time, of one directory."""
    for number, where in enumerate((MEMORY, "/other", MEMORY)):
        carry_out(ledger, head(f"c{number}", memory_dir=where, time=NOON + number), write(f"{number}.md", None, "x"))
    assert [entry.row.id for entry in ledger.changesets()] == ["c2", "c1", "c0"]
    assert [entry.row.id for entry in ledger.changesets(limit=1)] == ["c2"]
    assert [entry.row.id for entry in ledger.changesets(since=NOON + 1)] == ["c2", "c1"]
    (_, first) = ledger.changesets(memory_dir=MEMORY)
    assert [(file.path, file.change) for file in first.files] == [("0.md", ChangeKind.CREATE)]


# --- undone ---------------------------------------------------------------------------------------------------------------


def test_an_undo_takes_facts_and_lines_back_and_its_undo_returns_them(ledger: Ledger) -> None:
    """However often."""
    carry_out(ledger, head("c0"), write("a.md", None, "one\ntwo\n"))
    ids = ["c0"]
    for number in range(1, 6):
        ids.append(undo(ledger, f"c{number}", ids[-1]))
        there = number % 2 == 0
        assert [found.changeset for found in ledger.facts(MEMORY)] == (["c0"] if there else [])
        assert ledger.own_lines(MEMORY, "a.md") == ({"one", "two"} if there else set())
        assert set(ledger.own_topics(MEMORY)) == ({"a.md"} if there else set())
        assert state(ledger, "c0") is (ChangesetState.APPLIED if there else ChangesetState.UNDONE)
        assert state(ledger, ids[-2]) is ChangesetState.UNDONE


def test_an_undo_that_meets_a_conflict_takes_back_the_rest(ledger: Ledger) -> None:
    """The changeset still stands as long as one of its topics does."""
    carry_out(ledger, head("c1"), write("a.md", None, "x"), write("b.md", None, "y"))
    undo(ledger, "c2", "c1", conflicted=("a.md",))
    assert state(ledger, "c1") is ChangesetState.APPLIED
    assert [(file.path, file.undone_by) for file in ledger.changeset("c1").files] == [("a.md", None), ("b.md", "c2")]
    assert [found.file for found in ledger.facts(MEMORY)] == ["a.md"]
    carry_out(ledger, head("c3", Kind.UNDO, undoes="c1"), write("a.md", "x", None))
    assert state(ledger, "c1") is ChangesetState.UNDONE


# --- whose lines ----------------------------------------------------------------------------------------------------------


def test_own_lines_are_those_we_added(ledger: Ledger) -> None:
    """Not what stood there before, not blank lines; line ends do not matter."""
    carry_out(ledger, head("c1"), write("a.md", "theirs\r\n", "theirs\r\nours\r\n\r\n"))
    carry_out(ledger, head("c2"), write("a.md", "theirs\r\nours\r\nlater\r\n", "theirs\r\nours\r\nlater\r\nmore"))
    assert ledger.own_lines(MEMORY, "a.md") == {"ours", "more"}
    assert ledger.own_lines(MEMORY, "b.md") == ledger.own_lines("/other", "a.md") == frozenset()


def test_what_an_undo_brings_back_stays_a_persons(ledger: Ledger) -> None:
    """We changed their line and took that back: it is not ours for that."""
    carry_out(ledger, head("c1"), write("a.md", "theirs\n", "changed\n"))
    undo(ledger, "c2", "c1")
    assert ledger.own_lines(MEMORY, "a.md") == frozenset()


def test_a_line_that_we_wrote_earlier_is_ours_again_after_an_undo(ledger: Ledger) -> None:
    """Our own older state returns as our own."""
    carry_out(ledger, head("c1"), write("a.md", None, "first\n"))
    carry_out(ledger, head("c2"), write("a.md", "first\n", "second\n"))
    undo(ledger, "c3", "c2")
    assert ledger.own_lines(MEMORY, "a.md") == {"first"}


def test_a_persons_line_stays_theirs_when_it_moves(ledger: Ledger) -> None:
    """Merging topics makes no foreign text ours; our own lines move as ours."""
    carry_out(ledger, head("c1"), write("a.md", "theirs\n", "theirs\nours\n"))
    carry_out(ledger, head("c2", Kind.CONSOLIDATION), write("a.md", "theirs\nours\n", None), write("b.md", None, "theirs\nours\nnew\n"))
    assert ledger.own_lines(MEMORY, "b.md") == {"ours", "new"}


def test_our_topics_are_known_by_their_last_state(ledger: Ledger) -> None:
    """With the text behind the digest; a topic that we deleted, or that was buried by itself, is not missed."""
    carry_out(ledger, head("c1"), write("a.md", None, "1"), write("b.md", None, "2"), write("c.md", None, "3"))
    carry_out(ledger, head("c2"), write("a.md", "1", "1\n1"), write("b.md", "2", None))
    assert ledger.own_topics(MEMORY) == {"a.md": digest_of("1\n1"), "c.md": digest_of("3")}
    assert ledger.text(digest_of("1\n1")) == "1\n1"
    assert ledger.text(digest_of("never")) is None
    ledger.bury(MEMORY, Tombstone("", ("a", "line"), NOON), "a.md")
    ledger.bury(MEMORY, Tombstone("c", ("3",), NOON), "c.md")
    assert set(ledger.own_topics(MEMORY)) == {"a.md"}
    carry_out(ledger, head("c3"), write("c.md", None, "again"))
    assert set(ledger.own_topics(MEMORY)) == {"a.md", "c.md"}


# --- facts, tombstones, held ----------------------------------------------------------------------------------------------


def test_facts_are_found_by_topic_and_by_session(ledger: Ledger) -> None:
    """In the order they were written, with the changeset they came by."""
    made = prepared("c1", write("b.md", None, "x"), write("a.md", None, "y"))
    ledger.prepare(head("c1"), made, [fact("b.md", "one"), fact("b.md", "two", "s2"), fact("a.md", "three")])
    assert ledger.facts(MEMORY) == ()
    ledger.applied("c1", applied(made))
    assert [found.quote for found in ledger.facts(MEMORY)] == ["three", "one", "two"]
    assert [found.quote for found in ledger.facts(MEMORY, "b.md")] == ["one", "two"]
    (second,) = ledger.facts_of_session("s2")
    assert (second.file, second.quote, second.changeset, second.offset) == ("b.md", "two", "c1", 12)


def test_a_tombstone_of_a_changeset_holds_as_long_as_it_does(ledger: Ledger) -> None:
    """Not before the file is gone, not after an undo, and again after that undo's undo."""
    carry_out(ledger, head("c0"), write("a.md", None, "x"))
    stone = Tombstone("a", ("x",), NOON)
    made = prepared("c1", write("a.md", "x", None))
    ledger.prepare(head("c1"), made, burials=[Burial(stone, "a.md")])
    assert ledger.tombstones(MEMORY) == ()
    ledger.applied("c1", applied(made))
    assert ledger.burials(MEMORY) == (Burial(stone, "a.md", "c1"),)
    undo(ledger, "c2", "c1")
    assert ledger.tombstones(MEMORY) == ()
    undo(ledger, "c3", "c2")
    assert ledger.tombstones(MEMORY) == (stone,)


def test_tombstones_come_newest_first(ledger: Ledger) -> None:
    """Per directory, with their words."""
    for slug, when in (("old", 1.0), ("new", 3.0), ("mid", 2.0)):
        ledger.bury(MEMORY, Tombstone(slug, (slug, "wörd"), when), f"{slug}.md")
    ledger.bury("/other", Tombstone("x", (), 9.0), "x.md")
    assert [stone.words for stone in ledger.tombstones(MEMORY)] == [("new", "wörd"), ("mid", "wörd"), ("old", "wörd")]


def test_what_is_held_waits_beside_what_was_written(ledger: Ledger) -> None:
    """Two ids; the facts go with their topics; the same proposal never waits twice, and its stretch ends all the same."""
    waiting = HeldFile("h.md", None, "run this", "reads like an order")
    gone = HeldFile("g.md", "text", None, "a person wrote it")
    made = prepared("c1", write("a.md", None, "x"))
    ledger.prepare(head("c1"), made, [fact("a.md")], held=held("h1", waiting, gone))
    ledger.applied("c1", applied(made))
    (kept,) = ledger.held()
    assert (kept.row.id, kept.row.state, kept.files) == ("h1", ChangesetState.HELD, (waiting, gone))
    assert [found.file for found in kept.facts] == ["h.md", "g.md"]
    assert [found.file for found in ledger.facts(MEMORY)] == ["a.md"]
    assert ledger.totals().pending_review == 1
    again = stretch(outcome=Outcome.PENDING_REVIEW, changeset="h2")
    assert not ledger.hold(held("h2", waiting, gone), Finish(again, sighting(), ("u1",)))
    assert ledger.stretch_rows("s1")[0].changeset is None
    assert ledger.handled(["u1"]) == {"u1"}
    assert ledger.hold(held("h3", waiting, HeldFile("i.md", "p", "q", "secret")))
    assert [file.path for file in ledger.held()[1].files] == ["i.md"]
    assert ledger.held("/other") == ()


def held(id: str, *files: HeldFile) -> HeldChangeset:  # noqa: A002
    return HeldChangeset(head(id, outcome=Outcome.PENDING_REVIEW), files, tuple(fact(file.path) for file in files))


def test_a_held_changeset_is_accepted_by_another_or_rejected(ledger: Ledger) -> None:
    """Accepted once its carrier is applied; one that conflicted leaves it waiting; both only once."""
    for made in ("h1", "h2"):
        ledger.hold(held(made, HeldFile(f"{made}.md", None, "text", "why")))
    carry_out(ledger, head("r1", Kind.REVIEW, accepts="h1"), write("h1.md", None, "text"), conflicted=("h1.md",))
    assert [waiting.row.id for waiting in ledger.held()] == ["h1", "h2"]
    carry_out(ledger, head("r2", Kind.REVIEW, accepts="h1"), write("h1.md", None, "text"))
    ledger.reject("h2", "not true")
    assert (state(ledger, "h1"), state(ledger, "h2")) == (ChangesetState.ACCEPTED, ChangesetState.REJECTED)
    assert ledger.held() == ()
    assert [found.changeset for found in ledger.facts(MEMORY)] == ["r2"]
    with pytest.raises(LedgerError, match="does not wait"):
        ledger.reject("h1", "too late")


def test_texts_are_kept_once(tmp_path: Path) -> None:
    """A topic's long history costs one copy per state."""
    with Ledger.open(tmp_path) as ledger:
        for number in range(10):
            texts = ("short", "long " * 1_000) if number % 2 else ("long " * 1_000, "short")
            carry_out(ledger, head(f"c{number}"), write("a.md", *texts), write("b.md", *texts))
        assert ledger.changeset("c3").files[1].after == "long " * 1_000
    with sqlite3.connect(tmp_path / "ledger.sqlite") as db:
        assert db.execute("SELECT count(*) FROM texts WHERE body LIKE 'long %'").fetchone() == (1,)
    db.close()
