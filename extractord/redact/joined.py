"""Passwords without a figure or a sign in them: common words written together, as people make them up to remember them.

Owns: the words, and when words are a password. Leaves where a value stands to ``assignments``. What is described as a password
("required", "hashed", "plaintext") is none, so words of that kind are not among them.
"""

from __future__ import annotations

import re

LEAST = 8  # letters of words written together
_LONGEST = 64
_PASSPHRASE = 3  # words with something between them
_WORDS = frozenset(
    " ".join((
        "hunter dragon monkey tiger lion eagle falcon wolf bear panda rabbit turtle dolphin shark whale snake spider horse pony donkey",
        "kitten puppy cat dog fox owl frog bird duck goose chicken penguin parrot zebra giraffe elephant camel mouse hamster butterfly",
        "apple banana cherry orange lemon mango peach grape melon berry pepper carrot potato tomato onion garlic coffee pizza cheese",
        "butter honey sugar cake bread pancake chocolate vanilla cinnamon biscuit noodle pasta taco burger bacon staple battery correct",
        "summer winter spring autumn monday friday sunday january april june july august october december snow rain storm thunder",
        "lightning sunshine sun moon star planet galaxy comet rocket ocean river mountain island forest desert garden flower rose tulip",
        "red blue green yellow purple pink black white silver golden gold brown crimson violet",
        "one two three four five six seven eight nine ten eleven twelve hundred thousand",
        "happy lucky crazy funny sunny sweet little big super mega ultra magic secret love baby princess queen king prince knight wizard",
        "ninja pirate warrior soldier captain doctor angel devil ghost zombie vampire monster robot superman batman spiderman pokemon",
        "football baseball soccer hockey tennis guitar piano music dance party disco jazz rock metal diamond ruby crystal pearl castle",
        "bridge tower house window door chair table lamp candle mirror pillow blanket bottle glass spoon knife fork bucket hammer ladder",
        "wagon truck bicycle motorcycle airplane sailor boat ship anchor pirate treasure island jungle tiger canyon valley meadow",
        "berlin paris london tokyo madrid vienna texas boston denver chicago liverpool arsenal chelsea barcelona",
        "hello welcome letmein iloveyou please trust forever always never sommer winter katze hund pferd sonne mond stern blume",
    )).split()
)  # fmt: skip
_KNOWN = frozenset(("qwertyuiop", "asdfghjkl", "iloveyou", "trustnoone", "sunshine", "superman", "princess"))
_LONGEST_WORD = max(map(len, _WORDS))
_BETWEEN = re.compile(r"[-_.]")
_LETTERS = re.compile(r"[a-z]+(?:[-_.][a-z]+)*")
_VOWELS = re.compile(r"[aeiouy]")


def is_joined(value: str) -> bool:
    """Whether ``value`` (small letters) is a password made of words, or of letters that make no word."""
    if not LEAST <= len(value) <= _LONGEST or not _LETTERS.fullmatch(value):
        return False
    parts = _BETWEEN.split(value)
    if len(parts) > 1:
        return len(parts) >= _PASSPHRASE and all(part in _WORDS for part in parts)
    return value in _KNOWN or _is_made_of_words(value) or not _VOWELS.search(value)


def _is_made_of_words(value: str) -> bool:
    """Whether ``value`` is two or more of the words, one behind the other. Time: its length times the longest word's."""
    ends = {0}
    for end in range(1, len(value) + 1):
        if any(start in ends and value[start:end] in _WORDS for start in range(max(0, end - _LONGEST_WORD), end)):
            ends.add(end)
    return len(value) in ends and value not in _WORDS
