"""Promises about old sessions by batches: half the price, candidates merged in the order of time, nothing lost or paid twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.command import COMMAND_SECONDS, extractord
from tests.homes import SAYINGS, Home
from tests.model_runs import NOTHING, model_env, once, spent, write
from tests.scripted_server import Answer, Asked, serving, text

BATCHES = "/v1/messages/batches"
LINTER = "always run the linter before you commit"
LINEAR = "Bugs are tracked in the Linear project INGEST"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def found(*facts: tuple[str, str, str]) -> Answer:
    """Return an answer that names candidates: type, fact, quote from the first message."""
    named = [{"type": kind, "fact": fact, "evidence": [{"message": "m1", "quote": quote}]} for kind, fact, quote in facts]
    return Answer((text(json.dumps({"candidates": named})),))


def is_batched(asked: Asked) -> bool:
    return asked.path == BATCHES


def first_of(asked: Asked) -> str:
    return str(asked.messages[0]["content"][0]["text"])


def candidates_of(asked: Asked) -> Answer:
    """Answer as a model that finds the two sayings."""
    said = first_of(asked)
    if LINTER in said:
        return found(("feedback", "The linter runs before each commit.", LINTER))
    if LINEAR in said:
        return found(("reference", "Bugs are in Linear.", LINEAR), ("user", "They love cats.", "I love cats and dogs"))
    return found()


def merging(asked: Asked, _: int) -> Answer:
    """Candidates in batches; an ordinary run saves what it is shown."""
    if is_batched(asked):
        return candidates_of(asked)
    calls: list[dict[str, Any]] = []
    said = first_of(asked)
    for number in (1, 2):
        line = next((line for line in said.splitlines() if line.startswith(f"[m{number}]")), "")
        after = said.split(line, 1)[1].splitlines()[1] if line else ""
        if LINTER in after:
            calls.append(write("feedback_linter.md", "The linter runs before each commit.", LINTER, f"m{number}"))
        if LINEAR in after:
            calls.append(write("reference_bugs.md", "Bugs are in the Linear project INGEST.", LINEAR, f"m{number}", "reference"))
    return Answer(tuple(calls)) if calls else NOTHING


def lay_out(home: Home) -> list[str]:
    """Three sessions of one project, two of them with something to save, the second begun first."""
    return [
        home.talk("shop", SAYINGS[2], days_ago=4).session,
        home.talk("shop", SAYINGS[0], days_ago=6).session,
        home.talk("shop", "Why is this loop so slow in the mornings?", days_ago=5).session,
    ]


def test_candidates_are_merged_in_the_order_of_time_by_one_run_at_half_the_price(home: Home) -> None:
    """Three sessions, one batch, one ordinary run: each fact has its own session, time and quote; what was not said is dropped."""
    late, early, nothing = lay_out(home)
    with serving(merging) as server:
        answer = once(home, server, "--batch")
        [merge] = [asked for asked in server.asked if not is_batched(asked)]
        (batch,) = server.batches.values()
    assert (answer.status, answer.summary["saved"], answer.summary["nothing_to_save"]) == (0, 2, 1), answer.stdout + answer.stderr
    assert len(batch.requests) == 3
    assert ["tools" in asked.body for asked in batch.requests.values()] == [False] * 3
    said = first_of(merge)
    assert said.index("The linter runs") < said.index("Bugs are in Linear.")
    assert "cats" not in said
    outcomes = {line["session"]: (line["outcome"], line["topics"]) for line in answer.lines if "session" in line}
    assert outcomes[nothing] == ("nothing_to_save", [])
    assert outcomes[early][0] == outcomes[late][0] == "saved"
    facts = {
        file: extractord(home, "why", file, "--cwd", home.project("shop"), "--json").lines
        for file in ("feedback_linter.md", "reference_bugs.md")
    }
    assert [(facts[file][0]["session"], facts[file][0]["message"]) for file in facts] == [(early, "m1"), (late, "m1")]
    prices = {(tokens, out): cost for tokens, out, cost in spent(home)}
    plain = merge.tokens
    for (tokens, out), cost in prices.items():
        share = 1.0 if tokens == plain else 0.5
        assert cost == pytest.approx(share * (tokens * 0.10 + out * 0.50) / 1e6, abs=1e-9)
    assert answer.summary["cost_usd"] == pytest.approx(sum(cost or 0 for *_, cost in spent(home)), abs=1e-9)
    with serving(merging) as server:
        again = once(home, server, "--batch")
        assert (again.summary["unchanged"], server.asked, server.batches) == (3, [], {})


def test_what_expired_or_failed_at_the_server_is_sent_once_more(home: Home) -> None:
    """It costs nothing, goes back, and is in a second batch."""
    lay_out(home)
    lost: list[bytes] = []

    def script(asked: Asked, number: int) -> Answer:
        if is_batched(asked) and len(lost) < 2:
            lost.append(asked.raw)
            return Answer(status=408 if len(lost) == 1 else 500)
        return merging(asked, number)

    with serving(script) as server:
        answer = once(home, server, "--batch")
        sizes = [len(batch.requests) for batch in server.batches.values()]
    assert (sizes, answer.summary["saved"], answer.summary["nothing_to_save"]) == ([3, 2], 2, 1), answer.stderr
    assert sum(cost == 0 for *_, cost in spent(home)) == 2


def test_a_killed_run_goes_on_with_the_batch_it_sent(home: Home) -> None:
    """Kill -9 while a batch is waited for: the next run fetches it, sends nothing again, and leaves what an undisturbed run leaves."""
    lay_out(home)
    with serving(merging) as server:
        server.ends_after = 10**6
        argv = [sys.executable, "-m", "extractord", "once", "--yes", "--json", "--batch"]
        with subprocess.Popen(argv, env={**os.environ, **home.env(), **model_env(server)}, stdout=-1, stderr=-1) as running:
            until = time.monotonic() + COMMAND_SECONDS
            while not any(batch.looks for batch in server.batches.values()) and time.monotonic() < until:
                time.sleep(0.05)
            running.send_signal(signal.SIGKILL)
        server.ends_after = 0
        answer = once(home, server, "--batch")
        assert len(server.batches) == 1
    assert (answer.status, answer.summary["saved"], answer.summary["nothing_to_save"]) == (0, 2, 1), answer.stdout + answer.stderr
    assert all(cost is not None for *_, cost in spent(home))
    assert len(spent(home)) == 4


def test_a_cap_keeps_what_it_does_not_reach_for_out_of_the_batch(home: Home) -> None:
    """What was put aside decides: the rest is postponed with that reason, and open the next time."""
    lay_out(home)
    home.config("budget.usd_per_day = 0.002\n")
    with serving(merging) as server:
        answer = once(home, server, "--batch")
        sent = sum(len(batch.requests) for batch in server.batches.values())
    assert 0 < sent < 3
    assert answer.status == 1
    assert "usd_per_day" in answer.stderr
    assert answer.summary["postponed"] >= 1
