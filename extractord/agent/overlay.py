"""The in-memory copy of the memory directory that an agent run changes.

Owns: what each touched topic was when it was first looked at, what it is to become, which topics the model has seen, and the
changeset these come to. Leaves reading the disk to the ``load`` callable, and whether a change is right to policy and checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from extractord.memory.changeset import Changeset, Evidence, Proposal

OVERLAY_BYTES = 4 << 20  # of all texts together: as JSON, where a character may take six bytes, it still fits a frame
OVERLAY_TOPICS = 200
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(slots=True)
class _Topic:
    before: str | None
    staged: Proposal | None = None

    @property
    def now(self) -> str | None:
        return self.staged.after if self.staged else self.before


class Overlay:
    """Staged changes over the topics of one memory directory; paths are relative to it, with ``/``."""

    def __init__(
        self, load: Callable[[str], str | None], briefed: Iterable[tuple[str, str]] = (), pending: Mapping[str, str] = _NOTHING
    ) -> None:
        """``load`` returns a topic's text on disk, None if there is none; ``briefed`` are (path, body) that the model was given.

        ``pending`` are texts that wait for review, by path: this run sees them in the place of what is on disk.
        """
        self._load = load
        self._pending = pending
        self._topics: dict[str, _Topic] = {}
        self._seen: set[str] = set()
        self._briefed = {path: body.strip() for path, body in briefed if body.strip()}

    def now(self, path: str) -> str | None:
        """Return the topic's text as this run sees it, None if there is none. Raises what ``load`` raises."""
        return self._topic(path).now

    def covers(self, path: str) -> bool:
        """Return whether this run sees another text of the topic than the disk has: it changed it, or one waits for review."""
        return path in self._pending or (path in self._topics and self._topics[path].staged is not None)

    def waits(self, path: str) -> bool:
        """Return whether what this run sees of the topic is not saved yet but waits for review."""
        return path in self._pending

    def covering(self) -> dict[str, str | None]:
        """Return the topics of which this run sees another text than the disk has, by path; None for deleted ones."""
        return {**self._pending, **self._staged()}

    def _staged(self) -> dict[str, str | None]:
        return {path: topic.now for path, topic in self._topics.items() if topic.staged}

    def mark_seen(self, path: str) -> None:
        """Note that the model was shown the topic."""
        self._seen.add(path)

    def seen(self, path: str) -> bool:
        """Return whether the model knows the topic: it read or wrote it, or was briefed with just what is there."""
        body = self._briefed.get(path)
        if body is not None and (text := self.now(path)) is not None and text.strip().endswith(body):
            return True
        return path in self._seen

    def propose(self, path: str, after: str | None, evidence: tuple[Evidence, ...]) -> Proposal:
        """Return what changing the topic to ``after`` would come to, with all evidence given for it so far; stages nothing."""
        topic = self._topic(path)
        earlier = topic.staged.evidence if topic.staged else ()
        return Proposal(path, topic.before, after, (*earlier, *(e for e in evidence if e not in earlier)))

    def room_for(self, proposal: Proposal) -> bool:
        """Return whether the overlay stays within its bounds with ``proposal`` in it."""
        others = [topic.staged for path, topic in self._topics.items() if topic.staged and path != proposal.path]
        return len(others) < OVERLAY_TOPICS and sum(map(_size, (*others, proposal))) <= OVERLAY_BYTES

    def stage(self, proposal: Proposal) -> None:
        """Make ``proposal`` what this run sees. One that comes back to where the topic started is no change any more."""
        topic = self._topic(proposal.path)
        topic.staged = proposal if proposal.before != proposal.after else None
        self._seen.add(proposal.path)

    def crosses(self, path: str) -> bool:
        """Return whether a topic that this run made would be a directory above ``path``, or ``path`` one above such a topic."""
        made = [other for other, text in self.covering().items() if text is not None]
        return any(path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in made)

    def changeset(self) -> Changeset:
        """Return all staged changes, in the order in which their topics were first touched."""
        return Changeset(tuple(topic.staged for topic in self._topics.values() if topic.staged))

    def _topic(self, path: str) -> _Topic:
        if path not in self._topics:
            self._topics[path] = _Topic(self._pending[path] if path in self._pending else self._load(path))
        return self._topics[path]


def _size(proposal: Proposal) -> int:
    texts = (proposal.before or "", proposal.after or "", *(e.quote for e in proposal.evidence))
    return sum(len(text.encode()) for text in texts)
