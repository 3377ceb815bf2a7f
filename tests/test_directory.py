"""Promises of reading and changing a memory directory."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from extractord.errors import BusyError, MemoryDirectoryError
from extractord.memory.directory import MemoryDirectory, backup, manifest
from extractord.memory.prepared import FileResult, TopicWrite, WriteState
from extractord.memory.snapshot import Place, ReadLimits, read
from extractord.open_folders import ExchangeSupport
from tests.memory_directories import LATER, NEW, NS, OLD, contents, line, prepared, put_file, topic, undo_of, write

BUGS = Path(__file__).parent / "cases" / "bugs"
SUPPORTS = [ExchangeSupport.ATOMIC, ExchangeSupport.COMPARE]


@pytest.fixture(params=SUPPORTS, ids=["atomic", "compare"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryDirectory:
    return MemoryDirectory(tmp_path / "memory", tmp_path / "state", support=request.param)


def states(files: tuple[FileResult, ...]) -> list[str]:
    return [file.state.value for file in files]


# --- reading ---


def test_only_topics_are_read_and_all_else_is_named_or_passed_over(tmp_path: Path) -> None:
    """Temporary files and conflict copies are no topics; links, pipes, other encodings and huge files are named and left alone."""
    root = tmp_path / "memory"
    put_file(root, "good.md", topic("good", "x"))
    put_file(root, "sub/deep.md", topic("deep", "x"))
    put_file(root, "MEMORY.md", "- [good](good.md)\n")
    for name in (
        ".tmp.md",
        "a.md~",
        "a (conflicted copy).md",
        "a (Eve's conflicted copy 2026-01-01).md",
        "a.sync-conflict-1.md",
        "a.md.swp",
        "a.txt",
    ):
        put_file(root, name, "old")
    put_file(root, ".git/hidden.md", "x")
    (root / "latin.md").write_bytes(b"caf\xe9")
    (root / "big.md").write_bytes(b"x" * 2_000)
    (root / "link.md").symlink_to(root / "good.md")
    (root / "linked").symlink_to(tmp_path)
    os.mkfifo(root / "pipe.md")
    snapshot = read(root, ReadLimits(file_bytes=1_000))
    assert sorted(snapshot.topics) == ["good.md", "sub/deep.md"]
    assert snapshot.index == "- [good](good.md)\n"
    assert sorted(remark.file for remark in snapshot.remarks) == ["big.md", "latin.md", "link.md", "pipe.md"]


@pytest.mark.parametrize("bug", ["stray-temp-file", "colon-in-description", "list-valued-keys", "reserved-keys", "crlf-topic"])
def test_the_directories_of_reported_bugs_are_listed_whole(tmp_path: Path, bug: str) -> None:
    """Each has one topic, listed with a name and a description; reading changes nothing."""
    shutil.copytree(BUGS / bug / "memory", tmp_path / "memory")
    before = contents(tmp_path / "memory")
    heads = manifest(read(tmp_path / "memory"))
    assert len(heads) == 1
    assert heads[0].name
    assert heads[0].description
    assert contents(tmp_path / "memory") == before


def test_the_manifest_is_newest_first_and_leaves_out_logs_and_team(directory: MemoryDirectory) -> None:
    """A topic's time is the later of modified and mtime; no more than asked for."""
    put_file(directory.path, "a.md", topic("a", "x"), OLD)
    put_file(directory.path, "b.md", topic("b", "x"), NEW)
    put_file(directory.path, "c.md", "---\nname: c\nmodified: 2030-01-01T00:00:00Z\n---\n", OLD)
    put_file(directory.path, "logs/2026/01/2026-01-02.md", "* 10:00 x")
    put_file(directory.path, "team/t.md", topic("t", "x"))
    snapshot = directory.read()
    assert [head.file for head in manifest(snapshot)] == ["c.md", "b.md", "a.md"]
    assert [head.file for head in manifest(snapshot, 1)] == ["c.md"]
    assert snapshot.topics["team/t.md"].place is Place.TEAM
    assert snapshot.topics["logs/2026/01/2026-01-02.md"].place is Place.LOG


def test_reading_is_bounded(tmp_path: Path) -> None:
    """More files than the bound: the rest is not looked at, and it is said."""
    for number in range(12):
        put_file(tmp_path / "memory", f"{number:02}.md", "x")
    snapshot = read(tmp_path / "memory", ReadLimits(files=10))
    assert len(snapshot.topics) == 10
    assert not snapshot.complete


