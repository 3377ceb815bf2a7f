"""What the ledger no longer keeps: texts of old changesets, and old quotes.

Owns: letting go of them, and of the lines that only they held. Leaves how long they are kept to the configuration. What is needed
to go on stays: each topic's newest version, what waits for review, what is not finished, tombstones.
"""

from __future__ import annotations

import msgspec

from extractord.ledger import changeset_rows as rows
from extractord.ledger.evidence import lines_of
from extractord.ledger.store import Tx
from extractord.ledger.subject import Subject


class LetGo(msgspec.Struct, frozen=True):
    """How much was let go of."""

    versions: int = 0  # of topics
    quotes: int = 0


class Retention(Subject):
    """The ledger's part about that."""

    def let_go(self, history_before: float, quotes_before: float) -> LetGo:
        """Let go of texts of changesets made before ``history_before``, and of quotes said before ``quotes_before``, as one.

        Times are seconds since the epoch; minus infinity: of none.
        """
        with self._store.writing() as tx:
            old = tx.all("files_to_let_go", {"before": history_before})
            for row in old:
                _prune_lines(tx, row["changeset"], row["path"], row["newest"])
                tx.run("let_go_of_file", {"changeset": row["changeset"], "path": row["path"]})
            if old:
                tx.run("let_go_of_changesets", {})
                tx.run("drop_texts", {})
            quotes = tx.run("let_go_of_quotes", {"before": quotes_before}).rowcount
        return LetGo(len(old), quotes)


def _prune_lines(tx: Tx, changeset: str, path: str, newest: str | None) -> None:
    """Drop the lines that a changeset brought into a topic, but those that its newest version still has."""
    still = lines_of(rows.get_text(tx, newest))
    for row in tx.all("own_lines_of", {"changeset": changeset, "path": path}):
        if row["line"] not in still:
            tx.run("drop_own_line", {"changeset": changeset, "path": path, "line": row["line"]})
