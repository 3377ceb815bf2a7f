"""Secrets and private text never get through; ordinary developer talk does, untouched."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.redact import Kind, invisible, redact, secrets_in, visible

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER32 = string.ascii_uppercase + "234567"


class Dice:
    """Made-up credentials, put together at run time so that no file holds one."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def letters(self, count: int, alphabet: str = ALNUM) -> str:
        return "".join(self._random.choice(alphabet) for _ in range(count))

    def password(self) -> str:
        return f"{self.letters(5, string.ascii_lowercase).title()}-{self.letters(6)}!{self._random.randint(10, 99)}"

    def key_block(self, kind: str, lines: int = 6) -> str:
        body = "\n".join(self.letters(64) for _ in range(lines))
        return f"-----BEGIN {kind} PRIVATE KEY-----\n{body}\n-----END {kind} PRIVATE KEY-----"


def _with(prefix: str, count: int, alphabet: str = ALNUM, suffix: str = "") -> Callable[[Dice], str]:
    return lambda dice: prefix + dice.letters(count, alphabet) + suffix


# Each makes a secret that stands by itself; all of it has to go.
TOKENS: dict[str, Callable[[Dice], str]] = {
    "aws id": _with("AKI" + "A", 16, UPPER32),
    "aws session id": _with("ASI" + "A", 16, UPPER32),
    "github": _with("gh" + "p_", 36),
    "github server": _with("gh" + "s_", 36),
    "github fine-grained": lambda dice: "github" + "_pat_" + dice.letters(22) + "_" + dice.letters(59),
    "gitlab": _with("glpa" + "t-", 20),
    "slack": lambda dice: "xo" + "xb-" + dice.letters(12, string.digits) + "-" + dice.letters(24),
    "slack app": lambda dice: (
        "xap" + "p-1-A" + dice.letters(10, UPPER32) + "-" + dice.letters(13, string.digits) + "-" + dice.letters(64, HEX)
    ),
    "stripe": _with("sk" + "_live_", 24),
    "stripe restricted": _with("rk" + "_test_", 40),
    "stripe webhook": _with("whs" + "ec_", 32),
    "google api": _with("AIz" + "a", 35),
    "google client": _with("GOC" + "SPX-", 28),
    "google access": _with("ya2" + "9.", 60),
    "openai": _with("sk-" + "proj-", 48),
    "openai old": _with("sk" + "-", 48),
    "anthropic": _with("sk-" + "ant-api03-", 93, ALNUM + "-_", "AA"),
    "hugging face": _with("h" + "f_", 34),
    "npm": _with("np" + "m_", 36),
    "pypi": _with("py" + "pi-AgEIcHlwaS5vcmc", 120),
    "sendgrid": lambda dice: "S" + "G." + dice.letters(22) + "." + dice.letters(43),
    "twilio": _with("S" + "K", 32, HEX),
    "mailgun": _with("ke" + "y-", 32, HEX),
    "databricks": _with("dap" + "i", 32, HEX),
    "telegram": lambda dice: "1" + dice.letters(9, string.digits) + ":A" + "A" + dice.letters(33),
    "digitalocean": _with("do" + "p_v1_", 64, HEX),
    "vault": _with("hv" + "s.", 24),
    "linear": _with("lin" + "_api_", 40),
    "notion": _with("nt" + "n_", 46),
    "docker": _with("dck" + "r_pat_", 27),
    "grafana": lambda dice: "gls" + "a_" + dice.letters(32) + "_" + dice.letters(8, HEX),
    "some service": _with("abc" + "_", 32),
    "azure client": lambda dice: dice.letters(3) + "8Q" + "~" + dice.letters(34),
    "aliyun": _with("LTA" + "I", 20),
    "age": _with("AGE-" + "SECRET-KEY-1", 58, string.ascii_uppercase + string.digits),
    "jwt": lambda dice: "ey" + "J" + dice.letters(30) + ".ey" + "J" + dice.letters(40) + "." + dice.letters(43),
    "pem": lambda dice: dice.key_block("RSA"),
    "openssh": lambda dice: dice.key_block("OPENSSH"),
    "pkcs8": lambda dice: dice.key_block("").replace("  ", " "),
}
# Each makes a secret and the words that tell it is one.
NAMED: dict[str, Callable[[Dice], tuple[str, str]]] = {
    "assignment": lambda dice: ('password = "{}"', dice.password()),
    "environment": lambda dice: ("export PGPASSWORD={}", dice.letters(14) + "7"),
    "yaml": lambda dice: ("db:\n  pass: {}\n", dice.password()),
    "json": lambda dice: ('{{"password": "{}", "user": "x"}}', dice.password()),
    "markdown": lambda dice: ("**Password:** {}", dice.password()),
    "spoken": lambda dice: ("the password for staging is {}", dice.password()),
    "spoken weak": lambda dice: ("pwd: {}", "hunter" + "27"),
    "spoken words": lambda dice: ("our password is {}.", "hunter" + "seven"),
    "passphrase": lambda dice: ("passphrase: {}", "-".join(("correct", "horse", "battery", "staple"))),
    "words assigned": lambda dice: ("the wifi password = {}", "purple" + "tiger" + "bridge"),
    "letters": lambda dice: ("my password is {}", dice.letters(10, "bcdfghjklmnpqrstvwxz")),
    "chinese": lambda dice: ("密码是{}，别外传", dice.password()),
    "chinese colon": lambda dice: ("口令：{}", dice.password()),
    "german": lambda dice: ("das Passwort lautet {}", dice.password()),
    "spanish": lambda dice: ("la contraseña es {}", dice.password()),
    "japanese": lambda dice: ("パスワードは {} です", dice.password()),
    "connection string": lambda dice: ("Server=x;User Id=sa;Password={};Encrypt=true", dice.password()),
    "address": lambda dice: ("postgres://app:{}@db.internal:5432/app", dice.letters(20)),
    "address without user": lambda dice: ("redis://:{}@cache:6379/0", dice.letters(14)),
    "token in an address": lambda dice: ("https://{}@github.com/a/b.git", dice.letters(40)),
    "bearer": lambda dice: ("curl -H 'Authorization: Bearer {}' https://api.example.invalid/", dice.letters(40)),
    "basic": lambda dice: ("Authorization: Basic {}", dice.letters(24) + "=="),
    "curl user": lambda dice: ("curl -u admin:{} https://x.example", dice.password()),
    "netrc": lambda dice: ("machine api.example login bob password {}", dice.letters(14)),
    "cookie": lambda dice: ("Cookie: theme=dark; sessionid={}", dice.letters(32)),
    "client secret": lambda dice: ("client_secret: {}", dice.letters(40)),
    "api key hex": lambda dice: ("api_key = {}", dice.letters(32, HEX)),
    "api key spoken": lambda dice: ("the key for the api: {}", dice.letters(32)),
    "header": lambda dice: ("X-Api-Key: {}", dice.letters(32)),
    "token": lambda dice: ("DEPLOY_TOKEN={}", dice.letters(24)),
    "aws secret": lambda dice: ("aws_secret_access_key = {}", dice.letters(40, ALNUM + "/+")),
    "aws session": lambda dice: ("AWS_SESSION_TOKEN={}", dice.letters(300, ALNUM + "/+")),
    "npmrc": lambda dice: ("//registry.example/:_authToken={}", dice.letters(36)),
    "azure storage": lambda dice: ("AccountName=x;AccountKey={}", dice.letters(86, ALNUM + "/+") + "=="),
    "query": lambda dice: ("https://x.example/y?access_token={}&z=1", dice.letters(30)),
    "option": lambda dice: ("deploy --password {} --env prod", dice.password()),
    "as password": lambda dice: ("log in as admin with {} as password.", dice.password()),
    "before the word": lambda dice: ("{} is the root password, remember that", dice.password()),
    "pair": lambda dice: ("always log in to staging with admin/{}", dice.password()),
    "phrase": lambda dice: ("the passphrase is correct-horse-{}-staple", dice.letters(6, string.ascii_lowercase)),
    "quoted words": lambda dice: ('the passphrase is "violet harbor {} lantern"', dice.letters(6, string.ascii_lowercase)),
    "pin": lambda dice: ("the PIN of the door is {}.", "8" + dice.letters(5, string.digits)),
    "german for": lambda dice: ("das Kennwort für den Server ist {}", dice.password()),
    "portuguese": lambda dice: ("a senha é {}", dice.password()),
    "korean": lambda dice: ("비밀번호는 {} 입니다", dice.password()),
    "signed address": lambda dice: ("https://dash.local/x?sig={}", dice.letters(24)),
    "secret chinese": lambda dice: ("密钥: {}", dice.letters(32)),
}
SAMPLES = 60


