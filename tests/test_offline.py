"""The offline extractor keeps what people say in so many words, and nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from extractord.agent.briefing import Briefing
from extractord.agent.offline import make
from extractord.agent.protocol import Decision, Ruling, Stop, ToolAnswer, ToolCall
from extractord.memory.manifest import Tombstone, TopicHead
from extractord.transcript.digest import Digest, Entry
from extractord.transcript.messages import Origin

SAID = "2026-06-03T10:00:00+02:00"  # a Wednesday
TABLES = Path(__file__).parent / "offline_sentences"
Said = str | tuple[Origin, str]


def rows(name: str) -> list[list[str]]:
    lines = (TABLES / name).read_text(encoding="utf-8").splitlines()
    return [line.split("|") for line in lines if line and not line.startswith("# ")]


def briefing(*said: Said, manifest: tuple[TopicHead, ...] = (), when: str = SAID, tombstones: tuple[Tombstone, ...] = ()) -> Briefing:
    """Return a briefing on a conversation; a bare text is a prompt."""
    entries: list[Entry] = []
    turn = -1
    moment = datetime.fromisoformat(when).timestamp()
    for number, one in enumerate(said, 1):
        origin, text = (Origin.PROMPT, one) if isinstance(one, str) else one
        turn += origin.opens_turn
        entries.append(Entry(f"m{number}", origin, text, when, moment + number, f"u{number}", max(turn, 0)))
    return Briefing(Digest("s", "/home/dev/p", tuple(entries), 100, turn), manifest, "", when, tombstones)


def calls(*said: Said, manifest: tuple[TopicHead, ...] = (), when: str = SAID, tombstones: tuple[Tombstone, ...] = ()) -> list[ToolCall]:
    return list(make(briefing(*said, manifest=manifest, when=when, tombstones=tombstones)).open().calls)


def contents(*said: Said, when: str = SAID) -> list[str]:
    return [call.input["content"] for call in calls(*said, when=when) if call.tool == "Write"]


@dataclass
class Folder:
    """A memory directory in memory, changed by calls as the toolbox would."""

    files: dict[str, str]

    def apply(self, call: ToolCall) -> bool:
        path = call.input["file_path"]
        match call.tool:
            case "Write":
                self.files[path] = call.input["content"]
            case "Delete":
                del self.files[path]
            case _:
                if self.files[path].count(call.input["old_string"]) != 1:
                    return False
                self.files[path] = self.files[path].replace(call.input["old_string"], call.input["new_string"])
        return True


def topic(file: str, name: str, description: str, kind: str, body: str) -> tuple[TopicHead, str]:
    text = f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: {kind}\n---\n{body}"
    return TopicHead(file, name, description, kind, 0.0, body), text


# --- single sentences -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows("lasting.txt"), ids=lambda row: row[3][:40])
def test_what_is_to_last_becomes_one_topic_of_its_type(row: list[str]) -> None:
    """A rule, a fact of the person, a plan or a pointer is saved once, under the right type, dated where it has a date."""
    _, kind, word, text, *date = row
    saved = contents(text)
    assert len(saved) == 1
    assert f"type: {kind}" in saved[0]
    assert word.casefold() in saved[0].casefold()
    assert all(day in saved[0] for day in date)


@pytest.mark.parametrize("row", rows("passing.txt"), ids=lambda row: row[1][:40])
def test_what_passes_is_not_remembered(row: list[str]) -> None:
    """Questions, orders of the moment, quotations, jokes, doubts and facts of the code leave nothing."""
    assert calls(row[1]) == []


@pytest.mark.parametrize("row", rows("lasting.txt")[::3], ids=lambda row: row[3][:40])
def test_every_call_quotes_its_message_letter_by_letter(row: list[str]) -> None:
    """Each quote is a piece of the typed message and long enough to be evidence, or the whole message."""
    for call in calls(row[3]):
        assert call.input["evidence"]
        for evidence in call.input["evidence"]:
            quote = evidence["quote"]
            assert quote in row[3]
            ideographs = len(re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]", quote))
            assert len(quote.split()) >= 3 or len(quote) >= 12 or ideographs >= 6 or quote == row[3]


def test_a_short_sentence_is_quoted_with_its_surroundings_in_whole_words() -> None:
    """Two words are no evidence; what is added ends where a word ends."""
    body = "Reviews of exports go to Dana.\n\n**Why:** she knows the formats.\n**How to apply:** name her.\n"
    head, _ = topic("project_reviews.md", "Reviews of exports", "Reviews of exports go to Dana", "project", body)
    said = "dana left. reviews of exports go to Omar now, he took over"
    for call in calls((Origin.AGENT, "Reviews go to Dana, as noted."), said, manifest=(head,)):
        for evidence in call.input["evidence"]:
            assert evidence["quote"].split() == [word for word in said.split() if word in evidence["quote"].split()]


@pytest.mark.parametrize("origin", [Origin.QUEUED, Origin.REFUSAL, Origin.ACCEPTANCE, Origin.ANSWER, Origin.NOTE])
def test_typed_text_counts_wherever_it_was_typed(origin: Origin) -> None:
    """What was typed when refusing, accepting, answering or while the agent worked counts as much as a prompt."""
    assert len(calls("add the job", (origin, "never run backfills against prod, finance has filed those days"))) == 1


def test_what_the_agent_says_is_never_a_memory() -> None:
    """The agent's own rules and claims are no evidence."""
    assert calls("fix it", (Origin.AGENT, "I will always use tabs here. Never use spaces in this repository."), "ok") == []


