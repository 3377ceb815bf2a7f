"""From judged changes to a changeset: one for what is written, one for what waits.

Owns: that evidence and evidence times carry over, the order in which topics are written, and which lines of the index follow. Leaves
one topic's write to ``memory.writing``, carrying out to ``applying``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from extractord.applying import Application
from extractord.consolidation.changes import Change, Cited
from extractord.consolidation.judging import order
from extractord.consolidation.material import Material
from extractord.ledger import ChangesetRow, FactRow, HeldChangeset, HeldFile, Kind, Outcome
from extractord.memory.age import log_date, log_time
from extractord.memory.directory import MemoryDirectory
from extractord.memory.index import files_of
from extractord.memory.overlap import telling
from extractord.memory.prepared import IndexLine, TopicWrite, spare_name
from extractord.memory.stamps import stamp
from extractord.memory.topics import iso, parse
from extractord.memory.words import share_of
from extractord.memory.writing import index_line, write_of
from extractord.runs.reasons import unquoted
from extractord.supervisor import Supervisor

SAME_WORDS = 0.5  # share of a quote's words that stand in a bullet, or a topic's part, that it bears out


@dataclass(frozen=True, slots=True)
class Carrying:
    """What making changesets of changes needs."""

    supervisor: Supervisor
    directory: MemoryDirectory
    memory_dir: str
    material: Material
    facts: Mapping[str, Sequence[FactRow]]  # standing today, by file
    ours: tuple[str, ...]  # topics that the ledger wrote

    def application(self, accepted: Sequence[Change], dead: Sequence[IndexLine], held: HeldChangeset | None) -> Application:
        """Return the changeset that writes what was accepted and drops ``dead`` lines of the index."""
        id_, snapshot = self.supervisor.ledger.new_id(), self.material.snapshot
        facts = self._facts(id_, accepted)
        writes = tuple(
            write_of(change.proposal, change.time, snapshot, _session(facts, change.file), spare_name(id_, number))
            for number, change in enumerate(accepted)
        )
        index = (*self._lines(writes), *dead)
        prepared = self.directory.prepare(id_, writes, index, snapshot, ours=self.ours, last=order(accepted))
        return Application(self._row(id_, Outcome.SAVED, ""), prepared, facts=facts, held=held)

    def held(self, waiting: Sequence[tuple[Change, str]], outcome: Outcome = Outcome.PENDING_REVIEW) -> HeldChangeset | None:
        """Return the changeset that waits; None if nothing does. Its texts tell already how old they are."""
        if not waiting:
            return None
        id_ = self.supervisor.ledger.new_id()
        facts = self._facts(id_, [change for change, _ in waiting])
        files = tuple(
            HeldFile(change.file, change.before, self._dated(change, _session(facts, change.file)), _told(change, reason))
            for change, reason in waiting
        )
        reason = "; ".join(dict.fromkeys(unquoted(reason) for _, reason in waiting))
        return HeldChangeset(self._row(id_, outcome, reason), files, facts)

    def _row(self, id_: str, outcome: Outcome, reason: str) -> ChangesetRow:
        return ChangesetRow(id_, self.supervisor.wall(), None, None, self.memory_dir, outcome, Kind.CONSOLIDATION, reason=reason)

    def _dated(self, change: Change, session: str) -> str | None:
        if change.after is None:
            return None
        time = max(change.time, self.material.snapshot.time_of(change.file))
        return stamp(change.after, session, iso(int(time * 1000) / 1000), change.before)

    def _lines(self, writes: Iterable[TopicWrite]) -> Iterator[IndexLine]:
        """Yield the index lines that follow: a topic that a person keeps out of the index stays out."""
        named = files_of(self.material.snapshot.index or "")
        for write in writes:
            if log_date(write.path) is None and (write.after is None or write.before is None or _head_changed(write, named)):
                yield index_line(write)

    # --- evidence

    def _facts(self, id_: str, changes: Iterable[Change]) -> tuple[FactRow, ...]:
        """Return the facts that move along with the words, each once a topic."""
        found: dict[tuple[str, str, str], FactRow] = {}
        for change in changes:
            if change.after is None:
                continue
            for fact in self._carried(change):
                there = self.facts.get(change.file, ())
                if not any((one.uuid, one.quote) == (fact.uuid, fact.quote) for one in there):
                    found.setdefault((change.file, fact.uuid, fact.quote), replace(fact, file=change.file, changeset=id_))
        return tuple(found.values())

    def _carried(self, change: Change) -> Iterator[FactRow]:
        for file in change.others:
            quotes = [one for one in change.cited if one.file == file]
            standing = self.facts.get(file, ())
            if log_date(file) is None:
                related = [fact for fact in standing if share_of(telling(fact.quote), telling(change.after or "")) >= SAME_WORDS]
                yield from related or standing
            else:
                for one in quotes:
                    known = [fact for fact in standing if share_of(telling(fact.quote), telling(one.quote)) >= SAME_WORDS]
                    yield from known or (self._of_log(one),)

    def _of_log(self, cited: Cited) -> FactRow:
        """Return a fact that rests on a bullet alone: of whoever wrote it, no session is known."""
        day = log_date(cited.file)
        place = str(Path(self.memory_dir) / cited.file)
        return FactRow(cited.file, "", log_time(day) if day else 0.0, cited.file, "", cited.quote, "", transcript=place)


def _session(facts: Iterable[FactRow], file: str) -> str:
    """Return the session of a topic's newest fact, "" if none is known."""
    known = [fact for fact in facts if fact.file == file and fact.session]
    return max(known, key=lambda fact: fact.time).session if known else ""


def _head_changed(write: TopicWrite, named: frozenset[str]) -> bool:
    old, new = parse(write.before or ""), parse(write.after or "")
    return write.path in named and (old.name, old.description) != (new.name, new.description)


def _told(change: Change, reason: str) -> str:
    return f"{change.reason}; {reason}" if change.reason else reason
