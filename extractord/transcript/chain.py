"""Which messages of a file were met before, which branch of the conversation each belongs to, and which branches were rewound.

Owns: the uuids of messages and the chain they make, as far as it tells a branch. Forks and rewrites repeat uuids, and each counts once.
Each prompt begins a branch that goes out from the branch of its parent. Of two prompts at the keyboard with the same parent the
earlier was taken back, with all that hangs from it. File order decides what exists: a parent that is not in the file, is no
message, or lies too far back, means the message before. Only messages are links here, so it does not matter which other lines were
decoded. Memory is little: the latest uuids as they are, older ones as eight bytes of a hash, which is also the form in which they are
kept between readings. Leaves messages to ``course``.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

PLAIN = 8192  # latest uuids that are kept as they are, with their branches; a parent is nearly always the record before
FORKS_KEPT = 256  # latest prompts whose parents are kept for reading on later
RECENT_KEPT = 64  # latest messages whose branches are kept for that
MET = -2  # in place of a branch: the message was met before


class Chain:
    """The messages of one file so far and their branches; ``node`` is the branch of the last one."""

    def __init__(
        self,
        node: int = -1,
        branches: Iterable[int] = (),
        forks: Sequence[tuple[str, int]] = (),
        abandoned: Iterable[int] = (),
        recent: Iterable[tuple[str, int]] = (),
        hashes: bytes = b"",
    ) -> None:
        """Begin with what ``forks``, ``abandoned``, ``recent`` and ``first`` gave."""
        self.node = node
        self.branches = list(branches)  # by prompt, the branch it goes out from
        self._forks = dict(forks)  # parent → branch of the last prompt that has it
        self._abandoned = set(abandoned)
        self._recent: dict[str, int] = {}
        self._older = dict(recent)
        self._hashes = array("Q", hashes)
        self._old = set(self._hashes)

    @property
    def count(self) -> int:
        """How many messages with a uuid were met."""
        return len(self._hashes) + len(self._recent)

    def knows(self, uuid: str) -> bool:
        """Whether a message with this uuid was met."""
        return uuid in self._recent or (bool(self._old) and _hash(uuid) in self._old)

    def add(self, uuid: str, parent: str | None) -> int:
        """Note a message and return its branch, ``MET`` if it is not the first with its uuid."""
        recent = self._recent
        if uuid in recent or (self._old and _hash(uuid) in self._old):
            return MET
        if parent is not None:
            node = recent.get(parent)
            if node is None and self._older:
                node = self._older.get(parent)
            if node is not None:
                self.node = node
        if uuid:
            recent[uuid] = self.node
            if len(recent) >= PLAIN:
                self._grow_old()
        return self.node

    def prompt(self, uuid: str, parent: str | None, *, at_keyboard: bool) -> int:
        """Note a prompt that was not met before and return the branch that it begins."""
        begun = len(self.branches)
        origin = self.add(uuid, parent)
        rewound = self._forks.get(parent) if parent and at_keyboard else None
        if rewound is not None:
            self._abandoned.add(rewound)
        self.branches.append(origin if rewound is None else self.branches[rewound])
        if parent and at_keyboard:
            self._forks.pop(parent, None)
            self._forks[parent] = begun
        self.node = begun
        if uuid:
            (self._recent or self._older)[uuid] = begun
        return begun

    def first(self, count: int) -> bytes:
        """Return the uuids of the first ``count`` messages as eight bytes each."""
        hashes = self._hashes[:count]
        hashes.extend(_hash(uuid) for uuid in list(self._recent)[: count - len(hashes)])
        return hashes.tobytes()

    def rewound(self) -> frozenset[int]:
        """Return the branches that were taken back."""
        if not self._abandoned:
            return frozenset()
        dead: set[int] = set()
        for node, origin in enumerate(self.branches):
            if node in self._abandoned or origin in dead:
                dead.add(node)
        return frozenset(dead)

    def forks(self) -> tuple[tuple[str, int], ...]:
        """Return the parents of the latest prompts, with the branch of each."""
        return tuple(self._forks.items())[-FORKS_KEPT:]

    def recent(self) -> tuple[tuple[str, int], ...]:
        """Return the latest messages, with the branch of each."""
        latest = list(self._recent.items())[-RECENT_KEPT:]
        missing = RECENT_KEPT - len(latest)
        return (*list(self._older.items())[-missing:], *latest) if missing else tuple(latest)

    def abandoned(self) -> tuple[int, ...]:
        """Return the branches whose first prompt was taken back."""
        return tuple(sorted(self._abandoned))

    def _grow_old(self) -> None:
        self._hashes.extend(map(_hash, self._recent))
        self._old.update(self._hashes[-len(self._recent) :])
        self._older, self._recent = self._recent, {}


def _hash(uuid: str) -> int:
    from hashlib import blake2b  # slow to import, and only sessions of several stretches or thousands of messages need it

    return int.from_bytes(blake2b(uuid.encode("utf-8", "replace"), digest_size=8).digest(), "little")
