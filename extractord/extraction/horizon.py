"""Where a daemon's business begins in one session: at its watermark.

Owns: the rule what of a session is older than that. Leaves remembering the watermark to the ledger and looking at sessions to
the daemon; runs by hand have no horizon.
"""

from __future__ import annotations

from dataclasses import dataclass

from extractord.transcript.messages import Message
from extractord.transcript.stretches import Stretch
from extractord.transcript.verdict import identity


@dataclass(frozen=True, slots=True)
class Horizon:
    """What was said up to ``moment``, stands before ``offset`` or was ``copied`` is older: not the daemon's business."""

    moment: float  # seconds since the epoch
    offset: int = 0  # bytes
    copied: frozenset[str] = frozenset()  # uuids of messages that a fork repeats of an older session

    def is_older(self, message: Message) -> bool:
        return message.evidence_time <= self.moment or message.start < self.offset or message.uuid in self.copied

    def older_turns(self, stretch: Stretch) -> frozenset[int]:
        """Return the turns of a stretch that began before the horizon."""
        if stretch.ended <= self.moment or stretch.end <= self.offset:
            return frozenset(range(stretch.first_turn, stretch.last_turn + 1))
        if stretch.started > self.moment and stretch.start >= self.offset and not self.copied:
            return frozenset()
        begins: dict[int, Message] = {}
        for message in stretch.messages:
            begins.setdefault(message.turn, message)
        return frozenset(turn for turn, message in begins.items() if self.is_older(message))

    def older_ids(self, stretch: Stretch) -> frozenset[str]:
        """Return the identities of what was typed in those turns."""
        older = self.older_turns(stretch)
        return frozenset(identity(stretch.session, mark.uuid, mark.start) for mark in stretch.typed if mark.turn in older)

    def reaches(self, stretch: Stretch) -> bool:
        """Whether anything of a stretch lies after the horizon."""
        return not self.older_turns(stretch) >= frozenset(range(stretch.first_turn, stretch.last_turn + 1))
