"""Of the kinds of secrets in the handed cases, nearly every made-up instance is found, in whatever sentence it stands."""

from __future__ import annotations

import json
import random
import re
import string
from typing import Any

import pytest

from extractord.redact import redact, secrets_in
from tests import case_files

INSTANCES = 120  # of each case
SHARE = 0.99
# What of a secret tells its kind and is the same in all of them; the rest is drawn anew.
_FIXED = re.compile(
    r"AKIA|ASIA|rk_live_|sk_live_|sk-ant-[a-z]+\d\d-|GOCSPX-|pypi-AgEIcHlwaS5vcmc|dapi|eyJhbGciOi\w{1,30}\.eyJ|"
    r"-----(?:BEGIN|END) [A-Z ]*PRIVATE KEY-----|gh[posru]_|github_pat_|glpat-|xox[abprs]-|AIza|hf_|npm_|SG\."
)


def _cases() -> list[Any]:
    found = []
    for folder in case_files.kind_folders("corpus"):
        for line in (folder.path / "content.jsonl").read_bytes().splitlines():
            case = json.loads(line)
            if case["family"] == "secret":
                found.append(
                    pytest.param(_joined(case["call"]["input"]["content"]), _joined(case["gone"][0]), id=f"{folder.name}-{case['id']}")
                )
    return found


def _joined(value: Any) -> str:
    return "".join(map(_joined, value["join"])) if isinstance(value, dict) else str(value)


def _anew(secret: str, chance: random.Random) -> str:
    """Return another secret of the same form: its fixed part stays, each other letter and figure is drawn from its own kind."""
    pieces, done = [], 0
    for fixed in [*_FIXED.finditer(secret), None]:
        end = fixed.start() if fixed else len(secret)
        hexadecimal = re.fullmatch(r"[0-9a-f]+", secret[done:end]) is not None
        pieces.append("".join(_drawn(c, chance, hexadecimal=hexadecimal) for c in secret[done:end]))
        if fixed:
            pieces.append(fixed.group())
            done = fixed.end()
    return "".join(pieces)


def _drawn(character: str, chance: random.Random, *, hexadecimal: bool) -> str:
    if hexadecimal:
        return chance.choice("0123456789abcdef")
    for alphabet in (string.ascii_lowercase, string.ascii_uppercase, string.digits):
        if character in alphabet:
            return chance.choice(alphabet)
    return character


@pytest.mark.parametrize(("text", "secret"), _cases())
def test_another_secret_of_the_same_kind_is_found(text: str, secret: str) -> None:
    """At least 99 of 100, as it stands in the case, and nothing of it is left after redacting."""
    chance = random.Random(11)
    made = [(text.replace(secret, other), other) for other in (_anew(secret, chance) for _ in range(INSTANCES))]
    missed = [other[:4] for written, other in made if not secrets_in(written) or other in redact(written).text]
    assert len(missed) <= (1 - SHARE) * len(made), missed


def test_ids_and_hashes_are_no_secrets() -> None:
    """Commits, digests, UUIDs, trace ids and integrity strings, in the words developers put around them."""
    chance = random.Random(12)

    def drawn(count: int, alphabet: str = "0123456789abcdef") -> str:
        return "".join(chance.choice(alphabet) for _ in range(count))

    forms = (
        lambda: f"revert {drawn(40)} on main",
        lambda: f"commit {drawn(7)}..{drawn(7)} broke it",
        lambda: f"md5 {drawn(32)} of the archive",
        lambda: f"sha256 is {drawn(64)}",
        lambda: f"the build id is {'-'.join(drawn(n) for n in (8, 4, 4, 4, 12))}",
        lambda: f"session {'-'.join(drawn(n).upper() for n in (8, 4, 4, 4, 12))} hangs",
        lambda: f"traceparent: 00-{drawn(32)}-{drawn(16)}-01",
        lambda: f'"resolved": "https://npm.example/x-1.{chance.randint(0, 9)}.tgz#{drawn(40)}"',
        lambda: f'etag: W/"{drawn(32)}"',
        lambda: f"image@sha256:{drawn(64)} is signed",
    )
    alarms = [text for number in range(500) if secrets_in(text := forms[number % len(forms)]())]
    assert alarms == []


def test_secrets_are_found_in_files_of_settings_and_beside_a_login() -> None:
    """Markup, folded YAML, command lines, a login with its password after a stroke."""
    chance = random.Random(13)

    def drawn(count: int) -> str:
        return "".join(chance.choice(string.ascii_letters + string.digits) for _ in range(count))

    password = f"T7#{drawn(9)}!q"
    forms = {
        "<password>{}</password>": password,
        "<server><apiKey>{}</apiKey></server>": drawn(40),
        '<add key="ApiKey" value="{}"/>': drawn(32),
        "secret: >-\n  {}": drawn(40),
        "login: admin / {}": password,
        "Zugang: admin / {}": password,
        "Wi-Fi: office / {}": password,
        "basic auth kim:{}": password,
        "The root password was changed to {}.": password,
        "htpasswd -b f kim {}": password,
        "mongo -u a -p {}": password,
        "openssl enc -aes-256-cbc -k {}": password,
    }
    assert [form for form, secret in forms.items() if secret in redact(form.format(secret)).text] == []


def test_what_only_looks_like_settings_with_a_secret_is_none() -> None:
    """Labels, templates, ids of things, logins without their password."""
    texts = [
        "<password>${db.password}</password>",
        '<label for="password">Password2</label>',
        "<key>CFBundleVersion</key>",
        '<li class="token">identifier</li>',
        '<input name="token" value="{{csrf}}"/>',
        "token: > The token is valid for 15 minutes",
        "the key is: > 30 chars",
        "login: admin / see Vault",
        "login: kim / Windows11",
        "mailto:Kim.Lee2@example.com",
        "basic auth with user:password",
        "openssl x509 -in cert.pem -noout -text",
        "the password was reset to comply with policy",
        "stripe price price_1MoBy5LkdIwHu7ixZhnattbh",
        "customer cus_9s6XKzkNRiz8i3AbCdEfGh12",
    ]
    assert [text for text in texts if secrets_in(text)] == []


SAID_OF_PASSWORDS = (
    "required", "optional", "incorrect", "hashed", "encrypted", "plaintext", "expired", "missing", "somewhere", "elsewhere", "unchanged",
    "lowercase", "alphanumeric", "mandatory", "deprecated", "sensitive", "hardcoded", "shorter", "forgotten", "correct", "secret",
    "welcome",    "everything", "whatever", "something", "overwritten", "undefined", "validated", "case-sensitive", "well-known", "rotated",
    "manager", "generator", "policies", "authentication", "protected", "stored", "rsync", "temporary", "downstream", "underneath", "always",
)  # fmt: skip


@pytest.mark.parametrize(
    "form", ["the password is {}", "password: {}", "their password was {}.", "the {} password", 'password = "{}"', "{} passwords"]
)
def test_what_is_said_of_passwords_is_none(form: str) -> None:
    """Adjectives, participles and compounds after the word, whatever ties them to it."""
    assert [word for word in SAID_OF_PASSWORDS if secrets_in(form.format(word))] == []
