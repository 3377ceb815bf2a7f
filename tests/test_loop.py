"""When an agent run goes on and when it stops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from extractord.agent.loop import AgentLimits, Conversation, Ending, converse
from extractord.agent.protocol import Decision, Reply, Ruling, Stop, ToolAnswer, ToolCall, Usage

OK = Ruling(Decision.ALLOWED, "", "done")


class Scripted:
    """A model that says what it was told to say, and keeps what it is answered."""

    def __init__(self, replies: Iterable[Reply]) -> None:
        self._replies: Iterator[Reply] = iter(replies)
        self.heard: list[tuple[ToolAnswer, ...]] = []

    def open(self) -> Reply:
        return next(self._replies)

    def go_on(self, answers: tuple[ToolAnswer, ...]) -> Reply:
        self.heard.append(answers)
        return next(self._replies)


def call(tool: str, name: str = "1", **written: object) -> ToolCall:
    return ToolCall(name, tool, written)


def talk(*replies: Reply, ruling: Ruling = OK, limits: AgentLimits | None = None) -> tuple[Conversation, Scripted]:
    model = Scripted(replies)
    return converse(model, lambda _: ruling, limits or AgentLimits()), model


def test_a_reply_without_calls_is_the_end() -> None:
    """Nothing is a good answer; why the model stopped is kept."""
    conversation, model = talk(Reply(stop=Stop.REFUSAL, usage=Usage(3, 2, 1, 4)))
    assert (conversation.ending, conversation.stop, conversation.turns) == (Ending.SILENT, Stop.REFUSAL, 1)
    assert conversation.usage == Usage(3, 2, 1, 4)
    assert model.heard == []


def test_accepted_writes_are_the_end() -> None:
    """When all a reply did was write, and all was accepted, no further turn is spent."""
    conversation, model = talk(Reply(calls=(call("Write"), call("Delete", "2"))))
    assert (conversation.ending, conversation.turns) == (Ending.SETTLED, 1)
    assert model.heard == []


@pytest.mark.parametrize(
    "ruling",
    [
        Ruling(Decision.DENIED, "no"),
        Ruling(Decision.ALLOWED, "", "not found", failed=True),
        Ruling(Decision.ALLOWED, "", "created; **Why:** is missing", asks=True),
    ],
)
def test_what_was_not_simply_accepted_is_told(ruling: Ruling) -> None:
    """A refusal, a failure or a question goes back to the model."""
    conversation, model = talk(Reply(calls=(call("Write"),)), Reply(), ruling=ruling)
    assert (conversation.ending, conversation.turns) == (Ending.SILENT, 2)
    assert model.heard == [(ToolAnswer("1", ruling),)]


def test_a_reply_that_also_reads_is_answered() -> None:
    """Whoever asked for something is told."""
    conversation, model = talk(Reply(calls=(call("Write"), call("Read", "2"))), Reply())
    assert conversation.turns == 2
    assert [answer.id for answer in model.heard[0]] == ["1", "2"]


def test_turns_are_limited_before_they_are_spent() -> None:
    """A model that never ends is asked five times, and no more."""
    endless = (Reply(calls=(call("Read"),), usage=Usage(1, 1)) for _ in range(100))
    conversation, model = talk(*endless)
    assert (conversation.ending, conversation.turns, conversation.usage.input_tokens) == (Ending.TURNS, 5, 5)
    assert len(model.heard) == 4


def test_a_flood_of_calls_is_answered_but_not_carried_out() -> None:
    """Of 10,000 calls a hundred are carried out, each is answered, and the record stays short."""
    carried_out: list[ToolCall] = []

    def answer(one: ToolCall) -> Ruling:
        carried_out.append(one)
        return OK

    model = Scripted([Reply(calls=tuple(call("Write", str(n)) for n in range(10_000))), Reply()])
    conversation = converse(model, answer, AgentLimits())
    assert len(carried_out) == 100
    assert len(model.heard[0]) == 10_000
    assert model.heard[0][100].ruling.decision is Decision.DENIED
    assert len(conversation.rulings) == 101


def test_calls_are_carried_out_in_order() -> None:
    """A Read before an Edit in one reply counts."""
    order: list[str] = []

    def answer(one: ToolCall) -> Ruling:
        order.append(one.id)
        return OK

    converse(Scripted([Reply(calls=tuple(call("Read", n) for n in "cab")), Reply()]), answer, AgentLimits())
    assert order == ["c", "a", "b"]


def test_the_record_says_what_each_call_was_about_without_secrets() -> None:
    """Each ruling is kept with tool, subject and reason, on one line, redacted and short."""
    token = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    calls = (call("Read", file_path=f"a\n{token}"), call("Bash", command="ls " + "x" * 1000), call("Grep", pattern=7), call("\x1b[2J"))
    conversation, _ = talk(Reply(calls=calls), Reply(), ruling=Ruling(Decision.DENIED, "no"))
    first, second, third, fourth = conversation.rulings
    assert "\n" not in first.subject
    assert token not in first.subject
    assert second.subject.startswith("ls xxx")
    assert len(second.subject) == 200
    assert third.subject == ""
    assert "\x1b" not in fourth.tool
    assert {r.reason for r in conversation.rulings} == {"no"}
