"""From a checked changeset to a prepared one.

Owns: what an extraction's changeset consists of, and the facts the ledger keeps of it. Leaves one topic's write to
``memory.writing``, checking to ``memory.checks``, carrying out to ``applying``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from extractord.extraction.subject import Source, Subject
from extractord.ledger import FactRow, HeldFile
from extractord.memory.changeset import Proposal
from extractord.memory.directory import MemoryDirectory, Snapshot
from extractord.memory.facts import Finding, VerifiedQuote
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


def fact_rows(changeset: str, accepted: Accepted, subject: Subject) -> tuple[FactRow, ...]:
    """Return the evidence of the proposals as the ledger keeps it."""
    sources = subject.found.sources if subject.found else {}
    here = Source(subject.session, "", str(subject.reading.path))
    return tuple(
        _fact_row(changeset, proposal.path, fact, sources.get(fact.message, here), sources)
        for proposal, finding in accepted
        for fact in finding.facts
    )


def _fact_row(changeset: str, file: str, fact: VerifiedQuote, source: Source, sources: Mapping[str, Source]) -> FactRow:
    by = sources.get(fact.accepted_by or "")
    return FactRow(
        file=file,
        session=source.session,
        time=fact.evidence_time,
        message=source.message or fact.message,
        uuid=fact.uuid,
        quote=fact.quote,
        changeset=changeset,
        accepted_by=by.message if by else fact.accepted_by,
        transcript=source.transcript,
    )


def held_files(proposals: Iterable[tuple[Proposal, str]]) -> tuple[HeldFile, ...]:
    """Return proposals as they wait for review, each with the reason."""
    return tuple(HeldFile(proposal.path, proposal.before, proposal.after, reason) for proposal, reason in proposals)