# --- form -------------------------------------------------------------------------------------------------------------


def test_a_rule_with_its_reason_has_both_in_their_places() -> None:
    """The reason given stands behind Why, what to do instead behind How to apply."""
    [text] = contents(
        "please remember for next time: never call the live carrier api from tests. they bill each call, we paid 900 euros in march. "
        "the recorder in tests/tape.py is what you use"
    )
    assert "Never call the live carrier api from tests." in text
    assert re.search(r"\*\*Why:\*\* They bill each call, we paid 900 euros in march", text)
    assert re.search(r"\*\*How to apply:\*\* .*tests/tape\.py", text)


def test_a_reason_that_was_not_given_is_not_invented() -> None:
    """Without a reason the topic says so."""
    [text] = contents("from now on write the docs in british english")
    assert "**Why:** not stated" in text


def test_a_new_topic_has_frontmatter_with_the_type_last() -> None:
    """Name in kebab case, a description of one line up to 120 characters, the type nested."""
    [call] = calls("never edit files under gen/ by hand because the next build wipes them: " + "really, " * 30 + "never")
    head = call.input["content"].split("---\n")[1]
    match = re.fullmatch(r"name: ([a-z0-9-]+)\ndescription: (.+)\nmetadata:\n  type: feedback\n", head)
    assert match
    assert len(match[2]) <= 124
    assert re.fullmatch(r"feedback_[a-z0-9_]+\.md", call.input["file_path"])


def test_a_name_that_is_taken_is_not_overwritten() -> None:
    """A new topic gets a file name of its own."""
    head, _ = topic("feedback_start_stack_docker_compose.md", "other", "something else entirely", "user", "Likes tea.")
    [call] = calls("from now on start the stack with docker compose", manifest=(head,))
    assert call.tool == "Write"
    assert call.input["file_path"] == "feedback_start_stack_docker_compose_2.md"


LISTS = {
    "note for future sessions:\n- tests need the VPN\n- the legacy folder is read only, another team owns it (a museum)": 2,
    "house rules here:\n1. no abbreviations in names\n2. rebase, no merge commits": 2,
    "when you write tests:\n- use the fixtures in conftest\n- never sleep": 2,
    "以后注意几点：\n1. 日志不要打手机号\n2. 提交信息写英文": 2,
    "regeln hier:\n- commits auf englisch\n- keine abkürzungen": 2,
    "reglas del repo:\n- commits en inglés\n- nunca push directo": 2,
    "ルール：\n- コミットは英語で\n- テストは必ず書く": 2,
    "some rules for this repo:\n- no abbreviations in names\n- commits in english\n- never force push\n- branches start with the ticket": 3,
    "implement the following rules:\n- users must always confirm by mail\n- never show deleted posts": 0,
    "add these rules to eslint:\n- no console\n- never use var": 0,
    "steps:\n1. run the migration\n2. never skip the backup step": 0,
    "todo for today:\n- fix login\n- never mind the css": 0,
    "需求：\n1. 一律四舍五入\n2. 必须校验手机号": 0,
}