@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_of_every_kind_is_found_wherever_it_stands(kind: str) -> None:
    """At least 99 of 100 made-up secrets of a kind leave nothing of themselves behind."""
    dice = Dice(7)
    missed = 0
    for _ in range(SAMPLES):
        secret = TOKENS[kind](dice)
        for text in (secret, f"use {secret} for now, ok?", f"```sh\nexport X='{secret}'\n```", f"用 {secret}，谢谢"):
            missed += any(line in redact(text).text for line in secret.split("\n") if "-----" not in line)
    assert missed * 100 <= SAMPLES * 4


@pytest.mark.parametrize("kind", NAMED)
def test_a_secret_is_found_by_what_is_said_before_it(kind: str) -> None:
    """At least 99 of 100 values after a name, a header or a word for password go, and the words round them stay."""
    dice = Dice(11)
    missed = 0
    for _ in range(SAMPLES):
        form, secret = NAMED[kind](dice)
        shown = redact(f"note: {form.format(secret)}").text
        missed += secret in shown
        assert shown.startswith("note: ")
    assert missed * 100 <= SAMPLES * 2


def test_the_quick_look_lets_no_secret_pass() -> None:
    """Whatever a form finds in a text is also found when the same text stands alone in a fresh message."""
    dice = Dice(3)
    for make in TOKENS.values():
        secret = make(dice)
        assert redact(secret).found, secret[:6]


