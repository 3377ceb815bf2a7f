"""The quick look passes clean texts together and never lets through what the scan would find."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.redact import redact, redact_all
from extractord.redact.assignments import glances
from extractord.redact.quick_look import could_hold_forms, could_hold_names, suspects
from extractord.redact.scan import redact_thoroughly
from extractord.redact.tokens import FORMS
from tests.test_redact import NAMED, NOUNS, THINGS, TOKENS, Dice, ordinary_sentences

HIDDEN = ("\u200b", "\x1b", "\x00", "\u2060", "\ufe0f", "\U000e0041")
ODD = ("ſ", "\u212a", "ᲂ", "²", "٣", "①", "ẞ", "Ñ", "é", "。", "「", "」", "“", "”", "：", "＝", "＜", "\ud800", "\xff")
ENDS = ("", "\n", " ", ".", "\n\n", "“", "：", "]", '"')


def _texts(seed: int, count: int) -> list[str]:
    """Return texts with secrets of every kind, whole, torn, dressed in other letters, and talk about them."""
    dice, chance = Dice(seed), random.Random(seed)
    talk = list(ordinary_sentences(60))
    return [_text(dice, chance, talk) for _ in range(count)]


def _text(dice: Dice, chance: random.Random, talk: Sequence[str]) -> str:
    match chance.randrange(6):
        case 0:
            text = TOKENS[chance.choice(sorted(TOKENS))](dice)
        case 1 | 2:
            form, secret = NAMED[chance.choice(sorted(NAMED))](dice)
            text = form.format(secret)
        case 3:
            text = f"the {chance.choice(THINGS)} {chance.choice(('is', 'for the', '=', ':', 'is now', ''))} {_value(dice, chance)}"
        case 4:
            text = f"<private>{chance.choice(NOUNS)}</private>"
        case _:
            text = chance.choice(talk)
    for _ in range(chance.randrange(3)):
        text = _changed(text, chance)
    return chance.choice(ENDS) + text + chance.choice(ENDS)


def _value(dice: Dice, chance: random.Random) -> str:
    value = chance.choice((dice.password(), dice.letters(chance.randint(4, 40)), dice.letters(8).lower(), "abc(def1)", "a b", "größe7x"))
    mark = chance.choice(("", '"', "'", "`", 'f"'))
    return f"{mark}{value}{mark[-1:]}"


def _changed(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text) + 1)
    match chance.randrange(6):
        case 0:
            return text[:place] + chance.choice(HIDDEN) + text[place:]
        case 1:
            return text[:place] + chance.choice(ODD) + text[place:]
        case 2:
            return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and chance.random() < 0.3 else c for c in text)
        case 3:
            return text.swapcase() if chance.random() < 0.5 else text.upper()
        case 4:
            return text.replace("s", "ſ").replace("k", "\u212a")
        case _:
            return text[place:] if chance.random() < 0.5 else text[:place]


@pytest.mark.parametrize("seed", range(8))
def test_texts_looked_at_together_come_out_as_those_scanned_one_by_one(seed: int) -> None:
    """Secrets at the beginning and the end of neighbours are found, and none is made of two texts."""
    texts = _texts(seed, 400)
    thorough = [redact_thoroughly(text) for text in texts]
    assert [redact(text) for text in texts] == thorough
    assert list(redact_all(texts)) == [one.text for one in thorough]
    needed = {number for number, one in enumerate(thorough) if one.found}
    assert needed <= set(suspects(texts))
    assert needed


PIECES = st.sampled_from([*"aZ9 \n\"'=:-_.@/<>", *HIDDEN, *ODD, "token", "password", "key", "is", "private", "abcDEF12", "x" * 16])


@given(st.lists(st.lists(PIECES, max_size=20).map("".join), max_size=8))
@settings(max_examples=150, deadline=None)
def test_any_texts_come_out_as_those_scanned_one_by_one(texts: list[str]) -> None:
    """Whatever they are made of."""
    assert list(redact_all(texts)) == [redact_thoroughly(text).text for text in texts]


@pytest.mark.parametrize("number", range(len(FORMS)))
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_whatever_has_a_form_is_suspect(number: int, data: st.DataObject) -> None:
    """No form's quick pattern asks for more than the form itself and the judgement on its value."""
    form = FORMS[number]
    text = bytes(byte if byte < 0x80 else 0x61 for byte in data.draw(st.from_regex(re.compile(form.pattern), fullmatch=True)))
    found = re.search(form.pattern, text)
    if found and form.real(found.group(1).decode()) and any(hint in text for hint in form.hints):
        assert could_hold_forms(text)


def test_figures_of_every_script_make_a_value_likely() -> None:
    """Python takes them for figures, so the judgement of a value does."""
    figures = [chr(point) for point in range(0x80, 0x110000) if chr(point).isdigit() and not 0xFF01 <= point <= 0xFF5E]
    assert len(figures) > 100
    missed = [one for one in figures if not could_hold_names(f'token = "abcdefg{one}"'.encode())]
    assert missed == []


def test_plain_talk_is_passed_over() -> None:
    """A name alone, a name before a word or a call, and markup raise no alarm: the scan is for what could be a value."""
    texts = (
        "rename the token column, the key of the cache and the password field",
        'token = commit("x")',
        "password: string",
        'pass = bash("pytest")',
        "passwords are hashed",
        "\x1b[32mPASSED\x1b[0m tests/test_token.py",
        "为什么 token 过期了？密码改了吗？",
        "a <div> of a private class, dp.mean(), utils.ssl.SSLContext, run_test_of_it, task-key-value",
        "see https://example.invalid/a/b?c=d#e",
    )
    assert [texts[number] for number in suspects(texts)] == []


def test_the_glances_are_of_the_kind_the_automaton_takes() -> None:
    """It counts bytes: nothing is repeated or chosen from a class that takes several of them."""
    for glance in glances():
        assert not re.search(r"[^\x00-\x7f][?*+{]", glance)
        assert not re.search(r"\[[^\]]*[^\x00-\x7f][^\]]*\]", glance)
