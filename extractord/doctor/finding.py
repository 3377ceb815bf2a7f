"""What a check is, what it is asked with, and what it finds.

Owns: these records and how a finding is told. Leaves the checks to their modules.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec

from extractord.claude_home import Surroundings, TranscriptFile, transcripts
from extractord.config import Config, Locations, load
from extractord.errors import ExtractordError, UsageError


class Finding(msgspec.Struct, frozen=True):
    """One line of ``doctor --json`` (CONTRACTS). ``fix`` is what to do; where ``ok`` holds it is only an offer."""

    check: str
    ok: bool
    detail: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """What every check looks at, read once."""

    surroundings: Surroundings
    locations: Locations
    now: float  # seconds since the epoch
    config: Config  # the defaults where the file is wrong
    config_error: UsageError | None = None
    transcripts: tuple[TranscriptFile, ...] = ()
    transcripts_error: ExtractordError | None = None

    @classmethod
    def of(cls, surroundings: Surroundings, locations: Locations, now: float | None = None) -> Visit:
        """Read configuration and list of transcripts; what is wrong with them is kept for the checks."""
        config, config_error = Config(), None
        try:
            config = load(locations.config_file, surroundings.environ)
        except UsageError as error:
            config_error = error
        found: tuple[TranscriptFile, ...] = ()
        listing_error = None
        try:
            found = tuple(transcripts(surroundings.config_home))
        except ExtractordError as error:
            listing_error = error
        return cls(surroundings, locations, time.time() if now is None else now, config, config_error, found, listing_error)

    @property
    def newest(self) -> TranscriptFile | None:
        """The transcript that was written to last."""
        return max(self.transcripts, key=lambda file: file.mtime_ns, default=None)


@dataclass(frozen=True, slots=True)
class Check:
    """One question; None is found where it means nothing on this system."""

    name: str
    ask: Callable[[Visit], Finding | None] = field(compare=False)


def good(check: str, detail: str, fix: str = "") -> Finding:
    return Finding(check, ok=True, detail=detail, fix=fix)


def bad(check: str, detail: str, fix: str) -> Finding:
    return Finding(check, ok=False, detail=detail, fix=fix)


def told(finding: Finding) -> Iterator[str]:
    """Yield the lines for people."""
    yield f"{'ok  ' if finding.ok else 'FAIL'}  {finding.check:<15} {finding.detail}"
    if finding.fix:
        yield f"{'':<22}→ {finding.fix}"