def test_a_directory_that_is_not_there_is_empty(directory: MemoryDirectory) -> None:
    """And is not made by reading."""
    assert directory.read().topics == {}
    assert not directory.path.exists()


# --- changing ---


def test_topics_and_index_are_written_with_their_times(directory: MemoryDirectory) -> None:
    """Create, update and delete are carried out, mtimes are the evidence's, modes stay, nothing is left beside after settling."""
    put_file(directory.path, "old.md", topic("old", "before"))
    put_file(directory.path, "gone.md", topic("gone", "x"))
    put_file(directory.path, "MEMORY.md", "# Mine\n- [gone](gone.md) — x\n- [old](old.md) — y\n")
    (directory.path / "old.md").chmod(0o644)
    job = prepared(
        directory, "c1", ("new.md", topic("new", "x")), ("old.md", topic("old", "after")), ("gone.md", None), ("sub/n.md", topic("n", "y"))
    )
    with directory.lock():
        applied = directory.apply(job)
        assert not directory.settle(job, LATER).wait_seconds
    assert states(applied.files) == ["written"] * 4
    assert applied.made_folders == ("sub",)
    found = contents(directory.path)
    assert sorted(found) == ["MEMORY.md", "new.md", "old.md", "sub", "sub/n.md"]
    assert found["old.md"] == (topic("old", "after").encode(), NEW * NS)
    assert found["new.md"][1] == NEW * NS
    assert stat.S_IMODE((directory.path / "old.md").stat().st_mode) == 0o644
    assert stat.S_IMODE((directory.path / "new.md").stat().st_mode) == 0o600
    assert found["MEMORY.md"][0].decode() == "# Mine\n- [old](old.md) — hook\n- [new](new.md) — hook\n- [n](sub/n.md) — hook\n"


def test_undo_gives_back_every_byte_and_time(directory: MemoryDirectory) -> None:
    """Also the index's own time, and a deleted topic; folders we made go."""
    put_file(directory.path, "old.md", topic("old", "before"))
    put_file(directory.path, "gone.md", topic("gone", "x"))
    put_file(directory.path, "MEMORY.md", "- [gone](gone.md) — x\r\n- [old](old.md) — y", OLD)
    before, index_time = contents(directory.path), (directory.path / "MEMORY.md").stat().st_mtime_ns
    job = prepared(directory, "c1", ("a/b/new.md", topic("new", "x")), ("old.md", topic("old", "after")), ("gone.md", None))
    applied = directory.apply(job)
    back = undo_of(directory, job, applied, "c2")
    directory.apply(back)
    for done in (job, back):
        directory.settle(done, LATER)
    assert contents(directory.path) == before
    assert (directory.path / "MEMORY.md").stat().st_mtime_ns == index_time


def test_undo_of_the_first_changeset_removes_the_directory_it_made(directory: MemoryDirectory) -> None:
    """Index and folders that we made and that are empty again are removed; with a person's file in it the directory stays."""
    job = prepared(directory, "c1", ("new.md", topic("new", "x")))
    applied = directory.apply(job)
    assert applied.made_folders == (".",)
    back = undo_of(directory, job, applied, "c2")
    directory.apply(back)
    assert directory.settle_spares(back, clock=lambda: LATER).results == ()
    assert not directory.path.exists()
    job = prepared(directory, "c3", ("new.md", topic("new", "x")))
    applied = directory.apply(job)
    put_file(directory.path, "mine.md", "mine")
    back = undo_of(directory, job, applied, "c4")
    directory.apply(back)
    directory.settle(back, LATER)
    assert [place.name for place in directory.path.iterdir()] == ["mine.md"]


def test_undo_of_an_index_somebody_changed_since_takes_only_our_lines(directory: MemoryDirectory) -> None:
    """The person's line stays, ours goes, and the index keeps its new time."""
    job = prepared(directory, "c1", ("new.md", topic("new", "x")))
    applied = directory.apply(job)
    index = directory.path / "MEMORY.md"
    index.write_text("# Mine\n" + index.read_text())
    directory.apply(undo_of(directory, job, applied, "c2"))
    assert index.read_text() == "# Mine\n"


