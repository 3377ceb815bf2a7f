"""What a run leaves, in a form that two runs can be compared by.

Owns: what of memory and ledger counts, with all that differs by chance or by place taken out. Leaves making runs to the tests.
"""

from __future__ import annotations

from dataclasses import dataclass

from extractord.ledger import ChangesetState, Ledger
from tests.homes import Home, Tree, without_index_times


@dataclass(frozen=True)
class End:
    """What a run leaves, with all that differs by chance or by place taken out."""

    memories: dict[str, Tree]
    outcomes: list[tuple[str, str, str, str, tuple[str, ...]]]
    facts: list[tuple[str, str, str, str, float]]
    changesets: list[tuple[str, str, tuple[tuple[str, str, str], ...]]]


def end_of(home: Home) -> End:
    with Ledger.open(home.state) as ledger:
        assert ledger.unfinished() == ()
        assert ledger.spares() == ()
        sessions = [row.session for row in ledger.sessions()]
        rows = [row for session in sorted(sessions) for row in ledger.stretch_rows(session)]
        dirs = ledger.memory_dirs()
        facts = [fact for place in dirs for file in ledger.own_topics(place) for fact in ledger.facts(place, file)]
        entries = ledger.changesets()
        assert all(entry.row.state in (ChangesetState.APPLIED, ChangesetState.HELD) for entry in entries)
        return End(
            memories=without_index_times(home.memories()),
            outcomes=sorted((r.session, r.key, r.outcome.value, r.reason, r.topics) for r in rows),
            facts=sorted((f.file, f.session, f.message, f.quote, f.time) for f in facts),
            changesets=sorted(
                (e.row.session or "", e.row.outcome.value, tuple((f.path, f.change.value, f.result.value) for f in e.files))
                for e in entries
            ),
        )
