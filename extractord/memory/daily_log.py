"""Daily logs: short bullets with their time, one file a local day, added to and never put in order.

Owns: a bullet's form and the file it belongs to, and which lines of a log are bullets. Pure. Leaves the age of a log to ``age``,
adding lines to a file to ``exchange``, turning bullets into topics to ``consolidation``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from extractord.memory.topics import TYPES

_BULLET = re.compile(
    rf"[-*+]\s+(?:\*\*)?(?:\[?(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::[0-5]\d)?\]?)?(?:\*\*)?\s*(?:[-–—:]\s+)?"
    rf"(?:\[(?P<type>{'|'.join(TYPES)})\]\s+)?(?P<text>\S.*)"
)
_WHY, _HOW = " **Why:** ", " **How to apply:** "


@dataclass(frozen=True, slots=True)
class Bullet:
    """One line of a log. ``type`` is "" where the line does not say which kind of topic it would be."""

    said: datetime  # aware, of the machine's zone
    type: str
    statement: str
    reason: str = ""
    apply: str = ""

    @property
    def file(self) -> str:
        """The log it belongs to, relative to the memory directory."""
        return path_of(self.said.date())

    @property
    def line(self) -> str:
        why, how = (f"{label}{_folded(words)}" if words else "" for label, words in ((_WHY, self.reason), (_HOW, self.apply)))
        return f"- {self.said:%H:%M} {f'[{self.type}] ' if self.type else ''}{_folded(self.statement)}{why}{how}"


def path_of(day: date) -> str:
    """Return the log of a day: ``logs/YYYY/MM/YYYY-MM-DD.md``."""
    return f"logs/{day:%Y}/{day:%m}/{day.isoformat()}.md"


def local(moment: float) -> datetime:
    """Return seconds since the epoch in the machine's zone."""
    return datetime.fromtimestamp(moment, UTC).astimezone()


def bullets_in(text: str, day: date) -> Iterator[Bullet]:
    """Yield the bullets in the lines of a log of ``day``; one without a time counts as said at the day's beginning.

    A line that is indented below a bullet, or goes on with it, belongs to it; headings and prose are no bullets.
    """
    gathered: list[str] = []
    for line in [*text.splitlines(), "- "]:
        if re.match(r"[-*+]\s", line):
            if gathered and (bullet := _bullet(" ".join(gathered), day)):
                yield bullet
            gathered = [line]
        elif gathered and line[:1] in (" ", "\t") and line.strip():
            gathered.append(line.strip())
        elif gathered:
            if bullet := _bullet(" ".join(gathered), day):
                yield bullet
            gathered = []


def added(before: str | None, after: str | None) -> str | None:
    """Return the lines that ``after`` has below those of ``before``; None where that is not all that changed."""
    old, new = before or "", after or ""
    if not new.startswith(old) or new == old:
        return None
    return new[len(old) :].removeprefix("\n") if old and not old.endswith("\n") else new[len(old) :]


def with_lines(text: str | None, lines: str) -> str:
    """Return a log with whole lines below what it has."""
    old = text or ""
    return f"{old}{'' if not old or old.endswith(chr(10)) else chr(10)}{lines}"


def holds_lines(text: str, lines: str) -> bool:
    """Whether these lines stand in a log together."""
    return lines in text and (text.startswith(lines) or f"\n{lines}" in text)


def _bullet(line: str, day: date) -> Bullet | None:
    found = _BULLET.fullmatch(line)
    if found is None:
        return None
    moment = time(int(found["hour"] or 0), int(found["minute"] or 0))
    said = datetime.combine(day, moment).astimezone()
    rest, _, apply = found["text"].partition(_HOW)
    statement, _, reason = rest.partition(_WHY)
    return Bullet(said, found["type"] or "", statement.strip(), reason.strip(), apply.strip())


def _folded(text: str) -> str:
    return " ".join(text.split())
