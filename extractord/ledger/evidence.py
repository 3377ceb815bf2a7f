"""What the memory's words rest on: facts, and which lines and topics are the ledger's own.

Owns: facts, own lines, own topics, all only of writes that hold today (neither conflicted nor taken back). Leaves verifying
and redacting quotes to ``memory.checks``, and whether a topic still says what a fact supports to the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from extractord.ledger.codec import from_row, to_params
from extractord.ledger.rows import ChangesetRow, FactRow, Kind
from extractord.ledger.store import Tx
from extractord.ledger.subject import Subject
from extractord.memory.lines import Lines
from extractord.memory.prepared import TopicWrite


class Evidence(Subject):
    """The ledger's part about evidence."""

    def facts(self, memory_dir: str, file: str | None = None) -> tuple[FactRow, ...]:
        """Return the facts of a memory directory, or of one topic in it, in the order they were written."""
        with self._store.reading() as tx:
            rows = tx.all("facts_of_directory", {"memory_dir": memory_dir, "file": file})
            return tuple(from_row(FactRow, row) for row in rows)

    def facts_of_session(self, session: str) -> tuple[FactRow, ...]:
        """Return the facts that rest on what was said in one session."""
        with self._store.reading() as tx:
            return tuple(from_row(FactRow, row) for row in tx.all("facts_of_session", {"session": session}))

    def own_lines(self, memory_dir: str, path: str) -> frozenset[str]:
        """Return the lines that the ledger wrote into a topic, as ``lines_of`` cuts them; all others are foreign."""
        with self._store.reading() as tx:
            return _own_lines(tx, memory_dir, path)

    def own_lines_of(self, memory_dir: str) -> dict[str, frozenset[str]]:
        """Return the same for all topics of a directory; one that is missing has none of ours."""
        found: dict[str, set[str]] = {}
        with self._store.reading() as tx:
            for row in tx.all("own_lines_of_directory", {"memory_dir": memory_dir}):
                found.setdefault(row["path"], set()).add(row["line"])
        return {path: frozenset(lines) for path, lines in found.items()}

    def lines_brought(self, changeset: str, path: str) -> frozenset[str]:
        """Return the lines that a changeset wrote into a topic, as far as the topic still had them when its texts were let go of."""
        with self._store.reading() as tx:
            return frozenset(row["line"] for row in tx.all("own_lines_of", {"changeset": changeset, "path": path}))

    def changes_of_lines(self, memory_dir: str, path: str) -> dict[str, str]:
        """Return the newest standing changeset of ours that wrote each line of a topic, by line."""
        with self._store.reading() as tx:
            return {row["line"]: row["changeset"] for row in tx.all("changes_of_lines", {"memory_dir": memory_dir, "path": path})}

    def own_topics(self, memory_dir: str) -> dict[str, str]:
        """Return the topics that were there when we last wrote them, with the digest (``digest_of``) of what we wrote.

        One that is missing on disk was deleted by somebody else; once it is buried it is left out here.
        """
        with self._store.reading() as tx:
            return {row["path"]: row["after"] for row in tx.all("own_topics", {"memory_dir": memory_dir})}


def lines_of(text: str | None) -> frozenset[str]:
    """Return the lines of a topic by which own and foreign text are told apart: without line ends, blank ones left out."""
    return frozenset(line for line in Lines(text or "") if line.strip())


def write_facts(tx: Tx, changeset: str, facts: Iterable[FactRow]) -> None:
    for position, fact in enumerate(facts):
        tx.run("add_fact", to_params(replace(fact, changeset=changeset)) | {"position": position})


def write_own_lines(tx: Tx, row: ChangesetRow, writes: Sequence[TopicWrite]) -> None:
    """Note which lines a changeset adds. An undo, a repair and a sync add none: what they bring is others'."""
    if row.kind in (Kind.UNDO, Kind.REPAIR, Kind.TEAM):
        return
    # A person's line that moves from one topic to another stays theirs.
    moved = frozenset[str]().union(*(_foreign_leaving(tx, row.memory_dir, write) for write in writes))
    for write in writes:
        for line in lines_of(write.after) - lines_of(write.before) - moved:
            tx.run("add_own_line", {"changeset": row.id, "path": write.path, "line": line})


def _foreign_leaving(tx: Tx, memory_dir: str, write: TopicWrite) -> frozenset[str]:
    leaving = lines_of(write.before) - lines_of(write.after)
    return leaving - _own_lines(tx, memory_dir, write.path) if leaving else leaving


def _own_lines(tx: Tx, memory_dir: str, path: str) -> frozenset[str]:
    return frozenset(row["line"] for row in tx.all("own_lines", {"memory_dir": memory_dir, "path": path}))
