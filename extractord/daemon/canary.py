"""The canary: does the client still write what we understand?

Owns: what the last transcripts that were read showed. Leaves telling people to ``loop``.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from extractord.transcript.span import Reading

LAST = 20  # transcripts


@dataclass(frozen=True, slots=True)
class Seen:
    """One transcript as it was read."""

    session: str
    version: str  # of the client
    prompts: int


class Canary:
    """Remembers the last transcripts, each session once."""

    def __init__(self) -> None:
        self._seen: deque[Seen] = deque(maxlen=LAST)

    def saw(self, reading: Reading) -> None:
        """Take note of a transcript; one that is empty says nothing."""
        if reading.size:
            others = [seen for seen in self._seen if seen.session != reading.session]
            self._seen = deque([*others, Seen(reading.session, reading.version, reading.prompts)], maxlen=LAST)

    @property
    def warning(self) -> str:
        """Say that no prompt is recognised any more; "" as long as one of the last transcripts has one."""
        if len(self._seen) < LAST or any(seen.prompts for seen in self._seen):
            return ""
        version = next((seen.version for seen in reversed(self._seen) if seen.version), "") or "of unknown version"
        return (
            f"no prompt was recognised in the last {LAST} transcripts (client {version}): "
            "its format may have changed; look for a newer extractord"
        )
