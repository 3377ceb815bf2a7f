"""Promises about a run's model as the supervisor sees it: paid for before it is asked, and whatever it says means one thing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from extractord.agent.frames import ShellOffer
from extractord.agent.model_frames import Fault, FaultKind, FromModel, ModelAnswered
from extractord.agent.prices import AS_OF, FREE, HABITS, UNKNOWN, Habits, Rates, habits_of, rates_for
from extractord.agent.protocol import Decision, Reply, Ruling, Stop, ToolAnswer, Usage
from extractord.agent.relay import Relay, Terms, error_of
from extractord.agent.server import Server
from extractord.agent.tool_forms import tools
from extractord.agent.wire import Dialogue, Heard, Message, Request, Said, StopReason, Text, ToolResult, ToolUse, without_marks
from extractord.config import Price, Provider
from extractord.errors import PostponedError, StoppedError, UsageError, WorkerError

RATES = rates_for("claude-haiku-5-5", {}, local=False)
USED = Usage(1000, 100)


@dataclass
class Line:
    """Says what a test scripted, and keeps what it was asked."""

    says: list[Heard | Fault]
    asked: list[Request] = field(default_factory=list)

    def ask(self, server: Server, request: Request, deadline: float) -> FromModel:
        self.asked.append(request)
        said = self.says.pop(0)
        return ModelAnswered(1, said) if isinstance(said, Heard) else said


@dataclass
class Purse:
    """Keeps what was put aside and what was paid, in order."""

    room: float = 1.0
    log: list[str] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)

    def reserve(self, upper_usd: float) -> int:
        if upper_usd > self.room:
            raise PostponedError("over the cap")
        self.log.append("reserved")
        self.upper.append(upper_usd)
        return len(self.upper)

    def settle(self, held: int, usage: Usage, cost_usd: float) -> None:
        assert cost_usd <= self.upper[held - 1]
        self.log.append(f"paid {cost_usd:.7f}")


def says(*blocks: Said, stop: StopReason = StopReason.END_TURN, usage: Usage | None = USED) -> Heard:
    return Heard(blocks, stop, usage)


def relay(
    *replies: Heard | Fault,
    rates: Rates = RATES,
    purse: Purse | None = None,
    calls: int = 5,
    habits: Habits = UNKNOWN,
    first: str = "hello",
) -> tuple[Relay[int], Line, Purse]:
    line, money = Line([*replies]), purse or Purse()
    dialogue = Dialogue.opened("be brief", tools(ShellOffer.NO_SANDBOX), first)
    return Relay(dialogue, Terms("m", Server(), rates, habits, calls), line, money, 0.0), line, money


def ok(id_: str, result: str = "done") -> ToolAnswer:
    return ToolAnswer(id_, Ruling(Decision.ALLOWED, "", result))


USE = ToolUse("Read", "t1", {"file_path": "x"})
WRITE = ToolUse("Write", "t2", {"file_path": "y.md"})


@pytest.mark.parametrize("reason", [StopReason.END_TURN, StopReason.STOP_SEQUENCE, StopReason.UNKNOWN, StopReason.TOOL_USE])
def test_calls_are_calls_and_silence_is_an_end_whatever_the_reason_says(reason: StopReason) -> None:
    """A reply with calls goes on, one without ends, an empty one too."""
    made, _, _ = relay(says(Text("a"), USE, stop=reason), says(stop=reason))
    first = made.answer(0, ())
    assert ([call.tool for call in first.calls], first.stop, first.usage) == (["Read"], Stop.TOOLS, USED)
    assert made.answer(1, (ok("t1"),)) == Reply("", (), Stop.END, USED)


def test_all_results_of_a_reply_go_back_in_one_message() -> None:
    """In the order of the calls; a refusal carries its reason and is marked as an error."""
    made, line, _ = relay(says(USE, WRITE), says())
    made.answer(0, ())
    made.answer(1, (ok("t1", "text"), ToolAnswer("t2", Ruling(Decision.DENIED, "evidence is missing"))))
    assert line.asked[1].messages[0] == line.asked[0].messages[0]
    assert without_marks(line.asked[1]).messages[1:] == (
        Message("assistant", (USE, WRITE)),
        Message("user", (ToolResult("t1", "text"), ToolResult("t2", "denied: evidence is missing", is_error=True))),
    )


def test_an_answer_that_was_cut_is_finished() -> None:
    """Whole calls are carried out, the cut one is asked for again; one that holds no call goes on within the same turn."""
    made, line, _ = relay(says(USE, WRITE, stop=StopReason.MAX_TOKENS), says(Text("so"), stop=StopReason.MAX_TOKENS), says(WRITE))
    first = made.answer(0, ())
    assert ([call.id for call in first.calls], first.stop) == (["t1"], Stop.MAX_TOKENS)
    second = made.answer(1, (ok("t1"),))
    assert ([call.id for call in second.calls], second.usage) == (["t2"], USED.plus(USED))
    results = line.asked[1].messages[-1].content
    assert [r.is_error for r in results if isinstance(r, ToolResult)] == [False, True]
    assert "cut off" in str(line.asked[2].messages[-1])


def test_a_pause_is_sent_back_as_it_is() -> None:
    """Nothing is put between."""
    made, line, _ = relay(says(Text("wait"), stop=StopReason.PAUSE_TURN), says(Text("nothing")))
    assert made.answer(0, ()).text == "nothing"
    assert without_marks(line.asked[1]).messages[1:] == (Message("assistant", (Text("wait"),)),)


@pytest.mark.parametrize(
    ("reason", "told"), [(StopReason.REFUSAL, "refused"), (StopReason.CONTEXT, "context"), (StopReason.MAX_TOKENS, "no end within 2 calls")]
)
def test_what_is_no_answer_has_failed(reason: StopReason, told: str) -> None:
    """A refusal, a context that is too small, an answer that is cut again and again: nothing of it is taken, all of it is paid."""
    made, _, purse = relay(says(Text("I will not"), stop=reason), says(Text("still"), stop=reason), calls=2)
    with pytest.raises(WorkerError, match=told):
        made.answer(0, ())
    assert purse.log[:2] == ["reserved", f"paid {RATES.cost(USED):.7f}"]


def test_money_is_put_aside_before_each_call_and_without_it_nothing_is_sent() -> None:
    """What is put aside is more than the call costs; over a cap no request is made."""
    made, line, purse = relay(says(USE), says())
    made.answer(0, ())
    purse.room = 0.0
    with pytest.raises(PostponedError):
        made.answer(1, (ok("t1"),))
    assert (len(line.asked), purse.log) == (1, ["reserved", f"paid {RATES.cost(USED):.7f}"])


def test_what_nobody_counted_stays_spent() -> None:
    """A reply without usage, and a call of which nobody knows whether it was billed, cost what was put aside."""
    made, _, purse = relay(says(usage=None))
    made.answer(0, ())
    assert purse.log == ["reserved"]
    free, _, unpaid = relay(says(usage=None), rates=FREE)
    free.answer(0, ())
    assert unpaid.log == ["reserved", "paid 0.0000000"]


@pytest.mark.parametrize("kind", [*FaultKind])
def test_each_fault_has_an_outcome_and_a_way_out(kind: FaultKind) -> None:
    """Login and limits stop everything, a busy or unreachable server postpones, the rest is a failure."""
    made, _, purse = relay(Fault(1, kind, 418, "teapot", retry_after=60.0))
    with pytest.raises((PostponedError, WorkerError)) as caught:
        made.answer(0, ())
    stops, waits = {FaultKind.LOGIN, FaultKind.SPENDING, FaultKind.MISSING}, {FaultKind.BUSY, FaultKind.UNREACHABLE}
    assert type(caught.value) is (StoppedError if kind in stops else PostponedError if kind in waits else WorkerError)
    assert caught.value.hint
    assert purse.log == (["reserved", "paid 0.0000000"] if kind.unbilled else ["reserved"])


def test_a_server_that_asks_to_wait_is_waited_for() -> None:
    """The next try is not before ``retry-after``."""
    error = error_of(Fault(1, FaultKind.BUSY, 529, "overloaded_error", retry_after=60.0), 1000.0)
    assert isinstance(error, PostponedError)
    assert (error.until, error.message) == (1060.0, "the model's server is overloaded (529 overloaded_error)")


def test_a_worker_that_leaves_a_call_unanswered_is_caught() -> None:
    """Results belong to calls by their place, so there must be as many."""
    made, _, _ = relay(says(USE, WRITE), says())
    made.answer(0, ())
    with pytest.raises(WorkerError):
        made.answer(1, (ok("t1"),))


def test_a_prompt_that_would_cost_more_than_the_table_says_is_not_sent() -> None:
    """Above a length a model may cost several times as much: the run ends before that, whatever a tokenizer makes of the text."""
    made, line, purse = relay(says(), habits=HABITS["claude-haiku-5-5"], first="word " * 60_000)
    with pytest.raises(WorkerError, match="costs more"):
        made.answer(0, ())
    assert (line.asked, purse.log) == ([], [])
    assert relay(says(), first="word " * 60_000)[0].answer(0, ()).stop is Stop.END


def test_what_is_known_of_a_model_holds_at_its_vendors() -> None:
    """A server of this machine is taken for nobody's, one behind an address of its own not to keep prompts."""
    known = HABITS["claude-haiku-5-5"]
    assert habits_of("claude-haiku-5-5", Server()) == known
    assert habits_of("claude-haiku-5-5", Server("http://127.0.0.1:9")) == habits_of("qwen3", Server()) == UNKNOWN
    assert habits_of("claude-haiku-5-5", Server("https://gateway.invalid")) == replace(known, kept_from=None)