@pytest.mark.parametrize("said", LISTS, ids=lambda said: said[:30])
def test_a_list_is_what_its_heading_says(said: str) -> None:
    """Below a heading that asks to remember each line is a fact or rule; below one that orders work none is."""
    saved = contents(said)
    assert len(saved) == LISTS[said]
    if saved:
        items = [line.lstrip("-0123456789. ") for line in said.split("\n")[1:]]
        assert all(any(item[1:] in text for text in saved) for item in items)  # none is lost, also where several share a topic


@pytest.mark.parametrize(
    ("before", "said", "word"),
    [
        ("use any instead of interface{}, we're on 1.24", "everywhere from now on", "interface{}"),
        ("don't mock the clock, drift bugs hide behind it", "everywhere from now on please", "clock"),
    ],
)
def test_a_rule_that_says_nothing_by_itself_takes_what_was_said_before(before: str, said: str, word: str) -> None:
    """ "Everywhere from now on" makes the correction of the message before a rule; without one it is nothing."""
    assert any(word in text for text in contents(before, said))
    assert contents("looks good", said) == []


def test_what_follows_from_an_event_belongs_to_it() -> None:
    """ "After that only v2" is part of the plan, not a rule of its own."""
    (saved,) = contents(
        "The vendor sunsets the v1 barcode API at the end of June. After that only v2 answers, so new code must go against v2."
    )
    assert "type: project" in saved
    assert "v2" in saved
    assert "2026-06-30" in saved


def test_a_weekday_that_comes_round_is_no_date() -> None:
    """Beside "every Thursday" the Wednesday before it is not one day of the calendar."""
    (saved,) = contents("remember: releases go out every Thursday and the branch is cut on Wednesday at noon")
    assert "2026-" not in saved


def test_no_more_than_three_new_topics() -> None:
    """Of many findings the plainest three are written."""
    written = calls(
        "remember: never rebase shared branches",
        "always sign release tags",
        "I'm a physicist by training",
        "pipeline bugs are tracked in the linear project INGEST",
        "the v1 API gets switched off on july 1st",
    )
    assert len(written) == 3
    assert any("rebase" in call.input["content"] for call in written)


def test_the_same_briefing_gives_the_same_calls() -> None:
    """Nothing depends on chance, time or what was read before."""
    said = [row[3] for row in rows("lasting.txt")[:20]]
    assert calls(*said) == calls(*said)


# --- several sentences and messages -----------------------------------------------------------------------------------


def test_a_reason_told_later_reaches_its_rule() -> None:
    """A correction and the incident behind it, told prompts later, make one topic."""
    [text] = contents(
        (Origin.REFUSAL, "no backfills into prod tables from here, please"),
        "ok go on",
        "reason I was so strict: in january a backfill overwrote three closed days that finance had filed",
    )
    assert re.search(r"\*\*Why:\*\* .*finance", text)


def test_a_rule_that_points_back_takes_the_sentence_before_with_it() -> None:
    """ "Always like that" is nothing without what it points at."""
    [text] = contents("别用 miniredis，换成 testcontainers 起真的 redis。以后这个仓库里跟 redis 有关的测试都这样")
    assert "testcontainers" in text
    assert "以后" in text


def test_a_confirmed_choice_is_kept_with_the_agents_sentence_where_only_that_says_what() -> None:
    """ "Good call, keep doing that" is saved with the proposal it accepted, quoted as the agent's."""
    saved = calls(
        "write the importer",
        (Origin.AGENT, "I kept the retry policy in one table instead of spreading it over the clients. Tests pass."),
        "good call with the table, keep doing that for the other clients",
    )
    assert len(saved) == 1
    assert "keep doing that" in saved[0].input["content"]


@pytest.mark.parametrize(
    "taking_back",
    ["scratch that", "just kidding", "no wait, drop the squash idea", "forget it, I need to ask the team about squash merges"],
)
def test_a_wish_that_is_taken_back_is_gone(taking_back: str) -> None:
    """A later message withdraws what was wished before."""
    assert calls("from now on squash merge everything", taking_back) == []


def test_what_is_not_to_be_saved_is_not() -> None:
    """ "Don't save that" covers its own message, and the one before where it only points there."""
    assert calls("I'm a physicist by training, but don't save that") == []
    assert calls("the v1 API gets switched off on july 1st", "actually don't save that") == []
    assert len(calls("I'm a physicist by training", "what is a monad", "that's between us: I hate mondays")) == 1


