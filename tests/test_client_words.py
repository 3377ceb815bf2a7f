"""Promises about what the user's own client says: limits with their reset, errors told apart, answers read; tables, no processes."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from extractord.agent.claude_code.changes import calls_of
from extractord.agent.claude_code.faults import LimitError, Result, error_of, read
from extractord.agent.claude_code.limits import is_limit, reset_of
from extractord.agent.claude_code.run import Output
from extractord.errors import ExtractordError, PostponedError, StoppedError, WorkerError

NOW = datetime(2026, 12, 31, 22, 30, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("said", "reset"),
    [
        ("You've hit your session limit · resets 11:50pm (UTC)", "2026-12-31T23:50+00:00"),
        ("You've hit your 5-hour limit · resets 3am (UTC)", "2027-01-01T03:00+00:00"),
        ("You've hit your weekly limit · resets Jan 4, 6:10am (UTC)", "2027-01-04T06:10+00:00"),
        ("You've hit your weekly limit · resets Jan 4 at 6am (Europe/Berlin)", "2027-01-04T05:00+00:00"),
        ("You've hit your Opus limit · resets Jan 4, 2027, 12pm (America/New_York)", "2027-01-04T17:00+00:00"),
        ("5-hour limit reached ∙ resets 12am (UTC)", "2027-01-01T00:00+00:00"),
        ("Claude AI usage limit reached|1798761600", "2027-01-01T00:00+00:00"),
        ("You've hit your session limit · resets 10:29pm (UTC)", "2026-12-31T22:29+00:00"),
        ("You've hit your limit · resets soon", None),
        ("You've hit your weekly limit · resets Feb 31, 6am (UTC)", None),
        ("You've hit your session limit · resets 25pm (UTC)", None),
    ],
)
def test_a_limit_is_known_with_its_reset(said: str, reset: str | None) -> None:
    """The next time the clock shows it, in the zone that is named; what cannot be read is no time."""
    assert is_limit(said)
    assert reset_of(said, NOW) == (None if reset is None else datetime.fromisoformat(reset).timestamp())


@pytest.mark.parametrize("said", ["", "API Error: 529 overloaded", "Your rate is fine", "the limit of this function is documented"])
def test_other_words_are_no_limit(said: str) -> None:
    """Nothing is put off for a day because of a word."""
    assert not is_limit(said)


@pytest.mark.parametrize(
    ("result", "kind", "until"),
    [
        (Result(result="You've hit your session limit · resets soon", api_error_status=429), LimitError, NOW + 5 * 3600),
        (Result(result="You've hit your session limit · resets 10:29pm (UTC)", api_error_status=429), LimitError, NOW + 60),
        (Result(result="API Error: Request rejected (429)", api_error_status=429), LimitError, NOW + 900),
        (Result(result="Not logged in · Please run /login"), StoppedError, None),
        (Result(result="Your organization has disabled Claude subscription access", api_error_status=403), StoppedError, None),
        (Result(result="Credit balance is too low", api_error_status=402), StoppedError, None),
        (Result(result="API Error: 500", api_error_status=500), PostponedError, None),
        (Result(result="API Error: Unable to connect to API (ENOTFOUND)"), PostponedError, None),
        (Result(result="API Error: Connection dropped (ECONNRESET)."), WorkerError, None),
        (Result(result="x", stop_reason="refusal"), WorkerError, None),
        (Result(subtype="error_max_turns"), WorkerError, None),
        (Result(result="There's an issue with the selected model", api_error_status=404), WorkerError, None),
        (Result(result="API Error: Claude's response exceeded the 16000 output token maximum."), WorkerError, None),
        (Result(result="something that no client said yet"), WorkerError, None),
    ],
    ids=lambda value: value.result[:30] if isinstance(value, Result) else "",
)
def test_each_error_has_its_consequence(result: Result, kind: type[ExtractordError], until: float | None) -> None:
    """What passes postpones, what concerns everything stops, the rest failed; none of the client's words are told on."""
    error = error_of(result, NOW)
    assert type(error) is kind
    assert error.hint
    assert getattr(error, "until", None) == until
    assert len(result.result) < 12 or result.result not in error.message + error.hint


@pytest.mark.parametrize("answer", [b"", b"hello", b"[]", b'{"is_error": "no"}', b'{"result": 3}', b"\xff", b"[" * 100_000])
def test_what_is_no_result_is_an_error(answer: bytes) -> None:
    """A client that prints something else failed; so did one that leaves out whether it did."""
    with pytest.raises(WorkerError):
        read(Output(0, answer, b""))
    assert error_of(read(Output(0, b"{}", b"")), NOW) is not None


@pytest.mark.parametrize(
    ("said", "tools"),
    [
        ('{"changes": []}', []),
        ("nothing", []),
        ("Nothing.", []),
        ('```json\n{"changes": [{"change": "Delete", "file_path": "a.md"}]}\n```', ["Delete"]),
        ('Here it is: {"changes": [{"change": "Write"}, {"change": "Bash", "command": "ls"}]} as asked', ["Write", ""]),
        ('{"changes": [{"no": "kind"}]}', [""]),
    ],
)
def test_an_answer_becomes_calls(said: str, tools: list[str]) -> None:
    """Fences and words round it are put up with; what is no change of a topic becomes a call that is refused."""
    assert [call.tool for call in calls_of(said)] == tools


@pytest.mark.parametrize("said", ["", "I cannot", "{}", '{"changes": {}}', '{"changes": [1]}', '{"changes": [], "more": 1}', "{" * 10_000])
def test_another_form_is_an_error(said: str) -> None:
    """It failed, so that it is tried again: nothing is guessed."""
    with pytest.raises(WorkerError):
        calls_of(said)


def test_tokens_are_summed_over_models() -> None:
    """Whatever model the client asked beside: all of it was used; what is no count is none."""
    used = {"a": {"inputTokens": 3, "outputTokens": 2, "cacheReadInputTokens": 5}, "b": {"inputTokens": -1}, "c": {"inputTokens": 4}}
    result = msgspec.convert({"is_error": False, "modelUsage": used}, Result)
    assert (result.usage.input_tokens, result.usage.output_tokens, result.usage.cache_read_tokens) == (7, 2, 5)
