"""What waits for review, as later runs see it: they neither propose it again nor write past it.

Owns: which waiting text stands for a topic, and how it shows in the manifest. Leaves what becomes of a change that builds on it to
``apart``, keeping it to the ledger, the person's word to ``history.review``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from extractord.ledger import Kind, Ledger
from extractord.memory.directory import Snapshot, manifest
from extractord.memory.facts import Sharing
from extractord.memory.manifest import PendingTopic, TopicHead
from extractord.memory.snapshot import MANIFEST_TOPICS, Place
from extractord.memory.snapshot import heads as heads_in
from extractord.memory.topics import TYPES, parse

_SHOWN_BYTES = 1 << 20  # of all that a run is told of, newest first; the rest waits none the less
_SHOWN_TOPICS = 100


@dataclass(frozen=True, slots=True)
class Pending:
    """The newest text that waits for a topic."""

    text: str
    changeset: str
    time: float  # of its newest evidence, seconds since the epoch


def pending_topics(ledger: Ledger, memory_dir: str) -> dict[str, Pending]:
    """Return what waits in a memory directory, by topic; a deletion that waits leaves the topic as it stands."""
    found: dict[str, Pending] = {}
    for held in ledger.held(memory_dir):
        for file in held.files:
            if held.row.kind is Kind.CONSOLIDATION and file.before is not None:
                continue  # only another order of what stands in memory: it holds nothing up
            found.pop(file.path, None)
            if file.after is not None:
                times = [fact.time for fact in held.facts if fact.file == file.path]
                found[file.path] = Pending(file.after, held.row.id, max(times, default=held.row.time))
    return dict(_within_bounds(found))


def _within_bounds(found: Mapping[str, Pending]) -> Iterator[tuple[str, Pending]]:
    room = _SHOWN_BYTES
    for path, one in list(found.items())[::-1][:_SHOWN_TOPICS]:
        room -= len(one.text.encode("utf-8", "surrogatepass"))
        if room < 0:
            return
        yield path, one


def briefed(pending: Mapping[str, Pending]) -> tuple[PendingTopic, ...]:
    """Return what waits as a worker is told of it."""
    return tuple(PendingTopic(path, one.text, one.changeset) for path, one in pending.items())


def manifest_with(snapshot: Snapshot, pending: Mapping[str, Pending], sharing: Sharing = Sharing.OFF) -> tuple[TopicHead, ...]:
    """Return the manifest with what waits in the place of what stands, marked; with the topics of team memory where it may be written."""
    listed = manifest(snapshot) if sharing is Sharing.OFF else heads_in(snapshot, (Place.TOPIC, Place.TEAM), MANIFEST_TOPICS)
    heads = {head.file: head for head in listed}
    heads |= {path: _head(path, one, heads.get(path)) for path, one in pending.items()}
    return tuple(sorted(heads.values(), key=lambda head: (-head.time, head.file)))


def _head(path: str, one: Pending, stands: TopicHead | None) -> TopicHead:
    topic = parse(one.text)
    time = max(one.time, stands.time if stands else 0.0)
    kind = topic.type if topic.type in TYPES else ""
    name = topic.name or path.rpartition("/")[2].removesuffix(".md")
    return TopicHead(path, name, topic.description, kind, time, topic.body, one.changeset)
