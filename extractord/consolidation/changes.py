"""What a consolidation proposes: a topic as it is to be, and what that rests on.

Owns: the records. Leaves whether a change is right to ``judging``.
"""

from __future__ import annotations

from dataclasses import dataclass

from extractord.memory.changeset import Proposal


@dataclass(frozen=True, slots=True)
class Cited:
    """A place in memory that a change rests on: a topic or a log, and words that stand there."""

    file: str
    quote: str


@dataclass(frozen=True, slots=True)
class Change:
    """One topic before and after (None: no file). ``time`` is that of the newest evidence in it, seconds since the epoch."""

    file: str
    before: str | None
    after: str | None
    time: float
    cited: tuple[Cited, ...] = ()
    reason: str = ""  # why, in words for a person

    @property
    def proposal(self) -> Proposal:
        return Proposal(self.file, self.before, self.after)

    @property
    def others(self) -> tuple[str, ...]:
        """The other files that it takes something from, or is taken up by."""
        return tuple(dict.fromkeys(one.file for one in self.cited if one.file != self.file))


@dataclass(frozen=True, slots=True)
class Judged:
    """Changes after all rules; those that wait for a person or were refused come with the reason."""

    accepted: tuple[Change, ...] = ()
    held: tuple[tuple[Change, str], ...] = ()
    refused: tuple[tuple[Change, str], ...] = ()
