"""What batches found, merged into memory: one agent run over the candidates of several stretches of one directory, oldest first.

Owns: which candidates have evidence, the digest of the messages they quote, and which stretches go into one run. Leaves the run, the
checks and the end of the stretches to ``unit``. The directory's lock is held by the caller.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import msgspec

from extractord.agent.candidates import Candidate, kept
from extractord.agent.protocol import Usage
from extractord.config import Config
from extractord.extraction.subject import Found, Source, Subject
from extractord.ledger.batches import BatchItem
from extractord.memory.evidence import verify
from extractord.memory.facts import VerifiedQuote
from extractord.transcript.digest import Digest
from extractord.transcript.entries import ENTRY_TOKENS, Entry
from extractord.transcript.tokens import most_tokens

MOST_STRETCHES = 20  # in one run: so many candidates a model can still weigh one by one


@dataclass(frozen=True, slots=True)
class Harvest:
    """What a batch found in one stretch: candidates with evidence, and the messages they quote, by id in its own digest."""

    subject: Subject
    candidates: tuple[Candidate, ...]
    entries: tuple[Entry, ...]
    last_turn: int

    @property
    def tokens(self) -> int:
        """An upper bound of what it adds to a run."""
        told = sum(most_tokens(one.fact + (one.why or "") + (one.how or "")) for one in self.candidates)
        return told + sum(most_tokens(entry.text) + ENTRY_TOKENS for entry in self.entries)


def harvested(subject: Subject, digests: Collection[Digest], items: Iterable[BatchItem]) -> Harvest:
    """Return what the answers about a stretch's chunks come to. Nothing is taken from them that was not said."""
    candidates: list[Candidate] = []
    entries: dict[str, Entry] = {}
    usage, cost = Usage(), 0.0
    last_turn = 0
    for digest, item in zip(digests, items, strict=True):
        said = {entry.id: entry for entry in digest.entries}
        usage, cost = usage.plus(Usage(item.input_tokens, item.output_tokens)), cost + item.cost_usd
        last_turn = digest.last_turn
        for candidate in kept(item.answer or "[]"):
            if candidate.evidence and all(isinstance(verify(one, said, digest.last_turn), VerifiedQuote) for one in candidate.evidence):
                candidates.append(candidate)
                quoted = {name for one in candidate.evidence for name in (one.message, one.accepted_by) if name}
                entries |= {name: entry for name, entry in said.items() if name in quoted}
    found = Found(usage=usage, cost_usd=cost)
    ordered = tuple(sorted(entries.values(), key=lambda entry: int(entry.id[1:])))
    return Harvest(replace(subject, found=found), tuple(candidates), ordered, last_turn)


def grouped(harvests: Iterable[Harvest], config: Config) -> Iterator[tuple[Harvest, ...]]:
    """Yield the harvests that go into one run, in their order: as many as fit into a digest."""
    group: list[Harvest] = []
    room = config.limits.digest_tokens
    for harvest in harvests:
        if group and (harvest.tokens > room or len(group) == MOST_STRETCHES):
            yield tuple(group)
            group, room = [], config.limits.digest_tokens
        group.append(harvest)
        room -= harvest.tokens
    if group:
        yield tuple(group)


def merged(group: tuple[Harvest, ...]) -> Subject:
    """Return the last stretch of a group with all that was found in it: it stands for the run, the others end with it."""
    *others, last = group
    entries: list[Entry] = []
    sources: dict[str, Source] = {}
    lines: list[str] = []
    turn = 0
    for harvest in group:
        ids: dict[str, str] = {}
        for entry in harvest.entries:
            ids[entry.id] = f"m{len(entries) + 1}"
            entries.append(msgspec.structs.replace(entry, id=ids[entry.id], turn=turn + entry.turn))
            sources[ids[entry.id]] = Source(harvest.subject.session, entry.id, str(harvest.subject.reading.path))
        lines += [candidate.told(ids) for candidate in harvest.candidates]
        turn += harvest.last_turn + 1
    return replace(last.subject, found=_found(last.subject, tuple(entries), tuple(lines), sources, [one.subject for one in others], turn))


def _found(
    subject: Subject,
    entries: tuple[Entry, ...],
    lines: tuple[str, ...],
    sources: Mapping[str, Source],
    others: Iterable[Subject],
    last_turn: int,
) -> Found:
    before = subject.found or Found()
    tokens = sum(most_tokens(entry.text) + ENTRY_TOKENS for entry in entries)
    digest = Digest(subject.session, subject.reading.cwd, entries, tokens, last_turn)
    return replace(before, digest=digest, candidates=lines, sources=sources, others=tuple(others))
