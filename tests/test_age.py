"""Promises of ages in words."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractord.memory.age import DAY_SECONDS, age_days, age_text, freshness, log_age_text, log_date, log_freshness

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "today"),
        (-5 * DAY_SECONDS, "today"),
        (DAY_SECONDS - 1, "today"),
        (DAY_SECONDS, "yesterday"),
        (2 * DAY_SECONDS - 1, "yesterday"),
        (2 * DAY_SECONDS, "2 days ago"),
        (180 * DAY_SECONDS, "180 days ago"),
    ],
)
def test_age_is_in_whole_days(seconds: float, words: str) -> None:
    """Days are floored and never negative: a time to come reads today."""
    assert age_text(NOW - seconds, NOW) == words


def test_only_what_is_older_than_a_day_is_warned_about() -> None:
    """From two days on the warning tells the age; before there is none."""
    assert freshness(NOW - 2 * DAY_SECONDS + 1, NOW) == ""
    assert "47 days" in freshness(NOW - 47 * DAY_SECONDS, NOW)


@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_an_age_is_never_negative(then: float, now: float) -> None:
    """Whatever the clocks say."""
    assert age_days(then, now) >= 0


def test_a_daily_log_is_as_old_as_its_name() -> None:
    """The date in the name counts; names that are no day, and other files, have none."""
    assert log_date("logs/2026/03/2026-03-05.md") == date(2026, 3, 5)
    assert log_date("logs/2026/02/2026-02-30.md") is None
    assert log_date("project_2026-03-05.md") is None
    assert log_age_text(date(2026, 3, 5), date(2026, 3, 6)) == "yesterday"
    assert log_age_text(date(2026, 3, 5), date(2026, 3, 1)) == "today"
    assert log_freshness(date(2026, 3, 5), date(2026, 3, 6)) == ""
    assert "3 days" in log_freshness(date(2026, 3, 5), date(2026, 3, 8))
