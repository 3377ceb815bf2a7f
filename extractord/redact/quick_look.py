"""A quick look at a text: could it hold anything that must go?

Owns: two finite automata (RE2, about 2 ns a byte each) built of the forms' own glances, which let most texts pass as clean, and
a way to look at many texts at once. It may raise an alarm for nothing, but never misses what the scan would find. Leaves the
decision to ``scan``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile
from typing import Any

import re2

from extractord.redact import assignments, key_blocks, tokens
from extractord.redact.hidden import HIDDEN_RANGES

# Characters for which a text has to be scanned as it is meant: full-width ASCII, and what is taken for an ASCII or Russian
# letter where case does not matter (ſ, the Kelvin sign, old Cyrillic).
_WIDE_RANGE = (0xFF01, 0xFF5E)
_ODD_RANGES = ((0x017F, 0x017F), (0x212A, 0x212A), (0x1C80, 0x1C88))
# No text in UTF-8 has this byte. The line ends stand for the beginning and the end of a text; no glance but those of words in
# a row crosses them, and what such a one finds belongs to the text in which it begins.
_BORDER = b"\xff"
# What is seen all the time and only in the way: the beginning of a colour, and the signs of Chinese and Japanese sentences.
_ESCAPE = b"\x1b"
_WIDE = 0xEF  # first byte of full-width characters
_SENTENCE_SIGNS = tuple((sign.encode(), chr(ord(sign) - 0xFEE0).encode()) for sign in "，：（）！？；")


def could_hold_forms(raw: bytes) -> bool:
    """Whether ``raw`` could hold private text, a key block or a token, or has characters that have to be taken out first."""
    return _forms().search(raw) is not None


def could_hold_names(raw: bytes) -> bool:
    """Whether ``raw`` could hold a value that the name before it makes a secret."""
    return _names().search(raw) is not None


def suspects(texts: Sequence[str]) -> Sequence[int]:
    """Return, in order, which of ``texts`` have to be scanned; the others are certainly clean."""
    between = b"\n" + _BORDER + b"\n"
    raw = b"\n" + between.join([text.encode("utf-8", "replace") for text in texts]) + b"\n"
    raw = raw.replace(_ESCAPE, b"")  # of terminals' colours, in many commands
    by_form = _forms().search(raw)
    if by_form is not None and by_form.group()[0] == _WIDE:
        raw = _narrowed(raw)
        by_form = _forms().search(raw)
    by_name = _names().search(raw)
    if by_form is None and by_name is None:
        return ()
    return sorted({*_numbers(_forms(), raw, by_form), *_numbers(_names(), raw, by_name)})


def _numbers(automaton: Any, raw: bytes, found: Any) -> Iterator[int]:
    """Yield the numbers of the texts in ``raw`` in which the automaton finds something; ``found`` is the first such place."""
    number, counted = 0, 0
    while found is not None:
        number += raw.count(_BORDER, counted, found.start())
        yield number
        counted = raw.find(_BORDER, found.start())
        found = automaton.search(raw, counted) if counted >= 0 else None


def _narrowed(raw: bytes) -> bytes:
    """Return ``raw`` with the commonest full-width signs made narrow, as the scan does it with all."""
    for wide, narrow in _SENTENCE_SIGNS:
        raw = raw.replace(wide, narrow)
    return raw


@cache
def _forms() -> Any:
    odd = (_between(first, last) for first, last in (*HIDDEN_RANGES, _WIDE_RANGE, *_ODD_RANGES))
    return _automaton((*tokens.glances(), key_blocks.GLANCE, r"(?i)<\s*private[\s>]", *odd))


@cache
def _names() -> Any:
    return _automaton((*assignments.glances(), *(_between(first, last) for first, last in _ODD_RANGES)))


def _automaton(patterns: Iterable[str]) -> Any:
    """Return one automaton for all ``patterns``. It goes byte by byte, which makes it far smaller than one that knows characters."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.longest_match = True  # fewer states: their order does not matter
    options.log_errors = False  # where an odd text makes it too large it goes on more slowly, which is nobody's business
    return re2.compile("|".join(f"(?:{_in_bytes(pattern)})" for pattern in patterns).encode(), options)


def _in_bytes(pattern: str) -> str:
    """Return ``pattern`` with both cases of each letter beyond ASCII, which an automaton of bytes does not know."""
    return re.sub(r"[^\x00-\x7f]", lambda found: _cases(found.group()), pattern)


def _cases(letter: str) -> str:
    other = "ẞ" if letter == "ß" else letter.swapcase()
    return letter if other == letter else f"(?:{letter}|{other})"


def _between(first: int, last: int) -> str:
    """Return a pattern of bytes that is found wherever a character from ``first`` to ``last`` stands, and perhaps elsewhere."""
    if first < 0x80 <= last:
        return f"{_between(first, 0x7F)}|{_between(0x80, last)}"
    low, high = chr(first).encode(), chr(last).encode()
    same = [pair[0] for pair in takewhile(lambda pair: pair[0] == pair[1], zip(low[:-1], high[:-1], strict=True))]
    start = "".join(f"\\x{byte:02x}" for byte in same)
    return f"{start}[\\x{low[-1]:02x}-\\x{high[-1]:02x}]" if low[:-1] == high[:-1] else start
