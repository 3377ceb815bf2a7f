"""Claims: which process is at work on which stretch.

Owns: that of all living processes one at most has a stretch. Leaves the directory's lock, taken before, to ``durable``, and
who lives to ``owners``.
"""

from __future__ import annotations

from extractord.ledger.codec import from_row, to_params
from extractord.ledger.owners import Owner
from extractord.ledger.subject import Subject


class Claims(Subject):
    """The ledger's part about claims."""

    _claimed: bool = False

    def claim(self, memory_dir: str, session: str, key: str) -> bool:
        """Take a stretch and return whether it is ours now; it is not if another open ledger of a living process has it.

        ``finish`` gives it back, as do ``release``, closing the ledger, and the death of the process.
        """
        stretch = {"session": session, "key": key}
        with self._store.writing() as tx:
            row = tx.one("claim_of", stretch)
            holder = from_row(Owner, row) if row else None
            if holder is not None and holder.token != self._owner.token and holder.lives:
                return False
            tx.run("put_claim", stretch | to_params(self._owner) | {"memory_dir": memory_dir, "time": self._now()})
        self._claimed = True
        return True

    def release(self, session: str, key: str) -> None:
        """Give a stretch back without an outcome."""
        with self._store.writing() as tx:
            tx.run("drop_claim", {"session": session, "key": key, "token": self._owner.token})

    def _release_all(self) -> None:
        if self._claimed:
            with self._store.writing() as tx:
                tx.run("drop_claims", {"token": self._owner.token})
