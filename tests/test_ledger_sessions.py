"""The ledger about sessions: sightings, outcomes, claims, our own runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from extractord.ledger import Ledger, Outcome, weightiest
from extractord.ledger.owners import Owner
from extractord.system.pids import started_at
from tests.ledger_rows import MEMORY, NOON, sighting, stretch


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.open(tmp_path / "state", lambda: NOON)


def test_a_sighting_comes_back_as_it_was_noted(ledger: Ledger) -> None:
    """By session id, the newest only, whatever the strings hold."""
    odd = sighting("s2", path="/t/\udcff\ud800.jsonl", cwd="/日本/\x00", inode=2**64 - 1, project_root=None, uuid=None, unfinished=True)
    for seen in (sighting("s1", offset=1), sighting("s1"), odd):
        ledger.note_sighting(seen)
    assert ledger.sightings() == {"s1": sighting("s1"), "s2": odd}
    assert ledger.sighting("s2") == odd
    assert ledger.sighting("s3") is None


def test_the_root_of_a_folder_that_is_gone_is_remembered(ledger: Ledger) -> None:
    """The newest session that ran there counts."""
    ledger.note_sighting(sighting("s1", cwd="/w/x", project_root="/old", mtime_ns=1))
    ledger.note_sighting(sighting("s2", cwd="/w/x", project_root="/new", mtime_ns=2))
    ledger.note_sighting(sighting("s3", cwd="/w/x", project_root=None, mtime_ns=3))
    assert ledger.root_seen("/w/x") == "/new"
    assert ledger.root_seen("/w") is None


def test_an_outcome_moves_the_cursor_and_handles_its_prompts_in_one(ledger: Ledger) -> None:
    """``finish`` writes all of it; without a sighting the cursor stays."""
    ledger.finish(stretch(), sighting(offset=50), ["u1", "u2", "u2"])
    ledger.finish(stretch(key="k2", outcome=Outcome.FAILED, next_try=NOON + 60))
    assert ledger.sighting("s1") == sighting(offset=50)
    assert ledger.handled(["u1", "u3"]) == {"u1"}
    assert ledger.handled(["u1"], other_than="s1") == frozenset()
    assert ledger.handled(["u1"], other_than="s2") == {"u1"}
    assert [row.key for row in ledger.retries()] == ["k2"]


def test_very_many_uuids_may_be_asked_at_once(ledger: Ledger) -> None:
    """No limit on variables is in the way."""
    ledger.finish(stretch(), None, [f"u{n}" for n in range(50_000)])
    assert len(ledger.handled(f"u{n}" for n in range(49_000, 60_000))) == 1_000


def test_the_newest_outcome_of_a_stretch_counts_and_the_older_stay(ledger: Ledger) -> None:
    """A retry adds to the history; every field comes back."""
    failed = stretch(outcome=Outcome.FAILED, attempts=6, parked=True, reason="no answer", cost_usd=0.01, sandbox="full")
    saved = stretch(topics=("a.md", "b/c.md"), changeset="c1", cost_usd=0.02, ended=NOON - 5, input_tokens=7, seconds=1.5)
    other = stretch(key="k0", number=1, outcome=Outcome.SKIPPED)
    for row in (failed, saved, other):
        ledger.finish(row)
    assert ledger.stretch_rows("s1") == (saved, other)
    assert ledger.stretch_row("s1", "k1") == saved
    assert ledger.stretch_row("s1", "nope") is None
    assert ledger.history("s1", "k1") == (saved, failed)


def test_a_session_is_listed_with_its_weightiest_stretch_and_sums(ledger: Ledger) -> None:
    """``sessions``: newest first, one row each, filtered by what it stands at."""
    ledger.finish(stretch("s1", "k1", Outcome.FAILED, cost_usd=0.01, time=1.0))
    ledger.finish(stretch("s1", "k1", Outcome.SAVED, cost_usd=0.02, time=2.0, topics=("a.md",), reason="2 topics"))
    ledger.finish(stretch("s1", "k2", Outcome.SKIPPED, number=1, time=3.0))
    ledger.finish(stretch("s2", "k1", Outcome.NOTHING_TO_SAVE, time=4.0))
    newest, oldest = ledger.sessions()
    assert (newest.session, newest.stretches) == ("s2", 1)
    assert (oldest.outcome, oldest.reason, oldest.topics, oldest.stretches, oldest.time) == (Outcome.SAVED, "2 topics", ("a.md",), 2, 3.0)
    assert oldest.cost_usd == pytest.approx(0.03)
    assert [row.session for row in ledger.sessions(Outcome.SAVED)] == ["s1"]
    assert ledger.sessions(Outcome.FAILED) == ()


def test_what_a_person_must_see_outweighs_what_went_well() -> None:
    """Failure first, skipped last; what waits for time does not hide what was saved."""
    assert weightiest(Outcome) is Outcome.FAILED
    assert weightiest([Outcome.SKIPPED, Outcome.SAVED, Outcome.POSTPONED]) is Outcome.SAVED
    assert weightiest([Outcome.SKIPPED, Outcome.NOTHING_TO_SAVE]) is Outcome.NOTHING_TO_SAVE


def test_a_parked_stretch_waits_until_a_person_asks_again(ledger: Ledger) -> None:
    """It is counted, not retried; ``unpark`` makes it due from the first attempt."""
    ledger.note_sighting(sighting())
    ledger.finish(stretch(outcome=Outcome.FAILED, attempts=6, parked=True, next_try=None))
    ledger.finish(stretch(key="k2", outcome=Outcome.POSTPONED, next_try=NOON))
    assert [row.key for row in ledger.retries()] == ["k2"]
    assert (ledger.totals().parked, ledger.totals().sessions_known) == (1, 1)
    assert ledger.unpark("s1") == 1
    assert {row.key: row.attempts for row in ledger.retries()} == {"k1": 0, "k2": 1}
    seen = ledger.sighting("s1")
    assert seen
    assert seen.unfinished
    last = ledger.totals().last_outcome
    assert last
    assert last.key == "k2"


def test_marks_are_made_once(ledger: Ledger) -> None:
    """Own runs, backups, consents, the watermark."""
    assert (ledger.backup_made(MEMORY), ledger.consent("anthropic"), ledger.watermark()) == (None, None, None)
    ledger.note_own_run("r1")
    ledger.note_backup(MEMORY, "/b/1")
    ledger.note_backup(MEMORY, "/b/2")
    ledger.note_consent("anthropic")
    ledger.note_watermark(5.0)
    ledger.note_watermark(6.0)
    assert ledger.own_runs() == {"r1"}
    assert (ledger.backup_made(MEMORY), ledger.consent("anthropic"), ledger.watermark()) == ("/b/1", NOON, 6.0)


def test_memory_directories_are_known_from_sessions(ledger: Ledger) -> None:
    """Each once."""
    ledger.note_sighting(sighting("s1"))
    ledger.note_sighting(sighting("s2"))
    ledger.note_sighting(sighting("s3", memory_dir="/other"))
    assert ledger.memory_dirs() == (MEMORY, "/other")


# --- claims ---------------------------------------------------------------------------------------------------------------

CLAIM = """
import sys, time
from pathlib import Path
from extractord.ledger import Ledger
ledger = Ledger.open(Path(sys.argv[1]))
taken = [key for key in map(str, range(40)) if ledger.claim("m", "s", key)]
print(*taken, flush=True)
sys.stdin.read()
"""


def _claimer(state: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", CLAIM, str(state)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_of_two_processes_one_gets_each_stretch(tmp_path: Path) -> None:
    """Two that claim at once share the stretches without an overlap and without a gap."""
    Ledger.open(tmp_path).close()
    both = [_claimer(tmp_path) for _ in range(2)]
    taken = [child.stdout.readline().split() for child in both if child.stdout]
    for child in both:
        child.communicate()
    assert sorted(taken[0] + taken[1], key=int) == [str(n) for n in range(40)]


def test_a_dead_owners_claims_are_free(tmp_path: Path) -> None:
    """Also while nobody has waited for the killed process yet: a zombie does no work."""
    child = _claimer(tmp_path)
    assert child.stdout
    assert len(child.stdout.readline().split()) == 40
    with Ledger.open(tmp_path) as ledger:
        assert not ledger.claim("m", "s", "1")
        os.kill(child.pid, signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert ledger.claim("m", "s", "1")
    child.communicate()


def test_a_claim_ends_with_finish_release_or_closing(tmp_path: Path) -> None:
    """Another opening of the ledger in the same process counts as another owner."""
    mine, other = Ledger.open(tmp_path), Ledger.open(tmp_path)
    assert all(mine.claim(MEMORY, "s1", key) for key in ("k1", "k1", "k2", "k3"))
    other.release("s1", "k1")
    assert not any(other.claim(MEMORY, "s1", key) for key in ("k1", "k2", "k3"))
    mine.finish(stretch(key="k1"))
    mine.release("s1", "k2")
    assert [other.claim(MEMORY, "s1", key) for key in ("k1", "k2", "k3")] == [True, True, False]
    mine.close()
    assert other.claim(MEMORY, "s1", "k3")
    other.close()


def test_a_later_process_of_the_same_number_is_another() -> None:
    """The number alone proves nothing; where the start is known it must fit."""
    here = Owner.here()
    assert here.lives
    assert not Owner(here.token, here.pid, "0:0").lives or not started_at(here.pid)
    assert not Owner(here.token, 2**22 + 5, here.started).lives


def test_the_night_is_remembered_over_a_restart(tmp_path: Path) -> None:
    """When the nightly work was last done stands in the ledger; before the first night there is nothing."""
    with Ledger.open(tmp_path / "state", lambda: NOON) as ledger:
        assert ledger.last_night() is None
        ledger.note_night()
    with Ledger.open(tmp_path / "state") as again:
        assert again.last_night() == NOON
