"""Dates as people say them become the days they mean."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.agent.offline.dates import dates_in, written_out

WEDNESDAY = date(2026, 6, 3)
SPOKEN = {
    "a week from thursday": "a week from thursday (2026-06-11)",
    "two weeks from monday": "two weeks from monday (2026-06-22)",
    "in two weeks on friday": "in two weeks on friday (2026-06-19)",
    "tuesday of the week after next": "tuesday of the week after next (2026-06-16)",
    "end of the week after next": "end of the week after next (2026-06-19)",
    "in a fortnight": "in a fortnight (2026-06-17)",
    "by the last day of the month": "the last day of the month (2026-06-30)",
    "the last friday of the month": "the last friday of the month (2026-06-26)",
    "the first monday of march": "the first monday of march (2027-03-01)",
    "we need it by EOM": "EOM (2026-06-30)",
    "am freitag übernächster woche": "freitag übernächster woche (2026-06-19)",
    "kommende woche freitag": "kommende woche freitag (2026-06-12)",
    "zum monatsende": "monatsende (2026-06-30)",
    "下下星期三": "下下星期三 (2026-06-17)",
    "两周后的周五": "两周后的周五 (2026-06-19)",
    "本月最后一天": "本月最后一天 (2026-06-30)",
    "下下个月初": "下下个月初 (2026-08-01)",
    "a finales del mes que viene": "a finales del mes que viene (2026-07-31)",
    "the freeze starts tomorrow": "tomorrow (2026-06-04)",
    "day after tomorrow we ship": "day after tomorrow (2026-06-05)",
    "we demo on friday": "friday (2026-06-05)",
    "we demo on wednesday": "wednesday (2026-06-10)",
    "this friday": "this friday (2026-06-05)",
    "next monday": "next monday (2026-06-08)",
    "next thursday": "next thursday (2026-06-11)",
    "monday next week": "monday next week (2026-06-08)",
    "in two weeks": "in two weeks (2026-06-17)",
    "3 days ago it broke": "3 days ago (2026-05-31)",
    "by the end of the month": "the end of the month (2026-06-30)",
    "end of next month": "end of next month (2026-07-31)",
    "end of the quarter": "end of the quarter (2026-06-30)",
    "until the end of the year": "the end of the year (2026-12-31)",
    "by end of july": "end of july (2026-07-31)",
    "on the 12th of june": "12th of june (2026-06-12)",
    "june 30, it is final": "june 30 (2026-06-30)",
    "june 30, 2027": "june 30, 2027 (2027-06-30)",
    "on may 4 we opened": "may 4 (2026-05-04)",
    "the deadline is january 15": "january 15 (2027-01-15)",
    "moved to the 24th because of them": "to the 24th (2026-06-24)",
    "it slipped to the 2nd": "to the 2nd (2026-07-02)",
    "it got switched off end of april": "end of april (2026-04-30)",
    "opening got postponed to may 1st": "may 1st (2026-05-01)",
    "next week we move": "next week (week of 2026-06-08)",
    "明天封版": "明天 (2026-06-04)",
    "后天发版": "后天 (2026-06-05)",
    "下周三封版": "下周三 (2026-06-10)",
    "本周五上线": "本周五 (2026-06-05)",
    "周五演示": "周五 (2026-06-05)",
    "月底下线": "月底 (2026-06-30)",
    "下个月底迁移": "下个月底 (2026-07-31)",
    "年底前": "年底 (2026-12-31)",
    "6 月 20 号开始": "6 月 20 号 (2026-06-20)",
    "十月二十七日上线": "十月二十七日 (2026-10-27)",
    "25 号提审": "25 号 (2026-06-25)",
    "下个月 5 号": "下个月 5 号 (2026-07-05)",
    "两周后割接": "两周后 (2026-06-17)",
    "9 月底停用": "9 月底 (2026-09-30)",
    "双十一之前": "双十一 (2026-11-11)",
    "ab nächsten montag": "nächsten montag (2026-06-08)",
    "am kommenden freitag": "kommenden freitag (2026-06-05)",
    "zum 30. juni": "30. juni (2026-06-30)",
    "am 15.6. ist schluss": "15.6. (2026-06-15)",
    "ende des monats": "ende des monats (2026-06-30)",
    "in zwei wochen": "in zwei wochen (2026-06-17)",
    "übermorgen": "übermorgen (2026-06-05)",
    "el próximo lunes": "el próximo lunes (2026-06-08)",
    "el 19 de junio": "19 de junio (2026-06-19)",
    "a fin de mes": "a fin de mes (2026-06-30)",
    "dentro de dos semanas": "dentro de dos semanas (2026-06-17)",
    "pasado mañana": "pasado mañana (2026-06-05)",
    "来週の水曜からです": "来週の水曜 (2026-06-10)",
    "6月30日に停止します": "6月30日 (2026-06-30)",
    "月末までに": "月末 (2026-06-30)",
    "7月末で終了": "7月末 (2026-07-31)",
    "明後日の夜": "明後日 (2026-06-05)",
    "7 月 17 日に延期になりました": "7 月 17 日 (2026-07-17)",
}
NO_DATES = [
    "on the 2nd attempt it failed",
    "every monday the job runs",
    "friday's build was green",
    "black friday load tests",
    "guten morgen",
    "por la mañana",
    "一周五次",
    "1 号线",
    "may I ask",
    "version 3.8 and 10.2.1",
    "the sun is out, it sat there",
    "june 31",
]


@pytest.mark.parametrize(("said", "written"), SPOKEN.items())
def test_a_spoken_date_gets_its_day_written_beside_it(said: str, written: str) -> None:
    """Counted from Wednesday, 2026-06-03."""
    assert written in written_out(said, WEDNESDAY)


@pytest.mark.parametrize("said", NO_DATES)
def test_what_only_sounds_like_a_date_stays_as_it_is(said: str) -> None:
    """Ordinals, plurals, greetings and names are no dates."""
    assert written_out(said, WEDNESDAY) == said


@pytest.mark.parametrize("said", ["the move got pushed to 2026-09-14", "bis zum 15.06.2026 (2026-06-15)", "下周三 (2026-06-10) 封版"])
def test_a_date_that_is_complete_is_not_doubled(said: str) -> None:
    """Where the day stands already nothing is added."""
    assert written_out(said, WEDNESDAY) == said


def test_next_thursday_is_in_next_week() -> None:
    """Said on a Friday it is six days ahead."""
    assert "2026-05-21" in written_out("cut next Thursday", date(2026, 5, 15))


@given(st.dates(date(2024, 1, 1), date(2030, 12, 31)), st.sampled_from(sorted(said for said in SPOKEN if "20" not in said)))
@settings(max_examples=60)
def test_any_day_is_a_day_to_speak_on(said: date, text: str) -> None:
    """Leap days, year ends and month ends neither crash nor give a day far off."""
    for spoken in dates_in(text, said):
        assert text[spoken.start : spoken.end]
        assert abs(spoken.day - said) <= timedelta(days=800)


@given(st.text(max_size=200))
@settings(max_examples=60)
def test_any_text_is_kept_but_for_what_is_written_beside_it(text: str) -> None:
    """Arbitrary text never crashes and loses no character."""
    out = written_out(text, WEDNESDAY)
    assert len(out) >= len(text)
