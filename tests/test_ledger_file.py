"""The ledger's file: how it is made, upgraded, copied, and what happens when it is broken or goes away."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from extractord.errors import BusyError, LedgerError
from extractord.ledger import Ledger, LedgerDamagedError, copies, opening
from extractord.ledger import store as ledger_store
from tests.ledger_rows import NOON, sighting, stretch

DAY = 86_400.0


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_the_file_and_the_folder_are_for_their_owner_alone(tmp_path: Path) -> None:
    """A new state folder is 0700; ledger, log and lock are 0600."""
    state = tmp_path / "deep" / "state"
    with Ledger.open(state) as ledger:
        ledger.note_sighting(sighting())
        assert mode(state) == 0o700
        assert {mode(path) for path in state.iterdir() if path.is_file()} == {0o600}
        assert (state / "ledger.sqlite-wal").exists()


def test_an_existing_folder_keeps_its_mode_and_a_loose_file_loses_it(tmp_path: Path) -> None:
    """A folder that was there may be somebody's; the ledger in it is always private."""
    tmp_path.chmod(0o755)
    Ledger.open(tmp_path).close()
    (tmp_path / "ledger.sqlite").chmod(0o644)
    Ledger.open(tmp_path).close()
    assert (mode(tmp_path), mode(tmp_path / "ledger.sqlite")) == (0o755, 0o600)


def test_commits_are_synced_and_tables_strict(tmp_path: Path) -> None:
    """WAL with synchronous=FULL: what was said to be kept is kept through a power cut."""
    opened = opening.open_file(tmp_path, opening.migrations(), NOON)
    with opened.store.reading() as tx:
        pragmas = [tx._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "foreign_keys")]
        tables = tx._db.execute("SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite%'").fetchall()
    opened.close()
    assert pragmas == ["wal", 2, 1]
    assert tables
    assert all(table["strict"] for table in tables)


def test_asking_whether_there_is_a_ledger_makes_none(tmp_path: Path) -> None:
    """``exists`` touches nothing."""
    assert not Ledger.exists(tmp_path / "state")
    assert not (tmp_path / "state").exists()


def test_a_newer_ledger_is_refused_and_left_alone(tmp_path: Path) -> None:
    """A schema from the future is not touched, and the error says what to do."""
    Ledger.open(tmp_path).close()
    db = sqlite3.connect(tmp_path / "ledger.sqlite")
    db.execute("PRAGMA user_version = 99")
    db.close()
    before = (tmp_path / "ledger.sqlite").read_bytes()
    for attempt in (Ledger.open, Ledger.in_memory):
        with pytest.raises(LedgerError, match="schema 99") as caught:
            attempt(tmp_path)
        assert "newer" in caught.value.hint
        assert str(tmp_path) in caught.value.message
    assert (tmp_path / "ledger.sqlite").read_bytes() == before


def test_a_program_from_before_an_upgrade_writes_no_more(tmp_path: Path) -> None:
    """A daemon that still runs when a newer one upgrades the ledger stops instead of writing into the new schema."""
    with Ledger.open(tmp_path) as old:
        opening.open_file(tmp_path, (*opening.migrations(), "CREATE TABLE novelty (x INTEGER) STRICT;"), NOON).close()
        with pytest.raises(LedgerError, match=f"schema {len(opening.migrations()) + 1}"):
            old.note_sighting(sighting())


def test_the_first_schema_is_brought_up_to_date_with_its_rows(tmp_path: Path) -> None:
    """From 001 every later migration runs once, in order, and nothing is lost."""
    first = opening.open_file(tmp_path, opening.migrations()[:1], NOON)
    first.close()
    db = sqlite3.connect(tmp_path / "ledger.sqlite")
    db.execute("INSERT INTO own_runs VALUES ('mine', 1.0)")
    db.commit()
    db.close()
    with Ledger.open(tmp_path) as ledger:
        assert ledger.own_runs() == {"mine"}
    later = (*opening.migrations(), "ALTER TABLE own_runs ADD COLUMN why TEXT;\nCREATE TABLE a (x TEXT) STRICT;", "DROP TABLE a;")
    opening.open_file(tmp_path, later, NOON).close()
    db = sqlite3.connect(tmp_path / "ledger.sqlite")
    assert db.execute("SELECT session, why FROM own_runs").fetchall() == [("mine", None)]
    assert db.execute("PRAGMA user_version").fetchone() == (len(later),)
    db.close()