def test_a_topic_somebody_changed_meanwhile_is_left_and_conflicts_by_itself(directory: MemoryDirectory) -> None:
    """Changed, made, deleted: theirs stays, the other topics are written, and no index line tells of what was not written."""
    for name in ("changed.md", "deleted.md", "fine.md"):
        put_file(directory.path, name, topic(name, "before"))
    job = prepared(directory, "c1", *((name, topic(name, "ours")) for name in ("changed.md", "deleted.md", "fine.md", "made.md")))
    put_file(directory.path, "changed.md", "theirs")
    put_file(directory.path, "made.md", "theirs")
    (directory.path / "deleted.md").unlink()
    applied = directory.apply(job)
    directory.settle(job, LATER)
    assert states(applied.files) == ["conflicted", "conflicted", "written", "conflicted"]
    found = contents(directory.path)
    assert (found["changed.md"][0], found["made.md"][0]) == (b"theirs", b"theirs")
    assert sorted(found) == ["MEMORY.md", "changed.md", "fine.md", "made.md"]
    assert found["MEMORY.md"][0].decode() == "- [fine](fine.md) — hook\n"


def test_words_written_into_the_old_file_after_the_exchange_come_back(tmp_path: Path) -> None:
    """A program that had the topic open writes into what came out: found when settled, exchanged back, conflicted."""
    directory = MemoryDirectory(tmp_path / "memory", tmp_path / "state")
    put_file(directory.path, "a.md", "before\n")
    put_file(directory.path, "gone.md", "before\n")
    job = prepared(directory, "c1", ("a.md", "ours\n"), ("gone.md", None))
    with (directory.path / "a.md").open("a") as late, (directory.path / "gone.md").open("a") as later:
        assert states(directory.apply(job).files) == ["written", "written"]
        for file in (late, later):
            file.write("theirs\n")
    assert directory.settle(job, 0.0 + (directory.path / "a.md").stat().st_ctime).wait_seconds > 0
    settled = directory.settle(job, LATER)
    assert [result.path for result in settled.results] == ["a.md", "gone.md"]
    assert (directory.path / "a.md").read_text() == "before\ntheirs\n"
    assert (directory.path / "gone.md").read_text() == "before\ntheirs\n"
    directory.settle(job, LATER)
    assert not [place for place in directory.path.iterdir() if place.name.startswith(".")]


def test_where_two_newer_texts_meet_the_words_of_both_stay(tmp_path: Path) -> None:
    """The newer one stays in its place and takes what is new in the body of the other; header lines are not doubled."""
    directory = MemoryDirectory(tmp_path / "memory", tmp_path / "state")
    put_file(directory.path, "a.md", topic("a", "before"))
    job = prepared(directory, "c1", ("a.md", topic("a", "ours")))
    with (directory.path / "a.md").open("a") as late:
        directory.apply(job)
        late.write("theirs\n")
    put_file(directory.path, "a.md", topic("b", "newer"))
    results = directory.settle_spares(job, clock=iter([LATER, 2 * LATER, 3 * LATER]).__next__, sleep=lambda _: None).results
    assert [result.path for result in results] == ["a.md"]
    assert (directory.path / "a.md").read_text() == topic("b", "newer\ntheirs")
    assert sorted(contents(directory.path)) == ["MEMORY.md", "a.md"]
    assert [place for place in (tmp_path / "state").rglob("*") if place.is_file()] == []


def test_nobody_waits_for_a_program_that_never_stops_writing(tmp_path: Path) -> None:
    """After a few rounds settling says that something is left, and the next time goes on with it; no word is lost meanwhile."""
    directory = MemoryDirectory(tmp_path / "memory", tmp_path / "state")
    put_file(directory.path, "a.md", "before\n")
    job = prepared(directory, "c1", ("a.md", "ours\n"))
    directory.apply(job)
    [spare] = directory.path.glob(".extractord*")
    rounds: list[float] = []
    now = spare.stat().st_ctime
    left = directory.settle_spares(job, clock=lambda: now, sleep=rounds.append)
    assert (left.wait_seconds > 0, 0 < len(rounds) < 10) == (True, True)
    assert spare.read_text() == "before\n"
    assert directory.settle_spares(job, clock=lambda: LATER).wait_seconds == 0
    assert not spare.exists()


def test_words_that_find_no_place_are_kept_and_named(tmp_path: Path) -> None:
    """The topic is gone meanwhile by somebody's hand: what was written into the old file lies in the state folder, the note says where."""
    directory = MemoryDirectory(tmp_path / "memory", tmp_path / "state")
    put_file(directory.path, "a.md", "before\n")
    job = prepared(directory, "c1", ("a.md", "ours\n"))
    with (directory.path / "a.md").open("a") as late:
        directory.apply(job)
        late.write("theirs\n")
    (directory.path / "a.md").unlink()
    (directory.path / "a.md").mkdir()
    settled = directory.settle(job, LATER)
    kept = [place for place in (tmp_path / "state" / "kept").rglob("*") if place.is_file()]
    assert [place.read_text() for place in kept] == ["before\ntheirs\n"]
    assert str(kept[0]) in settled.notes[0]


