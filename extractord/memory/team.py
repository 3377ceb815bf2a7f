"""Team memory: the part of a memory directory that is shared with others, and its own index.

Owns: which topics belong to it, and what its index says after a changeset. That follows from the topics that were written, so that
no record of it is kept: taking a changeset back does the same with the topics as they are then. Leaves sharing to ``sharing``, the
operations on an index to ``index``, files to ``directory``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from msgspec import structs

from extractord.memory.entries import files_of, line_of
from extractord.memory.index import Around, Merged, merge
from extractord.memory.prepared import IndexLine, IndexTexts, LineOperation, TopicWrite
from extractord.memory.snapshot import Place, Snapshot
from extractord.memory.topics import parse
from extractord.memory.writing import index_line, line_for

FOLDER = "team"
_PREFIX = f"{FOLDER}/"


def is_team(path: str) -> bool:
    """Whether a path relative to the memory directory is one of team memory."""
    return path.startswith(_PREFIX)


def within(path: str) -> str:
    """Return a path of team memory as its own index writes it."""
    return path.removeprefix(_PREFIX)


def beyond(path: str) -> str:
    """Return a path within team memory as one relative to the memory directory."""
    return _PREFIX + path


@dataclass(frozen=True, slots=True)
class TeamIndexChange:
    """What is to be done to the index of team memory, as a function of its text. Done twice it changes nothing."""

    operations: tuple[IndexLine, ...]
    completing: tuple[IndexLine, ...]  # lines of all topics, for an index that is made
    around: Around
    texts: IndexTexts | None = None

    def of(self, text: str | None) -> Merged:
        if self.texts is not None:
            return Merged(self.texts.after if text == self.texts.before else text, ())
        made = self.completing if text is None and any(one.line is not None for one in self.operations) else ()
        merged = merge(text, (*self.operations, *made), self.around)
        return Merged(merged.text if merged.text and merged.text.strip() else None, merged.changes, merged.notes)

    def mtime_of(self, text: str | None) -> int | None:  # noqa: ARG002 - as every change of an index
        """Return the time an index is to have: that of writing."""
        return None


def team_change(
    writes: Iterable[TopicWrite], conflicted: frozenset[str], snapshot: Snapshot, texts: IndexTexts | None
) -> TeamIndexChange | None:
    """Return what is to be done about the index of team memory after some writes, None if nothing is."""
    mine = [write for write in writes if is_team(write.path) and write.path not in conflicted]
    if not mine and texts is None:
        return None
    topics = [there for there in snapshot.topics.values() if there.place is Place.TEAM]
    around = Around(
        {within(there.file): there.time for there in topics},
        frozenset(within(name) for name in snapshot.names if is_team(name)) if snapshot.complete else None,
    )
    lines = tuple(index_line(structs.replace(write, path=within(write.path))) for write in mine)
    return TeamIndexChange(lines, tuple(line_for(replace(there, file=within(there.file))) for there in topics), around, texts)


def in_step(text: str, topics: dict[str, str]) -> str:
    """Return an index of team memory brought in step with the topics (texts by path within it). Pure: equal texts give equal bytes."""
    times = {file: parse(topic).modified or 0.0 for file, topic in topics.items()}
    named = files_of(text)
    gone = [IndexLine(file, None) for file in sorted(named - topics.keys())]
    single = [IndexLine(file, None, operation=LineOperation.SINGLE) for file in sorted(named & topics.keys())]
    fresh = []
    for file in sorted(topics.keys() - named, key=lambda file: (times[file], file)):
        topic = parse(topics[file])
        line = line_of(file, topic.name, topic.description)
        fresh.append(IndexLine(file, line, times[file], LineOperation.COMPLETE))
    return merge(text, (*gone, *single, *fresh), Around(times, frozenset(topics))).text or ""
