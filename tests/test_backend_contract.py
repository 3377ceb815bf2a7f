"""One contract for every backend that asks a model: whatever its server does comes to the same, and nothing of it is told on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from extractord.errors import ExtractordError, PostponedError, StoppedError, WorkerError
from tests.backends import Asked, Bench, says
from tests.client_runs import FOREIGN_KEY, PACKAGE
from tests.model_runs import KEY, write
from tests.needs import Needs
from tests.scripted_server import CLOUD_TOKEN, Answer, text

MARK = "zephyr-quotation"  # what a server says must not get into an error
LINTER = write("feedback_linter.md", "Always run the linter.", "always run the linter")


VENDORS = {"ANTHROPIC_API_KEY": "sk-vendors-" + "9" * 20, "ANTHROPIC_AUTH_TOKEN": "vendors-" + "8" * 20}  # never for a cloud
CLOUDS = (Asked.BEDROCK, Asked.VERTEX, Asked.FOUNDRY)


@pytest.fixture(scope="module", params=list(Asked), ids=lambda asked: asked.value)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, needs: Needs) -> Iterator[Bench]:
    claude = needs("claude", npm=PACKAGE) if request.param is Asked.CLIENT else None
    more = VENDORS if request.param in CLOUDS else {}
    with Bench.of(request.param, tmp_path_factory.mktemp("backend"), claude, more) as made:
        yield made


def fails(bench: Bench, answer: Answer, seconds: float = 60.0) -> ExtractordError:
    """Return why a run failed; nothing that the server said stands in it."""
    with pytest.raises(ExtractordError) as caught:
        bench.run(answer, seconds)
    told = caught.value.message + caught.value.hint
    assert MARK not in told
    assert KEY not in told
    return caught.value


def test_success(bench: Bench) -> None:
    """The calls come as the model made them, in one request; what was counted is what the server counted."""
    before = bench.supervisor.ledger.spend(0.0).input_tokens
    (call,) = bench.run(says(bench.asked, LINTER)).calls
    assert (call.tool, call.input, bench.requests) == ("Write", LINTER["input"], 1)
    assert bench.supervisor.ledger.spend(0.0).input_tokens - before == bench.server.asked[-1].tokens


def test_refusal(bench: Bench) -> None:
    """It failed and is tried again."""
    error = fails(bench, Answer((text(MARK),), stop="refusal"))
    assert isinstance(error, WorkerError)
    assert error.message == "the model refused to answer"


def test_overload(bench: Bench) -> None:
    """Nobody's fault: postponed, after few tries."""
    error = fails(bench, Answer(status=529, error="overloaded_error", message=MARK))
    assert isinstance(error, PostponedError)
    assert "overloaded (529" in error.message
    assert bench.requests == 3


def test_rate_limit_with_retry_after(bench: Bench) -> None:
    """Not before the time that the server asks for, and only one request until then."""
    error = fails(bench, Answer(status=429, error="rate_limit_error", message=MARK, headers={"retry-after": "900"}))
    assert isinstance(error, PostponedError)
    assert error.until is not None
    assert abs(error.until - time.time() - 900) < 60
    assert bench.requests == 1
    bench.supervisor.models.close()  # the next tests ask a process that does not remember it


def test_cut_mid_stream(bench: Bench) -> None:
    """Half an answer is none."""
    error = fails(bench, Answer((text(MARK * 500),), cut_after=3000))
    assert isinstance(error, WorkerError)
    assert "cut within its reply" in error.message


def test_slow_drip(bench: Bench) -> None:
    """The run's own time holds, however lively the connection is."""
    began = time.monotonic()
    error = fails(bench, Answer((text(MARK * 500),), drip=0.2), seconds=5.0)
    assert isinstance(error, WorkerError)
    assert error.message == "the model did not answer in time"
    assert time.monotonic() - began < 20


def test_huge_answer(bench: Bench) -> None:
    """More bytes than an answer may have are dropped."""
    error = fails(bench, Answer((text(MARK * 400_000),)))
    assert isinstance(error, WorkerError)
    assert error.message == "the model's reply was too large and was dropped"


def test_wrong_json(bench: Bench) -> None:
    """What is no reply is told as such."""
    error = fails(bench, Answer(raw=b'{"' + MARK.encode() + b'": ]'))
    assert isinstance(error, WorkerError)
    assert "is no reply" in error.message


def test_context_overflow(bench: Bench) -> None:
    """It did not fit: failed, with what to lower."""
    error = fails(bench, Answer((text(MARK),), stop="model_context_window_exceeded"))
    assert isinstance(error, WorkerError)
    assert (error.message, "digest_tokens" in error.hint) == ("the session did not fit into the model's context", True)


def test_a_form_that_was_not_asked_for(bench: Bench) -> None:
    """Prose and calls of tools that are not there save nothing, and end."""
    if bench.asked is Asked.CLIENT:
        for said in (text(MARK), LINTER):
            assert isinstance(fails(bench, Answer((said,))), WorkerError)
            assert bench.requests == 1
    assert bench.run(Answer((text("nothing"),))).calls == ()


def test_each_provider_is_asked_in_its_own_way(bench: Bench) -> None:
    """A gateway by bearer token and custom headers; Amazon signed, Google by a token, Foundry by its own key; no key goes elsewhere."""
    bench.run(says(bench.asked, LINTER))
    sent = bench.server.asked[-1]
    headers = json.dumps(sent.headers)
    match bench.asked:
        case Asked.GATEWAY:
            assert sent.headers["authorization"] == f"Bearer {KEY}"
            assert (sent.headers["x-team"], sent.headers["x-cost-centre"], "x-api-key" in sent.headers) == ("memory", "42", False)
        case Asked.BEDROCK:
            assert sent.path == "/model/claude-haiku-5-5/invoke"
            assert "AWS4-HMAC-SHA256" in sent.headers["authorization"]
        case Asked.VERTEX:
            assert sent.path == "/projects/shop/locations/europe-west1/publishers/anthropic/models/claude-haiku-5-5:rawPredict"
            assert sent.headers["authorization"] == f"Bearer {CLOUD_TOKEN}"
        case Asked.LOCAL:
            assert KEY not in headers
        case Asked.CLIENT:
            assert FOREIGN_KEY not in headers
        case _:
            assert KEY in headers
    assert not [value for value in VENDORS.values() if value in headers]


def test_expired_login(bench: Bench) -> None:
    """Everything waits, and the way out is named; nobody goes on trying. (The last one: from here on the server is left alone.)"""
    error = fails(bench, Answer(status=401, error="authentication_error", message=MARK))
    assert isinstance(error, StoppedError)
    assert "login" in error.message
    assert error.hint
    assert bench.requests <= 3
