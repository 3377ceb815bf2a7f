# ruff: noqa: E501 - the tables of forms are read by row
"""Secrets that are known by the name before them: ``password = "…"``, ``API_KEY: …``, 密码：…, "the passphrase is …".

Owns: the words that name a secret in the languages we know, and how a value may be tied to them. Leaves the judgement on the
value to ``values``. Linear time (RE2).
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import re2

from extractord.redact.joined import LEAST, is_joined
from extractord.redact.kinds import Kind, Span
from extractord.redact.values import is_hex, is_ordinary, is_password, is_placeholder, is_random, is_reference, is_strong, is_uuid

# Names that end so name a secret. Longer ones first where one begins another.
_NAMES: tuple[tuple[Kind, str], ...] = (
    (
        Kind.PASSWORD,
        r"passwords?|passwd|passwrd|passphrase|passcode|pass[-_ ]?phrase|mysql_pwd|pwd|[-_.]pw|\bpw"
        r"|pa(?:ss|ß)wort|kennwort|contraseña|contrasena|mot de passe|senha|пароль|密码|密碼|口令|パスワード|暗証番号|비밀번호",
    ),
    (
        Kind.SECRET,
        r"client[-_ ]?secret|secret[-_ ]?access[-_ ]?key|secret[-_ ]?key(?:[-_]?base)?|secrets?|geheimnis|secreto|密钥|秘钥|密鑰|金鑰|シークレット(?:キー)?|秘密鍵|credentials?",
    ),
    (
        Kind.KEY,
        r"api[-_ ]?keys?|access[-_ ]?key|private[-_ ]?key|auth[-_ ]?key|encryption[-_ ]?key|signing[-_ ]?key|master[-_ ]?key|account[-_ ]?key|shared[-_ ]?key"
        r"|sharedaccesskey|client-key-data|subscription[-_ ]?key|session[-_ ]?key|service[-_ ]?key|app(?:lication)?[-_ ]?key|license[-_ ]?key|deploy[-_ ]?key|webhook[-_ ]?key"
        r"|api[-_ ]?schlüssel|clave(?: de api| api| secreta)?|api[-_ ]?キー|アクセスキー|\bapikey",
    ),
    (
        Kind.TOKEN,
        r"tokens?|_authtoken|令牌|トークン|sessionid|session_id|jsessionid|phpsessid|connect\.sid|x-amz-signature",
    ),
)
# Words that name a secret only before a sign: in a sentence they mean something else.
_SIGNED_NAMES: tuple[tuple[Kind, str], ...] = (
    (Kind.PASSWORD, r"[-_.]pass|\bpass|userpass"),
    (Kind.TOKEN, r"_auth|\bauth|authorization|\bpat|\bbearer"),
)
# What may stand between the name and the sign: an index, quotes, a stage.
_TAIL = r"(?:[-_]?(?:prod|production|dev|test|staging|stage|live|old|new|value|\d{1,2}))?[\"'`\])]{0,3}(?:\*\*)?"
_SIGN = r"\s{0,4}(?:===?|=>|:=|\?=|\+=|=|:|：|＝|→)\s{0,4}\*{0,2}\s?(?:new\s+|[>|][-+]?\s{1,12})?"
# Words between the name and the sign or the verb: "the password for staging is …"
_BETWEEN = (
    r"(?:\s{1,2}(?:for|of|to|on|in|at|für|fuer|vom|von|de|del|para|la|el|the|der|das|die|den|dem|do|da|du|our|staging|prod|production|dev|db|database|root|admin|user|now|jetzt|ahora)"
    r"(?:\s{1,2}[\w.@/-]{1,40})?){0,3}[\"'`]?"
)
_VERB = (
    r"(?:\s{1,2}(?:is|was|are|has|will be|equals|ist|lautet|war|es|sera|será|est|é|è|to|zu|auf|a)(?:\s{1,2}(?:now|jetzt|ahora|still|noch|(?:now |been )?(?:set|changed|reset|rotated|updated) to))?[\s:]{1,3}"
    r"|\s{0,2}(?:改成(?:了)?|改为(?:了)?|换成(?:了)?|设成(?:了)?|设为|设置为|(?:就)?是|为|は(?:、)?|를|은|는)\s{0,2}(?::|：)?\s{0,2}|\s{1,2})"
)
# Where a value begins is found by RE2, the value itself by a bounded match there.
_VALUE = re.compile(
    rb"(?:[fbruFBRU]{1,2}(?=[\"']))?(?:\"([^\"\n]{4,300})\"|'([^'\n]{4,300})'|`([^`\n]{4,300})`|\xe2\x80\x9c([^\n\xe2]{4,300})\xe2\x80\x9d|\xe3\x80\x8c([^\n\xe3]{4,300})\xe3\x80\x8d)"
    rb"|((?:[!#-&(-_a-~]|\xc3[\x80-\xbf]){4,2000})"  # bare: printable, no quotes; ends where Chinese or Japanese goes on
)
_BARE_GROUP = 6
_BARE_KEY = r"\bkeys?|schlüssel|密钥"  # of a cache, a table, a map far more often: only a value that can be nothing else counts
_PUBLIC = re.compile(rb"(?i)(?:public|pub|primary|foreign)[-_ ]?$")


class _Tie(enum.Enum):
    """How a value hangs on its name."""

    SIGN = "="
    SENTENCE = "is"
    VAGUE = "anything, but the name says little"


# Bytes with which the figures of other scripts begin (and some other characters too): ², ٣, ५, ① …
_OTHER_FIGURES = (
    r"\xc2[\xb2\xb3\xb9]|\xd9[\xa0-\xa9]|\xdb[\xb0-\xb9]|\xdf[\x80-\x89]|\xe0|\xe1[\x81\x82\x8d\x9f-\xb1]"
    r"|\xe2(?:[\x81\x82\x91-\x93]|\x9d[\xb6-\xbf]|\x9e)|\xea[\x98-\xaf]|\xef|\xf0(?:[\x90\x91\x96\x9b-\x9e]|\x9f[\x84\xaf])"
)
# How a value may begin, and what ends it then; else small letters alone are a word, and those before a bracket a call.
_LEADS = (("", "\"'`"), (r"[fbruFBRU]{0,2}\"", '"'), (r"[fbruFBRU]{0,2}'", "'"), ("`", "`"))
_OPTION = r"(?i)(?:^|\s)--?(?:[a-z-]{0,20})(password|passwd|pass|pwd|token|secret|api-?key|access-?key|auth)[ =]"


def _signed(names: str) -> str:
    return f"(?i)(?:{names}){_TAIL}({_SIGN})"


def _named(names: str) -> str:
    return f"(?i)(?:{names})(?:(?:{_TAIL}|{_BETWEEN})({_SIGN})|{_BETWEEN}{_VERB})"


@cache
def _compiled(pattern: str) -> Any:
    return re2.compile(pattern.encode())


def glances() -> Iterator[str]:
    """Yield patterns, as ``quick_look`` takes them, one of which is found in any text in which ``assignment_spans`` finds something.

    They are the forms themselves, loosened, with what a value needs at least after the sign or the verb to be judged a secret.
    """
    passwords, others = _split((*_NAMES, (Kind.KEY, _BARE_KEY)))
    others = re.sub(r"[a-z()?:]+\[-_ \]\?(?=key)", "", others)  # "key" stands for all kinds of keys
    signed_passwords, signed_others = _split(_SIGNED_NAMES)
    between = _BETWEEN.replace("{1,40}", "+").replace("{0,3}", "*")
    tied, spoken = f"(?:{_TAIL}|{between}){_SIGN}", f"{between}{_VERB}"
    option = _OPTION.removeprefix("(?i)").replace("{0,20}", "*")
    unplain = "|".join(lead + _first(f"[^a-z \\n(\\[{end}]", 6, "[a-z]") for lead, end in _LEADS)
    # without a figure only a long value is judged a secret
    likely = _first(f"(?:[0-9]|{_OTHER_FIGURES})", 6, r"[^ \n0-9]", r"[^ \n0-9<({\[]") + "|" + _long(16)
    yield f"(?i:(?:{passwords}){tied}|(?:{signed_passwords}){_TAIL}{_SIGN})(?:{unplain})"
    # of small letters alone only words written together are, after the name of a password
    quotes = "(?:[fbruFBRU]{0,2}[\"'`]|“|「)?"
    yield f"(?i:(?:{passwords})(?:{tied}|{spoken})|(?:{signed_passwords}){_TAIL}{_SIGN}){quotes}[a-z][a-z._-]{{{LEAST - 1}}}"
    yield f"(?i:(?:{passwords}){spoken}|(?:{others})(?:{tied}|{spoken})|(?:{signed_others}){_TAIL}{_SIGN}|{option})(?:{likely})"


def _long(least: int) -> str:
    """Return what begins like a value of ``least`` characters or more; only in quotation marks Chinese may stand in one."""
    bare = r"(?:[!#-&(-_a-~]|\xc3[\x80-\xbf])"
    return rf"(?:[!#-&)-;=-Z\\-_a-z|-~]|\xc3[\x80-\xbf]){bare}{{{least - 1}}}|[fbruFBRU]{{0,2}}(?:[\"'`]|“|「)[^ \n]{{{least}}}"


def _first(sought: str, least: int, before: str, begin: str = "") -> str:
    """Return what begins like a value of ``least`` bytes or more with something ``sought`` in it.

    Only ``before`` stands before the first of it, so each text matches in one way, which keeps the automaton small. Where it does
    not begin with that, it begins with ``begin`` (``before``, if none is given): a value in brackets only refers to another one.
    """
    begin = begin or before
    within = (rf"{begin}{before}{{{place - 1}}}{sought}[^ \n]{{{least - 1 - place}}}" for place in range(1, least))
    return f"(?:{sought}[^ \\n]{{{least - 1}}}|{'|'.join(within)}|{begin}{before}{{{least - 1}}}{before}*{sought})"


def _split(names: tuple[tuple[Kind, str], ...]) -> tuple[str, str]:
    """Return the names of passwords, and the others."""
    return (
        "|".join(pattern for kind, pattern in names if kind is Kind.PASSWORD),
        "|".join(pattern for kind, pattern in names if kind is not Kind.PASSWORD),
    )


# What stands in any plain text (ASCII, in small letters) that has one of the names.
_HINTS = {
    Kind.PASSWORD: (b"pass", b"pw", b"wort", b"contrasena", b"senha"),
    Kind.SECRET: (b"secret", b"geheimnis", b"credential"),
    Kind.KEY: (b"key", b"clave"),
    Kind.TOKEN: (b"token", b"session", b"sessid", b"connect.sid", b"x-amz-signature"),
}
_SIGNED_HINTS = {Kind.PASSWORD: (b"pass",), Kind.TOKEN: (b"auth", b"pat", b"bearer")}
_OPTION_HINTS = (*(b"pass", b"pwd"), *(b"token", b"secret", b"key", b"auth"))


def assignment_spans(text: bytes) -> Iterator[Span]:
    """Yield the values in ``text`` (UTF-8) that the name before them makes secrets; spans may overlap."""
    plain = text.lower() if text.isascii() else b""
    for kind, names in _NAMES:
        if not plain or any(hint in plain for hint in _HINTS[kind]):
            for match in _compiled(_named(names)).finditer(text):
                tie = _Tie.SIGN if match.group(1) is not None else _Tie.SENTENCE
                yield from _judged(text, match, kind, tie)
    for kind, names in _SIGNED_NAMES:
        if not plain or any(hint in plain for hint in _SIGNED_HINTS[kind]):
            for match in _compiled(_signed(names)).finditer(text):
                yield from _judged(text, match, kind, _Tie.SIGN)
    if not plain or b"key" in plain:
        for match in _compiled(_named(_BARE_KEY)).finditer(text):
            yield from _judged(text, match, Kind.KEY, _Tie.VAGUE)
    if not plain or any(hint in plain for hint in _OPTION_HINTS):
        for match in _compiled(_OPTION).finditer(text):
            kind = Kind.PASSWORD if match.group(1).lower().startswith((b"pass", b"pwd")) else Kind.TOKEN
            yield from _judged(text, match, kind, _Tie.SENTENCE)


def _judged(text: bytes, named: Any, kind: Kind, tie: _Tie) -> Iterator[Span]:
    match = _VALUE.match(text, named.end())
    if match is None or match.lastindex is None or _PUBLIC.search(text, max(0, named.start() - 12), named.start()):
        return
    start, quoted = match.start(match.lastindex), match.lastindex != _BARE_GROUP
    value = match.group(match.lastindex).decode("utf-8", "replace")
    value = value if quoted else _trimmed(value)
    if _is_secret(value, kind, tie, quoted=quoted):
        yield Span(start, start + len(value.encode()), kind)


def _trimmed(value: str) -> str:
    """Return a bare value without what follows it in a sentence, a call or an address."""
    for stop in (";", "&", "),", ");", "\\n"):
        head, found, _ = value.partition(stop)
        if found and len(head) >= 6:
            value = head
    return value.rstrip(".,;:)]}>!?*_" if value[-1:] in ".,;:)]}>*_" else ".,;:)]}>")


def _is_secret(value: str, kind: Kind, tie: _Tie, *, quoted: bool) -> bool:
    if " " in value:
        return False
    match tie, kind:
        case _Tie.VAGUE, _:
            return len(value) >= 20 and is_random(value) and not is_hex(value) and is_strong(value)
        case _Tie.SENTENCE, Kind.PASSWORD:
            return is_strong(value) or _is_spoken_password(value) or is_joined(value)
        case _Tie.SENTENCE, _:
            return is_strong(value)
        case _, Kind.PASSWORD:
            return is_password(value) or is_uuid(value) or is_joined(value)
        case _, Kind.SECRET | Kind.KEY:
            return is_strong(value) or is_uuid(value) or _is_long(value, quoted=quoted)
        case _:
            return is_strong(value) or _is_long(value, quoted=quoted)


def _is_spoken_password(value: str) -> bool:
    """Whether what a sentence calls a password is one: a word with figures or signs, not a word of the sentence."""
    return (
        is_password(value)
        and any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and not any(c in "/()[]{}:=," for c in value)
    )


def _is_long(value: str, *, quoted: bool) -> bool:
    """Whether ``value`` is long and jumbled enough, though of one case only."""
    if is_reference(value) or is_placeholder(value) or is_ordinary(value) or is_uuid(value):
        return False
    figures = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    least = 12 if quoted else 16
    return (
        is_hex(value) or is_random(value) or (len(value) >= least and figures >= 4 and letters >= 4 and not any(c in "/:. " for c in value))
    )
