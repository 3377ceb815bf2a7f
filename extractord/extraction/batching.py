"""Old sessions by batches, at half the price: what is open is handed over, fetched when it is answered, and merged.

Owns: the order: fetch what was sent before, send what is open, wait, merge directory by directory. It can be ended at any moment: the
ledger knows what was sent. Leaves what is asked to ``agent.candidates``, the merge to ``merging``, each stretch to ``unit``.
"""

from __future__ import annotations

import functools
import hashlib
import secrets
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from extractord.agent.candidates import candidate_request, read_candidates, to_keep
from extractord.agent.model_frames import (
    BatchAnswer,
    BatchFetched,
    BatchItem,
    BatchSeen,
    BatchStep,
    Fault,
    FetchBatch,
    LookAtBatch,
    SendBatch,
)
from extractord.agent.prices import BATCH_PRICE
from extractord.agent.prompting import narrowed
from extractord.agent.protocol import Usage
from extractord.agent.relay import Terms, error_of, most_input
from extractord.applying import LOCK_SECONDS, recover, settle_spares
from extractord.claude_home import MemoryHome
from extractord.config import Provider
from extractord.errors import BusyError, PostponedError, StoppedError, UsageError, WorkerError
from extractord.extraction.briefings import briefing_of
from extractord.extraction.merging import Harvest, grouped, harvested, merged
from extractord.extraction.plan import OpenStretch, Plan, Scope, current_file, examine, subject_of
from extractord.extraction.subject import Subject, judged
from extractord.extraction.sweep import SessionResult, unreadable_row
from extractord.extraction.unit import deal_with, end_empty
from extractord.ledger import StretchRow
from extractord.ledger import batches as rows
from extractord.memory.directory import Snapshot
from extractord.runs.asking import asked_for
from extractord.runs.purse import LedgerPurse
from extractord.supervisor import Supervisor
from extractord.transcript.digest import Digest, DigestLimits, build
from extractord.transcript.verdict import Decision

ITEMS, BYTES = 500, 12 << 20  # of one batch: it goes to the model process in one frame
CALL_SECONDS = 300.0
LOOK_FIRST, LOOK_LONGEST = 5.0, 120.0  # seconds between two looks at a batch; a server of this machine is asked more often
ROUNDS = 2  # what expired or failed at the server is sent once more
_LOCAL_LOOK = 0.2
WENT_BACK = "its batch gave no answer; it is open as before"

Told = Callable[[str], None]


def by_batches(supervisor: Supervisor, scope: Scope, plan: Plan, tell: Told) -> Generator[SessionResult, None, None]:
    """Carry a plan out by batches; yields as ``sweep`` does. ``tell`` is given lines on what is being waited for.

    Raises BusyError where another process is at it, UsageError for a model that takes no batches, LedgerError; PostponedError and
    WorkerError where the server cannot be asked: what was sent is fetched the next time.
    """
    recover(supervisor)
    if not supervisor.ledger.claim(*rows.CLAIM):
        raise BusyError("another extractord is at work with batches", hint="wait for it, or end it")
    try:
        yield from _Run(supervisor, scope, plan, tell).results()
    finally:
        supervisor.ledger.release(*rows.CLAIM[1:])
    settle_spares(supervisor)


@dataclass(frozen=True, slots=True)
class _Request:
    """A chunk that is open, as it is asked about."""

    subject: Subject
    digest: Digest
    item: BatchItem
    upper_usd: float

    @property
    def stretch(self) -> tuple[str, str]:
        return self.subject.session, self.subject.key


