"""What waits for review, accepted or rejected.

Owns: bringing a held proposal onto today's memory: merged line by line, checked again, written as a changeset of its own.
Leaves the merge to ``memory.merge``, the checks to ``memory.checks``, carrying out to ``applying``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from extractord.applying import LOCK_SECONDS, Application, carry_out
from extractord.errors import ChangedMeanwhileError, LedgerError, MemoryDirectoryError
from extractord.history.places import refuse_elsewhere
from extractord.ledger import Burial, ChangesetRow, HeldChangeset, HeldFile, Kind, Outcome
from extractord.memory.age import log_date
from extractord.memory.changeset import Proposal
from extractord.memory.checks import check
from extractord.memory.daily_log import added, holds_lines, with_lines
from extractord.memory.directory import MemoryDirectory, Snapshot
from extractord.memory.facts import CheckLimits, Facts, Fate, Sharing, TopicFacts
from extractord.memory.merge import merge_topics
from extractord.memory.prepared import spare_name
from extractord.memory.removals import removed
from extractord.memory.topics import parse
from extractord.memory.writing import dead_lines, index_lines, write_of
from extractord.supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class Accepted:
    """A held changeset that was written, and the changeset that carries it."""

    id: str
    accepts: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edited:
    """A text that a person made of a proposal, and the text of the topic that it was made on (None: no file)."""

    based_on: str | None
    text: str


def find(supervisor: Supervisor, prefix: str) -> HeldChangeset:
    """Return the one held changeset whose id begins so. Raises LedgerError."""
    found = [held for held in supervisor.ledger.held() if held.row.id.startswith(prefix)]
    if len(found) != 1:
        raise LedgerError(f"{len(found)} changesets that wait for review begin with {prefix}", hint="`extractord review` lists them")
    return found[0]


def accept(supervisor: Supervisor, held: HeldChangeset) -> Accepted:
    """Write a held changeset onto today's memory.

    Raises ChangedMeanwhileError where the same lines changed since it was proposed, MemoryDirectoryError where it may not be
    written at all; it goes on waiting then.
    """
    refuse_elsewhere(supervisor, held.row.memory_dir)
    directory = supervisor.directory(Path(held.row.memory_dir))
    with directory.lock(LOCK_SECONDS):
        find(supervisor, held.row.id)  # another process may have decided on it meanwhile
        snapshot = directory.read()
        proposals = tuple(_merged(supervisor, held, file, snapshot) for file in held.files)
        _check(directory.path, proposals, snapshot, supervisor)
        application = _application(supervisor, directory, held, proposals, snapshot)
        carried = carry_out(supervisor, directory, application)
    if carried.conflicts:
        raise ChangedMeanwhileError(f"{', '.join(carried.conflicts)} changed while it was being written", hint="accept it again")
    return Accepted(application.row.id, held.row.id, tuple(p.path for p in proposals))


def reject(supervisor: Supervisor, held: HeldChangeset, reason: str = "rejected by a person") -> str:
    """Drop what waits in ``held`` (perhaps not all of its changeset); tombstones keep what it says from coming back. Returns its id."""
    now = supervisor.wall()
    burials = tuple(
        Burial(stone, file.path)
        for file in held.files
        if file.after is not None and held.row.kind is not Kind.CONSOLIDATION  # what that proposes stands in memory already
        for stone in removed(file.path, file.after, file.before, now)
    )
    supervisor.ledger.reject(held.row.id, reason, [file.path for file in held.files], burials)
    return held.row.id


def as_edited(held: HeldChangeset, texts: Mapping[str, Edited]) -> HeldChangeset:
    """Return a held changeset with the texts that a person made of it."""
    files = (replace(file, before=texts[file.path].based_on, after=texts[file.path].text) for file in held.files if file.path in texts)
    rest = (file for file in held.files if file.path not in texts)
    return replace(held, files=(*files, *rest))


def on_today(supervisor: Supervisor, held: HeldChangeset, file: HeldFile) -> Edited:
    """Return what a person is given to edit: the proposal brought onto today's text, or as it is where that cannot be done."""
    snapshot = supervisor.directory(Path(held.row.memory_dir)).read()
    today = snapshot.text_of(file.path)
    return Edited(today, _brought(file, today) or file.after or "")