NOUNS = (
    "session",
    "parser",
    "migration",
    "cache",
    "worker",
    "queue",
    "index",
    "scheduler",
    "digest",
    "ledger",
    "shard",
    "topic",
    "manifest",
)
THINGS = ("token", "password", "secret", "key", "credential", "auth", "cookie", "passphrase")
FORMS = (
    "The {thing} of the {noun} expires after {n} minutes.",
    "Rename {noun}_{thing} to {noun}_{thing}_id in src/{noun}/{thing}.py:{n}.",
    "{thing}: at least {n} characters, see docs/{noun}.md",
    "const {thing} = await get{Noun}{Thing}(user.id);",
    "{noun}.{thing} = os.environ['{NOUN}_{THING}']",
    "The fix landed in commit {sha1}, please cherry-pick.",
    "sha256:{sha256}  {noun}-1.{n}.tar.gz",
    "request id {uuid} failed in the {noun}",
    "idempotency key: {uuid}, csrf token: {uuid}",
    "bump {noun} to v{n}.{m}.0 and pin redis:7.{n}-alpine",
    "image: registry.example.com/{noun}@sha256:{sha256}",
    '"integrity": "sha512-{b64}=="',
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} build@host",
    "{NOUN}_URL=postgres://app:${{DB_PASSWORD}}@db/{noun}",
    "set {NOUN}_{THING}=<your-{thing}> in .env and never commit it",
    "keys begin with sk_live_ or ghp_, the {noun} checks the prefix",
    "max_{thing}s={n}000 for the {noun}, {n} per second",
    "{thing} rotation runs every {n} days in the {noun}",
    "we store the {thing} in Vault under secret/data/{noun}/main",
    "why does the {noun} ask for the {thing} twice?",
    "the {thing} is in 1Password, item '{noun} deploy {n}'",
    "password = getpass.getpass('{noun}: ')",
    "{noun}的 {thing} 过期了，去控制台换一个",
    "密码长度至少 {n} 位，{noun} 里别写死",
    "把 {noun} 的密钥放到 vault，不要写进脚本",
    "提交 {sha1} 修了 {noun} 的问题，{thing} 没动",
    "der {noun} braucht ein neues Passwort, mindestens {n} Zeichen",
    "git show {sha7} -- src/{noun}.py",
    "trace {hex32} span {hex16} in {noun}",
    "http://localhost:{n}80/{noun}?page={n}&sort=-created_at",
)


