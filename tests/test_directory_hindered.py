"""Promises about a memory directory when something is in the way: of making it, of its folders, of what goes last, of team memory."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from extractord.errors import MemoryDirectoryError
from extractord.memory.directory import MemoryDirectory
from extractord.memory.prepared import FileResult, IndexTexts, Settled, WriteState
from tests.memory_directories import LATER, NEW, contents, line, prepared, put_file, topic, undo_of, write


@pytest.fixture
def directory(tmp_path: Path) -> MemoryDirectory:
    return MemoryDirectory(tmp_path / "memory", tmp_path / "state")


def test_a_directory_is_made_for_its_owner_alone_and_only_once(directory: MemoryDirectory) -> None:
    """Made where it is missing; what is in one that is there stays."""
    directory.make()
    assert directory.path.stat().st_mode & 0o777 == 0o700
    put_file(directory.path, "a.md", "mine")
    directory.make()
    assert sorted(contents(directory.path)) == ["a.md"]


def test_a_directory_that_cannot_be_made_is_an_error_with_a_hint(tmp_path: Path) -> None:
    """A file in its place, or on the way to it, is named and left."""
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file/memory"):
        with pytest.raises(MemoryDirectoryError, match="cannot be made") as error:
            MemoryDirectory(place, tmp_path / "state").make()
        assert error.value.hint
    assert (tmp_path / "file").read_text() == "mine"


def test_a_full_disk_is_told_and_the_next_call_finishes(tmp_path: Path) -> None:
    """The error names the changeset; nothing is written, and the same call later does all of it."""
    room = [False]

    def step(name: str) -> None:
        if name == "write new.md" and not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    directory = MemoryDirectory(tmp_path / "memory", tmp_path / "state", step=step)
    change = prepared(directory, "c1", ("new.md", topic("new", "x")))
    with pytest.raises(MemoryDirectoryError, match="No space left") as error:
        directory.apply(change)
    assert "c1" in error.value.hint
    assert contents(directory.path) == {}
    room[0] = True
    assert directory.apply(change).files == (FileResult("new.md", WriteState.WRITTEN),)
    assert directory.settle(change, LATER) == Settled()
    assert sorted(contents(directory.path)) == ["MEMORY.md", "new.md"]


def test_a_folder_that_becomes_a_link_is_not_written_through(tmp_path: Path) -> None:
    """Also between our look and our write: the topic behind it conflicts with a note, the others are written, no spare stays."""
    outside = tmp_path / "outside"
    outside.mkdir()

    def step(name: str) -> None:
        if name == "put in sub/new.md":
            (tmp_path / "memory/sub").rmdir()
            (tmp_path / "memory/sub").symlink_to(outside)

    directory = MemoryDirectory(tmp_path / "memory", tmp_path / "state", step=step)
    change = prepared(directory, "c1", ("sub/new.md", topic("new", "x")), ("fine.md", topic("fine", "x")))
    applied = directory.apply(change)
    assert [file.state for file in applied.files] == [WriteState.CONFLICTED, WriteState.WRITTEN]
    assert applied.notes[0].startswith("sub/new.md lies behind a link")
    directory.settle(change, LATER)
    assert list(outside.iterdir()) == []
    assert sorted(place.name for place in directory.path.iterdir()) == ["MEMORY.md", "fine.md", "sub"]
    assert "new.md" not in (directory.path / "MEMORY.md").read_text()


def test_no_folder_is_made_behind_a_link(directory: MemoryDirectory, tmp_path: Path) -> None:
    """A link in place of a folder that others were to lie in: nothing is made where it leads."""
    (tmp_path / "outside").mkdir()
    directory.path.mkdir()
    (directory.path / "sub").symlink_to(tmp_path / "outside")
    change = prepared(directory, "c1", ("sub/deep/new.md", topic("new", "x")))
    applied = directory.apply(change)
    assert ([file.state for file in applied.files], applied.made_folders) == ([WriteState.CONFLICTED], ())
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize("to", ["outside", "nowhere"])
def test_a_link_that_comes_where_a_folder_is_being_made_is_not_counted_as_made(tmp_path: Path, to: str) -> None:
    """At the very moment in which it is made, and when the changeset is carried out once more; an undo leaves the link alone."""
    (tmp_path / "outside").mkdir()

    def step(name: str) -> None:
        if name == "make the folder sub":
            (tmp_path / "memory/sub").symlink_to(tmp_path / to)

    directory = MemoryDirectory(tmp_path / "memory", tmp_path / "state", step=step)
    change = prepared(directory, "c1", ("sub/new.md", topic("new", "x")), ("fine.md", topic("fine", "x")))
    first, again = directory.apply(change), directory.apply(change)
    assert first.made_folders == (".",)
    assert again.made_folders == (".",)
    directory.apply(undo_of(directory, change, again, "c2"))
    assert (directory.path / "sub").is_symlink()
    assert (tmp_path / "outside").is_dir()


def test_an_undo_removes_no_folder_behind_a_link(directory: MemoryDirectory, tmp_path: Path) -> None:
    """An empty folder elsewhere that has the name of one of ours stays."""
    change = prepared(directory, "c1", ("a/b/n.md", topic("n", "x")))
    back = undo_of(directory, change, directory.apply(change), "c2")
    shutil.rmtree(directory.path / "a")
    (tmp_path / "outside/b").mkdir(parents=True)
    (directory.path / "a").symlink_to(tmp_path / "outside")
    directory.apply(back)
    assert (tmp_path / "outside/b").is_dir()


def test_an_undo_finds_a_folder_gone_that_it_was_to_remove(directory: MemoryDirectory) -> None:
    """Somebody was faster: nothing is missed. A link put in its place stays, and so does the line of what lay there."""
    put_file(directory.path, "MEMORY.md", "# Mine\n")
    change = prepared(directory, "c1", ("a/n.md", topic("n", "x")), ("b/n.md", topic("n", "x")))
    back = undo_of(directory, change, directory.apply(change), "c2")
    for name in ("a", "b"):
        (directory.path / name / "n.md").unlink()
        (directory.path / name).rmdir()
    (directory.path / "b").symlink_to(directory.path.parent)
    directory.apply(back)
    for done in (change, back):
        directory.settle(done, LATER)
    assert sorted(place.name for place in directory.path.iterdir()) == ["MEMORY.md", "b"]
    assert (directory.path / "MEMORY.md").read_text() == "# Mine\n- [n](b/n.md) — hook\n"


@pytest.mark.parametrize("folder", ["../empty", "a/../../empty", ""])
def test_an_undo_removes_no_folder_outside(directory: MemoryDirectory, folder: str) -> None:
    """Whatever a record names as made: what is not plainly below the directory is passed over."""
    (directory.path.parent / "empty").mkdir()
    change = prepared(directory, "c1", ("a/n.md", topic("n", "x")))
    back = undo_of(directory, change, directory.apply(change), "c2")
    assert back.restore is not None
    back = replace(back, restore=replace(back.restore, made_folders=(folder, "a")))
    directory.apply(back)
    assert (directory.path.parent / "empty").is_dir()
    assert not (directory.path / "a").exists()


def test_a_directory_removed_before_settling_leaves_nothing_to_settle(directory: MemoryDirectory) -> None:
    """And is not made again."""
    change = prepared(directory, "c1", ("new.md", topic("new", "x")))
    directory.apply(change)
    for place in directory.path.iterdir():
        place.unlink()
    directory.path.rmdir()
    assert directory.settle(change, LATER) == Settled()
    assert not directory.path.exists()


def test_what_goes_last_keeps_its_words_when_another_conflicts(directory: MemoryDirectory) -> None:
    """A topic that gives its words to one that somebody changed meanwhile is left; without a conflict both are done, in one order."""
    for number, theirs in enumerate((False, True)):
        put_file(directory.path, "taker.md", topic("taker", "before"))
        put_file(directory.path, "giver.md", topic("giver", "words"))
        snapshot = directory.read()
        writes = tuple(
            write(snapshot, f"c{number}", file, text) for file, text in (("giver.md", None), ("taker.md", topic("taker", "words")))
        )
        change = directory.prepare(f"c{number}", writes, (line("giver.md", None),), snapshot, last=("giver.md",))
        if theirs:
            put_file(directory.path, "taker.md", "theirs")
        states = [file.state for file in directory.apply(change).files]
        assert states == [WriteState.CONFLICTED if theirs else WriteState.WRITTEN] * 2
        assert (directory.path / "giver.md").exists() == theirs
        directory.settle(change, LATER)


def test_what_went_last_before_a_crash_is_finished_whatever_came_then(tmp_path: Path) -> None:
    """A later call that meets a conflict still finishes a removal that an earlier one had begun."""
    directory = MemoryDirectory(tmp_path / "memory", tmp_path / "state")
    put_file(directory.path, "taker.md", topic("taker", "before"))
    put_file(directory.path, "giver.md", topic("giver", "words"))
    snapshot = directory.read()
    writes = tuple(write(snapshot, "c1", file, text) for file, text in (("giver.md", None), ("taker.md", topic("taker", "words"))))
    change = directory.prepare("c1", writes, (), snapshot, last=("giver.md",))
    directory.apply(change)
    put_file(directory.path, "taker.md", "theirs, later")
    assert {file.path: file.state for file in directory.apply(change).files}["giver.md"] is WriteState.WRITTEN
    assert not (directory.path / "giver.md").exists()


@pytest.mark.parametrize("spare", ["spare", ".spare.md", "../.spare", ".sub/../.spare", "sub/spare"])
def test_a_spare_that_is_no_dot_file_of_the_directory_is_refused(directory: MemoryDirectory, spare: str) -> None:
    """Of a topic or of the index: nothing is made."""
    change = prepared(directory, "c1", ("new.md", topic("new", "x")))
    for wrong in (replace(change, index_spare=spare), replace(change, writes=(replace(change.writes[0], spare=spare),))):
        for carry_out in (directory.apply, lambda wrong: directory.settle(wrong, LATER)):
            with pytest.raises(MemoryDirectoryError, match="spare"):
                carry_out(wrong)
    assert not directory.path.exists()


def test_the_index_of_team_memory_follows_its_topics(directory: MemoryDirectory) -> None:
    """Made with the first of them; the lines written into what came out of its exchange join it when it is settled."""
    change = prepared(directory, "c1", ("team/rule.md", topic("rule", "x")))
    applied = directory.apply(change)
    assert (applied.team_index, applied.files[0].state) == (True, WriteState.WRITTEN)
    directory.settle(change, LATER)
    index = directory.path / "team/MEMORY.md"
    assert index.read_text() == "- [rule](rule.md) — about rule\n"
    put_file(directory.path, "team/theirs.md", topic("theirs", "x"))
    change = prepared(directory, "c2", ("team/second.md", topic("second", "x")))
    with index.open("a") as late:
        directory.apply(change)
        late.write("- [theirs](theirs.md) — late\n")
    assert directory.settle_spares(change, clock=iter([LATER, 2 * LATER]).__next__, sleep=lambda _: None).wait_seconds == 0
    assert {found.split("]")[0] for found in index.read_text().splitlines()} == {"- [rule", "- [second", "- [theirs"}
    assert sorted(place.name for place in directory.path.rglob("*") if place.name.startswith(".")) == []


def test_a_topic_of_team_memory_that_is_gone_with_its_folder_needs_no_index(directory: MemoryDirectory) -> None:
    """Deleting what somebody deleted with all of team memory is done, and team memory is not made for it."""
    put_file(directory.path, "team/rule.md", topic("rule", "x"))
    change = prepared(directory, "c1", ("team/rule.md", None))
    (directory.path / "team/rule.md").unlink()
    (directory.path / "team").rmdir()
    assert directory.apply(change).files == (FileResult("team/rule.md", WriteState.WRITTEN),)
    directory.settle(change, LATER)
    assert not (directory.path / "team").exists()


def test_an_index_of_team_memory_can_be_given_byte_for_byte(directory: MemoryDirectory) -> None:
    """Put where it is as it was seen, left where somebody changed it meanwhile."""
    put_file(directory.path, "team/MEMORY.md", "- [a](a.md)\n", NEW)
    for number, theirs in enumerate((False, True)):
        change = directory.prepare(f"c{number}", (), (), directory.read(), team_index=IndexTexts("- [a](a.md)\n", "- [b](b.md)\n"))
        if theirs:
            put_file(directory.path, "team/MEMORY.md", "theirs\n")
        directory.apply(change)
        directory.settle(change, LATER)
        assert (directory.path / "team/MEMORY.md").read_text() == ("theirs\n" if theirs else "- [b](b.md)\n")
