# ruff: noqa: E501 - the tables of forms are read by row
"""Does a value look like a secret? Pure judgements on one short value, in time linear in its length.

Owns: what is random, what is a placeholder, a reference or an ordinary name. Leaves finding values to ``assignments`` and
``tokens``.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

_LONGEST_JUDGED = 300  # characters; what is longer is judged by its beginning

# A value that stands for another one: variables of shells, templates, CI and secret stores, calls, paths, addresses.
_REFERENCE = r"""(?xi)\$(?:[{(]|\w+(?:$|[/:.@"'\]])) | %(?:\(|\w+%|[a-z]$) | @\w*(?:$|[(.{]) | [<({\[] | ~/ | /[\w.-]+(?:/|$) | [A-Za-z]:\\
      | pk_(?:live|test)_             # made to be public
      | !secret | !vault | &\w+$ | \.{1,2}/ | -{1,2}[a-z]
      | (?:os|env|envs|process|config|settings|secrets?|vars?|self|this|args|options|params|request|req|res|ctx|data|local|module
          |vault|op|ssm|arn|file|ref|doppler|keyring|aws|gcp|sops|k8s|base64|sha\d+|https?|wss?|ssh-[a-z0-9]+|ecdsa-[a-z0-9-]+
        )(?:[.:\[(/]|->)
      | ssh-[a-z0-9]+\s? | [A-Za-z_][\w.]*[(\[]"""
_INTERPOLATED = r"\$\{|\$\(|\$[A-Z_]{3,}|\{\{|\{\w+\}|%\(\w+\)|%[A-Z_]{2,}%|<[\w -]+>|\[redacted: "

# Words that people write where a secret would stand; a value made of nothing else is a placeholder.
_FILLER = frozenset(
    " ".join((
        "your my the a an some any new old our user users db real insert enter put set add example sample dummy fake mock test tests testing",
        "demo temp stub own secret secrets secure super strong api access auth app client root admin bearer jwt very actual here goes pass",
        "password passwd passphrase pwd token tokens key keys value string credential credentials id change changeme replace me this it",
        "placeholder redacted notreal not real none null nil undefined unset empty blank true false yes no on off todo tbd foo bar baz foobar",
        "required optional missing invalid valid hidden masked expired wrong default guest postgres mysql redis rabbitmq abc xyz abcdef",
        "str text bytes int bool object local localhost dev prod staging login username xxx service",
    )).split()
)  # fmt: skip
_MASK = r"[xX*.•…_?#0-]*|(?:1?2345?6?7?8?9?0?)?|.*(?:[xX]{4,}|\*{3,}|\.{3,}|…|•{2,}).*|.*EXAMPLE(?:KEY)?"
_PLACEHOLDER_PART = r"(?i)placeholder|changeme|change[-_]me|replace[-_]me|example|dummy|redacted|not[-_]?a?[-_]?real|^your[-_]|[-_]here$"
_WORDS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"

# Names of things, not values: algorithms, versions, dates, numbers with a unit, files, mail addresses, tickets, hosts.
_ORDINARY = r"""(?x)(?i:sha|md|aes|rsa|base|utf|oauth|argon|pbkdf|hs|rs|es|ps|ed|x|v|rc|tls|ssl|http|h|py|python|php|node|ipv|s|k|ec|p|curve|chacha|crc|web|i|l)
        -?_?\d+[-_.:/a-z0-9]{0,12}
      | v?\d+(?:\.\d+)+(?:[-+.]?[a-z]{1,8}\.?\d*)?\+?
      | \d{4}-\d\d(?:-\d\d)?(?:[T ][\d:.+Z-]*)? | \d{1,2}:\d\d(?::\d\d)?
      | [<>=~^]{0,2}\d+(?:[.,]\d+)?\s?(?:[a-z]{1,8}|%|°) | \d+(?:[-x/]\d+)+[a-z]{0,5}
      | [A-Z]{2,10}-\d{1,6} | \#\d+
      | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
      | [\w./\\-]+\.(?:py|jsx?|tsx?|go|rs|cc?|h|cpp|java|kt|rb|php|sh|md|txt|json|ya?ml|toml|ini|cfg|conf|env|pem|key|crt|pub|sql|tf|lock|html|css|csv|log)
        (?::\d+(?::\d+)?|\#L\d+)?
      | [\w-]+(?:\.[\w-]+)+:\d+(?:/.*)? | localhost(?::\d+)?(?:/.*)?"""
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_HEX = r"(?:0x)?[0-9a-fA-F]+"
_SEPARATORS = r"[-_./:>]+"
_WORDS_ALONE = r"[a-z]+(?:[-_. ][a-z]+)*|[A-Z]+(?:[-_. ][A-Z]+)*|(?:[A-Z]?[a-z]{2,})+"
_SIGN_WITHIN = r"[A-Za-z0-9][!#$%&*+?@^~=|-][A-Za-z0-9!#$%&*+?@^~=|-]*"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern compiled; not done at import, since most texts hold no value to be judged."""
    return re.compile(pattern)


def is_reference(value: str) -> bool:
    """Whether ``value`` only points to a secret (variable, call, path, template) or is a marker of ours."""
    if value[:1] == "/" and is_random(value):
        return False  # base64 that happens to begin with a slash
    return bool(_compiled(_REFERENCE).match(value) or _compiled(_INTERPOLATED).search(value[:_LONGEST_JUDGED]))


def is_placeholder(value: str) -> bool:
    """Whether people write ``value`` where a real one would stand."""
    head = value[:_LONGEST_JUDGED]
    if _compiled(_MASK).fullmatch(head) or _compiled(_PLACEHOLDER_PART).search(head):
        return True
    words = _compiled(_WORDS).findall(head)
    return bool(words) and all(w.lower() in _FILLER or (w.isdigit() and len(w) <= 3 and i > 0) for i, w in enumerate(words))


def is_uuid(value: str) -> bool:
    """Whether ``value`` is a UUID, which is an id far more often than a secret."""
    return bool(_compiled(_UUID).fullmatch(value))


def is_ordinary(value: str) -> bool:
    """Whether ``value`` is a version, date, number, file, address or the like."""
    return bool(_compiled(_ORDINARY).fullmatch(value[:_LONGEST_JUDGED]))


def is_name(value: str) -> bool:
    """Whether ``value`` reads like an identifier made of words: snake_case, kebab-case, camelCase, dotted.names."""
    if is_random(value):
        return False
    head = value[:_LONGEST_JUDGED].rstrip("()[]?!")
    parts = [part for part in _compiled(_SEPARATORS).split(head) if part]
    words = [word for part in parts for word in _compiled(_WORDS).findall(part)]
    if not words or "".join(words) != "".join(parts):
        return False
    letters = [w for w in words if not w.isdigit()]
    figures = [w for w in words if w.isdigit()]
    long_enough = sum(map(len, letters)) >= 3 * len(letters)
    return bool(letters) and long_enough and len(figures) <= len(letters) and all(len(f) <= 3 for f in figures)


def is_hex(value: str) -> bool:
    """Whether ``value`` is at least 32 hexadecimal digits with both figures and letters."""
    return (
        len(value) >= 32 and bool(_compiled(_HEX).fullmatch(value)) and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    )


def is_random(value: str) -> bool:
    """Whether ``value`` (16 characters or more) looks drawn by chance: figures, small and capital letters in quick change."""
    value = value[:_LONGEST_JUDGED]
    if len(value) < 16 or is_uuid(value):
        return False
    if is_hex(value):
        return True
    classes = [_class_of(c) for c in value]
    turns = sum(a != b and 3 not in (a, b) for a, b in pairwise(classes))
    found = set(classes) - {3}
    if len(found) < 2 or len(set(value)) < min(len(value), 40) * 0.4:
        return False
    if 0 in found:
        return turns >= 0.25 * len(value)
    words = _compiled(_WORDS).findall(value)  # letters alone: camelCase has longer words than chance
    return turns >= 0.28 * len(value) and len(value) < 3.2 * len(words)


def is_password(value: str) -> bool:
    """Whether ``value`` in so clear a place as ``password = "…"`` is a real one."""
    if len(value) < 6 or is_reference(value) or is_placeholder(value) or is_ordinary(value):
        return False
    if value.isdigit():
        return True
    if _compiled(_WORDS_ALONE).fullmatch(value[:_LONGEST_JUDGED]) or not any(c.isalnum() for c in value):
        return False  # words alone: a label, a field's name, a message
    return not (_compiled(_SEPARATORS).search(value) and is_name(value))


def is_strong(value: str) -> bool:
    """Whether ``value`` is a real secret also where the place says little ("the token is …")."""
    if len(value) < 8 or is_reference(value) or is_placeholder(value) or is_ordinary(value) or is_uuid(value) or is_name(value):
        return False
    if is_random(value):
        return True
    has_letter, has_digit = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    cased = any(c.islower() for c in value) and any(c.isupper() for c in value)
    plain = not any(c in "/:()[]{}=," for c in value)
    return has_letter and has_digit and plain and (cased or bool(_compiled(_SIGN_WITHIN).search(value)))


def _class_of(character: str) -> int:
    if character.isdigit():
        return 0
    if character.islower():
        return 1
    return 2 if character.isupper() else 3
