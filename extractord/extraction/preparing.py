"""From a checked changeset to a prepared one.

Owns: what an extraction's changeset consists of, and the facts the ledger keeps of it. Leaves one topic's write to
``memory.writing``, checking to ``memory.checks``, carrying out to ``applying``.
"""

from __future__ import annotations

from collections.abc import Iterable

from extractord.ledger import FactRow, HeldFile
from extractord.memory.changeset import Proposal
from extractord.memory.directory import MemoryDirectory, Snapshot
from extractord.memory.facts import Finding
from extractord.memory.prepared import Prepared, spare_name
from extractord.memory.writing import index_lines, write_of

Accepted = Iterable[tuple[Proposal, Finding]]


def prepared_of(
    changeset: str, directory: MemoryDirectory, accepted: Accepted, snapshot: Snapshot, session: str, ours: tuple[str, ...]
) -> Prepared:
    """Return the prepared form of the accepted proposals, based on ``snapshot``. ``ours`` are the topics the ledger wrote."""
    writes = tuple(
        write_of(proposal, finding.evidence_time or 0.0, snapshot, session, spare_name(changeset, number))
        for number, (proposal, finding) in enumerate(accepted)
    )
    return directory.prepare(changeset, writes, index_lines(writes), snapshot, ours=ours)


def fact_rows(changeset: str, accepted: Accepted, session: str, transcript: str) -> tuple[FactRow, ...]:
    """Return the evidence of the proposals as the ledger keeps it."""
    return tuple(
        FactRow(
            file=proposal.path,
            session=session,
            time=fact.evidence_time,
            message=fact.message,
            uuid=fact.uuid,
            quote=fact.quote,
            changeset=changeset,
            accepted_by=fact.accepted_by,
            transcript=transcript,
        )
        for proposal, finding in accepted
        for fact in finding.facts
    )


def held_files(proposals: Iterable[tuple[Proposal, str]]) -> tuple[HeldFile, ...]:
    """Return proposals as they wait for review, each with the reason."""
    return tuple(HeldFile(proposal.path, proposal.before, proposal.after, reason) for proposal, reason in proposals)
