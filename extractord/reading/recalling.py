"""The topics of a project that a question calls for.

Owns: which topics are looked through, who chooses (a model only where one was chosen and agreed to, words otherwise), and falling
back to words where the model cannot or may not be asked. Leaves the rules to ``memory.recall``, the model's call to
``agent.choosing``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import PurePosixPath

from extractord.agent.choosing import Asked
from extractord.agent.relay import Terms
from extractord.claude_home import MemoryHome, excluded, switched_off
from extractord.config import Backend, backend_for
from extractord.errors import LedgerError, PostponedError, UsageError, WorkerError
from extractord.ledger import PAID
from extractord.memory.age import age_text, freshness, log_age_text, log_date, log_days, log_freshness, log_time
from extractord.memory.manifest import TopicHead
from extractord.memory.recall import HEADERS, by_words, recall, worth_offering
from extractord.memory.snapshot import Place, Snapshot, heads
from extractord.runs.asking import terms_of
from extractord.runs.purse import LedgerPurse
from extractord.supervisor import Supervisor

LOG_DAYS = 14  # older logs were distilled, or are past helping
_LOG_DESCRIPTION = 200  # characters
_EVERYTHING = 1_000_000


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by a session that has seen ``surfaced`` and has been using ``tools``."""

    query: str
    cwd: str
    tools: Collection[str] = ()
    surfaced: Collection[str] = ()  # relative to the memory directory, or any path that ends so


@dataclass(frozen=True, slots=True)
class Remembered:
    """A topic that was found, with its age in words."""

    head: TopicHead
    age: str
    freshness: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was found. ``note`` says why words had to do where a model was to choose."""

    topics: tuple[Remembered, ...] = ()
    note: str = ""


def recalled(supervisor: Supervisor, question: Question) -> Recalled:
    """Return at most five topics that the question clearly calls for. Raises MemoryDirectoryError."""
    home = supervisor.home_of(question.cwd)
    if not home.enabled:
        return Recalled(note=home.reason)
    now = supervisor.wall()
    there = _heads(supervisor.directory(home.directory).read(), now)
    surfaced = _as_files(question.surfaced, there)
    chooser = _Chooser(supervisor, home, now)
    found = recall(question.query, worth_offering(there, surfaced, question.tools), chooser.choose)
    return Recalled(tuple(_remembered(head, now) for head in found), chooser.note)


class _Chooser:
    """Whoever chooses, and what is to be told of that."""

    def __init__(self, supervisor: Supervisor, home: MemoryHome, now: float) -> None:
        self._supervisor, self._home, self._now = supervisor, home, now
        self.note = ""

    def choose(self, query: str, manifest: tuple[TopicHead, ...]) -> tuple[str, ...]:
        try:
            terms = self._terms()
            if terms is not None:
                return self._asked(terms, query, manifest)
        except (PostponedError, WorkerError, LedgerError, UsageError) as error:
            self.note = f"chosen by words, without a model: {error.message}"
        return by_words(query, manifest)

    def _terms(self) -> Terms | None:
        """Return the terms of the model, None where none was chosen, or the project is to be left alone.

        The user's own client is not asked: it takes seconds to start, and somebody waits.
        """
        one, root = self._supervisor, self._home.project_root
        if switched_off(root, one.config, one.surroundings) or excluded(root, one.config, one.surroundings):
            return None
        if backend_for(root, one.config, one.surroundings.home) is not Backend.ANTHROPIC:
            return None
        terms = terms_of(one.config, one.locations, one.surroundings)
        if not terms.rates.free and one.ledger.consent(PAID) is None:
            raise UsageError("nobody agreed yet that it costs money (`extractord once` asks)")
        return terms

    def _asked(self, terms: Terms, query: str, manifest: tuple[TopicHead, ...]) -> tuple[str, ...]:
        one = self._supervisor
        purse = LedgerPurse(one.ledger, one.config.budget, ("recall", str(self._home.directory)), since=self._now, now=self._now)
        shown = manifest[:HEADERS]
        chosen = Asked(terms, one.models, self._now).choose(query, shown, purse)
        return tuple(file for file in chosen if any(head.file == file for head in shown))


def _heads(snapshot: Snapshot, now: float) -> tuple[TopicHead, ...]:
    return (*heads(snapshot, (Place.TOPIC, Place.TEAM), _EVERYTHING), *_logs(snapshot, now))


def _logs(snapshot: Snapshot, now: float) -> Iterator[TopicHead]:
    """Yield the daily logs of the last days as topics: what they say first stands for a description."""
    for file, there in snapshot.topics.items():
        day = log_date(file)
        if day is not None and log_days(day, _today(now)) <= LOG_DAYS:
            said = " ".join(there.topic.body.split())[:_LOG_DESCRIPTION]
            yield TopicHead(file, f"log of {day.isoformat()}", said, "", log_time(day), there.topic.body)


def _remembered(head: TopicHead, now: float) -> Remembered:
    day = log_date(head.file)
    if day is None:
        return Remembered(head, age_text(head.time, now), freshness(head.time, now))
    return Remembered(head, log_age_text(day, _today(now)), log_freshness(day, _today(now)))


def _today(now: float) -> date:
    return datetime.fromtimestamp(now, UTC).astimezone().date()


def _as_files(surfaced: Collection[str], there: tuple[TopicHead, ...]) -> frozenset[str]:
    """Return which of the topics are meant, by their file as we name it or by any path of it."""
    named = {str(PurePosixPath(one)) for one in surfaced}
    paths = [one for one in named if one.startswith(("/", "~"))]
    return frozenset(head.file for head in there if head.file in named or any(path.endswith(f"/{head.file}") for path in paths))