def test_an_upgrade_that_fails_leaves_the_old_ledger(tmp_path: Path) -> None:
    """Migrations are one transaction."""
    with Ledger.open(tmp_path) as ledger:
        ledger.note_own_run("mine")
    with pytest.raises(LedgerError):
        opening.open_file(tmp_path, (*opening.migrations(), "CREATE TABLE a (x TEXT) STRICT;", "CREATE TABLE a (x TEXT) STRICT;"), NOON)
    with Ledger.open(tmp_path) as ledger:
        assert ledger.own_runs() == {"mine"}


def test_every_statement_compiles(tmp_path: Path) -> None:
    """ledger.sql fits the schema, also where no other test looks."""
    opened = opening.open_file(tmp_path, opening.migrations(), NOON)
    with opened.store.reading() as tx:
        for sql in ledger_store.statements().values():
            names = {word.strip(",();") for word in sql.replace("(", " ").replace(")", " ").split() if word.startswith(":")}
            tx._db.execute(f"EXPLAIN {sql}", dict.fromkeys((name[1:] for name in names), None))
    opened.close()


def test_a_file_that_is_no_ledger_is_named_with_the_way_out(tmp_path: Path) -> None:
    """Garbage is told apart from a missing ledger, also where nothing may be written; who opens it next mends it."""
    (tmp_path / "ledger.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(LedgerDamagedError) as caught:
        Ledger.in_memory(tmp_path)
    assert str(tmp_path / "ledger.sqlite") in caught.value.message
    assert str(tmp_path / "copies") in caught.value.hint


def test_damage_is_found_after_an_unclean_end(tmp_path: Path) -> None:
    """When the last process died, the file is checked as it is opened."""
    child = _opener(tmp_path, "ledger.note_sighting(Sighting('s','p'*90000,1,1,1,'c',None,'m',0,None))")
    _kill(child)
    assert (tmp_path / "ledger.sqlite-wal").stat().st_size > 0
    with sqlite3.connect(tmp_path / "ledger.sqlite") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("CREATE TABLE keep_the_log (x)")
        db.commit()
        raw = bytearray((tmp_path / "ledger.sqlite").read_bytes())
        raw[4096 * 2 : 4096 * 2 + 400] = b"\xff" * 400
        (tmp_path / "damaged").mkdir()
        (tmp_path / "damaged" / "ledger.sqlite").write_bytes(raw)
        shutil.copy(tmp_path / "ledger.sqlite-wal", tmp_path / "damaged" / "ledger.sqlite-wal")
    db.close()
    with Ledger.open(tmp_path / "damaged") as ledger:
        assert ledger.mended is not None
        assert ledger.mended.aside.stat().st_size >= len(raw)
        assert ledger.sessions() == ()


def _garbage(state: Path) -> bytes:
    garbage = b"not a database at all" * 100
    (state / "ledger.sqlite").write_bytes(garbage)
    for beside in ("ledger.sqlite-wal", "ledger.sqlite-shm"):
        (state / beside).write_bytes(b"its log")
    return garbage


def test_the_newest_sound_copy_takes_the_place_of_a_damaged_ledger(tmp_path: Path) -> None:
    """The damaged file and its log are kept aside, a copy that is damaged too is passed over, and what the copy knows is known."""
    with Ledger.open(tmp_path, lambda: 1_000_000_000.0) as ledger:
        ledger.note_sighting(sighting("s"))
        ledger.copy_daily()
    (tmp_path / "copies" / "ledger-29990101.sqlite").write_bytes(b"no copy" * 1000)
    garbage = _garbage(tmp_path)
    with Ledger.open(tmp_path) as ledger:
        assert ledger.mended is not None
        assert (ledger.mended.copy, ledger.seen_until()) == (tmp_path / "copies" / "ledger-20010909.sqlite", None)
        assert ledger.mended.aside.read_bytes() == garbage
        assert set(ledger.sightings()) == {"s"}
        assert ledger.damage() is not None
    assert list(tmp_path.glob("ledger.damaged-*"))
    with Ledger.open(tmp_path) as ledger:
        assert ledger.mended is None
        assert set(ledger.sightings()) == {"s"}
    assert (tmp_path / "ledger.sqlite").stat().st_mode & 0o777 == 0o600


def test_without_a_copy_a_new_ledger_knows_until_when_all_is_lost(tmp_path: Path) -> None:
    """It begins empty and remembers the moment."""
    _garbage(tmp_path)
    with Ledger.open(tmp_path, lambda: 1_000_000_000.0) as ledger:
        assert ledger.seen_until() == 1_000_000_000.0
        assert ledger.mended is not None
        assert ledger.mended.copy is None


def test_a_ledger_that_others_have_open_is_not_moved_under_them(tmp_path: Path) -> None:
    """While somebody else has it open damage is an error; the next one who is alone with it finds it, whatever was closed cleanly."""
    with Ledger.open(tmp_path) as first:
        first.note_sighting(sighting("s"))
        _garbage(tmp_path)
        with pytest.raises(LedgerDamagedError):
            Ledger.open(tmp_path)
        assert not list(tmp_path.glob("ledger.damaged-*"))
    with Ledger.open(tmp_path) as ledger:
        assert ledger.mended is not None
    assert not (tmp_path / "ledger.doubt").exists()


def test_a_kill_while_it_is_mended_is_made_good(tmp_path: Path) -> None:
    """Also when the log is aside already and the file is still there, the next one checks it although the end looks clean."""
    with Ledger.open(tmp_path) as ledger:
        for number in range(50):
            ledger.note_sighting(sighting(f"s{number}", path="p" * 5000))
    raw = bytearray((tmp_path / "ledger.sqlite").read_bytes())
    raw[4096 * 8 : 4096 * 9] = b"\xff" * 4096
    (tmp_path / "ledger.sqlite").write_bytes(raw)
    (tmp_path / "ledger.doubt").touch()
    with Ledger.open(tmp_path) as ledger:
        assert ledger.mended is not None


def test_a_removed_state_folder_is_noticed(tmp_path: Path) -> None:
    """SQLite would write on into nothing; the ledger says so instead, for reads too."""
    state = tmp_path / "state"
    ledger = Ledger.open(state)
    shutil.rmtree(state)
    for attempt in (ledger.sightings, lambda: ledger.note_sighting(sighting()), lambda: ledger.claim("m", "s", "k")):
        with pytest.raises(LedgerError, match="removed or replaced") as caught:
            attempt()
        assert str(state / "ledger.sqlite") in caught.value.message
        assert caught.value.hint
    Ledger.open(state).close()
    with pytest.raises(LedgerError, match="removed or replaced"):
        ledger.sightings()
    ledger.close()


def test_a_state_folder_that_cannot_be_is_an_error_with_a_hint(tmp_path: Path) -> None:
    """A file in the folder's place, or above it."""
    (tmp_path / "file").write_text("")
    for state in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(LedgerError, match="cannot be used") as caught:
            Ledger.open(state)
        assert "EXTRACTORD_STATE_DIR" in caught.value.hint


def test_a_closed_ledger_answers_with_an_error(tmp_path: Path) -> None:
    """No bare exception of sqlite3 ever leaves the package."""
    ledger = Ledger.open(tmp_path)
    ledger.close()
    with pytest.raises(LedgerError):
        ledger.sightings()


def test_a_ledger_that_stays_locked_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer that does not end is told as such: trying again is right."""
    monkeypatch.setattr(ledger_store, "BUSY_SECONDS", 0.05)
    with Ledger.open(tmp_path) as ledger:
        other = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError, match="locked"):
            ledger.note_own_run("x")
        assert ledger.own_runs() == frozenset()
        other.execute("ROLLBACK")
        other.close()
        ledger.note_own_run("x")


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """What is raised inside drops all of it, and the ledger goes on."""
    with Ledger.open(tmp_path) as ledger:
        broken = stretch(key="k2", topics=(object(),))
        with pytest.raises(TypeError):
            ledger.finish(broken, sighting(), ["u1"])
        with pytest.raises(LedgerError):
            ledger.finish(stretch(), sighting(offset=None), ["u1"])
        assert (ledger.stretch_rows("s1"), ledger.sightings(), ledger.handled(["u1"])) == ((), {}, frozenset())
        ledger.finish(stretch(), sighting(), ["u1"])
        assert ledger.handled(["u1"]) == {"u1"}


def test_a_copy_a_day_three_are_kept(tmp_path: Path) -> None:
    """The first opening of a day makes its copy, private, readable as a ledger; an empty ledger is not worth one."""
    Ledger.open(tmp_path, lambda: NOON).close()
    assert copies(tmp_path) == ()
    for day in range(5):
        with Ledger.open(tmp_path, lambda day=day: NOON + day * DAY) as ledger:  # type: ignore[misc]
            ledger.note_sighting(sighting(f"s{day}"))
            assert ledger.copy_problem is None
        Ledger.open(tmp_path, lambda day=day: NOON + day * DAY).close()  # type: ignore[misc]
    kept = copies(tmp_path)
    assert len(kept) == 3
    assert [path.name for path in kept] == sorted((path.name for path in kept), reverse=True)
    assert {mode(path) for path in kept} == {0o600}
    assert set((tmp_path / "copies").iterdir()) == set(kept)
    (tmp_path / "back").mkdir()
    shutil.copy(kept[0], tmp_path / "back" / "ledger.sqlite")
    with Ledger.open(tmp_path / "back") as ledger:
        assert set(ledger.sightings()) == {"s0", "s1", "s2", "s3"}


def test_a_copy_that_cannot_be_made_does_not_stop_the_ledger(tmp_path: Path) -> None:
    """It is kept as a problem for ``doctor`` to show."""
    with Ledger.open(tmp_path) as ledger:
        ledger.note_sighting(sighting())
        (tmp_path / "copies").write_text("in the way")
        assert ledger.copy_daily() is None
        assert ledger.copy_problem is not None
        assert str(tmp_path / "copies") in ledger.copy_problem.message
        (tmp_path / "copies").unlink()
        assert ledger.copy_daily() in copies(tmp_path)
        assert ledger.copy_problem is None


def test_a_dry_run_reads_the_ledger_and_writes_nothing(tmp_path: Path) -> None:
    """The ledger in memory begins as the one on disk, and is forgotten."""
    with Ledger.open(tmp_path) as ledger:
        ledger.note_sighting(sighting("s1"))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    with Ledger.in_memory(tmp_path) as dry:
        assert set(dry.sightings()) == {"s1"}
        dry.note_sighting(sighting("s2"))
        assert dry.claim("m", "s", "k")
        assert set(dry.sightings()) == {"s1", "s2"}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    with Ledger.in_memory(tmp_path / "none") as empty:
        assert empty.sightings() == {}
    assert not (tmp_path / "none").exists()


def test_many_processes_may_open_a_new_ledger_at_once(tmp_path: Path) -> None:
    """Whoever comes second waits until file and schema are there; nobody's row is lost."""
    children = [_opener(tmp_path, f"ledger.note_own_run('run{n}')", wait=False) for n in range(6)]
    assert [child.wait(60) for child in children] == [0] * 6
    with Ledger.open(tmp_path) as ledger:
        assert ledger.own_runs() == {f"run{n}" for n in range(6)}


def test_a_killed_process_leaves_a_sound_ledger(tmp_path: Path) -> None:
    """kill -9 in the middle of writing: what was finished is there."""
    body = "\nfor n in range(10**6):\n    ledger.note_own_run(f'run{n}')\n    print(n, flush=True)"
    child = subprocess.Popen([sys.executable, "-c", _OPEN + body, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout
    for _ in range(20):
        last = int(child.stdout.readline())
    _kill(child)
    with Ledger.open(tmp_path) as ledger:
        assert {f"run{n}" for n in range(last + 1)} <= ledger.own_runs()


_OPEN = """
import sys
from pathlib import Path
from extractord.ledger import *
ledger = Ledger.open(Path(sys.argv[1]))
"""


def _opener(state: Path, body: str, *, wait: bool = True) -> subprocess.Popen[str]:
    """Start a process that opens the ledger, does something, and (waiting) stays until it is killed."""
    end = "\nprint('ready', flush=True)\nimport time\ntime.sleep(600)" if wait else "\nledger.close()"
    child = subprocess.Popen([sys.executable, "-c", _OPEN + body + end, str(state)], stdout=subprocess.PIPE, text=True)
    if wait:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
    return child


def _kill(child: subprocess.Popen[str]) -> None:
    child.send_signal(signal.SIGKILL)
    child.wait(30)
    assert child.stdout
    child.stdout.close()


def test_threads_take_turns(tmp_path: Path) -> None:
    """One open ledger serves all threads of a process."""
    import threading

    with Ledger.open(tmp_path) as ledger:
        threads = [threading.Thread(target=ledger.note_own_run, args=(f"run{n}",)) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(ledger.own_runs()) == 16
        assert ledger.own_runs(since=time.time() + 10) == frozenset()