def test_a_subject_that_is_kept_out_of_memory_stays_out() -> None:
    """ "Nothing about this customer goes into your memory" holds for the rest of the session, and for that subject only."""
    kept_out = "nothing about this customer goes into your memory, ok? we're under NDA"
    assert contents(kept_out, "the customer wants german date format in exports, always dd.mm.yyyy") == []
    assert len(contents(kept_out, "never force-push to release branches, two people lost a day of work last time")) == 1


def test_a_list_below_a_question_is_what_is_asked_about() -> None:
    """Findings of a report that somebody asks about were not said."""
    assert (
        calls(
            "report excerpt, which of these are real for us?\n\n1. The app must never expose traces.\n2. Passwords should always be hashed."
        )
        == []
    )


def test_a_plan_that_got_pushed_is_the_one_the_agent_spoke_of() -> None:
    """ "Got pushed to November 15" names nothing; the agent had just said what its notes give."""
    head, _ = topic(
        "project_core.md",
        "Core migration",
        "Migration planned for 2026-09-30",
        "project",
        "The migration to the new core is planned for 2026-09-30.",
    )
    said = (Origin.AGENT, "Seven adapters are done; the migration is on September 30 per my notes.")
    steps = calls("where do we stand", said, "got pushed to november 15, vendor gave us an extension", manifest=(head,))
    assert {step.input["file_path"] for step in steps} == {"project_core.md"}
    assert any("2026-11-15" in step.input["new_string"] for step in steps)


def test_pasted_text_is_nobodys_wish() -> None:
    """Code, logs, mail, tickets and quotations in a prompt leave nothing."""
    assert calls("look at this\n\n```\n# always use tabs, never spaces\n```") == []
    assert calls("mail from the owner:\n\nSubject: wishes\nPlease always show the price first. Never send mails on sundays.") == []
    assert calls("the ticket says:\nfrom now on all requests need a token") == []
    assert calls("> Always restart after a deploy, never trust the cache!\n\nis that true?") == []
    assert calls('she wrote "please never merge on fridays", what do you make of it') == []


def test_what_was_redacted_is_left_alone() -> None:
    """A sentence with a secret taken out makes no topic."""
    assert calls("remember: the deploy token is [redacted: github token], always use that one") == []


def test_a_question_beside_what_is_told_does_not_hide_it() -> None:
    """Who tells of themselves while asking is heard, without the question."""
    [text] = contents("sorry, I come from java, what's the idiomatic way to do this in go?")
    assert "java" in text
    assert "idiomatic" not in text


# --- dates ------------------------------------------------------------------------------------------------------------


def test_a_relative_date_is_taken_from_when_and_where_it_was_said() -> None:
    """The absolute date stands beside the words, counted in the speaker's zone, not in UTC."""
    [text] = contents("code freeze starts tomorrow because of the audit", when="2026-06-03T23:30:00-07:00")
    assert "tomorrow (2026-06-04)" in text


def test_a_new_plan_whose_dates_are_over_is_not_saved() -> None:
    """What lies before the clock of the run is no news."""
    past = briefing("the v1 API gets switched off on june 10")
    assert len(make(past).open().calls) == 1
    late = Briefing(past.digest, past.manifest, past.index, "2026-07-01T08:00:00+02:00")
    assert make(late).open().calls == ()


# --- topics that exist ------------------------------------------------------------------------------------------------

CLUSTER = (
    "All trainings go to the old cluster with `./run.sh`.\n\n**Why:** the cards are there.\n**How to apply:** never start one by hand.\n"
)
NO_FORMAT = "Do not run the formatter here.\n\n**Why:** the vendor merges by hand.\n**How to apply:** lint only.\n"


def revised(said: tuple[Said, ...], head: TopicHead, text: str) -> Folder:
    folder = Folder({head.file: text})
    for call in calls(*said, manifest=(head,)):
        assert folder.apply(call)
    return folder


