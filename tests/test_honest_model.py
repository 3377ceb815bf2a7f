"""Promises about a model that means well: what it proposes is saved, updated, deleted; what goes wrong on the way is an outcome."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Line, extractord
from tests.homes import SAYINGS, Home, put, topic, tree
from tests.model_runs import KEY, NOTHING, once, spent, write
from tests.scripted_server import Answer, Asked, call, serving, text

LINTER = write("feedback_linter.md", "Always run the linter before a commit.", "always run the linter before you commit")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def by_turn(*answers: Answer) -> Callable[[Asked, int], Answer]:
    """Answer the first message of a run with the first, and so on."""
    return lambda asked, _: answers[min(len(asked.messages) // 2, len(answers) - 1)]


def line_of(answer_lines: tuple[Line, ...]) -> Line:
    (line,) = (one for one in answer_lines if "session" in one)
    return line


def test_it_creates_a_topic_in_one_call(home: Home) -> None:
    """The run ends as soon as its writes were accepted; topic, evidence, tokens and spend are as the server counted."""
    home.talk("shop", SAYINGS[0])
    with serving(Answer((text("Saving."), LINTER))) as server:
        answer = once(home, server)
        line = line_of(answer.lines)
    assert (answer.status, line["outcome"], line["topics"]) == (0, "saved", ["feedback_linter.md"]), answer.stderr
    assert "Always run the linter before a commit." in (home.memory("shop") / "feedback_linter.md").read_text()
    assert "- [feedback_linter](feedback_linter.md) — Always run" in (home.memory("shop") / "MEMORY.md").read_text()
    ((tokens, out, cost),) = spent(home)
    assert (len(server.asked), tokens) == (1, server.tokens)
    assert cost == pytest.approx((tokens * 0.10 + out * 0.50) / 1e6, abs=1e-9)
    assert (line["input_tokens"], line["output_tokens"], line["cost_usd"]) == (tokens, out, pytest.approx(cost))
    (fact,) = extractord(home, "why", "feedback_linter.md", "--cwd", home.project("shop"), "--json").lines
    assert fact["quote"] == "always run the linter before you commit"


def test_it_updates_what_is_there_and_makes_no_twin(home: Home) -> None:
    """A topic that was shown whole needs no Read; a write beside it that is refused comes back with the reason."""
    home.talk("shop", "Use pnpm from version nine on, not just any pnpm.")
    put(home.memory("shop"), "feedback_pnpm.md", topic("pnpm", "Use pnpm.\n\n**Why:** not stated\n**How to apply:** always."))
    evidence = [{"message": "m1", "quote": "Use pnpm from version nine on"}]
    edit = call("Edit", file_path="feedback_pnpm.md", old_string="Use pnpm.", new_string="Use pnpm, from version 9 on.", evidence=evidence)
    with serving(Answer((edit,))) as server:
        answer = once(home, server)
        first = server.asked[0].messages[0]["content"][0]["text"]
    assert "feedback_pnpm.md in full" in first
    assert line_of(answer.lines)["topics"] == ["feedback_pnpm.md"], answer.stdout
    assert "Use pnpm, from version 9 on." in (home.memory("shop") / "feedback_pnpm.md").read_text()
    assert sorted(path.name for path in home.memory("shop").glob("feedback*")) == ["feedback_pnpm.md"]


def test_it_deletes_with_evidence(home: Home) -> None:
    """A topic of ours that the person revoked goes, its line in the index too."""
    home.talk("shop", SAYINGS[0], days_ago=9)
    home.talk("shop", "Forget the linter rule, CI runs the linter now.", days_ago=5)
    gone = call("Delete", file_path="feedback_linter.md", evidence=[{"message": "m1", "quote": "Forget the linter rule"}])
    with serving(lambda asked, n: Answer((LINTER if n == 0 else gone,))) as server:
        answer = once(home, server)
    assert [line["outcome"] for line in answer.lines[:-1]] == ["saved", "saved"], answer.stdout
    assert not list(home.memory("shop").glob("*linter*"))


def test_an_accepted_choice_is_a_fact(home: Home) -> None:
    """The agent's own sentence counts where a later prompt let it stand."""
    talk = home.talk("shop", "split the module", "good, and now the tests", "and the docs")
    said = {"message": "m2", "quote": "Done.", "accepted_by": "m3"}
    wrote = write("feedback_bundles.md", "One bundled pull request is right for refactorings here.", "Done.", "m2", accepted_by="m3")
    with serving(Answer((wrote,))) as server:
        answer = once(home, server)
    assert said["accepted_by"] == "m3"
    assert line_of(answer.lines)["outcome"] == "saved", (answer.stdout, talk.session)