def test_prices_come_from_the_configuration_then_the_table_then_the_machine() -> None:
    """One table, with its date; a model of unknown price is refused unless its server is this machine."""
    assert (RATES.input, RATES.output, RATES.cache_write, RATES.cache_read) == pytest.approx((0.10, 0.50, 0.125, 0.01))
    assert rates_for("claude-haiku-5-5", {}, local=True) == RATES
    given = rates_for("claude-haiku-5-5", {"claude-haiku-5-5": Price(input=1.0, output=2.0, cache_read=0.5)}, local=True)
    assert (given.input, given.cache_write, given.cache_read) == (1.0, 1.25, 0.5)
    assert rates_for("qwen3", {}, local=True).free
    with pytest.raises(UsageError, match=AS_OF):
        rates_for("qwen3", {}, local=False)
    assert RATES.cost(Usage(1_000_000, 1_000_000, 1_000_000, 1_000_000)) == pytest.approx(0.10 + 0.50 + 0.01 + 0.125)
    assert replace(RATES, cache_write=0.0).upper_bound(1_000_000, 0) == pytest.approx(0.10)


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:11434", True),
        ("http://127.0.0.9:1", True),
        ("http://[::1]:8080/v1", True),
        ("http://a.localhost", True),
        ("https://api.anthropic.com", False),
        ("http://127.0.0.1.evil.example", False),
        ("http://localhost.example", False),
        ("x", False),
    ],
)
def test_this_machine_is_told_from_others(url: str, local: bool) -> None:
    """By the host's name or address, never by how it begins."""
    assert Server(url).local is local
    assert Server(None).local is False


@pytest.mark.parametrize(
    ("server", "ports"),
    [
        (Server(), (443,)),
        (Server("http://127.0.0.1:8080/v1"), (8080,)),
        (Server("http://gateway.example"), (80,)),
        (
            Server(environment={"HTTPS_PROXY": "http://proxy.example:3128", "http_proxy": "proxy.example:3129", "ALL_PROXY": ""}),
            (443, 3128, 3129),
        ),
        (Server(environment={"all_proxy": "socks5h://proxy.example"}), (443, 1080)),
        (Server("http://127.0.0.1:8080", {"ANTHROPIC_CONFIG_DIR": "/x"}), (443, 8080)),
        (Server(provider=Provider.BEDROCK), (80, 443)),
        (Server("https://x:port"), ()),
    ],
)
def test_a_model_process_may_connect_to_the_ports_it_needs(server: Server, ports: tuple[int, ...]) -> None:
    """The server's port, a proxy's, and where logins are renewed: nothing else."""
    assert server.ports == ports
