"""Promises about one call of a server, through the real SDK in the real model process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from extractord.agent.anthropic_model import is_vendors_form
from extractord.agent.frames import ShellOffer
from extractord.agent.model_frames import Fault, FaultKind, FromModel, ModelAnswered
from extractord.agent.model_line import ModelLine
from extractord.agent.protocol import Usage
from extractord.agent.server import Server
from extractord.agent.tool_forms import tools
from extractord.agent.wire import (
    Dialogue,
    Heard,
    NoReplyError,
    RedactedThinking,
    StopReason,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    read_reply,
)
from tests.scripted_server import VENDORS_LIST, Answer, Script, ScriptedServer, call, serving, text

KEY = "sk-test-" + "0123456789abcdef" * 2
LONG = Dialogue.opened("stable " * 4000, tools(ShellOffer.NO_SANDBOX), "first " * 4000)
SHORT = Dialogue.opened("be brief", tools(ShellOffer.NO_SANDBOX), "hello")


@pytest.fixture(scope="module")
def line() -> Iterator[ModelLine]:
    made = ModelLine()
    yield made
    made.close()


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    """One server for as many tests as may share its process: importing the SDK takes over a second."""
    with serving(Answer()) as made:
        yield made


def ask(line: ModelLine, server: ScriptedServer, dialogue: Dialogue = SHORT, *, seconds: float = 30.0, **env: str) -> FromModel:
    where = Server(server.url, {"PATH": "/usr/bin:/bin", "ANTHROPIC_API_KEY": KEY, **env})
    return line.ask(where, dialogue.request("claude-haiku-5-5", 1000, 4096), time.monotonic() + seconds)


def heard(said: FromModel) -> Heard:
    assert isinstance(said, ModelAnswered), said
    return said.heard


def fault(said: FromModel) -> Fault:
    assert isinstance(said, Fault), said
    return said


@pytest.mark.parametrize(
    ("answer", "kind", "requests"),
    [
        (Answer(status=401, error="authentication_error"), FaultKind.LOGIN, 1),
        (Answer(status=403, error="permission_error"), FaultKind.LOGIN, 1),
        (Answer(status=402, error="billing_error"), FaultKind.SPENDING, 1),
        (Answer(status=400, error="invalid_request_error", message="Your credit balance is too low"), FaultKind.SPENDING, 1),
        (
            Answer(status=400, error="invalid_request_error", message="You have reached your specified API usage limits"),
            FaultKind.SPENDING,
            1,
        ),
        (Answer(status=400, error="invalid_request_error", message="tools: bad"), FaultKind.REFUSED, 1),
        (Answer(status=404, error="not_found_error"), FaultKind.REFUSED, 1),
        (Answer(status=413, error="request_too_large"), FaultKind.REFUSED, 1),
        (Answer(status=408), FaultKind.BUSY, 3),
        (Answer(status=409), FaultKind.BUSY, 3),
        (Answer(status=429, error="rate_limit_error", headers={"retry-after": "0.01"}), FaultKind.BUSY, 3),
        (Answer(status=429, error="rate_limit_error", headers={"retry-after": "3600"}), FaultKind.BUSY, 1),
        (Answer(status=500), FaultKind.BUSY, 3),
        (Answer(status=529, error="overloaded_error"), FaultKind.BUSY, 3),
        (Answer(status=307, headers={"location": "http://localhost:1/v1/messages"}), FaultKind.REFUSED, 1),
        (Answer(raw=b"<html>no</html>"), FaultKind.NO_REPLY, 1),
        (Answer(raw=b'{"content": "text"}'), FaultKind.NO_REPLY, 1),
        (Answer(raw=b'{"content": [{"type": "tool_use", "name": 3, "input": {}}]}'), FaultKind.NO_REPLY, 1),
        (Answer(raw=b"[" * 100_000), FaultKind.NO_REPLY, 1),
        (Answer((call("Write", content="x" * (50 << 20)),)), FaultKind.FLOOD, 1),
        (Answer((text("some words"),), cut_after=40), FaultKind.CUT, 1),
        (Answer(drop=True), FaultKind.CUT, 3),
    ],
    ids=lambda value: "" if isinstance(value, (FaultKind, int)) else f"{value.status}-{value.error}-{value.message[:12]}",
)
def test_what_may_go_wrong_has_a_name_and_only_the_sdk_tries_again(
    line: ModelLine, server: ScriptedServer, answer: Answer, kind: FaultKind, requests: int
) -> None:
    """408, 409, 429, 5xx and 529 are tried three times in all, as ``retry-after`` says if there is time; the rest is told at once."""
    server.now(answer)
    remembered = kind in (FaultKind.LOGIN, FaultKind.SPENDING) or "retry-after" in answer.headers  # and not asked for a while
    with closing(ModelLine()) as own:
        said = fault(ask(own if remembered else line, server))
    assert (said.kind, len(server.asked)) == (kind, requests)
    assert answer.status == 200 or said.status == answer.status
    assert KEY not in repr(said)


def test_an_overload_that_passes_is_no_fault(line: ModelLine, server: ScriptedServer) -> None:
    """The second try is answered, and nobody hears of the first."""
    server.now(lambda _, n: Answer(status=529) if n == 0 else Answer((text("here"),)))
    assert heard(ask(line, server)).text == "here"


def test_a_slow_drip_ends_in_time(line: ModelLine, server: ScriptedServer) -> None:
    """A reply of which a byte comes now and then is given up when the call's time is over."""
    server.now(Answer((text("some words"),), drip=0.2))
    assert fault(ask(line, server, seconds=8)).kind is FaultKind.LATE


