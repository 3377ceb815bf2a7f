"""Texts made short enough to be shown.

Owns: how a text is cut: to its ends, to a bound of tokens, to one line. Leaves what is cut how far to ``entries``, and that
secrets are gone before to whoever calls.
"""

from __future__ import annotations

from extractord.transcript.tokens import most_tokens

CUT = " […] "  # stands where characters were left out


def ends_of(text: str, most: int) -> str:
    """Return a text whole, or two thirds of ``most`` characters from its beginning and one third from its end."""
    if len(text) <= most:
        return text
    tail = most // 3
    return text[: most - tail] + CUT + text[-tail:]


def one_line(text: str, most: int) -> str:
    """Return a text as one line of at most ``most`` characters, each run of blanks as one."""
    if not text.isprintable() or "  " in text or text[:1] == " " or text[-1:] == " ":  # any blank but the common one is not printable
        text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def fitting(text: str, tokens: int) -> str:
    """Return the longest beginning of ``text`` that has at most ``tokens``, if possible up to a line's or a word's end."""
    if most_tokens(text) <= tokens:
        return text
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if most_tokens(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    for stop in ("\n", "。", ". ", " "):
        at = text.rfind(stop, low // 2, low)
        if at >= 0:
            return text[: at + len(stop)]
    return text[:low]