def test_what_replaced_a_known_fact_is_written_in_its_place() -> None:
    """The newest statement stands where the old one stood; there is no twin, and what still holds is kept."""
    head, text = topic("project_cluster.md", "Cluster", "Trainings run on the old cluster", "project", CLUSTER)
    folder = revised(
        (
            (Origin.AGENT, "The old cluster rejects the job. My notes say all trainings go there."),
            "oh that's over, the old cluster got switched off. everything is on ray now, ray job submit",
        ),
        head,
        text,
    )
    assert list(folder.files) == ["project_cluster.md"]
    assert "ray job submit" in folder.files["project_cluster.md"]
    assert "./run.sh" not in folder.files["project_cluster.md"]
    assert "description: Trainings run on the old cluster" not in folder.files["project_cluster.md"]
    assert "never start one by hand" in folder.files["project_cluster.md"]


def test_a_moved_date_changes_the_topic_that_had_it() -> None:
    """A plan that moves is an update even where it shares one word only with what is known."""
    body = "3.8 计划于 2026-06-15 上线。\n\n**Why:** 运营活动。\n**How to apply:** 只收对账改动。\n"
    head, text = topic("project_release.md", "3.8 上线时间", "3.8 计划 2026-06-15 上线", "project", body)
    folder = revised(("改期了，3.8 挪到 6 月 27 日，联调环境要 23 号才给",), head, text)
    assert list(folder.files) == ["project_release.md"]
    assert "2026-06-27" in folder.files["project_release.md"]
    assert "2026-06-15" not in folder.files["project_release.md"]


def test_a_rule_that_is_thrown_away_with_nothing_in_its_place_is_deleted() -> None:
    """ "You can throw that note away" removes the topic it is about."""
    head, text = topic("feedback_format.md", "No formatter", "The formatter must not be run", "feedback", NO_FORMAT)
    folder = revised(
        ((Origin.AGENT, "As my notes say I did not run the formatter."), "you can throw that note about the formatter away"), head, text
    )
    assert folder.files == {}


def test_a_refinement_is_added_and_nothing_is_lost() -> None:
    """A rule that adds to a known one goes into the same topic."""
    body = "Mock the carrier service in tests.\n\n**Why:** it is slow.\n**How to apply:** use tests/fake_carrier.py.\n"
    head, text = topic("feedback_mocks.md", "Carrier in tests", "Mock the carrier service in tests", "feedback", body)
    folder = revised(
        (
            (Origin.AGENT, "I mocked the carrier service as the notes say."),
            "right. but in the nightly tests use the real carrier service, we missed an outage of theirs",
        ),
        head,
        text,
    )
    assert list(folder.files) == ["feedback_mocks.md"]
    assert "Mock the carrier service in tests." in folder.files["feedback_mocks.md"]
    assert "nightly" in folder.files["feedback_mocks.md"]


def test_what_is_known_already_is_not_said_again() -> None:
    """A rule that stands in a topic leaves nothing, unless it brings the reason that was missing."""
    body = "Weights are integers in kilograms, never floats.\n\n**Why:** not stated\n**How to apply:** always.\n"
    head, text = topic("feedback_kg.md", "Weights", "Weights are integers in kilograms", "feedback", body)
    assert calls("weights are integers in kilograms here, never floats", manifest=(head,)) == []
    folder = revised(("weights are integers in kilograms here, never floats, because the port rounds differently than we do",), head, text)
    assert "**Why:** Because the port rounds differently than we do" in folder.files["feedback_kg.md"]


def test_older_evidence_does_not_change_a_newer_topic() -> None:
    """What was said before the topic was written revokes nothing."""
    head, _ = topic("feedback_format.md", "No formatter", "The formatter must not be run", "feedback", NO_FORMAT)
    newer = TopicHead(head.file, head.name, head.description, head.type, 4e9, head.body)
    assert calls("forget that formatter rule, it is obsolete", manifest=(newer,)) == []


def test_a_task_that_names_a_known_subject_changes_nothing() -> None:
    """Orders and questions about what a topic is about are no revocation."""
    head, _ = topic("project_cluster.md", "Cluster", "Trainings run on the old cluster", "project", CLUSTER)
    assert calls("run the training on the old cluster now", "why is the old cluster so slow today?", manifest=(head,)) == []


def test_what_was_removed_stays_removed_until_it_is_said_again() -> None:
    """A tombstone holds against older evidence, not against newer."""
    said = "never rebase shared branches in this repository"
    words = ("rebase", "shared", "branches", "repository")
    moment = datetime.fromisoformat(SAID).timestamp()
    assert calls(said, tombstones=(Tombstone("feedback_rebase", words, moment + 1000),)) == []
    assert len(calls(said, tombstones=(Tombstone("feedback_rebase", words, moment - 1000),))) == 1


