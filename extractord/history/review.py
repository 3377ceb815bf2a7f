"""What waits for review, accepted or rejected.

Owns: bringing a held proposal onto today's memory: merged line by line, checked again, written as a changeset of its own.
Leaves the merge to ``memory.merge``, the checks to ``memory.checks``, carrying out to ``applying``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from extractord.applying import LOCK_SECONDS, Application, carry_out
from extractord.errors import ChangedMeanwhileError, LedgerError, MemoryDirectoryError
from extractord.ledger import ChangesetRow, HeldChangeset, HeldFile, Kind, Outcome
from extractord.memory.changeset import Proposal
from extractord.memory.checks import check
from extractord.memory.directory import MemoryDirectory, Snapshot
from extractord.memory.facts import CheckLimits, Facts, Fate, TopicFacts
from extractord.memory.merge import merge
from extractord.memory.prepared import spare_name
from extractord.memory.removals import removed
from extractord.memory.writing import index_lines, write_of
from extractord.supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class Accepted:
    """A held changeset that was written, and the changeset that carries it."""

    id: str
    accepts: str
    files: tuple[str, ...]


def find(supervisor: Supervisor, prefix: str) -> HeldChangeset:
    """Return the one held changeset whose id begins so. Raises LedgerError."""
    found = [held for held in supervisor.ledger.held() if held.row.id.startswith(prefix)]
    if len(found) != 1:
        raise LedgerError(f"{len(found)} changesets that wait for review begin with {prefix}", hint="`extractord review` lists them")
    return found[0]


def accept(supervisor: Supervisor, prefix: str) -> Accepted:
    """Write a held changeset onto today's memory.

    Raises ChangedMeanwhileError where the same lines changed since it was proposed, MemoryDirectoryError where it may not be
    written at all; it goes on waiting then.
    """
    held = find(supervisor, prefix)
    directory = supervisor.directory(Path(held.row.memory_dir))
    with directory.lock(LOCK_SECONDS):
        snapshot = directory.read()
        proposals = tuple(_merged(held, file, snapshot) for file in held.files)
        _check(directory.path, proposals, snapshot, supervisor)
        application = _application(supervisor, directory, held, proposals, snapshot)
        carried = carry_out(supervisor, directory, application)
    if carried.conflicts:
        raise ChangedMeanwhileError(f"{', '.join(carried.conflicts)} changed while it was being written", hint="accept it again")
    return Accepted(application.row.id, held.row.id, tuple(p.path for p in proposals))


def reject(supervisor: Supervisor, prefix: str) -> str:
    """Drop a held changeset; tombstones keep what it says from coming back. Returns its id."""
    held = find(supervisor, prefix)
    now = supervisor.wall()
    for file in held.files:
        if file.after is not None:
            for stone in removed(file.path, file.after, file.before, now):
                supervisor.ledger.bury(held.row.memory_dir, stone, file.path)
    supervisor.ledger.reject(held.row.id, "rejected by a person")
    return held.row.id


def _merged(held: HeldChangeset, file: HeldFile, snapshot: Snapshot) -> Proposal:
    today = snapshot.text_of(file.path)
    if today == file.before:
        return Proposal(file.path, today, file.after)
    if today is not None and file.before is not None and file.after is not None:
        merged = merge(file.before, file.after, today)
        if merged is not None:
            return Proposal(file.path, today, merged)
    raise ChangedMeanwhileError(
        f"{file.path} in {held.row.memory_dir} changed since {held.row.id} was proposed",
        hint=f"`extractord review --reject {held.row.id}` drops it",
    )


def _check(place: Path, proposals: tuple[Proposal, ...], snapshot: Snapshot, supervisor: Supervisor) -> None:
    """Check again what a person accepted: their word stands for the evidence, not for form, size and secrets."""
    facts = Facts(now=supervisor.clock.at(supervisor.wall()), memory_dir=place, topics=snapshot_facts(snapshot))
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
    writes = tuple(write_of(p, newest.get(p.path, now), snapshot, session, spare_name(new, n)) for n, p in enumerate(proposals))
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
    prepared = directory.prepare(new, writes, index_lines(writes), snapshot)
    return Application(row, prepared, facts=held.facts)