def ordinary_sentences(count: int) -> Iterator[str]:
    dice, chance = Dice(5), random.Random(5)
    for number in range(count):
        noun, thing = chance.choice(NOUNS), chance.choice(THINGS)
        yield FORMS[number % len(FORMS)].format(
            noun=noun,
            thing=thing,
            Noun=noun.title(),
            Thing=thing.title(),
            NOUN=noun.upper(),
            THING=thing.upper(),
            n=chance.randint(2, 90),
            m=chance.randint(0, 20),
            sha1=dice.letters(40, HEX),
            sha256=dice.letters(64, HEX),
            sha7=dice.letters(7, HEX),
            hex32=dice.letters(32, HEX),
            hex16=dice.letters(16, HEX),
            b64=dice.letters(86, ALNUM + "+/"),
            b43=dice.letters(43, ALNUM + "+/"),
            uuid="-".join(dice.letters(n, HEX) for n in (8, 4, 4, 4, 12)),
        )


def test_a_thousand_ordinary_sentences_raise_no_alarm() -> None:
    """Talk about secrets, hashes, ids, references and placeholders is left as it is."""
    alarms = [sentence for sentence in ordinary_sentences(1_200) if redact(sentence).found]
    assert alarms == []


@pytest.mark.parametrize(
    "text",
    [
        "DATABASE_URL=postgres://user:password@localhost:5432/app",
        "api_key: ${API_KEY}",
        "secret: {{ vault_secret }}",
        "password: changeme",
        'password: "********"',
        "token type is Bearer",
        "cache key: user:123:profile",
        "password hash is bcrypt with cost 12",
        "Authorization: Bearer $TOKEN",
        "keys sit between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----",
        "token: typing.Optional[bytes]",
        "wireguard public key: " + "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=",
        "export GITHUB_TOKEN=$(gh auth token)",
        "pass --token-file /run/secrets/token",
    ],
)
def test_what_only_points_to_a_secret_stays(text: str) -> None:
    """References, placeholders, public keys and names are no secrets."""
    assert redact(text).text == text


def test_a_secret_is_found_after_invisible_characters_are_taken_out() -> None:
    """Zero-width characters, controls and full-width letters within a token do not hide it, and the rest of the text stays."""
    secret = TOKENS["github"](Dice(1))
    for hidden in ("\u200b", "\u200d", "\u2060", "\u00ad", "\x00", "\U000e0041"):
        assert (
            redact(f"über {hidden}x {secret[:9]}{hidden}{secret[9:]} y{hidden}").text
            == f"über {hidden}x [redacted: github token] y{hidden}"
        )
    wide = "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in secret)
    assert redact(f"令牌 {wide}。").text == "令牌 [redacted: github token]。"


def test_a_key_block_cut_off_at_either_end_is_found() -> None:
    """A private key without its last or first lines goes as far as it is there; escaped and indented ones too."""
    dice = Dice(2)
    block = dice.key_block("RSA")
    for text in (block[:300], block[100:], block.replace("\n", "\\n"), block.replace("\n", "\n    "), block.replace("\n", "\n> ")[:333]):
        shown = redact(f"here it is\n{text}\nthanks").text
        assert not any(piece in shown for piece in (text[60:90], text[130:160], text[170:200]))
        assert shown.startswith("here it is\n")
        assert shown.endswith("\nthanks")


