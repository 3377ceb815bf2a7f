"""Whether the words of a command may be paths: the reading policy, and the secret scan of what is taken apart.

Owns: judging one path, and that no program cuts up or feels along a file that holds a secret. Leaves the rules to ``policy`` and
``secret_files``, the scan to ``redact``, directories that are searched through to ``trees``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from extractord.agent.places import Places, read_regular
from extractord.agent.policy import Kind, Located
from extractord.agent.protocol import Decision
from extractord.agent.search import may_read
from extractord.agent.shell.grammar import CommandRefusedError
from extractord.redact import redact

SCANNED_BYTES = 12 << 20  # of one command; the scan takes about 3 MB a second


@dataclass(slots=True)
class Judge:
    """Judges the paths of one command, and remembers what the model is to be told with the result."""

    places: Places
    deadline: float  # of the command, as time.monotonic tells it
    remarks: list[str] = field(default_factory=list)
    _bytes_left: int = SCANNED_BYTES

    def path(self, text: str) -> Located:
        """Return what is at ``text``, links resolved. Raises CommandRefusedError unless the policy lets it be read."""
        resolved = self.places.for_reading(text)
        if (ruling := may_read(resolved)).decision is Decision.DENIED:
            raise CommandRefusedError(f"{text[:80]}: {ruling.reason}")
        return resolved.place

    def may_read(self, text: str) -> bool:
        """Return whether the policy lets ``text`` be read."""
        return may_read(self.places.for_reading(text)).decision is Decision.ALLOWED

    def whole(self, text: str, place: Located) -> None:
        """Raise CommandRefusedError if the file at ``place`` holds a secret, which a program could show in parts."""
        if place.kind is Kind.FILE and self.holds_secret(place):
            raise CommandRefusedError(f"{text[:80]} holds a secret and is not taken apart: Read and Grep show it without")

    def holds_secret(self, place: Located) -> bool:
        """Return whether the secret scan finds something in a file. Raises CommandRefusedError when there is too much to scan."""
        try:
            data = read_regular(self.places.root_of(place.area), place.parts, self._bytes_left + 1)
        except OSError:
            return False  # the program will not be able to read it either
        self._bytes_left -= len(data)
        if self._bytes_left < 0 or time.monotonic() > self.deadline:
            raise CommandRefusedError("too much to be scanned for secrets first: narrow it, or use Grep or Read")
        return bool(redact(data.decode(errors="replace")).found)