def _brought(file: HeldFile, today: str | None) -> str | None:
    """Return the proposal on today's text; None where both touched the same lines, or the topic is to go."""
    if today in (file.before, file.after):
        return file.after
    if log_date(file.path) is not None and (lines := added(file.before, file.after)) is not None:
        return today if holds_lines(today or "", lines) else with_lines(today, lines)
    if today is not None and file.before is not None and file.after is not None:
        return merge_topics(file.before, file.after, today)
    return None


def _merged(supervisor: Supervisor, held: HeldChangeset, file: HeldFile, snapshot: Snapshot) -> Proposal:
    today = snapshot.text_of(file.path)
    brought = _brought(file, today)
    if brought is not None or (file.after is None and today in (file.before, None)):
        return Proposal(file.path, today, brought)
    hint = f"`extractord review` lets you edit it, `extractord review --reject {held.row.id}` drops it"
    below = next(
        (
            one.row.id
            for one in supervisor.ledger.held(held.row.memory_dir)
            for f in one.files
            if (f.path, f.after) == (file.path, file.before)
        ),
        None,
    )
    if today is None and file.before is not None and below is not None:
        raise ChangedMeanwhileError(
            f"{file.path} builds on {below}, which waits for review itself", hint=f"accept {below} first; or {hint}"
        )
    raise ChangedMeanwhileError(f"{file.path} in {held.row.memory_dir} changed since {held.row.id} was proposed", hint=hint)


def _check(place: Path, proposals: tuple[Proposal, ...], snapshot: Snapshot, supervisor: Supervisor) -> None:
    """Check again what a person accepted: their word stands for the evidence, not for form, size and secrets."""
    now = supervisor.clock.at(supervisor.wall())
    facts = Facts(now=now, memory_dir=place, topics=snapshot_facts(snapshot), sharing=Sharing.ON)
    for proposal in proposals:
        finding = check(proposal, facts, CheckLimits())
        if finding.fate is Fate.REFUSED:
            raise MemoryDirectoryError(f"{proposal.path} cannot be written: {finding.reason}", hint="reject it, or edit the topic by hand")


def snapshot_facts(snapshot: Snapshot) -> dict[str, TopicFacts]:
    """Return the topics as the checks want them, with nothing in them foreign: a person decides here."""
    return {path: TopicFacts(text, snapshot.time_of(path), frozenset()) for path, text in snapshot.texts().items()}


def _application(
    supervisor: Supervisor, directory: MemoryDirectory, held: HeldChangeset, proposals: tuple[Proposal, ...], snapshot: Snapshot
) -> Application:
    new, now = supervisor.ledger.new_id(), supervisor.wall()
    newest = {fact.file: max(f.time for f in held.facts if f.file == fact.file) for fact in held.facts}
    session = held.row.session or ""
    writes = tuple(
        write_of(p, newest.get(p.path, _time(held, p, now)), snapshot, session, spare_name(new, n)) for n, p in enumerate(proposals)
    )
    row = ChangesetRow(
        id=new,
        time=now,
        session=held.row.session,
        stretch_key=held.row.stretch_key,
        memory_dir=held.row.memory_dir,
        outcome=Outcome.SAVED,
        kind=Kind.REVIEW,
        accepts=held.row.id,
        reason=f"accepts {held.row.id}",
    )
    consolidates = held.row.kind is Kind.CONSOLIDATION
    index = (*index_lines(writes), *(dead_lines(snapshot) if consolidates else ()))
    last = tuple(write.path for write in writes if write.after is None) if consolidates else ()
    prepared = directory.prepare(new, writes, index, snapshot, last=last)
    return Application(row, prepared, facts=held.facts)


def _time(held: HeldChangeset, proposal: Proposal, now: float) -> float:
    """Return how old a topic is that rests on no fact: one that was put in order is as old as its text says."""
    if held.row.kind is not Kind.CONSOLIDATION:
        return now
    return (parse(proposal.after).modified if proposal.after is not None else None) or 0.0
