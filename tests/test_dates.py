"""Dates in what people say: absolute ones are read, those that mean another day tomorrow are noticed."""

from __future__ import annotations

from datetime import date

import pytest

from extractord.memory.dates import absolute_dates, past_date, relative_date, undated_relative

TODAY = date(2026, 6, 1)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("freeze until 2026-10-15", date(2026, 10, 15)),
        ("freeze until 2026-10-15T10:00:00Z.", date(2026, 10, 15)),
        ("3.8 计划于 2026-10-15上线", date(2026, 10, 15)),
        ("3.8 在 2026年10月15日 上线", date(2026, 10, 15)),
        ("2026年10月15日にリリース", date(2026, 10, 15)),
        ("2026年10月上线", date(2026, 10, 31)),
        ("on March 5, 2026", date(2026, 3, 5)),
        ("on the 5th of March 2026", date(2026, 3, 5)),
        ("5 Mar 2026", date(2026, 3, 5)),
        ("in March 2026", date(2026, 3, 31)),
        ("am 5. März 2026", date(2026, 3, 5)),
        ("am 05.03.2026", date(2026, 3, 5)),
        ("el 5 de marzo de 2026", date(2026, 3, 5)),
        ("2026/03/05", date(2026, 3, 5)),
        ("by 2026-03", date(2026, 3, 31)),
        ("Q3 2026", date(2026, 9, 30)),
        ("2026 Q3", date(2026, 9, 30)),
        ("2026年第三季度", date(2026, 9, 30)),
        ("2026-W10", date(2026, 3, 8)),
    ],
)
def test_absolute_dates_are_read_in_five_languages(text: str, last: date) -> None:
    """Days, months, weeks and quarters with their year; a span counts to its last day."""
    assert [found.last for found in absolute_dates(text)] == [last]


@pytest.mark.parametrize(
    "text", ["runs/2026-05-05/x", "v2026.03.05", "2026-13-45", "https://x.example/2026/03/05/a", "1.2.3", "March 5", "10.0.2026.1"]
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    """Paths, versions, days that do not exist and days without a year are no dates."""
    assert absolute_dates(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "the freeze ends next Friday",
        "freeze until Friday",
        "demo tomorrow at ten",
        "no deploys today",
        "by end of month",
        "we met last week",
        "in two weeks",
        "three days ago",
        "this week only",
        "下周五上线",
        "周五前完成",
        "月底前下线",
        "三天后发布",
        "明天冻结",
        "nächsten Freitag ist Freeze",
        "heute kein Deploy",
        "bis Freitag fertig",
        "in zwei Wochen",
        "mañana sale la versión",
        "el próximo lunes",
        "la semana que viene",
        "来週の金曜日にリリース",
        "明日までに",
        "月末まで",
    ],
)
def test_relative_dates_are_noticed_unless_an_absolute_one_stands_beside(text: str) -> None:
    """Each form is found alone, and is fine with the date written out."""
    assert relative_date(text)
    assert undated_relative(text)
    assert undated_relative(f"{text} (2026-04-10)") == ""


@pytest.mark.parametrize(
    "text",
    [
        "every Friday we release",
        "no deploys on Friday",
        "never deploy on a Friday afternoon",
        "tokens expire in 30 days",
        "每周五发版",
        "毎週金曜日にリリース",
        "guten Morgen",
        "por la mañana hay reuniones",
        "nowadays we use pnpm",
        "freeze until 2026-04-10",
        "3月底前下线",
        "cada lunes",
        "the weekly report",
        "不要在周五部署；先问 Dana",
        "周会一律安排在星期一",
        "禁止周末上线",
    ],
)
def test_what_holds_each_time_is_no_relative_date(text: str) -> None:
    """Weekdays of a rule, lengths of time and greetings mean the same tomorrow."""
    assert relative_date(text) == ""


def test_only_what_is_wholly_past_is_past() -> None:
    """All dates before today is past; one ahead, none at all, today itself, or an open beginning is not."""
    past = past_date("freeze 2026-05-01 to 2026-05-31", TODAY)
    assert past is not None
    assert past.last == date(2026, 5, 31)
    for text in (
        "freeze 2026-05-01 to 2026-06-02",
        "no dates",
        "on 2026-06-01",
        "since 2024-01-02 we use pnpm",
        "自 2024-01-02 起用 pnpm",
        "in June 2026",
    ):
        assert past_date(text, TODAY) is None, text
