"""One topic's write as it is prepared: stamped, timed, with its index line.

Owns: that a topic is as old as the newest evidence in it. Leaves the stamp's form to ``stamps``, carrying out to
``directory``.
"""

from __future__ import annotations

from collections.abc import Iterable

from extractord.memory.age import log_date
from extractord.memory.changeset import Proposal
from extractord.memory.entries import line_of
from extractord.memory.prepared import IndexLine, TopicWrite
from extractord.memory.snapshot import Snapshot
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


def index_lines(writes: Iterable[TopicWrite]) -> tuple[IndexLine, ...]:
    """Return what the index is to say after some writes; of daily logs it says nothing."""
    return tuple(index_line(write) for write in writes if log_date(write.path) is None)


def index_line(write: TopicWrite) -> IndexLine:
    """Return what the index is to say of a topic after its write."""
    if write.after is None or write.after_mtime_ns is None:
        return IndexLine(write.path, None)
    topic = parse(write.after)
    return IndexLine(write.path, line_of(write.path, topic.name, topic.description), write.after_mtime_ns / 1e9)
