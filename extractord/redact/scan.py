"""The scan: a quick look whether anything could be there, then the forms, then the markers.

Owns: the order of the steps (``quick_look`` first), and getting from positions in the text as scanned (without hidden
characters, full-width letters made narrow) back to the text as given. Leaves what a secret looks like to ``tokens``,
``assignments`` and ``key_blocks``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import msgspec
import re2

from extractord.redact import assignments, tokens
from extractord.redact.hidden import CONTROLS, seen_parts, visible
from extractord.redact.key_blocks import key_block_spans
from extractord.redact.kinds import Kind, Span
from extractord.redact.quick_look import could_hold_forms, could_hold_names, suspects


class Redacted(msgspec.Struct, frozen=True):
    """A text fit to be kept: ``text`` with a marker for each secret, ``found`` their kinds in order."""

    text: str
    found: tuple[Kind, ...] = ()


# Full-width ASCII, made narrow one for one.
_NARROW = {chr(0xFF01 + i): chr(0x21 + i) for i in range(94)}
_WIDE = re.compile("[\uff01-\uff5e]")
_BRACKETS = "<\uff1c"  # how a tag begins
_PRIVATE_TAG = rb"(?i)<\s{0,9}(/?)\s{0,9}private(?:\s[^<>]{0,200})?>"


def redact(text: str) -> Redacted:
    """Return ``text`` with markers in the place of secrets and of what stands between ``<private>`` tags (or after an open one)."""
    scanned = _suspicious(text)
    return scanned.redacted() if scanned else Redacted(text)


def redact_thoroughly(text: str) -> Redacted:
    """Return what ``redact`` does, without the quick look before: far slower, and what the quick look is measured against."""
    return _Scanned(text, _as_meant(text.encode("utf-8", "replace"), text), forms=True, names=True).redacted()


def redact_all(texts: Sequence[str]) -> Sequence[str]:
    """Return ``texts``, each redacted by itself; far faster than one by one, since clean ones are passed over together."""
    redacted: list[str] | None = None
    for number in suspects(texts):
        if redacted is None:
            redacted = list(texts)
        redacted[number] = redact(texts[number]).text
    return texts if redacted is None else redacted


def secrets_in(text: str) -> tuple[Kind, ...]:
    """Return the kinds of the secrets in ``text``, in order; tags do not matter."""
    scanned = _suspicious(text)
    return tuple(span.kind for span in _joined(scanned.secrets())) if scanned else ()


def private_edges(text: str) -> tuple[int, int]:
    """Return how many private tags ``text`` closes that it did not open, and how many it opens and does not close."""
    closes = opens = 0
    if not any(bracket in text for bracket in _BRACKETS):
        return closes, opens
    content = text.encode("utf-8", "replace")
    if b"private" in content.lower() or _has_unseen(content, text):
        for tag in re2.compile(_PRIVATE_TAG).finditer(_as_meant(content, text)):
            if not tag.group(1):
                opens += 1
            elif opens:
                opens -= 1
            else:
                closes += 1
    return closes, opens


def _has_unseen(content: bytes, text: str) -> bool:
    """Whether ``text``, which is ``content`` in UTF-8, has characters that have to be taken out or made narrow before it is scanned."""
    if text.isascii():
        return content.translate(None, CONTROLS) != content
    return visible(text) != text or _WIDE.search(text) is not None


def _suspicious(text: str) -> _Scanned | None:
    """Return ``text`` made ready to be scanned; None where a quick look shows that nothing is in it."""
    content = text.encode("utf-8", "replace")
    forms, names = could_hold_forms(content), could_hold_names(content)
    if forms and _has_unseen(content, text):
        content = _as_meant(content, text)
        forms, names = could_hold_forms(content), could_hold_names(content)
    return _Scanned(text, content, forms, names) if forms or names else None


def _as_meant(content: bytes, text: str) -> bytes:
    """Return ``text``, which is ``content`` in UTF-8, without characters that nobody sees and with full-width letters made narrow."""
    if text.isascii():
        return content.translate(None, CONTROLS)
    # "replace" puts one "?" for a lone surrogate, so characters keep their number
    return _WIDE.sub(lambda match: _NARROW[match.group()], visible(text)).encode("utf-8", "replace")


class _Scanned(msgspec.Struct, frozen=True):
    """A text as given, and as it is scanned (UTF-8)."""

    text: str
    content: bytes
    forms: bool  # whether there could be what is known by its form
    names: bool  # whether there could be what is known by a name before it

    def redacted(self) -> Redacted:
        """Return the text as given with markers."""
        spans = [*(_private_spans(self.content) if self.forms else ()), *self.secrets()]
        if not spans:
            return Redacted(self.text)
        pieces: list[str] = []
        found: list[Kind] = []
        done = 0
        for start, end, kind in _given(_joined(spans), self.content, self.text):
            pieces += (self.text[done:start], kind.marker)
            found.append(kind)
            done = end
        return Redacted("".join((*pieces, self.text[done:])), tuple(found))

    def secrets(self) -> Iterator[Span]:
        """Yield the secrets in ``content``; spans may overlap."""
        if self.forms:
            yield from key_block_spans(self.content)
            yield from tokens.token_spans(self.content)
        if self.names:
            yield from assignments.assignment_spans(self.content)


def _given(spans: Iterable[Span], content: bytes, text: str) -> Iterator[tuple[int, int, Kind]]:
    """Yield spans (sorted, apart) in ``content`` as characters of ``text``."""
    parts = seen_parts(text)
    starts = list(accumulate((end - start for start, end in parts), initial=0))  # in characters of the content

    def place(character: int) -> int:
        part = bisect_right(starts, character) - 1
        return parts[part][0] + character - starts[part]

    byte, character = 0, 0
    for span in spans:
        character += len(content[byte : span.start].decode())
        start = character
        character += len(content[span.start : span.end].decode())
        byte = span.end
        yield place(start), place(character - 1) + 1, span.kind


def _private_spans(content: bytes) -> Iterator[Span]:
    """Yield what stands between private tags, nested ones as one; an open one reaches to the end."""
    depth, start = 0, 0
    for tag in re2.compile(_PRIVATE_TAG).finditer(content):
        if not tag.group(1):
            start = start if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield Span(start, tag.end(), Kind.PRIVATE)
    if depth:
        yield Span(start, len(content), Kind.PRIVATE)


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans in order, overlapping ones as one of the kind that was found first (private text, then key blocks, then forms)."""
    current: Span | None = None
    ranked = sorted(enumerate(spans), key=lambda item: (item[1].start, item[0]))
    rank = -1
    for number, span in ranked:
        if current is None or span.start >= current.end:
            if current:
                yield current
            current, rank = span, number
        else:
            kind = current.kind if rank <= number else span.kind
            current, rank = Span(current.start, max(current.end, span.end), kind), min(rank, number)
    if current:
        yield current