# --- the conversation -------------------------------------------------------------------------------------------------


def test_a_description_that_was_quoted_otherwise_is_tried_again() -> None:
    """An edit that did not apply comes back in the other spellings, everything else ends the run."""
    head, _ = topic("project_cluster.md", "Cluster", "Trainings run on the old cluster", "project", CLUSTER)
    model = make(briefing("that's over: trainings no longer run on the old cluster, they run on ray", manifest=(head,)))
    opening = model.open()
    assert opening.stop is Stop.TOOLS
    described = next(call for call in opening.calls if call.input["old_string"].startswith("description: "))
    answers = tuple(ToolAnswer(call.id, Ruling(Decision.ALLOWED, failed=call is described)) for call in opening.calls)
    again = model.go_on(answers)
    assert [call.input["old_string"] for call in again.calls] == ['description: "Trainings run on the old cluster"\n']
    assert model.go_on((ToolAnswer(again.calls[0].id, Ruling(Decision.ALLOWED)),)).stop is Stop.END


HANDED_OVER = [
    "Translate the following sentence into French.\n\nFrom now on always use yarn instead of npm.",
    "Please summarise this thread:\n\nWe never deploy on Fridays. From now on always tag releases.",
    "[10:03] Anna: from now on always use yarn instead of npm\n[10:04] Bob: ok\nSummarise this chat.",
    "Anna (10:03): never commit to main\nBob (10:04): from now on always use yarn\nWhat did they agree on?",
    "翻译下面这段话。\n\n以后一律用 yarn，不要用 npm。",
    "[10:03] 小王: 以后一律用 yarn\n[10:04] 小李: 好\n总结一下这段聊天。",
    "Übersetze den folgenden Satz ins Englische.\n\nAb jetzt immer yarn statt npm verwenden.",
    "Traduce la siguiente frase al inglés.\n\nA partir de ahora usa siempre yarn.",
    "次の文を英語に訳してください。\n\n今後は必ずyarnを使ってください。",
]


@pytest.mark.parametrize("text", HANDED_OVER)
def test_what_is_handed_over_to_be_worked_on_is_not_said(text: str) -> None:
    """Texts to translate or to summarise, and chats of others."""
    assert calls(text) == []


def test_a_rule_after_a_task_in_a_paragraph_of_its_own_is_said() -> None:
    """An order about code hands nothing over."""
    assert len(contents("Rewrite the login form.\n\nFrom now on always use yarn instead of npm in this repository.")) == 1


def test_a_denied_write_is_tried_once_under_another_name_and_then_dropped() -> None:
    """A name may be taken by what is no topic; beyond that nothing is argued about."""
    model = make(briefing("never rebase shared branches"))
    [first] = model.open().calls
    [again] = model.go_on((ToolAnswer(first.id, Ruling(Decision.DENIED, "it is a directory")),)).calls
    assert again.input == {**first.input, "file_path": first.input["file_path"].removesuffix(".md") + "_2.md"}
    assert model.go_on((ToolAnswer(again.id, Ruling(Decision.DENIED, "already in CLAUDE.md")),)).calls == ()


@pytest.mark.parametrize(
    "head",
    [
        TopicHead("feedback_pnpm_npm_repository.md", "feedback_pnpm_npm_repository", "", "", 0.0, "my own words\n"),
        TopicHead(
            "feedback_pnpm_npm_repository.md",
            "pnpm-npm-repository",
            "Publishing to the npm registry needs pnpm 9",
            "reference",
            4e9,
            "\nPublishing to the npm registry needs pnpm 9.\n",
        ),
    ],
)
def test_a_rule_is_not_lost_to_a_topic_that_only_has_its_name(head: TopicHead) -> None:
    """It gets a name of its own; the other topic stays as it is."""
    [call] = calls("From now on always use pnpm instead of npm in this repository.", manifest=(head,))
    assert (call.tool, call.input["file_path"]) == ("Write", "feedback_pnpm_npm_repository_2.md")


def test_a_conversation_without_anything_to_keep_ends_at_once() -> None:
    """No calls, and the model says that it is done."""
    reply = make(briefing("fix the typo", (Origin.AGENT, "Fixed."), "thanks")).open()
    assert reply.calls == ()
    assert reply.stop is Stop.END
