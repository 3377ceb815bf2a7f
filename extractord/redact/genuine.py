"""Whether what has the form of a secret is one, rather than a sample, a reference or a word.

Owns: that question for each kind of form in ``tokens``; true means that it is hidden. Leaves what a single value looks like to
``values``.
"""

from __future__ import annotations

import re
from base64 import b64decode

from extractord.redact.values import is_name, is_ordinary, is_password, is_placeholder, is_random, is_reference

_ABOUT = frozenset(
    [
        "too",
        "must",
        "not",
        "invalid",
        "required",
        "short",
        "weak",
        "at",
        "least",
        "wrong",
        "incorrect",
        "expired",
        "end",
        "to",
        "by",
        "of",
        "the",
        "in",
        "is",
        "a",
        "be",
        "no",
        "never",
        "missing",
        "empty",
    ]
)
_MANGLED = re.compile(r"_?Z[A-Z\d]|\w{1,3}_?ZN")  # symbols of C++ and Rust


def anything(_value: str) -> bool:
    return True


def no_sample(value: str) -> bool:
    """Whether a token is not the documentation's sample (``AKIA…EXAMPLE``, ``ghp_xxxxxxxx``)."""
    return not is_placeholder(value) and len(set(value)) >= 8


def random_tail(value: str) -> bool:
    return is_random(value) and not is_placeholder(value)


def random_piece(value: str) -> bool:
    return random_tail(max(value.split("-"), key=len)) or random_tail(value)


def in_address(value: str) -> bool:
    """Whether the password of an address is a real one; a user name that stands for itself is no secret."""
    return not (is_reference(value) or is_placeholder(value) or set(value) <= set("*x.•"))


def credential(value: str) -> bool:
    return not (is_reference(value) or is_placeholder(value) or is_name(value) or is_ordinary(value)) and (
        any(c.isdigit() for c in value) or value not in (value.lower(), value.upper())
    )


def session_value(value: str) -> bool:
    return len(value) >= 8 and not (is_reference(value) or is_placeholder(value) or is_name(value) or is_ordinary(value))


def spoken(value: str) -> bool:
    """Whether what a sentence calls a password is one: no word of the sentence, and no path."""
    value = value.rstrip(".,;:)\"'`")
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return len(value) >= 6 and mixed and is_password(value) and not any(c in "/()[]{}=" for c in value)


def phrase(value: str) -> bool:
    """Whether a quoted text of small letters is a password and not what is said about one."""
    words = value.replace("-", " ").lower().split()
    return len(value) >= 8 and not is_placeholder(value) and not is_ordinary(value) and _ABOUT.isdisjoint(words)


# How services begin the ids of things, which open nothing: Stripe, Clerk, Vercel, the model makers.
_OBJECTS = frozenset(
    re.split(
        " ",
        "price prod product cus sub in pi ch evt acct plan txn seti pm card si req promo po tr re dp"
        " user org orgs team proj prj dpl file msg toolu run thread asst resp batch vs call step event job doc page inv usr mem inst",
    )
)


def encoded_key(value: str) -> bool:
    head = value.rstrip("=")[:96]
    return b"PRIVATE KEY" in b64decode(head[: len(head) // 4 * 4])


def random_service(value: str) -> bool:
    """Whether the tail after the last ``_`` of a prefix is random; an identifier with a number in it is not."""
    if value.startswith(("pk_live", "pk_test")):
        return False  # made to be public
    if _MANGLED.match(value) or (value.count("_") == 1 and value.partition("_")[0] in _OBJECTS):
        return False
    tail = max(value.split("_"), key=len)
    cased = any(c.islower() for c in tail) and any(c.isupper() for c in tail)
    figures = sum(c.isdigit() for c in tail)
    return len(tail) >= 24 and random_tail(tail) and (cased or figures >= 6)
