"""The ledger about money: caps hold over all processes, and fail closed."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from extractord.agent.protocol import Usage
from extractord.errors import LedgerError
from extractord.ledger import Cap, Caps, Ledger, Refused, Reservation, day_start, month_start
from tests.ledger_rows import NOON

DAY = 86_400.0
WIDE = Caps(stretch=100.0, day=100.0, month=100.0)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


def taken(answer: Reservation | Refused) -> Reservation:
    assert isinstance(answer, Reservation)
    return answer


def refused(answer: Reservation | Refused) -> Refused:
    assert isinstance(answer, Refused)
    return answer


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: Callable[[], float]) -> Ledger:
    return Ledger.open(tmp_path, clock)


@pytest.mark.parametrize("cap", list(Cap))
def test_exactly_what_fits_is_reserved(ledger: Ledger, cap: Cap) -> None:
    """Three calls of 10 cents under 30, for each cap; the refusal names the cap and the setting."""
    caps = Caps(**{each.value: 0.30 if each is cap else 100.0 for each in Cap})
    assert [type(ledger.reserve(0.10, caps, ("s", "k"))) for _ in range(5)] == [Reservation] * 3 + [Refused] * 2
    refusal = refused(ledger.reserve(0.10, caps, ("s", "k")))
    assert refusal.cap is cap
    assert f"usd_per_{cap.value}" in refusal.reason
    assert "$0.30" in refusal.reason


def test_the_real_cost_replaces_the_reservation(ledger: Ledger) -> None:
    """What was put aside and not used can be spent; usage is summed."""
    caps = Caps(0.30, 0.30, 0.30)
    first = taken(ledger.reserve(0.30, caps, ("s", "k")))
    assert isinstance(ledger.reserve(0.01, caps, ("s", "k")), Refused)
    ledger.settle(first, Usage(100, 20, 3, 4), 0.001)
    taken(ledger.reserve(0.25, caps, ("s", "k")))
    sums = ledger.spend(NOON)
    assert (sums.calls, sums.unsettled, sums.input_tokens, sums.output_tokens) == (2, 1, 100, 20)
    assert (sums.cache_read_tokens, sums.cache_write_tokens, sums.cost_usd) == (3, 4, 0.251)
    with pytest.raises(LedgerError, match="settled before"):
        ledger.settle(first, Usage(), 0.0)


def test_a_cost_above_the_bound_counts_as_it_is(ledger: Ledger) -> None:
    """The bound was wrong: what was really spent is what counts."""
    ledger.settle(taken(ledger.reserve(0.01, WIDE, ("s", "k"))), Usage(), 0.29)
    assert isinstance(ledger.reserve(0.02, Caps(1, 0.30, 1), ("s", "k")), Refused)


def test_each_cap_looks_at_its_own_span(ledger: Ledger, clock: Clock) -> None:
    """A stretch over all its attempts, a day and a month by the local calendar."""
    taken(ledger.reserve(0.20, WIDE, ("s", "k1")))
    assert refused(ledger.reserve(0.20, Caps(0.30, 100, 100), ("s", "k1"))).cap is Cap.STRETCH
    taken(ledger.reserve(0.20, Caps(0.30, 100, 100), ("s", "k2")))
    assert refused(ledger.reserve(0.20, Caps(100, 0.50, 100), ("s", "k3"))).cap is Cap.DAY
    clock.now += DAY
    taken(ledger.reserve(0.20, Caps(100, 0.50, 100), ("s", "k3")))
    assert refused(ledger.reserve(0.20, Caps(100, 100, 0.70), ("s", "k4"))).cap is Cap.MONTH
    assert refused(ledger.reserve(0.20, Caps(0.30, 100, 100), ("s", "k1"))).cap is Cap.STRETCH
    taken(ledger.reserve(0.20, Caps(0.30, 100, 100), ("s", "k1"), since=clock.now))
    clock.now += 32 * DAY
    taken(ledger.reserve(0.20, Caps(100, 0.50, 0.70), ("s", "k4")))


def test_a_clock_that_goes_back_gives_no_money_back(ledger: Ledger, clock: Clock) -> None:
    """Spend dated after today counts as today's."""
    taken(ledger.reserve(0.20, WIDE, ("s", "k")))
    clock.now -= 40 * DAY
    assert isinstance(ledger.reserve(0.20, Caps(100, 0.30, 100), ("s", "k2")), Refused)


@pytest.mark.parametrize("amount", [math.nan, math.inf, -0.01])
def test_what_is_no_amount_reserves_nothing(ledger: Ledger, amount: float) -> None:
    """A broken price or cap stops the call instead of letting it through."""
    with pytest.raises(LedgerError, match="no amount"):
        ledger.reserve(amount, WIDE, ("s", "k"))
    with pytest.raises(LedgerError, match="no amount"):
        ledger.reserve(0.01, Caps(100, amount, 100), ("s", "k"))
    assert ledger.spend(0).calls == 0


def test_nothing_may_be_spent_under_a_cap_of_zero(ledger: Ledger) -> None:
    """But what costs nothing may run."""
    nothing = Caps(0, 0, 0)
    assert isinstance(ledger.reserve(0.000_001, nothing, ("s", "k")), Refused)
    taken(ledger.reserve(0.0, nothing, ("s", "k")))


def test_days_and_months_begin_at_local_midnight() -> None:
    """Also where the clock was changed that day."""
    for moment in (NOON, NOON + 150 * DAY, NOON + 280 * DAY):
        day, month = time.localtime(day_start(moment)), time.localtime(month_start(moment))
        assert (day.tm_hour, day.tm_min, day.tm_yday) == (0, 0, time.localtime(moment).tm_yday)
        assert (month.tm_hour, month.tm_mday, month.tm_mon) == (0, 1, time.localtime(moment).tm_mon)


RACER = """
import sys
from pathlib import Path
from extractord.ledger import *
ledger = Ledger.open(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
caps = Caps(stretch=1.0, day=0.30, month=1.0)
got = [isinstance(ledger.reserve(0.10, caps, ("s", str(n))), Reservation) for n in range(10)]
print(sum(got), flush=True)
"""


def test_two_supervisors_with_money_for_three_calls_make_three(tmp_path: Path) -> None:
    """Racing, and dying without settling: the reservations of the dead count as spent."""
    both = [
        subprocess.Popen([sys.executable, "-c", RACER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for child in both:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
    for child in both:
        assert child.stdin
        child.stdin.write("\n")
        child.stdin.flush()
    assert sum(int(child.communicate()[0]) for child in both) == 3
    with Ledger.open(tmp_path) as ledger:
        assert isinstance(ledger.reserve(0.01, Caps(1.0, 0.30, 1.0), ("s", "k")), Refused)


def test_a_ledger_that_cannot_be_read_reserves_nothing(tmp_path: Path) -> None:
    """It raises: nothing is sent."""
    ledger = Ledger.open(tmp_path / "state")
    (tmp_path / "state").rename(tmp_path / "away")
    with pytest.raises(LedgerError):
        ledger.reserve(0.01, WIDE, ("s", "k"))
