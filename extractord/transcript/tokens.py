"""How many tokens a text is at most.

Owns: an upper bound that also holds for dense text (Chinese, Japanese, JSON, base64), where "four bytes a token" is far too
low. It counts bytes by kind, which is fast. Leaves what is done about it to ``digest`` and to those who pay.
"""

from __future__ import annotations

_LOWER = bytes(range(ord("a"), ord("z") + 1))
_UPPER = bytes(range(ord("A"), ord("Z") + 1))
_BLANK = b" "
_NOT_ASCII = bytes(range(128, 256))


def most_tokens(text: str) -> int:
    """Return an upper bound of the tokens of ``text``.

    A token for three small letters, for one and a half capitals, for six spaces, for two bytes beyond ASCII (1.5 a Chinese
    character, 2 an emoji), one for each figure, sign and line end. English prose comes out about a third above what tokenizers give.
    """
    raw = text.encode("utf-8", "replace")
    total = len(raw)
    lower = total - len(raw.translate(None, _LOWER))
    rest = raw.translate(None, _LOWER + _BLANK)
    blanks = total - lower - len(rest)
    others = rest.translate(None, _UPPER)
    upper = len(rest) - len(others)
    beyond = 0 if text.isascii() else len(others) - len(others.translate(None, _NOT_ASCII))
    single = len(others) - beyond
    return (2 * lower + 4 * upper + blanks + 3 * beyond + 6 * single) // 6 + 1
