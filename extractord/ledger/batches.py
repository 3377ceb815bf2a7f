"""Batches: what was handed over to be answered within a day, and what the answers found.

Owns: that a batch stands here before it is sent, that its answers and their cost are one transaction, and that what was found goes
when its stretch is finished. Leaves sending and merging to ``extraction``; one process at a time is at it, by a claim.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from extractord.agent.protocol import Usage
from extractord.ledger.codec import from_row, to_params
from extractord.ledger.spend import write_settled
from extractord.ledger.subject import Subject

CLAIM = ("", "batches", "")  # of whoever sends and fetches: no memory directory, no stretch


class Batch(msgspec.Struct, frozen=True):
    """A batch; ``remote`` is its id at the server, "" while it is being sent."""

    id: str
    server: str
    model: str
    remote: str
    time: float


class BatchItem(msgspec.Struct, frozen=True):
    """One request of a batch: a chunk of a stretch. ``answer`` is None until it is there."""

    batch: str
    name: str
    session: str
    key: str
    chunk: int
    mark: str  # of the digest it was about
    reservation: int
    answer: str | None = None  # candidates as JSON
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class ItemAnswer(msgspec.Struct, frozen=True):
    """What became of one request. ``answer`` is None where there is none to be had: its chunk goes back."""

    name: str
    answer: str | None
    usage: Usage | None  # None: nobody counted, so what was put aside stays spent
    cost_usd: float = 0.0


class Batches(Subject):
    """The ledger's part about batches."""

    def begin_batch(self, batch: Batch, items: Iterable[BatchItem]) -> None:
        """Make a batch durable before it is sent."""
        with self._store.writing() as tx:
            tx.run("add_batch", to_params(batch))
            for item in items:
                tx.run("add_batch_item", to_params(item))

    def batch_sent(self, id: str, remote: str) -> None:  # noqa: A002 - the record's word
        with self._store.writing() as tx:
            tx.run("batch_sent", {"id": id, "remote": remote})

    def open_batches(self) -> tuple[Batch, ...]:
        """Return the batches whose answers are not here yet, oldest first."""
        with self._store.reading() as tx:
            return tuple(from_row(Batch, row) for row in tx.all("open_batches", {}))

    def batch_items(self, batch: str) -> tuple[BatchItem, ...]:
        with self._store.reading() as tx:
            return tuple(from_row(BatchItem, row) for row in tx.all("batch_items", {"batch": batch}))

    def batch_items_of(self, session: str, key: str) -> tuple[BatchItem, ...]:
        """Return the requests about a stretch, in the order of its chunks."""
        with self._store.reading() as tx:
            return tuple(from_row(BatchItem, row) for row in tx.all("batch_items_of", {"session": session, "key": key}))

    def stretches_in_batches(self) -> frozenset[tuple[str, str]]:
        """Return session and key of each stretch that waits for answers, or for being merged."""
        with self._store.reading() as tx:
            return frozenset((row["session"], row["key"]) for row in tx.all("stretches_in_batches", {}))

    def end_batch(self, id: str, answers: Iterable[ItemAnswer]) -> None:  # noqa: A002
        """Keep the answers and their cost, as one; what has no answer goes back: its stretch is open as before."""
        known = {item.name: item for item in self.batch_items(id) if item.answer is None}
        with self._store.writing() as tx:
            for one in answers:
                item = known.get(one.name)
                if item is None:
                    continue
                if one.usage is not None:
                    write_settled(tx, item.reservation, one.usage, one.cost_usd)
                if one.answer is not None:
                    usage = one.usage or Usage()
                    tokens = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
                    paid = {"input_tokens": tokens, "output_tokens": usage.output_tokens, "cost_usd": one.cost_usd}
                    tx.run("answer_batch_item", paid | {"batch": id, "name": one.name, "answer": one.answer})
            tx.run("drop_waiting_items", {"batch": id})
            tx.run("drop_empty_batches", {})

    def drop_reservation(self, reservation: int) -> None:
        """Give back what was put aside for a request that is not sent."""
        with self._store.writing() as tx:
            write_settled(tx, reservation, Usage(), 0.0)

    def drop_batch_items_of(self, session: str, key: str) -> None:
        """Forget what waits of a stretch, say since it has to be asked about anew."""
        with self._store.writing() as tx:
            tx.run("drop_batch_items_of", {"session": session, "key": key})
            tx.run("drop_empty_batches", {})
