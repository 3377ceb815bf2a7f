"""Which branch of the conversation a record belongs to, and which branches were rewound.

Owns: the uuid chain, as far as it tells a branch. Each prompt begins a branch that goes out from the branch of its parent. Of
two prompts at the keyboard with the same parent the earlier was taken back, with all that hangs from it. File order decides what exists: a
parent that is not in the file, is no message, or lies too far back, means the message before. Only messages are links here, so it does
not matter which other lines were decoded. Leaves messages to ``course``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

WINDOW = 2048  # latest messages whose branch is known; a parent is nearly always the record before
FORKS_KEPT = 256  # latest prompts whose parents are kept for reading on later


class Chain:
    """The branches of one file so far; ``node`` is the branch of the last record."""

    def __init__(
        self, node: int = -1, branches: Iterable[int] = (), forks: Sequence[tuple[str, int]] = (), abandoned: Iterable[int] = ()
    ) -> None:
        self.node = node
        self.branches = list(branches)  # by prompt, the branch it goes out from
        self._forks = dict(forks)  # parent → branch of the last prompt that has it
        self._abandoned = set(abandoned)
        self._recent: dict[str, int] = {}
        self._older: dict[str, int] = {}
        self._last = ""

    def link(self, uuid: str, parent: str | None) -> int:
        """Note a message and return its branch."""
        recent = self._recent
        if parent is not None and parent != self._last:
            node = recent.get(parent)
            if node is None and self._older:
                node = self._older.get(parent)
            if node is not None:
                self.node = node
        if uuid:
            recent[uuid] = self.node
            self._last = uuid
            if len(recent) >= WINDOW:
                self._older, self._recent = recent, {}
        return self.node

    def prompt(self, uuid: str, parent: str | None, *, at_keyboard: bool) -> int:
        """Note a prompt and return the branch that it begins."""
        begun = len(self.branches)
        rewound = self._forks.get(parent) if parent and at_keyboard else None
        if rewound is not None:
            self._abandoned.add(rewound)
        self.branches.append(self._branch_of(parent) if rewound is None else self.branches[rewound])
        if parent and at_keyboard:
            self._forks.pop(parent, None)
            self._forks[parent] = begun
        self.node = begun
        self._remember(uuid)
        return begun

    def rewound(self) -> frozenset[int]:
        """Return the branches that were taken back."""
        dead: set[int] = set()
        for node, origin in enumerate(self.branches):
            if node in self._abandoned or origin in dead:
                dead.add(node)
        return frozenset(dead)

    def forks(self) -> tuple[tuple[str, int], ...]:
        """Return the parents of the latest prompts, with the branch of each."""
        return tuple(self._forks.items())[-FORKS_KEPT:]

    def recent(self) -> tuple[tuple[str, int], ...]:
        """Return the latest records, with the branch of each."""
        return tuple((self._older | self._recent).items())[-64:]

    def recall(self, recent: Iterable[tuple[str, int]]) -> None:
        """Take up what ``recent`` gave."""
        self._recent.update(recent)

    def abandoned(self) -> tuple[int, ...]:
        """Return the branches whose first prompt was taken back."""
        return tuple(sorted(self._abandoned))

    def _branch_of(self, parent: str | None) -> int:
        if parent is None:
            return self.node
        node = self._recent.get(parent)
        if node is None:
            node = self._older.get(parent)
        return self.node if node is None else node

    def _remember(self, uuid: str) -> None:
        if not uuid:
            return
        self._last = uuid
        self._recent[uuid] = self.node
        if len(self._recent) >= WINDOW:
            self._older, self._recent = self._recent, {}