def test_it_looks_first_and_corrects_itself(home: Home) -> None:
    """Looks and a refused write are answered in one message each; three calls, each paid."""
    home.talk("shop", SAYINGS[1])
    (home.project("shop") / "release.md").write_text("the release manager is Ada\n")
    false = write("feedback_main.md", "Never push to main without asking.", "never ever push to main")
    right = write("feedback_main.md", "Never push to main without asking.", "Never push to main without asking me")
    look = (call("Grep", pattern="release"), call("Read", file_path="release.md"))
    with serving(by_turn(Answer(look), Answer((false,)), Answer((right,)))) as server:
        answer = once(home, server)
        assert [len(asked.results) for asked in server.asked] == [0, 2, 1]
        assert "the release manager is Ada" in str(server.asked[1].results)
        assert server.asked[2].results[0]["is_error"] is True
    assert line_of(answer.lines)["outcome"] == "saved", answer.stdout
    assert len(spent(home)) == 3


@pytest.mark.parametrize(
    ("first", "outcome", "reason", "unsettled"),
    [
        (NOTHING, "nothing_to_save", "", 0),
        (Answer((), stop="end_turn"), "nothing_to_save", "", 0),
        (Answer((text("I cannot"),), stop="refusal"), "failed", "the model refused to answer", 0),
        (Answer((text("I"),), stop="model_context_window_exceeded"), "failed", "did not fit", 0),
        (Answer((text("I"),), stop="max_tokens"), "failed", "no end within 5 calls", 0),
        (Answer(status=529, error="overloaded_error", headers={"retry-after": "900"}), "postponed", "overloaded (529", 0),
        (Answer(status=400, error="invalid_request_error"), "failed", "refused the request (400", 0),
        (Answer((LINTER,), cut_after=100), "failed", "cut within its reply", 1),
        (Answer(raw=b"{]"), "failed", "no reply", 1),
    ],
    ids=["nothing", "empty", "refusal", "context", "max_tokens", "overload", "bad-request", "cut", "broken"],
)
def test_whatever_goes_wrong_is_an_outcome(home: Home, first: Answer, outcome: str, reason: str, unsettled: int) -> None:
    """It has a reason, nothing is written, what may have been billed counts; where it was not the session's fault it is tried again."""
    home.talk("shop", SAYINGS[0])
    before = tree(home.config_home)
    with serving(first) as server:
        answer = once(home, server)
        line = line_of(answer.lines)
    assert (line["outcome"], reason in line["reason"]) == (outcome, True), answer.stdout + answer.stderr
    assert answer.status == (1 if outcome == "failed" else 0)
    assert tree(home.config_home) == before
    assert sum(cost is None for _, _, cost in spent(home)) == unsettled
    if outcome != "nothing_to_save":
        with serving(Answer((LINTER,))) as server:
            assert line_of(once(home, server).lines)["outcome"] == "saved"


