"""One stretch with everything that is needed to deal with it.

Owns: the record, and the situation it is judged in. Leaves the rules of the verdict to ``transcript.eligibility``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from extractord.agent.protocol import Usage
from extractord.claude_home import MemoryHome, Surroundings, excluded, switched_off
from extractord.config import Config, Locations
from extractord.extraction.elsewhere import resting_on
from extractord.ledger import Sighting
from extractord.memory.directory import Snapshot
from extractord.supervisor import Supervisor
from extractord.transcript.digest import Digest
from extractord.transcript.eligibility import Situation, judge
from extractord.transcript.span import Reading
from extractord.transcript.stretches import Stretch
from extractord.transcript.verdict import Decision, Verdict, identity

NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Source:
    """Where a message of a merged digest stands."""

    session: str
    message: str  # id in the session's own digest
    transcript: str


@dataclass(frozen=True, slots=True)
class Found:
    """What was found beforehand in a stretch, and in others of its directory that end with it; ``digest`` None: nothing.

    ``usage`` and ``cost_usd`` are what finding it took, of this stretch alone.
    """

    digest: Digest | None = None
    candidates: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)  # by id in ``digest``
    others: tuple[Subject, ...] = ()
    usage: Usage = NO_USAGE
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Subject:
    """A stretch of a session as it was just read, where its memory lies, and what counts as now for it."""

    reading: Reading
    stretch: Stretch
    home: MemoryHome
    sighting: Sighting  # what the ledger is to know once the stretch is finished
    ids: frozenset[str]  # identities of its typed messages, without those of ``older``
    handled: frozenset[str]  # those of them that were dealt with before
    now: datetime
    older: frozenset[str] = frozenset()  # identities of those that come before a daemon's horizon
    spent_since: float = 0.0  # seconds since the epoch: what was spent on it before does not count toward its own cap
    found: Found | None = None

    @property
    def session(self) -> str:
        return self.sighting.session

    @property
    def key(self) -> str:
        return self.stretch.key

    @property
    def memory_dir(self) -> Path:
        return self.home.directory


def typed_ids(stretch: Stretch) -> frozenset[str]:
    """Return the identities of what a person typed in a stretch."""
    return frozenset(identity(stretch.session, mark.uuid, mark.start) for mark in stretch.typed)


def situation_of(home: MemoryHome, config: Config, surroundings: Surroundings) -> Situation:
    """Return what settings and disk say about the sessions of a project."""
    return Situation(
        memory_enabled=home.enabled,
        memory_reason=home.reason,
        memory_dir=home.directory,
        memory_dir_resolved=Path(home.directory).resolve(),
        home=surroundings.home,
        index_exists=(home.directory / "MEMORY.md").is_file(),
        excluded=switched_off(home.project_root, config, surroundings) or excluded(home.project_root, config, surroundings),
        skip_scope=config.memory.skip_scope,
        headless=config.headless,
    )


def own_folder(locations: Locations) -> Path:
    """Return the folder in which our own runs of a client take place, as the client names it: by its real path (facts §2)."""
    return locations.run.resolve()


def known_situation(supervisor: Supervisor, home: MemoryHome) -> Situation:
    """Return that situation with what the ledger knows of our own runs."""
    situation = situation_of(home, supervisor.config, supervisor.surroundings)
    return replace(situation, own_sessions=supervisor.ledger.own_runs(), own_folder=own_folder(supervisor.locations))


def judged(
    supervisor: Supervisor, subject: Subject, situation: Situation | None = None, read: Callable[[Path], Snapshot] | None = None
) -> Verdict:
    """Return the verdict on a subject. ``situation`` is its home's, ``read`` reads memory: what a caller who judges many keeps."""
    situation = situation or known_situation(supervisor, subject.home)
    verdict = judge(subject.stretch, replace(situation, handled=subject.handled, older=subject.older))
    if verdict.decision is Decision.EXTRACT and (file := _elsewhere(supervisor, subject, read)):
        reason = f"saved already under another ledger (another machine's?): {file} bears its evidence"
        return Verdict(Decision.SKIP, reason, verdict.turns_left_out, verdict.writes)
    return verdict


def _elsewhere(supervisor: Supervisor, subject: Subject, read: Callable[[Path], Snapshot] | None) -> str:
    """Return the topic by which a stretch was dealt with under another ledger; what this one knows of, or is asked for, needs no sign."""
    if subject.handled or subject.spent_since:
        return ""
    snapshot = read(subject.memory_dir) if read else supervisor.directory(subject.memory_dir).read()
    found = tuple(resting_on(subject.stretch, snapshot.topics))
    ours = supervisor.ledger.own_topics(str(subject.memory_dir)) if found else ()
    return next((file for file in found if file not in ours), "")
