"""Money: what may still be spent is decided here, in one transaction with its reservation.

Owns: the caps' arithmetic over reservations and real costs, for all processes together; a reservation that was never settled
(its process died) counts whole. Leaves prices to the models and what a refusal means to ``extraction``.
"""

from __future__ import annotations

import enum
import math
import sqlite3
import time
from collections.abc import Iterator

import msgspec

from extractord.agent.protocol import Usage
from extractord.errors import LedgerError
from extractord.ledger.store import Tx
from extractord.ledger.subject import Subject

# Sums of floats would refuse the third of three calls of 0.10 under a cap of 0.30.
_NANO = 1_000_000_000
_DAY = 86_400.0
LOST_DAY = "lost day"  # kind of the marks of days of which it is not known what was spent


class Cap(enum.Enum):
    STRETCH = "stretch"
    DAY = "day"
    MONTH = "month"


class Caps(msgspec.Struct, frozen=True):
    """The most that may be spent, in US dollars: on one stretch, in one day, in one month of the local calendar."""

    stretch: float
    day: float
    month: float


class Reservation(msgspec.Struct, frozen=True):
    """Money put aside for one call; ``settle`` replaces it by what the call cost."""

    id: int
    upper_usd: float


class Refused(msgspec.Struct, frozen=True):
    """The call must not be made; ``reason`` says which cap is in the way, and by how much."""

    cap: Cap
    reason: str


class Spend(msgspec.Struct, frozen=True):
    """Sums over calls. Unsettled ones count in ``cost_usd`` with their upper bound."""

    calls: int
    unsettled: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: float


class Period(enum.Enum):
    """What sums are made of, as the local calendar has it; the value is how one is named."""

    DAY = "%Y-%m-%d"
    MONTH = "%Y-%m"


class PeriodSpend(msgspec.Struct, frozen=True):
    """The sums of one day or month, named as in ISO 8601. Unsettled calls count in ``cost_usd`` with their upper bound."""

    period: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float


class Spending(Subject):
    """The ledger's part about money."""

    def reserve(self, upper_usd: float, caps: Caps, stretch: tuple[str, str], *, since: float = 0.0) -> Reservation | Refused:
        """Put the most that a call can cost aside, unless a cap would be passed. Raises (and reserves nothing) if unsure.

        ``stretch`` is session and key. What was spent on the stretch before ``since`` does not count toward its own cap: for
        a person's ``--again``. Spend dated after today (the clock went back) counts as today's. A day of which the ledger was lost
        counts as one on which all was spent that may be: that takes from the month, and leaves nothing of that day.
        """
        session, key = stretch
        now = self._now()
        with self._store.writing() as tx:
            spent = {
                Cap.STRETCH: _sum(tx, "spent_on_stretch", since, session, key),
                Cap.DAY: _sum(tx, "spent_since", day_start(now)),
                Cap.MONTH: _sum(tx, "spent_since", month_start(now)),
            }
            lost = {Cap.DAY: _lost(tx, day_start(now)), Cap.MONTH: _lost(tx, month_start(now))}
            upper = _nano(upper_usd)
            for refusal in _refusals(upper, spent, lost, caps):
                return refusal
            row = tx.one("add_reservation", {"session": session, "key": key, "time": now, "upper_nano": upper})
            assert row is not None
            return Reservation(row["seq"], upper_usd)

    def settle(self, reservation: Reservation, usage: Usage, cost_usd: float) -> None:
        """Replace a reservation by what the call really used. A call that was never sent costs 0."""
        with self._store.writing() as tx:
            write_settled(tx, reservation.id, usage, cost_usd)

    def spend(self, since: float) -> Spend:
        """Return the sums of all calls reserved at or after ``since`` (seconds since the epoch)."""
        with self._store.reading() as tx:
            sums = dict(tx.all("spend", {"since": since})[0])
            return Spend(cost_usd=sums.pop("nano") / _NANO, **sums)

    def lost_days(self, since: float) -> int:
        """Return of how many days from ``since`` on it is not known what was spent: the ledger of then was damaged."""
        with self._store.reading() as tx:
            return _lost(tx, since)

    def spend_by(self, period: Period, since: float = 0.0) -> tuple[PeriodSpend, ...]:
        """Return the sums of each day or month in which a call was reserved at or after ``since``, newest first."""
        with self._store.reading() as tx:
            return tuple(map(_period, tx.all("spend_by", {"form": period.value, "since": since})))


def write_settled(tx: Tx, reservation: int, usage: Usage, cost_usd: float) -> None:
    """Settle a reservation within a transaction."""
    tokens = {name: getattr(usage, name) for name in usage.__struct_fields__}
    if not tx.run("settle", tokens | {"seq": reservation, "cost_nano": _nano(cost_usd)}).rowcount:
        raise LedgerError(f"reservation {reservation} is not open: it was settled before")


def _period(row: sqlite3.Row) -> PeriodSpend:
    return PeriodSpend(row["period"], row["calls"], row["input_tokens"], row["output_tokens"], row["nano"] / _NANO)


def day_start(now: float) -> float:
    """Return when the local day of ``now`` began."""
    year, month, day, *_ = time.localtime(now)
    return time.mktime((year, month, day, 0, 0, 0, 0, 0, -1))


def month_start(now: float) -> float:
    """Return when the local month of ``now`` began."""
    year, month, *_ = time.localtime(now)
    return time.mktime((year, month, 1, 0, 0, 0, 0, 0, -1))


def next_day(now: float) -> float:
    """Return when the local day after that of ``now`` begins; a day may have 23 or 25 hours."""
    return day_start(day_start(now) + 1.5 * _DAY)


def days_since(first: float, now: float) -> Iterator[float]:
    """Yield when each local day of this month began, from that of ``first`` on; earlier months are over and count no more."""
    day = day_start(max(first, month_start(now)))
    while day <= now:
        yield day
        day = next_day(day)


def _refusals(upper: int, spent: dict[Cap, int], lost: dict[Cap, int], caps: Caps) -> Iterator[Refused]:
    for cap, limit in ((Cap.STRETCH, caps.stretch), (Cap.DAY, caps.day), (Cap.MONTH, caps.month)):
        days = lost.get(cap, 0)
        taken = spent[cap] + days * _nano(caps.day)
        if upper and taken + upper > _nano(limit):
            used, asked = taken / _NANO, upper / _NANO
            why = f" ({told_lost(days)})" if days else ""
            yield Refused(
                cap, f"budget.usd_per_{cap.value} of ${limit:.2f}: ${used:.4f} spent or reserved{why}, the next call may cost ${asked:.4f}"
            )


def told_lost(days: int) -> str:
    """What it means that so many days' spend is lost, in words for people."""
    of = "1 day" if days == 1 else f"{days} days"
    return f"what was spent on {of} is not known since the ledger was damaged, and counts as the most of a day"


def _lost(tx: Tx, since: float) -> int:
    row = tx.one("marks_since", {"kind": LOST_DAY, "since": since})
    assert row is not None
    return int(row["marks"])


def _sum(tx: Tx, statement: str, since: float, session: str = "", key: str = "") -> int:
    row = tx.one(statement, {"session": session, "key": key, "since": since})
    assert row is not None
    return int(row["nano"])


def _nano(usd: float) -> int:
    """Return billionths of a dollar. Refuses what is no amount: nothing may be sent on the strength of it."""
    if not math.isfinite(usd) or usd < 0:
        raise LedgerError(f"{usd} is no amount of money", hint="check budget and prices in the configuration")
    return round(usd * _NANO)
