"""Memory as the offline rules have changed it so far.

Owns: one change a topic, however many rules had a hand in it, and what each rests on. Leaves the rules to their modules.
"""

from __future__ import annotations

from collections.abc import Iterable

from extractord.consolidation.changes import Change, Cited
from extractord.consolidation.material import Item, Material, changed
from extractord.memory.topics import parse


class Drafts:
    """Topics on their way. ``items`` are those that are there now, by file."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.items: dict[str, Item] = dict(material.items)
        self._cited: dict[str, list[Cited]] = {}
        self._reasons: dict[str, list[str]] = {}
        self._touched: dict[str, float] = {}

    def put(self, file: str, text: str, time: float, reason: str, cited: Iterable[Cited] = ()) -> None:
        """Let a topic become ``text``, as old as the newest evidence in it."""
        there = self.items.get(file)
        newest = max(time, there.time if there else 0.0)
        self.items[file] = changed(there, text, newest) if there else Item(file, text, newest, frozenset(), parse(text))
        self._note(file, reason, cited, newest)

    def drop(self, file: str, reason: str, cited: Iterable[Cited] = ()) -> None:
        """Let a topic go."""
        there = self.items.pop(file)
        self._note(file, reason, cited, there.time)

    def taken(self) -> frozenset[str]:
        """Return the names that a new topic may not have."""
        return frozenset(self.items) | frozenset(self.material.snapshot.names)

    def changes(self) -> tuple[Change, ...]:
        """Return what differs from the beginning; what took something from a topic that came and went has its sources."""
        return tuple(change for file in self._touched if (change := self._change(file)) is not None)

    def _change(self, file: str) -> Change | None:
        before, after = self.material.items.get(file), self.items.get(file)
        old, new = (None if one is None else one.text for one in (before, after))
        if old == new:
            return None
        reason = "; ".join(dict.fromkeys(self._reasons[file]))
        return Change(file, old, new, self._touched[file], self._sources(file, frozenset((file,))), reason)

    def _sources(self, file: str, seen: frozenset[str]) -> tuple[Cited, ...]:
        found: list[Cited] = []
        for one in self._cited.get(file, ()):
            passing = one.file not in self.material.items and one.file in self._touched  # made by an earlier rule of this run
            if passing and one.file not in self.items and one.file not in seen:
                found += self._sources(one.file, seen | {one.file})
            else:
                found.append(one)
        return tuple(dict.fromkeys(found))

    def _note(self, file: str, reason: str, cited: Iterable[Cited], time: float) -> None:
        self._cited.setdefault(file, []).extend(cited)
        self._reasons.setdefault(file, []).append(reason)
        self._touched[file] = time