def test_lines_written_into_the_old_index_after_the_exchange_come_back(tmp_path: Path) -> None:
    """They join the new index; the operations are not done again."""
    directory = MemoryDirectory(tmp_path / "memory", tmp_path / "state")
    put_file(directory.path, "MEMORY.md", "- [p](p.md) — theirs\n")
    put_file(directory.path, "p.md", topic("p", "x"))
    job = prepared(directory, "c1", ("n.md", topic("n", "x")))
    with (directory.path / "MEMORY.md").open("a") as late:
        directory.apply(job)
        late.write("- [q](q.md) — late\n")
    directory.settle_spares(job, clock=iter([LATER, 2 * LATER]).__next__, sleep=lambda _: None)
    assert (directory.path / "MEMORY.md").read_text().splitlines() == ["- [n](n.md) — hook", "- [p](p.md) — theirs", "- [q](q.md) — late"]
    assert sorted(contents(directory.path)) == ["MEMORY.md", "n.md", "p.md"]


def test_links_and_strange_files_are_never_written_through(directory: MemoryDirectory, tmp_path: Path) -> None:
    """A link, a linked folder and a pipe in a topic's place conflict; a hard link keeps its other name as it was."""
    outside = tmp_path / "outside"
    put_file(outside, "a.md", "before")
    put_file(directory.path, "real.md", "before")
    (directory.path / "link.md").symlink_to(outside / "a.md")
    (directory.path / "folder").symlink_to(outside)
    os.mkfifo(directory.path / "pipe.md")
    os.link(outside / "a.md", directory.path / "hard.md")
    names = ("link.md", "folder/a.md", "folder/new.md", "pipe.md", "hard.md")
    befores = ("before", "before", None, "before", "before")
    writes = tuple(
        TopicWrite(name, text, "ours", None, None, f".spare-{number}")
        for number, (name, text) in enumerate(zip(names, befores, strict=True))
    )
    job = directory.prepare("c1", writes, (), directory.read())
    applied = directory.apply(job)
    directory.settle(job, LATER)
    assert states(applied.files) == ["conflicted"] * 4 + ["written"]
    assert contents(outside) == {"a.md": (b"before", OLD * NS)}
    assert (directory.path / "hard.md").read_text() == "ours"


@pytest.mark.parametrize("path", ["../x.md", "/x.md", "a/../x.md", "a//x.md", "x.txt", "MEMORY.md", "a\\b.md", "a\0.md"])
def test_paths_no_check_lets_through_are_refused_before_the_disk(directory: MemoryDirectory, path: str) -> None:
    """Nothing is made, not even the directory."""
    job = directory.prepare("c1", (TopicWrite("x.md", None, "x", None, None, ".s"),), (), directory.read())
    job = type(job)(job.id, job.directory, (TopicWrite(path, None, "x", None, None, ".s"),), (), job.index_spare)
    with pytest.raises(MemoryDirectoryError):
        directory.apply(job)
    assert not directory.path.exists()


def test_an_index_that_is_no_text_is_left_alone(directory: MemoryDirectory) -> None:
    """The topics are written, and the note says what became of the index."""
    directory.path.mkdir()
    (directory.path / "MEMORY.md").write_bytes(b"caf\xe9")
    applied = directory.apply(prepared(directory, "c1", ("n.md", topic("n", "x"))))
    assert applied.index is None
    assert "MEMORY.md" in applied.notes[0]
    assert (directory.path / "MEMORY.md").read_bytes() == b"caf\xe9"


def test_what_upkeep_did_to_the_index_is_told(directory: MemoryDirectory) -> None:
    """A line that left because the index was full is in the notes, and undo brings it back."""
    text = "".join(f"- [t{number}](t{number}.md)\n" for number in range(200))
    put_file(directory.path, "MEMORY.md", text)
    for number in range(200):
        put_file(directory.path, f"t{number}.md", "x", OLD - number)
    job = prepared(directory, "c1", ("n.md", topic("n", "x")))
    applied = directory.apply(job)
    assert "t199.md" in applied.notes[0]
    directory.apply(undo_of(directory, job, applied, "c2"))
    assert (directory.path / "MEMORY.md").read_text() == text