class _Run:
    def __init__(self, supervisor: Supervisor, scope: Scope, plan: Plan, tell: Told) -> None:
        self._supervisor = supervisor
        self._ledger = supervisor.ledger
        self._scope = scope
        self._plan = plan
        self._tell = tell
        self._stop: StoppedError | None = None
        self._limits = DigestLimits(supervisor.config.limits.digest_tokens)

    def results(self) -> Iterator[SessionResult]:
        for unreadable in self._plan.unreadable:
            self._ledger.finish(unreadable_row(unreadable, self._supervisor.wall()))
            yield SessionResult(unreadable)
        yield from (SessionResult(session) for session in self._plan.sessions if not session.open)
        self._fetch_all()
        for _ in range(ROUNDS):
            if not self._send_all():
                break
            self._fetch_all()
        done: dict[tuple[str, str], StretchRow] = {}
        for place in dict.fromkeys(item.memory_dir for item in self._in_order()):
            done |= {(row.session, row.key): row for row in self._directory(place)}
        for session in self._plan.sessions:
            if session.open:
                found = tuple(done[item.session, item.key] for item in session.open if (item.session, item.key) in done)
                stopped = "" if len(found) == len(session.open) else self._stop.message if self._stop else WENT_BACK
                yield SessionResult(session, found, stopped)
        if self._stop is not None:
            self._supervisor.models.stopped = self._stop

    def _in_order(self) -> list[OpenStretch]:
        return sorted((item for session in self._plan.sessions for item in session.open), key=lambda item: item.age)

    # --- sending

    def _send_all(self) -> bool:
        """Send what is open and in no batch; return whether that was anything."""
        known, sent = self._ledger.stretches_in_batches(), False
        read = functools.cache(lambda place: self._supervisor.directory(place).read())  # nothing of ours writes while requests are made
        group: list[_Request] = []
        size = 0
        for item in self._in_order():
            if (item.session, item.key) in known or self._stop is not None:
                continue
            requests = list(self._requests(item, read))
            more = sum(request.item.request.size for request in requests)
            if group and (len(group) + len(requests) > ITEMS or size + more > BYTES):
                sent |= self._send(group)
                group, size = [], 0
            group += requests
            size += more
        return self._send(group) or sent

    def _requests(self, item: OpenStretch, read: Callable[[Path], Snapshot]) -> Iterator[_Request]:
        """Yield a request for each chunk of a stretch that a model is to read."""
        subject = self._subject(item)
        if subject is None:
            return
        verdict = judged(self._supervisor, subject, read=read)
        if verdict.decision is Decision.SKIP:
            return
        terms = self._terms(subject.home)
        snapshot = read(subject.memory_dir)
        for digest in build(subject.stretch, verdict, self._limits):
            request = candidate_request(narrowed(briefing_of(self._supervisor, subject, digest, snapshot, {})), terms)
            upper = terms.rates.upper_bound(most_input(request), request.max_tokens) * BATCH_PRICE
            yield _Request(subject, digest, BatchItem(secrets.token_hex(8), request), upper)

    def _send(self, group: list[_Request]) -> bool:
        """Put money aside, write down what is sent, send it."""
        reserved = [(request, held) for request in group if (held := self._reserved(request)) is not None]
        there = Counter(request.stretch for request, _ in reserved)
        paid = [(request, held) for request, held in reserved if there[request.stretch] >= request.digest.chunks]
        for request, held in reserved:
            if there[request.stretch] < request.digest.chunks:  # money was there for some chunks of its stretch only
                self._ledger.drop_reservation(held)
        if not paid:
            return False
        terms = self._terms(paid[0][0].subject.home)
        batch = rows.Batch(secrets.token_hex(8), terms.server.title, terms.model, "", self._supervisor.wall())
        self._ledger.begin_batch(batch, (_row(batch.id, request, held) for request, held in paid))
        deadline = time.monotonic() + CALL_SECONDS
        said = self._supervisor.models.batch(
            terms.server, lambda number: SendBatch(number, tuple(r.item for r, _ in paid), deadline), deadline
        )
        match said:
            case BatchSeen(_, remote):
                self._ledger.batch_sent(batch.id, remote)
                self._tell(f"{len(paid)} requests were handed over as batch {remote}")
                return True
            case Fault(kind=kind):
                nothing = Usage() if kind.unbilled else None
                self._ledger.end_batch(batch.id, [rows.ItemAnswer(r.item.name, None, nothing) for r, _ in paid])
                raise error_of(said, self._supervisor.wall(), terms.server.provider)
            case _:
                raise WorkerError("the model process answered what it was not asked")

    def _reserved(self, request: _Request) -> int | None:
        """Put the most that a request can cost aside; None where a cap is in the way."""
        budget = self._supervisor.config.budget
        purse = LedgerPurse(self._ledger, budget, request.stretch, since=request.subject.spent_since, now=self._supervisor.wall())
        try:
            return purse.reserve(request.upper_usd).id
        except StoppedError as error:
            self._stop = error
        except PostponedError:  # of this stretch alone
            return None
        return None

    # --- fetching

    def _fetch_all(self) -> None:
        """Wait until every batch that was sent is answered, and keep the answers."""
        for batch in self._ledger.open_batches():
            if not batch.remote:  # whoever sent it was killed: nobody knows whether it arrived, what was put aside stays spent
                self._ledger.end_batch(batch.id, ())
                continue
            terms = self._terms_of(batch)
            wait = _LOCAL_LOOK if terms.server.local else LOOK_FIRST
            while not self._has_ended(batch, terms):
                self._tell(f"batch {batch.remote} is not answered yet (at most a day); Ctrl-C and a later run go on with it")
                time.sleep(wait)
                wait = wait if terms.server.local else min(1.5 * wait, LOOK_LONGEST)
            self._fetch(batch, terms)

    def _has_ended(self, batch: rows.Batch, terms: Terms) -> bool:
        said = self._said(terms, lambda number, until: LookAtBatch(number, batch.remote, until))
        if not isinstance(said, BatchSeen):
            raise WorkerError("the model process answered what it was not asked")
        return said.ended

    def _fetch(self, batch: rows.Batch, terms: Terms) -> None:
        said = self._said(terms, lambda number, until: FetchBatch(number, batch.remote, until))
        if not isinstance(said, BatchFetched):
            raise WorkerError("the model process answered what it was not asked")
        given = {one.name: one for one in said.answers}
        items = self._ledger.batch_items(batch.id)
        self._ledger.end_batch(batch.id, [_answered(item, given.get(item.name), terms) for item in items])
        lost = sum(given[item.name].heard is None for item in items if item.name in given)
        self._tell(f"batch {batch.remote}: {len(items) - lost} answers" + (f", {lost} expired or failed at the server" if lost else ""))

    def _said(self, terms: Terms, step: Callable[[int, float], BatchStep]) -> BatchSeen | BatchFetched:
        deadline = time.monotonic() + CALL_SECONDS
        said = self._supervisor.models.batch(terms.server, lambda number: step(number, deadline), deadline)
        if isinstance(said, Fault):
            raise error_of(said, self._supervisor.wall(), terms.server.provider)
        return said

    # --- merging

    def _directory(self, place: Path) -> Iterator[StretchRow]:
        """Finish what is answered of one memory directory, oldest first; what a batch gave no answer to stays open."""
        items = [item for item in self._in_order() if item.memory_dir == place]
        with self._supervisor.directory(place).lock(LOCK_SECONDS):
            claimed = [item for item in items if self._ledger.claim(str(place), item.session, item.key)]
            try:
                found: list[Harvest] = []
                for item in claimed:
                    match self._looked_at(item):
                        case StretchRow() as row:
                            yield row
                        case Harvest(candidates=()) as harvest:
                            yield deal_with(self._supervisor, harvest.subject)
                        case Harvest() as harvest:
                            found.append(harvest)
                        case None:
                            pass
                for group in grouped(found, self._supervisor.config):
                    yield from self._merged(group)
            finally:
                for item in claimed:
                    self._ledger.release(item.session, item.key)

    def _merged(self, group: tuple[Harvest, ...]) -> Iterator[StretchRow]:
        row = deal_with(self._supervisor, merged(group))
        yield row
        if row.outcome.moves_cursor:
            others = (self._ledger.stretch_row(one.subject.session, one.subject.key) for one in group[:-1])
            yield from (other for other in others if other is not None)

    def _looked_at(self, item: OpenStretch) -> Harvest | StretchRow | None:
        """Return what was found in a stretch, or its outcome where no model is needed; None where it has to wait."""
        subject = self._subject(item)
        if subject is None:
            return self._empty(item)
        verdict = judged(self._supervisor, subject)
        if verdict.decision is Decision.SKIP:
            return deal_with(self._supervisor, subject)
        items = self._ledger.batch_items_of(item.session, item.key)
        digests = build(subject.stretch, verdict, self._limits)
        if [one.mark for one in items] != [mark_of(digest) for digest in digests]:  # it grew since it was sent: asked about anew
            self._ledger.drop_batch_items_of(item.session, item.key)
            return None
        if any(one.answer is None for one in items):
            return None
        return harvested(subject, tuple(digests), items)

    def _subject(self, item: OpenStretch) -> Subject | None:
        """Return an open stretch, read again; None if it is dealt with by now, or has nothing in it."""
        file = current_file(self._supervisor, item)
        examined = None if file is None else examine(self._supervisor, self._scope, file)
        if examined is None or item.key not in {still.key for still in examined.plan.open}:
            return None
        stretch = next((s for s in examined.reading.stretches if s.key == item.key), None)
        return None if stretch is None else subject_of(self._supervisor, self._scope, examined, stretch, examined.plan.sighting)

    def _empty(self, item: OpenStretch) -> StretchRow | None:
        """Finish a session without a conversation."""
        file = current_file(self._supervisor, item)
        examined = None if file is None or item.key else examine(self._supervisor, self._scope, file)
        if examined is None or not examined.plan.open:
            return None
        return end_empty(self._supervisor, examined.reading, examined.plan.home, examined.plan.sighting)

    # --- terms

    def _terms(self, home: MemoryHome) -> Terms:
        terms = asked_for(self._supervisor, home.project_root)
        if not isinstance(terms, Terms) or terms.server.provider is not Provider.ANTHROPIC:
            raise UsageError("only the backend anthropic, at the vendor or a server like it, takes batches", hint="leave --batch out")
        return terms

    def _terms_of(self, batch: rows.Batch) -> Terms:
        """Return the terms on which a batch was sent; what another server has is not asked of this one."""
        for root in {session.home.project_root for session in self._plan.sessions}:
            terms = asked_for(self._supervisor, root)
            if isinstance(terms, Terms) and terms.server.title == batch.server:
                return terms
        raise UsageError(f"batch {batch.remote} was handed to {batch.server}", hint="run it with that server's base_url and login")


def mark_of(digest: Digest) -> str:
    """Return what tells a digest from what the same stretch has when it has grown."""
    return hashlib.sha256(msgspec.json.encode(digest.entries)).hexdigest()[:32]


def _row(batch: str, request: _Request, reservation: int) -> rows.BatchItem:
    subject, digest = request.subject, request.digest
    return rows.BatchItem(batch, request.item.name, subject.session, subject.key, digest.chunk, mark_of(digest), reservation)


def _answered(item: rows.BatchItem, given: BatchAnswer | None, terms: Terms) -> rows.ItemAnswer:
    """Return what the ledger is to keep of an answer; one that is in no form that can be read is paid for, and goes back."""
    if given is None:
        return rows.ItemAnswer(item.name, None, None)
    if given.heard is None:
        return rows.ItemAnswer(item.name, None, Usage())
    usage = given.heard.usage
    cost = 0.0 if usage is None else terms.rates.cost(usage) * BATCH_PRICE
    found = read_candidates(given.heard.text)
    return rows.ItemAnswer(item.name, None if found is None else to_keep(found), usage, cost)