def test_an_answer_cut_at_its_limit_is_finished(home: Home) -> None:
    """The whole call is carried out, the cut one is sent again."""
    home.talk("shop", SAYINGS[0], SAYINGS[2])
    bugs = write(
        "reference_bugs.md", "Bugs are tracked in Linear, project INGEST.", "Bugs are tracked in the Linear project", "m3", "reference"
    )
    cut = call("Write", file_path="reference_bugs.md")
    with serving(by_turn(Answer((LINTER, cut), stop="max_tokens"), Answer((bugs,)))) as server:
        answer = once(home, server)
    assert sorted(line_of(answer.lines)["topics"]) == ["feedback_linter.md", "reference_bugs.md"], answer.stdout


def test_a_slow_drip_fails_in_time(home: Home) -> None:
    """The run's own time holds for its calls too."""
    home.config("limits.extraction_seconds = 8\n")
    home.talk("shop", SAYINGS[0])
    with serving(Answer((LINTER,), drip=0.5)) as server:
        line = line_of(once(home, server).lines)
    assert (line["outcome"], "did not answer in time" in line["reason"]) == ("failed", True), line["reason"]
    assert [cost for _, _, cost in spent(home)] == [None]


def test_a_login_that_is_refused_stops_the_run_with_the_way_out(home: Home) -> None:
    """One request, not one a session; everything left is postponed and the status is 1."""
    for number in range(3):
        home.talk("shop", SAYINGS[number], days_ago=9 - number)
    with serving(Answer(status=401, error="authentication_error")) as server:
        answer = once(home, server)
        assert len(server.asked) == 1
    assert [line["outcome"] for line in answer.lines[:-1]] == ["postponed"] * 3
    assert (answer.status, "ANTHROPIC_API_KEY" in answer.stderr) == (1, True)
    with serving(NOTHING) as server:
        assert once(home, server).summary["nothing_to_save"] == 3


def test_neither_key_nor_talk_gets_into_logs_ledger_or_crash_texts(home: Home) -> None:
    """Of what was said only the evidence stays, of the key nothing; also not where a model quotes what it may not, or lies."""
    said = "Always greet Zephyrine Quillfeather first, and run the linter before you commit."
    home.talk("shop", said, "an xylotomous remark that nobody needs")
    wrote = write("feedback_linter.md", "Run the linter before a commit.", "run the linter before you commit")
    with serving(by_turn(Answer((call("Read", file_path="xylotomous.txt"),)), Answer((wrote,)))) as server:
        answer = once(home, server)
        assert KEY not in server.heard().decode()
    with serving(Answer(status=400, error="invalid_request_error", message="xylotomous Quillfeather " + KEY)) as server:
        home.talk("shop", "another xylotomous remark", days_ago=1)
        failed = once(home, server)
    invented = write("feedback_greeting.md", "Greet people.", "always greet the xylotomous Quillfeather people")
    agents = write("feedback_done.md", "Say done.", "xylotomous Quillfeather", "m2")
    unread = call("Edit", file_path="xylotomous.md", old_string="Quillfeather", new_string="x", evidence=[{"message": "m1", "quote": "x"}])
    with serving(by_turn(Answer((invented, agents, unread)), NOTHING)) as server:
        home.talk("shop", "a third xylotomous remark about Quillfeather", days_ago=0.5)
        refused = once(home, server)
        assert any("does not say …: copy" in line["reason"] for line in refused.lines if "session" in line)
    with serving(Answer((call("Write", file_path="a\ud800.md", content="xylotomous \ud800", evidence=[]),))) as server:
        home.talk("shop", "a fourth xylotomous remark about Quillfeather", days_ago=0.25)
        broken = once(home, server)
    shown = "".join(
        one.stderr + one.stdout for one in (answer, failed, refused, broken, extractord(home, "sessions"), extractord(home, "status"))
    )
    kept = b"".join(path.read_bytes() for path in sorted(home.state.rglob("*")) if path.is_file())
    for word in ("Quillfeather", "xylotomous", KEY):
        assert word.encode() not in kept, word
        assert word not in shown, word
    assert b"run the linter before you commit" in kept
