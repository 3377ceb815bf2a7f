"""One memory directory consolidated: locked, looked at, changed, remembered.

Owns: the order of these steps, the client's lock, and what the whole comes to. Leaves what is proposed to ``asked`` and
``tidying``, whether it stands to ``judging``, the choice of directories to ``rounds``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from extractord.agent.protocol import Usage
from extractord.applying import LOCK_SECONDS, carry_out
from extractord.claude_home import MemoryHome
from extractord.consolidation import remembered
from extractord.consolidation.asked import ask
from extractord.consolidation.carrying import Carrying
from extractord.consolidation.changes import Change, Judged
from extractord.consolidation.judging import judge
from extractord.consolidation.material import Material, distilled_now, items_of, new_lines, times_of
from extractord.consolidation.remembered import Remembered
from extractord.consolidation.tidying import tidied
from extractord.errors import ExtractordError, LedgerError, PostponedError, RunEndedError, StoppedError, UnexpectedError
from extractord.ledger import ChangesetState, FactRow, HeldChangeset, Kind, Outcome
from extractord.memory import consolidate_lock
from extractord.memory.changeset import digest_of
from extractord.memory.checks import CheckLimits
from extractord.memory.directory import MemoryDirectory, Snapshot
from extractord.memory.writing import dead_lines
from extractord.runs.asking import asked_for
from extractord.runs.norms import norms
from extractord.runs.places import topic_facts
from extractord.runs.reasons import unquoted
from extractord.runs.vanished import bury_vanished
from extractord.supervisor import Supervisor

FIRST = "the first consolidation of a project waits for a person's word"
TIDY = "there is nothing to tidy up"
WAITS = "what would change waits for review already"
ELSEWHERE = "another program consolidates this directory now"
GONE = "there is no memory directory"


@dataclass(frozen=True, slots=True)
class Dream:
    """What consolidating a directory came to. ``changeset`` was written, ``held`` waits for review."""

    memory_dir: str
    outcome: Outcome
    reason: str = ""
    changeset: str | None = None
    held: str | None = None
    files: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cost_usd: float = 0.0
    error: ExtractordError | None = None


def dream(supervisor: Supervisor, home: MemoryHome) -> Dream:
    """Consolidate one memory directory. Raises LedgerError, RunEndedError and BusyError; all else is its outcome."""
    memory_dir = str(home.directory)
    directory = supervisor.directory(home.directory)
    if not directory.path.is_dir():
        return Dream(memory_dir, Outcome.NOTHING_TO_SAVE, GONE)
    with directory.lock(LOCK_SECONDS):
        began = supervisor.wall()
        give_back_killed(supervisor, directory, memory_dir)
        before = consolidate_lock.take(directory.path, began)
        if before is None:
            return Dream(memory_dir, Outcome.POSTPONED, ELSEWHERE)
        remembered.note_taken(supervisor.ledger, memory_dir, before)
        done = None
        try:
            done = _Work(supervisor, home, directory).do(began)
        finally:
            if done is not None and _counts(done):
                consolidate_lock.keep(directory.path, began)
            else:
                consolidate_lock.give_back(directory.path, before)
            supervisor.ledger.note_dreaming(memory_dir, "")
    return done


def give_back_killed(supervisor: Supervisor, directory: MemoryDirectory, memory_dir: str) -> None:
    """Give the client's lock back where a consolidation of ours was killed. The directory's lock is held by the caller.

    One whose changeset is carried out by now, or waits for review, is remembered as if it had come to its end.
    """
    ledger = supervisor.ledger
    before = remembered.taken(ledger, memory_dir)
    if before is None:
        return
    if ended := remembered.carried_out(ledger, memory_dir):
        began, left = ended
        remembered.note(ledger, memory_dir, left, began)
        consolidate_lock.keep(directory.path, began)
    else:
        consolidate_lock.give_back(directory.path, before)
    ledger.note_dreaming(memory_dir, "")


def _counts(done: Dream) -> bool:
    """Whether it is the last run from now on: one that changed or proposed something, or that a model looked through."""
    return done.outcome.moves_cursor and (done.outcome is not Outcome.NOTHING_TO_SAVE or done.usage != Usage())


class _Work:
    """The work on one directory, from reading it to the outcome."""

    def __init__(self, supervisor: Supervisor, home: MemoryHome, directory: MemoryDirectory) -> None:
        self._supervisor, self._home, self._directory = supervisor, home, directory
        self._ledger = supervisor.ledger
        self._memory_dir = str(home.directory)
        self._limits = CheckLimits()
        self._usage, self._cost = Usage(), 0.0
        self._refused = ""  # by the checks, while a model ran
        self._waits = False  # something that would be proposed waits already

    def do(self, began: float) -> Dream:
        try:
            return self._done(began)
        except (LedgerError, RunEndedError):
            raise
        except PostponedError as error:
            if isinstance(error, StoppedError):
                self._supervisor.models.stopped = error
            return self._dream(Outcome.POSTPONED, error.message, error=error)
        except ExtractordError as error:
            return self._dream(Outcome.FAILED, error.message, error=error)
        except Exception as error:  # noqa: BLE001 - one directory that nobody foresaw must not stop all others
            unexpected = UnexpectedError.of(error)
            return self._dream(Outcome.FAILED, unexpected.message, error=unexpected)

    def _done(self, began: float) -> Dream:
        _, left = remembered.recall(self._ledger, self._memory_dir)
        held_before: HeldChangeset | None = None
        for last in (False, True):  # once more on the new state if somebody changed a topic meanwhile (DESIGN §5)
            snapshot = self._directory.read()
            bury_vanished(self._ledger, self._memory_dir, snapshot, self._supervisor.wall())
            material = self._material(snapshot, left.distilled)
            judged, unread = self._proposed(material)
            first = bool(judged.accepted) and self._waits_first()
            judged = self._without_known(_all_held(judged) if first else judged)
            carrying = self._carrying(material)
            held = carrying.held(judged.held) if held_before is None else None
            distilled = distilled_now(snapshot, left.distilled, material.now.date(), unread)
            remains = Remembered.of(snapshot.index, distilled)  # of the index before, should we be killed
            dead = () if first else dead_lines(snapshot)  # with a first one they leave when it is agreed to
            if not judged.accepted and not dead:
                if waits := held or held_before:
                    remembered.note_changeset(self._ledger, self._memory_dir, waits.row.id, remains, began)
                done = self._end_without_writing(judged, waits)
                break
            application = carrying.application(judged.accepted, dead, held)
            remembered.note_changeset(self._ledger, self._memory_dir, application.row.id, remains, began)
            carried = carry_out(self._supervisor, self._directory, application)
            held_before = held or held_before
            if not carried.conflicts or last:
                done = self._end(application.row.id, judged, held_before, carried.conflicts, carrying, carried.reason)
                break
        remembered.note(self._ledger, self._memory_dir, Remembered.of(self._directory.read().index, distilled), began)
        return done

    def _material(self, snapshot: Snapshot, distilled: Mapping[str, int]) -> Material:
        topics, now = topic_facts(self._ledger, self._memory_dir, snapshot), self._supervisor.clock.at(self._supervisor.wall())
        items, logs = items_of(snapshot, topics), new_lines(snapshot, distilled, now.date())
        return Material(
            now=now,
            memory_dir=self._directory.path,
            project_root=self._home.project_root,
            items=items,
            logs=logs,
            norms=norms(Path(self._home.project_root), self._supervisor.surroundings.config_home, ()),
            tombstones=self._ledger.tombstones(self._memory_dir),
            snapshot=snapshot,
            topics=topics,
            times=times_of(items, logs),
        )

    def _proposed(self, material: Material) -> tuple[Judged, frozenset[str]]:
        """Return what is proposed, judged, and the logs that were not looked through whole."""
        supervisor, root = dreaming(self._supervisor), self._home.project_root
        terms = asked_for(supervisor, root)
        if terms is None:
            return judge(tidied(supervisor, material), material, self._limits), frozenset()
        answer = ask(supervisor, material, terms, self._limits)
        self._usage, self._cost = self._usage.plus(answer.usage), self._cost + answer.cost_usd
        self._refused = answer.refused
        return answer.judged, answer.unread

    def _carrying(self, material: Material) -> Carrying:
        facts: dict[str, list[FactRow]] = {}
        for fact in self._ledger.facts(self._memory_dir):
            facts.setdefault(fact.file, []).append(fact)
        ours = tuple(self._ledger.own_topics(self._memory_dir))
        return Carrying(self._supervisor, self._directory, self._memory_dir, material, facts, ours)

    # --- what waits

    def _waits_first(self) -> bool:
        """Whether no consolidation of this directory was agreed to yet."""
        agreed = (ChangesetState.ACCEPTED, ChangesetState.APPLIED, ChangesetState.UNDONE)
        entries = [entry for entry in self._ledger.changesets(memory_dir=self._memory_dir) if entry.row.kind is Kind.CONSOLIDATION]
        return not any(entry.files and entry.row.state in agreed for entry in entries)

    def _without_known(self, judged: Judged) -> Judged:
        """Return it without what a person turned down, and without topics about which something waits: that comes first."""
        entries = [entry for entry in self._ledger.changesets(memory_dir=self._memory_dir) if entry.row.kind is Kind.CONSOLIDATION]
        rejected = [entry.row.id for entry in entries if entry.row.state is ChangesetState.REJECTED]
        files = [file for id_ in rejected for file in self._ledger.changeset(id_).files]
        refused = {(file.path, digest_of(file.before), _said(file.after)) for file in files}
        held = [held for held in self._ledger.held(self._memory_dir) if held.row.kind is Kind.CONSOLIDATION]
        waiting = {(file.path, digest_of(file.before)) for one in held for file in one.files}
        fresh = [
            (change, why)
            for change, why in judged.held
            if (change.file, digest_of(change.before)) not in waiting
            and (change.file, digest_of(change.before), _said(change.after)) not in refused
        ]
        if len(fresh) < len(judged.held):
            self._waits = bool(waiting)
        return replace(judged, held=tuple(fresh))

    # --- the end

    def _end_without_writing(self, judged: Judged, held: HeldChangeset | None) -> Dream:
        if held is None:
            if self._waits:
                return self._dream(Outcome.PENDING_REVIEW, WAITS)
            reason = "; ".join(dict.fromkeys(f"refused: {unquoted(why)}" for _, why in judged.refused)) or self._refused or TIDY
            return self._dream(Outcome.NOTHING_TO_SAVE, reason)
        self._ledger.hold(held)
        return self._dream(Outcome.PENDING_REVIEW, held.row.reason, held=held.row.id, files=_files(change for change, _ in judged.held))

    def _end(
        self, changeset: str, judged: Judged, held: HeldChangeset | None, conflicts: Sequence[str], carrying: Carrying, notes: str
    ) -> Dream:
        if not conflicts:
            outcome = Outcome.PENDING_REVIEW if held else Outcome.SAVED
            reason = "; ".join(filter(None, (held.row.reason if held else "", notes)))
            return self._dream(outcome, reason, changeset=changeset, held=held.row.id if held else None, files=_files(judged.accepted))
        reason = f"{', '.join(conflicts)} changed while it was being written, twice"
        left = carrying.held([(change, reason) for change in judged.accepted if change.file in conflicts], Outcome.CONFLICTED)
        if left is not None:
            self._ledger.hold(left)
        return self._dream(
            Outcome.CONFLICTED, reason, changeset=changeset, held=left.row.id if left else None, files=_files(judged.accepted)
        )

    def _dream(
        self,
        outcome: Outcome,
        reason: str,
        *,
        changeset: str | None = None,
        held: str | None = None,
        files: tuple[str, ...] = (),
        error: ExtractordError | None = None,
    ) -> Dream:
        return Dream(self._memory_dir, outcome, reason, changeset, held, files, self._usage, self._cost, error)


def _all_held(judged: Judged) -> Judged:
    return Judged((), (*((change, FIRST) for change in judged.accepted), *judged.held), judged.refused)


def dreaming(supervisor: Supervisor) -> Supervisor:
    """Return the supervisor with the backend that is configured for consolidation; a project's own rule stands above it."""
    config = supervisor.config
    if config.dream.backend is None:
        return supervisor
    return replace(supervisor, config=msgspec.structs.replace(config, backend=config.dream.backend))


def _files(changes: Iterable[Change]) -> tuple[str, ...]:
    return tuple(change.file for change in changes)


def _said(text: str | None) -> str:
    """Return a text's digest without the time in its stamp."""
    return digest_of(None if text is None else "\n".join(line for line in text.splitlines() if not line.strip().startswith("modified:")))
