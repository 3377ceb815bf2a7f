"""The log: one line per outcome, for machines and for people, never with what was said."""

from __future__ import annotations

import io
import json

import pytest

from extractord.errors import TranscriptError
from extractord.journal import Journal
from extractord.ledger import Outcome
from tests.ledger_rows import stretch

SAID = "From now on always run the linter"


def _line(machine: dict[str, str], **changed: object) -> str:
    out = io.StringIO()
    row = stretch(**changed)  # type: ignore[arg-type]
    Journal.of(machine, out).outcome(row.outcome.value, row)
    (line,) = out.getvalue().splitlines()
    return line


@pytest.mark.parametrize("variable", ["INVOCATION_ID", "JOURNAL_STREAM"])
def test_under_systemd_each_outcome_is_one_json_object(variable: str) -> None:
    """JSON with session, outcome, topics' number and changeset."""
    told = json.loads(_line({variable: "x"}, topics=("a.md", "b.md"), changeset="3f9k2a"))
    assert (told["event"], told["outcome"], told["session"], told["topics"], told["changeset"]) == ("outcome", "saved", "s1", 2, "3f9k2a")


def test_on_a_terminal_it_is_key_value() -> None:
    """logfmt: event=outcome outcome=saved …"""
    line = _line({})
    assert "event=outcome" in line
    assert "outcome=saved" in line
    assert line.startswith("time=")


@pytest.mark.parametrize("outcome", [Outcome.SAVED, Outcome.NOTHING_TO_SAVE, Outcome.PENDING_REVIEW, Outcome.CONFLICTED])
def test_no_line_quotes_what_was_said(outcome: Outcome) -> None:
    """The reason of an outcome that comes from the conversation may quote it: it is not told."""
    assert SAID not in _line({}, outcome=outcome, reason=f"refused: {SAID}", topics=(f"{SAID}.md",))


def test_a_skip_is_told_with_its_reason_and_a_secret_in_it_is_not() -> None:
    """Rules and errors have reasons of our own; secrets that got into them are redacted."""
    key = "sk-ant-" + "api03-" + "Ab1" * 30 + "-" + "x9" * 10
    line = _line({}, outcome=Outcome.FAILED, reason=f"cannot read /home/x/{key}")
    assert "cannot read" in line
    assert key not in line


def test_an_error_that_is_not_ours_is_told_by_kind_and_place_only() -> None:
    """Messages of other programs' errors may quote what they worked on."""
    out = io.StringIO()
    journal = Journal.of({}, out)
    try:
        raise ValueError(SAID)
    except ValueError as error:
        journal.trouble("s1", error)
    journal.trouble("s1", TranscriptError("no such transcript", hint="look again"))
    assert SAID not in out.getvalue()
    assert "ValueError at test_journal.py:" in out.getvalue()
    assert "no such transcript" in out.getvalue()


def test_a_folder_with_control_characters_does_not_break_the_line() -> None:
    """What a terminal would obey is not in the log."""
    line = _line({}, project="/home/\x1b[31m/a\nb\udcff")
    assert "\x1b" not in line
    line.encode("utf-8")


def test_a_log_that_nobody_reads_stops_nothing() -> None:
    """A closed stream is no error."""
    out = io.StringIO()
    journal = Journal.of({}, out)
    out.close()
    journal.stopped("told")