def test_an_unreachable_server_is_told_as_such(line: ModelLine) -> None:
    """Nothing was sent, so nothing can have been billed."""
    with serving(Answer()) as server:
        gone = server
    said = fault(ask(line, gone))
    assert (said.kind, said.kind.unbilled) == (FaultKind.UNREACHABLE, True)


def test_without_a_login_nothing_is_sent_but_to_this_machine(line: ModelLine, server: ScriptedServer) -> None:
    """A server of this machine is asked without a key; elsewhere the missing login is told, and no request made."""
    server.now(Answer((text("hello"),)))
    assert heard(ask(line, server, ANTHROPIC_API_KEY="")).text == "hello"
    elsewhere = Server("http://model.invalid", {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"})
    said = fault(line.ask(elsewhere, SHORT.request("m", 10, None), time.monotonic() + 20))
    assert said.kind is FaultKind.LOGIN


@pytest.mark.parametrize(("models", "marked"), [(VENDORS_LIST, True), ({"object": "list", "data": []}, False), (None, False), ([], False)])
def test_a_server_is_looked_at_once_and_nothing_is_assumed(line: ModelLine, models: Any, marked: bool) -> None:
    """One look at the list of models says whether prompts are marked for keeping; tool choice, thinking, counting are never asked for."""
    with serving(Answer((text("hello"),)), models) as server:
        for _ in range(2):
            heard(ask(line, server, LONG))
        assert server.looked == ["/v1/models?limit=1"]
        assert [b"cache_control" in asked.raw for asked in server.asked] == [marked] * 2
        assert {key for asked in server.asked for key in asked.body} == {"model", "max_tokens", "system", "tools", "messages"}


def test_only_what_is_long_enough_is_marked(line: ModelLine, server: ScriptedServer) -> None:
    """The beginning that all runs share, and the newest message once a run goes on: writing costs more than most runs read back."""
    server.now(Answer((text("hello"),)))
    ask(line, server, SHORT)
    assert b"cache_control" not in server.asked[0].raw
    later = LONG.heard(Heard((ToolUse("Read", "t1", {}),), StopReason.TOOL_USE, None)).told([ToolResult("t1", "text")])
    for dialogue in (LONG, later):
        ask(line, server, dialogue)
    one, two = (asked.body for asked in server.asked[1:])
    assert ["cache_control" in body["system"][0] for body in (one, two)] == [True, True]
    marks = [["cache_control" in message["content"][-1] for message in body["messages"]] for body in (one, two)]
    assert marks == [[False], [False, False, True]]


def test_usage_is_told_with_cache_reads_and_writes_apart(line: ModelLine, server: ScriptedServer) -> None:
    """And as unknown where the server does not say."""
    counted = {"input_tokens": 11, "output_tokens": 7, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3}
    server.now(Answer((text("hello"),), usage=counted))
    assert heard(ask(line, server)).usage == Usage(11, 7, 5, 3)
    server.script = lambda *_: Answer((text("hello"),), uncounted=True)
    assert heard(ask(line, server)).usage is None


def test_a_conversation_only_grows_and_thoughts_go_back_as_they_came(line: ModelLine, server: ScriptedServer) -> None:
    """The first request is the beginning of the second; thinking blocks with their signatures are part of it."""
    first = ({"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "redacted_thinking", "data": "eA=="})
    calls = (call("Read", "a", file_path="x"), call("Grep", "b", pattern="y"))
    script: Script = lambda _, n: Answer((*first, *calls)) if n == 0 else Answer((text("nothing"),))  # noqa: E731
    server.now(script)
    reply = heard(ask(line, server))
    assert reply.blocks[:2] == (Thinking("hm", "c2ln"), RedactedThinking("eA=="))
    grown = SHORT.heard(reply).told([ToolResult("a", "1"), ToolResult("b", "2", is_error=True)], "and a word")
    ask(line, server, grown)
    one, two = (asked.body["messages"] for asked in server.asked)
    assert two[: len(one)] == one
    assert two[1] == {"role": "assistant", "content": [*first, *calls]}
    assert [block["type"] for block in two[2]["content"]] == ["tool_result", "tool_result", "text"]


@pytest.mark.parametrize("reason", [*StopReason])
def test_each_stop_reason_is_known(reason: StopReason) -> None:
    """Seven of them, and whatever else a server may say."""
    assert read_reply(b'{"content": [], "stop_reason": "' + reason.value.encode() + b'"}').stop is reason
    assert read_reply(b'{"content": null, "stop_reason": null}') == Heard((), StopReason.UNKNOWN, None)


def test_a_reply_can_always_be_sent_back() -> None:
    """Empty texts and unknown blocks are left out, missing and repeated ids replaced, an input that is no object emptied."""
    raw = b"""{"content": [{"type": "text", "text": " "}, {"type": "server_magic", "x": 1}, {"type": "text", "text": "a"},
        {"type": "tool_use", "id": "", "name": "Read", "input": "{}"}, {"type": "tool_use", "id": "t", "name": "Read", "input": {"a": 1}},
        {"type": "tool_use", "id": "t", "name": "Read"}]}"""
    blocks = read_reply(raw).blocks
    assert blocks[0] == Text("a")
    calls = [block for block in blocks if isinstance(block, ToolUse)]
    assert len({use.id for use in calls}) == 3
    assert [use.input for use in calls] == [{}, {"a": 1}, {}]
    with pytest.raises(NoReplyError):
        read_reply(b'{"content": [{"type": "text"}]}')


def test_the_form_of_a_list_of_models_is_told_apart() -> None:
    """That of the Messages API has ``has_more`` and no ``object``."""
    assert is_vendors_form(b'{"data": [{"id": "m", "type": "model"}], "has_more": false}')
    assert not any(map(is_vendors_form, (b"", b"[]", b'{"data": []}', b'{"object": "list", "data": [], "has_more": false}', b"\xff")))
