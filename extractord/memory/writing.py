"""One topic's write as it is prepared: stamped, timed, with its index line.

Owns: that a topic is as old as the newest evidence in it, and that an index which we make names every topic there is. Leaves
the stamp's form to ``stamps``, carrying out to ``directory``.
"""

from __future__ import annotations

from collections.abc import Iterable

from extractord.memory.age import log_date
from extractord.memory.changeset import Proposal
from extractord.memory.entries import line_of
from extractord.memory.index import files_of
from extractord.memory.prepared import IndexLine, LineOperation, TopicWrite
from extractord.memory.snapshot import Place, Snapshot, TopicFile
from extractord.memory.stamps import stamp
from extractord.memory.topics import iso, parse

MS = 1_000_000  # nanoseconds


def write_of(proposal: Proposal, newest: float, snapshot: Snapshot, session: str, spare: str) -> TopicWrite:
    """Return the write of a proposal. ``newest`` is the time of its newest evidence, seconds since the epoch."""
    before_mtime, mode = snapshot.mtime_of(proposal.path), snapshot.mode_of(proposal.path)
    if proposal.after is None:
        return TopicWrite(proposal.path, proposal.before, None, before_mtime, None, spare, mode)
    moment_ms = int(max(newest, snapshot.time_of(proposal.path)) * 1000)  # as ``modified`` can say it
    after = stamp(proposal.after, session, iso(moment_ms / 1000), proposal.before)
    return TopicWrite(proposal.path, proposal.before, after, before_mtime, moment_ms * MS, spare, mode)


def dead_lines(snapshot: Snapshot) -> tuple[IndexLine, ...]:
    """Return that the index says nothing of files that it names and that are not there; none where not all were looked at."""
    gone = files_of(snapshot.index or "") - snapshot.names if snapshot.complete else ()
    return tuple(IndexLine(file, None) for file in sorted(gone))


def index_lines(writes: Iterable[TopicWrite]) -> tuple[IndexLine, ...]:
    """Return what the index is to say after some writes; of daily logs it says nothing."""
    return tuple(index_line(write) for write in writes if log_date(write.path) is None)


def index_line(write: TopicWrite) -> IndexLine:
    """Return what the index is to say of a topic after its write."""
    if write.after is None or write.after_mtime_ns is None:
        return IndexLine(write.path, None)
    topic = parse(write.after)
    return IndexLine(write.path, line_of(write.path, topic.name, topic.description), write.after_mtime_ns / 1e9)


def completing(snapshot: Snapshot, operations: tuple[IndexLine, ...]) -> tuple[IndexLine, ...]:
    """Return the lines of all topics that are there already, where these operations make an index.

    The client builds a missing index from whatever files lie there, and never adds to one that exists (facts 10.6): one with our
    lines alone would hide everything else from it.
    """
    if snapshot.index is not None or all(one.line is None for one in operations):
        return ()
    named = {one.file for one in operations}
    return tuple(line_for(there) for there in snapshot.topics.values() if there.place is Place.TOPIC and there.file not in named)


def line_for(there: TopicFile) -> IndexLine:
    """Return the line of a topic that has none."""
    line = line_of(there.file, there.topic.name, there.topic.description)
    return IndexLine(there.file, line, there.time, LineOperation.COMPLETE)
