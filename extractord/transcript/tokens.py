"""How many tokens a text is at most.

Owns: an upper bound that also holds for dense text (Chinese, Japanese, JSON, base64), where "four bytes a token" is far too
low. It weighs bytes by kind, which is fast. Leaves what is done about it to ``digest`` and to those who pay.
"""

from __future__ import annotations

# Sixths of a token by kind of byte: three small letters are a token, one and a half capitals, six spaces, two bytes beyond
# ASCII (1.5 tokens a Chinese character, 2 an emoji), each figure, sign and line end.
_LOWER, _UPPER, _BLANK, _BEYOND, _SINGLE = 2, 4, 1, 3, 6


def _sixths(byte: int) -> int:
    if byte >= 0x80:
        return _BEYOND
    if byte == ord(" "):
        return _BLANK
    character = chr(byte)
    return _LOWER if "a" <= character <= "z" else _UPPER if "A" <= character <= "Z" else _SINGLE


# Each byte as one that has as many bits set as it weighs, so that the sum over a text is a count of bits, done in C.
_AS_BITS = bytes((1 << _sixths(byte)) - 1 for byte in range(256))


def most_tokens(text: str) -> int:
    """Return an upper bound of the tokens of ``text``; for English prose about a third above what tokenizers give.

    The bound of texts put together is at most the sum of theirs, and at least that sum less one for each but the first.
    """
    return int.from_bytes(text.encode("utf-8", "replace").translate(_AS_BITS), "little").bit_count() // 6 + 1
