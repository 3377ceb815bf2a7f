"""What pays for the calls of one stretch: the ledger, under the configured caps.

Owns: what it means for a stretch that a cap is reached, and the sums of what its calls used. Leaves the arithmetic to
``ledger.spend``, prices to the models.
"""

from __future__ import annotations

from extractord.agent.protocol import Usage
from extractord.config import Budget
from extractord.errors import PostponedError, StoppedError
from extractord.ledger import Caps, Ledger, Refused, Reservation, month_start, next_day
from extractord.ledger.spend import Cap

_HINT = "raise it in the configuration, or wait; `extractord status` shows what was spent"


class LedgerPurse:
    """The purse of one stretch. ``since``: what was spent on it before does not count toward its own cap."""

    def __init__(self, ledger: Ledger, budget: Budget, stretch: tuple[str, str], *, since: float, now: float) -> None:
        self._ledger = ledger
        self._caps = Caps(budget.usd_per_stretch, budget.usd_per_day, budget.usd_per_month)
        self._stretch = stretch
        self._since = since
        self._now = now
        self._open: dict[int, float] = {}  # reservations that no call has settled: they count whole
        self._settled = 0.0
        self.usage = Usage()

    @property
    def cost_usd(self) -> float:
        return self._settled + sum(self._open.values())

    def reserve(self, upper_usd: float) -> Reservation:
        match self._ledger.reserve(upper_usd, self._caps, self._stretch, since=self._since):
            case Refused(cap, reason):
                raise _postponed(cap, reason, self._now)
            case reservation:
                self._open[reservation.id] = upper_usd
                return reservation

    def settle(self, held: Reservation, usage: Usage, cost_usd: float) -> None:
        self._ledger.settle(held, usage, cost_usd)
        del self._open[held.id]
        self._settled += cost_usd
        self.usage = self.usage.plus(usage)


def _postponed(cap: Cap, reason: str, now: float) -> PostponedError:
    match cap:
        case Cap.STRETCH:
            return PostponedError(reason, hint=_HINT)
        case Cap.DAY:
            return StoppedError(reason, hint=_HINT, until=next_day(now))
        case Cap.MONTH:
            return StoppedError(reason, hint=_HINT, until=month_start(month_start(now) + 40 * 86_400.0))
