"""Nothing is remembered that was not said."""

from __future__ import annotations

import pytest

from extractord.memory.changeset import Evidence
from extractord.memory.evidence import Unfounded, verify
from extractord.memory.facts import VerifiedQuote
from extractord.transcript.digest import Entry
from extractord.transcript.messages import Origin


def entry(number: int, text: str, origin: Origin = Origin.PROMPT, turn: int = 0) -> Entry:
    return Entry(f"m{number}", origin, text, "2026-03-01T10:00:00+00:00", 1000.0 + number, f"u{number}", turn)


def talk(*entries: Entry) -> dict[str, Entry]:
    return {one.id: one for one in entries}


TALK = talk(
    entry(1, "please never  commit\nto main, ok?", turn=0),
    entry(2, "I keep one parser per provider.", Origin.AGENT, turn=0),
    entry(3, "yes", turn=1),
    entry(4, "以后注释一律用中文写，谢谢", turn=1),
    entry(5, "The release goes through staging.", Origin.AGENT, turn=1),
    entry(6, "no, straight to production", turn=2),
    entry(7, "I will tag it afterwards.", Origin.AGENT, turn=2),
    entry(8, "fine", Origin.ACCEPTANCE, turn=2),
    entry(9, "next: the docs", turn=3),
    entry(10, "Docs are written in English.", Origin.AGENT, turn=3),
    entry(11, "good", Origin.QUEUED, turn=3),
)
LAST = 3


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        ("m1", "never commit to main"),
        ("m1", "please never  commit\nto main, ok?"),
        ("m1", "commit   to\tmain"),
        ("m3", "yes"),
        ("m4", "注释一律用中文"),
        ("m6", "straight to production"),
        ("m8", "fine"),
    ],
)
def test_what_was_typed_counts(message: str, quote: str) -> None:
    """Whole words of typed text count, whatever the white space; a short message counts whole."""
    found = verify(Evidence(message, quote), TALK, LAST)
    assert isinstance(found, VerifiedQuote)
    assert (found.message, found.uuid, found.evidence_time) == (message, TALK[message].uuid, TALK[message].evidence_time)


@pytest.mark.parametrize(
    ("message", "quote", "said"),
    [
        ("m99", "never commit to main", "no message"),
        ("m1", "", "empty"),
        ("m1", "ok", "too short"),
        ("m1", "to main", "too short"),
        ("m4", "用中文", "too short"),
        ("m1", "never push to main", "does not say"),
        ("m1", "ever commit to main", "does not say"),
        ("m1", "Never commit to main", "does not say"),
        ("m1", "never commit … main", "does not say"),
        ("m2", "one parser per provider", "agent's own text"),
    ],
)
def test_what_was_not_typed_does_not_count(message: str, quote: str, said: str) -> None:
    """Made up, changed, cut within a word, too short, from nowhere or said by the agent: refused with what to do."""
    found = verify(Evidence(message, quote), TALK, LAST)
    assert isinstance(found, Unfounded)
    assert said in found.reason


def test_a_choice_that_was_let_stand_counts_with_the_prompt_that_let_it() -> None:
    """The agent's sentence counts from the time of the later prompt."""
    found = verify(Evidence("m2", "one parser per provider", "m3"), TALK, LAST)
    assert isinstance(found, VerifiedQuote)
    assert (found.message, found.accepted_by, found.evidence_time) == ("m2", "m3", TALK["m3"].evidence_time)


@pytest.mark.parametrize(
    ("message", "quote", "by"),
    [
        ("m2", "one parser per provider", "m1"),
        ("m2", "one parser per provider", "m5"),
        ("m2", "one parser per provider", "m77"),
        ("m2", "two parsers per provider", "m3"),
        ("m5", "The release goes through staging", "m6"),
        ("m7", "I will tag it afterwards", "m8"),
        ("m5", "The release goes through staging", "m9"),
        ("m10", "Docs are written in English", "m11"),
    ],
)
def test_a_choice_that_was_not_let_stand_does_not_count(message: str, quote: str, by: str) -> None:
    """An earlier message, the agent, nobody, no prompt, an objection at once or meanwhile, the last turn: none of these accepts."""
    assert isinstance(verify(Evidence(message, quote, by), TALK, LAST), Unfounded)


def test_objections_and_their_lookalikes() -> None:
    """People object in many words; "no problem" is none of them."""
    for text, accepted in (
        ("nein, lieber anders", False), ("不要这样", False), ("いや、違う", False), ("don't", False), ("wrong", False), ("stop", False),
        ("I disagree", False), ("absolutely not", False), ("that is a terrible idea", False), ("I would rather not", False),
        ("cancel that", False), ("skip that", False), ("Forget it.", False), ("thanks, but I prefer the opposite", False),
        ("That does not work for us", False), ("bitte nicht", False), ("auf keinen Fall", False), ("non", False), ("no gracias", False),
        ("why would we?", False), ("Who asked you?", False), ("不同意", False), ("同意しません", False), ("\U0001f44e", False),
        ("no problem, go on", True), ("now fix the build please", True), ("没问题", True), ("ja, passt", True),
        ("no worries", True), ("不错", True), ("nice, noted", True), ("ok", True),
        ("note the port", True), ("now the docs", True),
    ):  # fmt: skip
        said = talk(entry(1, "I keep one parser per provider.", Origin.AGENT), entry(2, text, turn=1))
        assert isinstance(verify(Evidence("m1", "one parser per provider", "m2"), said, 5), VerifiedQuote) is accepted, text


def test_an_objection_that_comes_later_takes_the_acceptance_back() -> None:
    """Whoever went on first and then speaks against the thing did not accept it; an objection to something else changes nothing."""
    for text, accepted in (("No, I do not want that parser thing.", False), ("no, deploy it to staging", True)):
        said = talk(entry(1, "I keep one parser per provider.", Origin.AGENT), entry(2, "next: the docs", turn=1), entry(3, text, turn=2))
        assert isinstance(verify(Evidence("m1", "one parser per provider", "m2"), said, 5), VerifiedQuote) is accepted, text


def test_a_kept_quote_holds_no_secret() -> None:
    """Should a secret have slipped through the digest, the quote that is kept is redacted all the same."""
    secret = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
    found = verify(Evidence("m1", f"use {secret} for uploads"), talk(entry(1, f"use {secret} for uploads")), 0)
    assert isinstance(found, VerifiedQuote)
    assert secret not in found.quote


@pytest.mark.parametrize(
    ("text", "taken_back"),
    [
        ("Forget it.", True), ("ok, never mind", True), ("Scratch that please!", True), ("vergiss es", True), ("算了", True),
        ("olvídalo, gracias", True), ("忘れて", True), ("forget it, skip that test", False), ("don't forget it", False), ("go on", False),
    ],
)  # fmt: skip
def test_a_bare_retraction_takes_back_what_was_said_just_before(text: str, taken_back: bool) -> None:
    """ "Forget it." and its like, alone: neither the prompt before it nor a choice let stand there is evidence any more."""
    typed = talk(entry(1, "always use one parser per provider"), entry(2, text, turn=1))
    assert isinstance(verify(Evidence("m1", "one parser per provider"), typed, 5), Unfounded) is taken_back
    let_stand = talk(
        entry(1, "I keep one parser per provider.", Origin.AGENT), entry(2, "now the docs", turn=1), entry(3, "and the build", turn=2),
        entry(4, text, turn=3),
    )  # fmt: skip
    assert isinstance(verify(Evidence("m1", "one parser per provider", "m2"), let_stand, 5), Unfounded) is taken_back
