"""What a consolidation works on: the topics with whose lines are whose, what is new in the logs, what people wrote as norms.

Owns: the records, and which lines of a log are new since the last time. Leaves reading the directory to ``memory.snapshot``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

from extractord.memory.age import log_date, log_time
from extractord.memory.daily_log import bullets_in
from extractord.memory.facts import TopicFacts
from extractord.memory.manifest import Tombstone
from extractord.memory.passages import has_words, lines_of
from extractord.memory.snapshot import Place, Snapshot
from extractord.memory.topics import Topic, parse

_STAMP = re.compile(r"\s*(?:modified|originSessionId|node_type|metadata|type)\s*:")


@dataclass(frozen=True, slots=True)
class Item:
    """A topic. ``foreign`` are its lines that the ledger did not write."""

    file: str
    text: str
    time: float  # its evidence time, seconds since the epoch
    foreign: frozenset[str]
    topic: Topic

    @property
    def is_ours(self) -> bool:
        """Whether any of what it says was written by us."""
        return any(says(line) and line not in self.foreign for line in lines_of(self.text))

    @property
    def theirs(self) -> frozenset[str]:
        """The foreign lines that say something; stamps do not."""
        return frozenset(line for line in self.foreign if says(line))


@dataclass(frozen=True, slots=True)
class NewLines:
    """What was added to a daily log since the last consolidation."""

    file: str
    day: date
    text: str

    @property
    def time(self) -> float:
        """When the last of it was said."""
        return max((bullet.said.timestamp() for bullet in bullets_in(self.text, self.day)), default=log_time(self.day))


@dataclass(frozen=True, slots=True)
class Material:
    """Everything a consolidation knows when it begins."""

    now: datetime  # aware
    memory_dir: Path  # real path
    project_root: str
    items: Mapping[str, Item] = field(default_factory=dict)  # topics; neither logs nor team memory
    logs: tuple[NewLines, ...] = ()  # oldest first
    norms: tuple[str, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    snapshot: Snapshot = field(default_factory=Snapshot)
    topics: Mapping[str, TopicFacts] = field(default_factory=dict)  # every .md file, as the checks want it
    times: Mapping[str, float] = field(default_factory=dict)  # evidence times of items and logs


def says(line: str) -> bool:
    """Whether a line of a topic tells something; the stamps of its header do not."""
    return has_words(line) and not _STAMP.match(line)


def items_of(snapshot: Snapshot, topics: Mapping[str, TopicFacts]) -> dict[str, Item]:
    """Return the topics of a directory; of a text that could not be read as a topic nothing is known, so it is left out."""
    return {
        file: Item(file, there.text, there.time, topics[file].foreign, there.topic)
        for file, there in snapshot.topics.items()
        if there.place is Place.TOPIC and there.topic.header_ok
    }


def changed(item: Item, text: str, time: float) -> Item:
    """Return an item with another text of ours."""
    return Item(item.file, text, time, item.foreign & frozenset(lines_of(text)), parse(text))


def new_lines(snapshot: Snapshot, distilled: Mapping[str, int], today: date) -> tuple[NewLines, ...]:
    """Return what the logs say beyond what was distilled before (characters, by file), oldest day first.

    A log that became shorter was put in order by somebody: what is left of it was there before.
    """
    found = []
    for file, there in snapshot.topics.items():
        day = log_date(file)
        if day is None or there.place is not Place.LOG:
            continue
        fresh = there.text[distilled.get(file, 0) : _end(there.text, day, today)]
        if fresh.strip():
            found.append(NewLines(file, day, fresh))
    return tuple(sorted(found, key=lambda one: (one.day, one.file)))


def times_of(items: Mapping[str, Item], logs: Iterable[NewLines]) -> dict[str, float]:
    """Return how new topics and logs are, by file."""
    return {file: item.time for file, item in items.items()} | {log.file: log.time for log in logs}


def distilled_now(snapshot: Snapshot, before: Mapping[str, int], today: date, left: frozenset[str] = frozenset()) -> dict[str, int]:
    """Return how far the logs are distilled once everything that is new but in ``left`` has been."""
    logs = {file: (there.text, day) for file, there in snapshot.topics.items() if (day := log_date(file)) is not None}
    return {file: before.get(file, 0) if file in left else _end(text, day, today) for file, (text, day) in logs.items()}


def _end(text: str, day: date, today: date) -> int:
    """Return where the last line ends that is whole: today's may be in the middle of being written."""
    return text.rfind("\n") + 1 if day >= today else len(text)
