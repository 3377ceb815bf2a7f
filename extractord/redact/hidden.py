"""Characters that a reader does not see: controls, joiners, direction marks, tags, selectors.

Owns: which characters those are, and where one is rightly used (emoji, scripts that join). Leaves what to do about them to
the callers.
"""

from __future__ import annotations

import re
import unicodedata

import msgspec

# Cc but tab, line feed, carriage return; Cf but the visible Arabic and Syriac number signs; fillers, blanks, selectors,
# line separators, noncharacters. First and last code point of each range.
HIDDEN_RANGES = (
    (0x00, 0x08), (0x0B, 0x0C), (0x0E, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160),
    (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0xFFFE, 0xFFFF), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
CONTROLS = bytes((*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F))  # those that are one byte in UTF-8
_HIDDEN = re.compile("[" + "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in HIDDEN_RANGES) + "]")
_SELECTORS = "\ufe0e\ufe0f"
_JOINER = "\u200d"
_NON_JOINER = "\u200c"


class Hidden(msgspec.Struct, frozen=True):
    """One such character: ``position`` in characters from the beginning of the text."""

    character: str
    position: int

    @property
    def name(self) -> str:
        """How it is named to people, without showing it."""
        return f"U+{ord(self.character):04X} {unicodedata.name(self.character, 'control character')}".strip()


def invisible(text: str) -> tuple[Hidden, ...]:
    """Return the characters in ``text`` that are not seen, in order, but for those that emoji and joining scripts need."""
    return tuple(
        Hidden(match.group(), match.start()) for match in _HIDDEN.finditer(text) if not _in_place(text, match.start(), match.group())
    )


def visible(text: str) -> str:
    """Return ``text`` without any character that is not seen, rightly used or not."""
    return _HIDDEN.sub("", text)


def seen_parts(text: str) -> list[tuple[int, int]]:
    """Return the stretches of ``text`` between such characters, as pairs of start and end."""
    parts, start = [], 0
    for match in _HIDDEN.finditer(text):
        if match.start() > start:
            parts.append((start, match.start()))
        start = match.end()
    if start < len(text):
        parts.append((start, len(text)))
    return parts


def _in_place(text: str, position: int, character: str) -> bool:
    before = text[position - 1] if position else ""
    after = text[position + 1 : position + 2]
    if character in _SELECTORS:
        return bool(before) and _takes_selector(before)
    if character == _JOINER:
        return (_pictured(before) and _pictured(after)) or (_joins(before) and (_joins(after) or not after.isalpha()))
    return character == _NON_JOINER and _joins(before) and _joins(after)


def _takes_selector(character: str) -> bool:
    """Whether a text or emoji selector may follow: signs, pictures, and the keycaps' figures."""
    return character in "0123456789#*" or unicodedata.category(character) in ("So", "Sm", "Sk", "Po", "Pd")


def _pictured(character: str) -> bool:
    return bool(character) and (character == "\ufe0f" or unicodedata.category(character) in ("So", "Sk", "Sm"))


def _joins(character: str) -> bool:
    """Whether ``character`` is of a script that spells with joiners: Arabic to Sinhala, Khmer, Mongolian."""
    return bool(character) and ("\u0600" <= character <= "\u0dff" or "\u1780" <= character <= "\u18af")
