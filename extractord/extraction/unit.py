"""One stretch: judged, digested, given to agent runs chunk by chunk, applied, finished.

Owns: the order of these steps and what the stretch's outcome is. Leaves each step to its own module and the choice of the
stretch to ``plan``. The memory directory's lock and the stretch's claim are held by the caller.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import msgspec

from extractord.agent.protocol import Usage
from extractord.applying import Application, Carried, carry_out
from extractord.claude_home import MemoryHome
from extractord.config import Style
from extractord.errors import ExtractordError, LedgerError, PostponedError, RunEndedError, StoppedError, UnexpectedError, UsageError
from extractord.extraction.chunk import run_chunk
from extractord.extraction.logging_days import logged
from extractord.extraction.preparing import fact_rows, held_files, prepared_of
from extractord.extraction.retry import Park, TryAgain, after_failure, after_postponement
from extractord.extraction.subject import Subject, judged
from extractord.extraction.waiting import Waiting, held_back, waiting_of
from extractord.ledger import ChangesetRow, Finish, HeldChangeset, Kind, Outcome, Sighting, StretchRow, weightiest
from extractord.memory.changeset import ChangeKind
from extractord.memory.directory import Snapshot
from extractord.memory.facts import Checked
from extractord.runs.purse import LedgerPurse
from extractord.runs.reasons import refusals, unquoted
from extractord.runs.vanished import bury_vanished
from extractord.sandbox.level import Level, weakest
from extractord.supervisor import Supervisor
from extractord.transcript.digest import Digest, DigestLimits, build
from extractord.transcript.stretches import Reading
from extractord.transcript.verdict import Decision

NOTHING_FOUND = "nothing in it is to be remembered"
RUNS = 2  # of the agent over one chunk: once more on the new state if somebody changed a topic meanwhile (DESIGN §5)


@dataclass(frozen=True, slots=True)
class Tally:
    """What the chunks of a stretch have come to so far."""

    outcome: Outcome = Outcome.NOTHING_TO_SAVE
    reason: str = NOTHING_FOUND
    topics: tuple[str, ...] = ()
    new_topics: int = 0
    changeset: str | None = None

    def plus(self, outcome: Outcome, reason: str, checked: Checked, changeset: str | None) -> Tally:
        """Return the tally with one more chunk; the weightier outcome stands for both, with its reason."""
        heavier = weightiest((self.outcome, outcome))
        return Tally(
            outcome=heavier,
            reason=self.reason if heavier is self.outcome and self.reason != NOTHING_FOUND else reason,
            topics=tuple(dict.fromkeys((*self.topics, *(proposal.path for proposal, _ in checked.accepted)))),
            new_topics=self.new_topics + sum(proposal.kind is ChangeKind.CREATE for proposal, _ in checked.accepted),
            changeset=changeset or self.changeset,
        )

    def told(self, notes: str) -> Tally:
        """Return the tally with what is to be told of carrying its last chunk out."""
        return replace(self, reason="; ".join(part for part in (self.reason, notes) if part))


def deal_with(supervisor: Supervisor, subject: Subject) -> StretchRow:
    """Deal with one stretch and return its outcome, which the ledger has by then. Raises LedgerError and RunEndedError only."""
    work = _Work(supervisor, subject)
    try:
        return work.do()
    except (LedgerError, RunEndedError):
        raise
    except PostponedError as error:
        if isinstance(error, StoppedError):
            supervisor.models.stopped = error
        return work.postpone(error)
    except UsageError as error:  # the configuration is no fault of the session: it waits until that is right
        return work.postpone(PostponedError(error.message, hint=error.hint))
    except ExtractordError as error:
        return work.fail(error)
    except Exception as error:  # noqa: BLE001 - one session that nobody foresaw must not stop all others
        return work.fail(UnexpectedError.of(error))


def end_empty(supervisor: Supervisor, reading: Reading, home: MemoryHome, sighting: Sighting) -> StretchRow:
    """Finish a session in which nobody said anything."""
    row = StretchRow(
        session=sighting.session,
        key="",
        number=0,
        memory_dir=sighting.memory_dir,
        project=home.project_root,
        transcript=str(reading.path),
        outcome=Outcome.SKIPPED,
        reason="nothing typed",
        time=supervisor.wall(),
    )
    supervisor.ledger.finish(row, sighting)
    return row


class _Work:
    """The work on one stretch, from verdict to outcome."""

    def __init__(self, supervisor: Supervisor, subject: Subject) -> None:
        self._supervisor = supervisor
        self._ledger = supervisor.ledger
        self._subject = subject
        self._directory = supervisor.directory(subject.memory_dir)
        self._began = time.monotonic()
        self._tally = Tally()
        spending, budget, stretch = supervisor.spending or supervisor.ledger, supervisor.config.budget, (subject.session, subject.key)
        self._purse = LedgerPurse(spending, budget, stretch, since=subject.spent_since, now=supervisor.wall())
        self._waiting: Waiting | None = None
        self._more_follows = False  # chunks of this stretch
        self._level: Level | None = None  # the least that any of its workers was confined

    def do(self) -> StretchRow:
        subject = self._subject
        self._waiting = waiting_of(self._supervisor, subject)
        if (found := subject.found) is not None:
            return self._finish(subject.ids) if found.digest is None else self._chunk(found.digest, subject.ids)
        verdict = judged(self._supervisor, subject)
        if verdict.decision is Decision.SKIP:
            self._tally = Tally(Outcome.SKIPPED, verdict.reason)
            return self._finish(subject.ids)
        row = None
        for digest in build(subject.stretch, verdict, DigestLimits(self._supervisor.config.limits.digest_tokens)):
            self._more_follows = digest.chunk < digest.chunks - 1
            row = self._chunk(digest, subject.ids if digest.chunk == digest.chunks - 1 else ids_of(digest))
        return row if row is not None else self._finish(subject.ids)

    def fail(self, error: ExtractordError) -> StretchRow:
        """End this attempt as failed: the cursor stays where it was."""
        before = self._ledger.stretch_row(self._subject.session, self._subject.key)
        attempts = before.attempts + 1 if before is not None and before.outcome is Outcome.FAILED else 1
        self._tally, self._more_follows = Tally(Outcome.FAILED, error.message), False
        match after_failure(attempts, self._supervisor.config.retry, self._supervisor.wall()):
            case TryAgain(at):
                row = self._row(attempts=attempts, next_try=at)
            case Park():
                row = self._row(attempts=attempts, parked=True)
        self._ledger.finish(row)
        return row

    def postpone(self, error: PostponedError) -> StretchRow:
        """End this attempt as postponed: the cursor stays, and it is never parked for it."""
        before = self._ledger.stretch_row(self._subject.session, self._subject.key)
        times = before.attempts + 1 if before is not None and before.outcome is Outcome.POSTPONED else 1
        again = after_postponement(times, self._supervisor.config.retry, self._supervisor.wall())
        way_out = f" ({error.hint})" if error.hint else ""
        self._tally, self._more_follows = Tally(Outcome.POSTPONED, error.message + way_out), False
        row = self._row(attempts=times, next_try=again.at if error.until is None else error.until)
        self._ledger.finish(row)
        return row

    def _chunk(self, digest: Digest, ids: frozenset[str]) -> StretchRow:
        held_before: HeldChangeset | None = None
        for _ in range(RUNS):
            snapshot = self._directory.read()
            bury_vanished(self._ledger, str(self._subject.memory_dir), snapshot, self._supervisor.wall())
            run = run_chunk(self._supervisor, self._subject, digest, snapshot, self._purse, self._tally.new_topics)
            self._level = run.result.level if self._level is None else weakest(self._level, run.result.level)
            checked = run.checked if self._waiting is None else held_back(run.checked, self._waiting)
            held = self._held(checked, held_before)
            if self._supervisor.config.memory.style is Style.DAILY_LOG:
                checked = replace(checked, accepted=logged(checked.accepted, snapshot))
            before = self._tally
            if not checked.accepted:
                return self._end_without_writing(refusals(checked, run.result.rulings), checked, held, ids)
            carried = self._carry_out(checked, snapshot, held, ids)
            if not carried.conflicts:
                self._tally = self._tally.told(carried.reason)
                return self._row()
            held_before, self._tally = held or held_before, before
        return self._end_conflicted(checked, carried, ids)

    def _carry_out(self, checked: Checked, snapshot: Snapshot, held: HeldChangeset | None, ids: frozenset[str]) -> Carried:
        subject, changeset = self._subject, self._ledger.new_id()
        self._tally = self._tally.plus(Outcome.SAVED, "", checked, changeset)
        row = self._changeset_row(changeset, Outcome.SAVED)
        application = Application(
            row,
            prepared_of(changeset, self._directory, checked.accepted, snapshot, subject.session, self._ours()),
            facts=fact_rows(changeset, checked.accepted, subject),
            held=held,
            finish=self._end(self._row(), ids),
        )
        return carry_out(self._supervisor, self._directory, application)

    def _end_without_writing(self, refused: str, checked: Checked, held: HeldChangeset | None, ids: frozenset[str]) -> StretchRow:
        outcome = Outcome.PENDING_REVIEW if held else Outcome.NOTHING_TO_SAVE
        reason = held.row.reason if held else refused or NOTHING_FOUND
        self._tally = self._tally.plus(outcome, reason, checked, held.row.id if held else None)
        if held is None:
            return self._finish(ids)
        row = self._row()
        self._ledger.hold(held, self._end(row, ids))
        return row

    def _end_conflicted(self, checked: Checked, carried: Carried, ids: frozenset[str]) -> StretchRow:
        """Keep what could not be written for review: from now on it is the only carrier."""
        left = [(p, f) for p, f in checked.accepted if p.path in carried.conflicts]
        changeset = self._ledger.new_id()
        reason = f"{', '.join(carried.conflicts)} changed while it was being written, twice"
        row = self._changeset_row(changeset, Outcome.CONFLICTED, reason)
        self._tally = self._tally.plus(Outcome.CONFLICTED, reason, checked, changeset)
        facts = fact_rows(changeset, left, self._subject)
        end = self._row()
        self._ledger.hold(HeldChangeset(row, held_files((p, reason) for p, _ in left), facts), self._end(end, ids))
        return end

    def _held(self, checked: Checked, before: HeldChangeset | None) -> HeldChangeset | None:
        """Return what waits for review as a changeset of its own; not again what an earlier run of this chunk held already."""
        known = {(file.path, file.after) for file in before.files} if before else set()
        fresh = [(p, f) for p, f in checked.held if (p.path, p.after) not in known]
        if not fresh:
            return None
        changeset = self._ledger.new_id()
        files = held_files((p, f.reason) for p, f in fresh)
        reason = "; ".join(dict.fromkeys(unquoted(f.reason) for _, f in fresh))
        facts = fact_rows(changeset, fresh, self._subject)
        return HeldChangeset(self._changeset_row(changeset, Outcome.PENDING_REVIEW, reason), files, facts)

    def _ours(self) -> tuple[str, ...]:
        return tuple(self._ledger.own_topics(str(self._subject.memory_dir)))

    def _finish(self, ids: frozenset[str]) -> StretchRow:
        row = self._row()
        self._ledger.end(self._end(row, ids))
        return row

    def _end(self, row: StretchRow, ids: frozenset[str]) -> Finish:
        """Return the end of the stretch, and of those that were merged with it: they have its outcome."""
        others = self._subject.found.others if self._subject.found else ()
        also = tuple(Finish(self._row_of(other, Usage(), 0.0), other.sighting, tuple(sorted(other.ids))) for other in others)
        return Finish(row, self._subject.sighting, tuple(sorted(ids)), also)

    def _changeset_row(self, changeset: str, outcome: Outcome, reason: str = "") -> ChangesetRow:
        subject = self._subject
        return ChangesetRow(
            id=changeset,
            time=self._supervisor.wall(),
            session=subject.session,
            stretch_key=subject.key,
            memory_dir=str(subject.memory_dir),
            outcome=outcome,
            kind=Kind.EXTRACTION,
            reason=reason,
        )

    def _row(self, attempts: int = 1, next_try: float | None = None, parked: bool = False) -> StretchRow:
        # The row of the last chunk tells what all of them used; rows are added up.
        usage, cost = (Usage(), 0.0) if self._more_follows else (self._purse.usage, self._purse.cost_usd)
        row = self._row_of(self._subject, usage, cost)
        return msgspec.structs.replace(row, attempts=attempts, next_try=next_try, parked=parked)

    def _row_of(self, subject: Subject, usage: Usage, cost: float) -> StretchRow:
        """Return the row of this stretch, or of one that ends with it, with what finding its candidates took."""
        tally = self._tally
        if subject.found is not None and tally.outcome.moves_cursor:
            usage, cost = usage.plus(subject.found.usage), cost + subject.found.cost_usd
        return StretchRow(
            session=subject.session,
            key=subject.key,
            number=subject.stretch.number,
            memory_dir=str(subject.memory_dir),
            project=subject.home.project_root,
            transcript=str(subject.reading.path),
            outcome=tally.outcome,
            reason=tally.reason,
            time=self._supervisor.wall(),
            ended=subject.stretch.ended,
            topics=tally.topics,
            input_tokens=usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=cost,
            seconds=time.monotonic() - self._began,
            changeset=tally.changeset,
            sandbox="" if self._level is None else self._level.value,
        )


def ids_of(digest: Digest) -> frozenset[str]:
    """Return the identities of what a person typed in a chunk."""
    return frozenset(entry.uuid for entry in digest.entries if entry.origin.typed and entry.uuid)