@pytest.mark.parametrize("length", range(54, 110))
def test_an_encoded_key_block_of_any_length_is_judged(length: int) -> None:
    """Where it was cut off does not matter, and what only begins like one is no trouble."""
    block = base64.b64encode(b"-----BEGIN RSA PRIV" + b"ATE KEY-----\n" + b"x" * 60).decode()
    assert redact(f"data: {block[:length]}").text == "data: [redacted: private key]"
    assert redact(f"data: {block[:18]}{'+' * (length - 18)}").found == ()


def test_private_text_goes_whole() -> None:
    """What stands between private tags goes, nested or in any case; an open tag reaches to the end."""
    assert redact("a <private>b</private> c").text == "a [redacted: private] c"
    assert redact("a <PRIVATE>b\nb</Private > c").text == "a [redacted: private] c"
    assert redact("a <private>b <private>c</private> d</private> e").text == "a [redacted: private] e"
    assert redact("a <private>b").text == "a [redacted: private]"
    assert redact("a <pri\u200bvate>b</private>c").text == "a [redacted: private]c"
    assert redact("a </private> b").text == "a </private> b"
    assert redact("a <private>b</private> c").found == (Kind.PRIVATE,)


@given(st.text(max_size=200), st.sampled_from(sorted(TOKENS)), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_redacting_twice_changes_nothing_more(around: str, kind: str, seed: int) -> None:
    """A redacted text holds no secret, and neither lone surrogates nor odd characters round it do any harm."""
    secret = TOKENS[kind](Dice(seed))
    once = redact(f"{around} {secret} {around}")
    assert redact(once.text) == type(once)(once.text)
    assert secrets_in(once.text) == ()


HOSTILE = {
    "names": "token ",
    "open quotes": "pwd=“",
    "single quotes": "password='x ",
    "key beginnings": "-----BEGIN RSA PRIVATE KEY-----\n",
    "key ends": "A" * 64 + "\n-----END RSA PRIVATE KEY-----\n",
    "jwt": "eyJ",
    "addresses": "://a:",
    "hidden": "\u200b",
    "private": "<private>",
    "curl": "curl -u ",
    "login": "login a password ",
    "cookies": "cookie: a=bbbbbbbb;",
    "prefixes": "sk-a",
    "words": "aB3_",
    "headers": "authorization: basic ",
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.timeout(60)
def test_hostile_text_takes_time_in_proportion_to_its_length(kind: str) -> None:
    """A megabyte of half a secret over and over ends, far from any time limit."""
    text = HOSTILE[kind] * (1_000_000 // len(HOSTILE[kind]))
    assert len(redact(text).text) <= 2 * len(text)


def test_characters_that_nobody_sees_are_named() -> None:
    """Controls, direction marks, tags, selectors and joiners are found with their place."""
    for character in "\x00\x1b\u200b\u200e\u202e\u2066\u2069\ufeff\u3164\U000e0041\U000e0105\u2028\u00ad":
        found = invisible(f"ab{character}cd")
        assert [(one.character, one.position) for one in found] == [(character, 2)]
        assert found[0].name.startswith("U+")
        assert visible(f"ab{character}cd") == "abcd"


def test_characters_in_their_right_place_are_fine() -> None:
    """Emoji with joiners and selectors, scripts that join, tabs and line ends are no hidden text."""
    for text in ("Ship it 🚀 ✅", "👩\u200d💻 ❤\ufe0f 1\ufe0f⃣", "می\u200cخواهم", "क्\u200dष", "a\tb\r\nc", "日本語　全角"):
        assert invisible(text) == ()
    assert invisible("a\u200db")
    assert invisible("🚀\ufe0f\ufe0f")
