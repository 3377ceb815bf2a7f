"""What a run over a plan would send and skip, found out in one reading of each transcript, without asking any model.

Owns: the forecast of each session: its verdicts, and the sizes of the first requests, built as a run would build them. Two
processes share the reading where it is long. Leaves prices to ``estimate``, the plan itself to ``plan``.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from extractord.agent.claude_code.program import ClientTerms
from extractord.agent.claude_code.shot import Question
from extractord.agent.prompting import narrowed, opening
from extractord.claude_home import TranscriptFile
from extractord.extraction.briefings import briefing_of
from extractord.extraction.halves import can_fork, in_two
from extractord.extraction.pending import pending_topics
from extractord.extraction.plan import Examined, Looking, Plan, Scope, Seen, changed, gathered, subject_of
from extractord.extraction.subject import Subject, judged, known_situation
from extractord.ledger import Ledger
from extractord.runs.asking import asked_for
from extractord.runs.offer import shell_offer
from extractord.supervisor import Supervisor
from extractord.transcript.digest import Digest, DigestLimits, build
from extractord.transcript.verdict import Decision

CLIENT_BYTES = 1900  # what the user's own client adds to its question (facts §10.5)
PAYS_FROM = 32 << 20  # bytes to read: a second process costs about what reading a tenth of that does


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of a run's first call: what is the same in all runs, and the rest."""

    shared: int
    rest: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run would do about one session: a run of an agent for each chunk, and what it would skip, and why."""

    session: str
    project_root: str
    prompts: int = 0
    headless: bool = False
    chunks: tuple[Sizes, ...] = ()
    skipped: tuple[str, ...] = ()  # a reason for each stretch


@dataclass(frozen=True, slots=True)
class Survey:
    """A plan with the forecast of each of its sessions that has something open."""

    plan: Plan
    forecasts: Mapping[str, Forecast]


def survey(supervisor: Supervisor, scope: Scope) -> Survey:
    """Look at every transcript of the config home once, and say what a run would do about it."""
    new, unchanged = changed(supervisor, scope)
    here = _Surveyor(supervisor, scope)
    forecasts: dict[str, Forecast] = {}

    def kept(found: _Surveyed) -> Seen:
        if found.forecast is not None:
            forecasts[found.forecast.session] = found.forecast
        return found.seen

    if scope.limit is None and sum(file.size for file in new) >= PAYS_FROM and can_fork():
        there = functools.cache(lambda: _Surveyor(_apart(supervisor), scope))
        found = iter(in_two(new, lambda file: file.size, here.of, lambda file: there().of(file)))
    else:
        found = map(here.of, new)
    return Survey(gathered(supervisor, scope, unchanged, len(new), map(kept, found)), forecasts)


def _apart(supervisor: Supervisor) -> Supervisor:
    """Return what the second process works with: an open database must not be used in two."""
    return supervisor if supervisor.shadow else replace(supervisor, ledger=Ledger.in_memory(supervisor.locations.state))


@dataclass(frozen=True, slots=True)
class _Surveyed:
    seen: Seen
    forecast: Forecast | None = None


class _Surveyor:
    def __init__(self, supervisor: Supervisor, scope: Scope) -> None:
        self._supervisor = supervisor
        self._scope = scope
        self._looking = Looking(supervisor, scope)
        self._limits = DigestLimits(supervisor.config.limits.digest_tokens)
        self._situation_of = functools.cache(functools.partial(known_situation, supervisor))
        self._read = functools.cache(lambda place: supervisor.directory(place).read())
        self._pending_of = functools.cache(lambda place: pending_topics(supervisor.ledger, str(place)))
        self._by_client = functools.cache(lambda root: isinstance(asked_for(supervisor, root), ClientTerms))

    def of(self, file: TranscriptFile) -> _Surveyed:
        """Read one transcript."""
        examined = self._looking.examined(file)
        if not isinstance(examined, Examined):
            return _Surveyed(examined)
        return _Surveyed(examined.plan, self._forecast(examined) if examined.plan.open else None)

    def _forecast(self, examined: Examined) -> Forecast:
        plan = examined.plan
        wanted = {item.key for item in plan.open}
        open_stretches = [stretch for stretch in examined.reading.stretches if stretch.key in wanted]
        chunks: list[Sizes] = []
        skipped: list[str] = []
        for stretch in open_stretches:
            subject = subject_of(self._supervisor, self._scope, examined, stretch, plan.sighting)
            verdict = judged(self._supervisor, subject, self._situation_of(plan.home), self._read)
            if verdict.decision is Decision.SKIP:
                skipped.append(verdict.reason)
            else:
                chunks += [self._sizes(subject, digest) for digest in build(stretch, verdict, self._limits)]
        headless = any(stretch.headless for stretch in open_stretches)
        return Forecast(plan.file.session, plan.home.project_root, plan.prompts, headless, tuple(chunks), tuple(skipped))

    def _sizes(self, subject: Subject, digest: Digest) -> Sizes:
        snapshot, pending = self._read(subject.memory_dir), self._pending_of(subject.memory_dir)
        briefing = narrowed(briefing_of(self._supervisor, subject, digest, snapshot, pending))
        if self._by_client(subject.home.project_root):
            question = Question.of(briefing)
            return Sizes(len(question.system.encode()) + CLIENT_BYTES, question.size - len(question.system.encode()))
        dialogue = opening(briefing, shell_offer(self._supervisor.config))
        return Sizes(dialogue.stable_size, dialogue.request("", 0, None).size - dialogue.stable_size)


def forecasts_of(survey: Survey) -> Iterator[Forecast]:
    """Yield the forecasts in the order of the plan."""
    return (survey.forecasts[one.file.session] for one in survey.plan.sessions if one.file.session in survey.forecasts)