def test_two_holders_of_one_directory_exclude_each_other(tmp_path: Path) -> None:
    """However its path is spelled; the lock lies in the state folder, not in the directory."""
    (tmp_path / "real").mkdir()
    (tmp_path / "spelled").symlink_to(tmp_path / "real")
    first, second = (MemoryDirectory(tmp_path / name, tmp_path / "state") for name in ("real", "spelled"))
    with first.lock(), pytest.raises(BusyError), second.lock():
        pass
    assert list((tmp_path / "real").iterdir()) == []


def test_a_directory_is_backed_up_once(tmp_path: Path) -> None:
    """All of it, readable by its owner only; a second call changes nothing; where there is no directory there is no backup."""
    root, state = tmp_path / "memory", tmp_path / "state"
    assert backup(root, state) is None
    put_file(root, "sub/a.md", "first")
    os.mkfifo(root / "pipe")
    place = backup(root, state)
    assert place is not None
    put_file(root, "sub/a.md", "second")
    assert backup(root, state) == place
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    with tarfile.open(place) as archive:
        member = archive.extractfile("memory/sub/a.md")
        assert member is not None
        assert member.read() == b"first"


_WRITES = """
import sys
from pathlib import Path
root, whole = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes()
while True:
    (root / "a.md").write_bytes(whole)
    (root / ".b.md.tmp").write_bytes(whole)
    (root / ".b.md.tmp").replace(root / "b.md")
"""


def test_a_backup_is_made_while_others_write(tmp_path: Path) -> None:
    """A file that is emptied, filled and replaced all the time stops no backup, and each file in it is what it was in one moment."""
    root = tmp_path / "memory"
    whole = topic("a", "word " * 100_000).encode()
    for number in range(20):
        put_file(root, f"n{number}.md", topic("n", "x"))
    (tmp_path / "whole").write_bytes(whole)
    writer = subprocess.Popen([sys.executable, "-c", _WRITES, str(root), str(tmp_path / "whole")])
    try:
        while not (root / "b.md").exists():
            assert writer.poll() is None
        places = [backup(root, tmp_path / str(number)) for number in range(20)]
    finally:
        writer.kill()
        writer.wait()
    for place in places:
        assert place is not None
        with tarfile.open(place) as archive:
            found = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
            assert len([name for name in found if "/n" in name]) == 20
            assert all(whole.startswith(file.read()) for name, file in found.items() if file and "/n" not in name)


def test_a_repair_of_the_index_alone_needs_no_topic(directory: MemoryDirectory) -> None:
    """Lines can be put and dropped without a write."""
    put_file(directory.path, "a.md", topic("a", "x"))
    put_file(directory.path, "MEMORY.md", "- [b](b.md)\n")
    applied = directory.apply(directory.prepare("c1", (), (line("b.md", None), line("a.md")), directory.read()))
    assert applied.index is not None
    assert applied.index.after == "- [a](a.md) — hook\n"


def test_a_prepared_changeset_is_unchanged_when_applied_again(directory: MemoryDirectory) -> None:
    """A second apply changes no byte and says the same, before and after settling."""
    put_file(directory.path, "a.md", topic("a", "x"))
    put_file(directory.path, "MEMORY.md", "- [a](a.md)\n")
    job = directory.prepare(
        "c1",
        (write(directory.read(), "c1", "a.md", topic("a", "y")), write(directory.read(), "c1", "n.md", "n")),
        (line("n.md"),),
        directory.read(),
    )
    first, found = directory.apply(job), contents(directory.path)
    assert directory.apply(job) == first
    assert contents(directory.path) == found
    directory.settle(job, LATER)
    assert directory.apply(job) == first
    assert all(file.state is WriteState.WRITTEN for file in first.files)


def test_nothing_is_made_behind_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    """A memory directory that is such a link is refused before anything is recorded; a record made before writes nothing."""
    place = MemoryDirectory(tmp_path / "memory", tmp_path / "state")
    job = prepared(place, "c1", ("n.md", topic("n", "x")))
    (tmp_path / "memory").symlink_to(tmp_path / "outside")
    linked = MemoryDirectory(tmp_path / "memory", tmp_path / "state")
    with pytest.raises(MemoryDirectoryError):
        prepared(linked, "c2", ("n.md", topic("n", "x")))
    assert states(linked.apply(job).files) == ["conflicted"]
    assert not (tmp_path / "outside").exists()
