"""The scan: a quick look whether anything could be there, then the forms, then the markers.

Owns: the order of the steps (``quick_look`` first), and getting from positions in the text as scanned (without hidden characters, full-width letters
made narrow) back to the text as given. Leaves what a secret looks like to ``tokens``, ``assignments`` and ``key_blocks``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import re2

from extractord.redact import assignments, tokens
from extractord.redact.hidden import seen_parts
from extractord.redact.key_blocks import key_block_spans
from extractord.redact.kinds import Kind, Span
from extractord.redact.quick_look import could_hold_any, could_hold_forms, could_hold_names, has_unseen, suspects


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text fit to be kept: ``text`` with a marker for each secret, ``found`` their kinds in order."""

    text: str
    found: tuple[Kind, ...] = ()


# Full-width ASCII, made narrow one for one.
_NARROW = {chr(0xFF01 + i): chr(0x21 + i) for i in range(94)}
_WIDE = re.compile("[\uff01-\uff5e]")
_PRIVATE_TAG = rb"(?i)<\s{0,9}(/?)\s{0,9}private(?:\s[^<>]{0,200})?>"


def redact(text: str) -> Redacted:
    """Return ``text`` with markers in the place of secrets and of what stands between ``<private>`` tags (or after an open one)."""
    if not could_hold_any(text.encode("utf-8", "replace")):
        return Redacted(text)
    scanned = _Scanned.of(text)
    spans = [*_private_spans(scanned.content), *_secret_spans(scanned.content)]
    pieces: list[str] = []
    found: list[Kind] = []
    done = 0
    for start, end, kind in scanned.given(_joined(spans)):
        pieces += (text[done:start], kind.marker)
        found.append(kind)
        done = end
    return Redacted("".join((*pieces, text[done:])), tuple(found)) if found else Redacted(text)


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
    if not could_hold_any(text.encode("utf-8", "replace")):
        return ()
    return tuple(span.kind for span in _joined(_secret_spans(_Scanned.of(text).content)))


@dataclass(frozen=True, slots=True)
class _Scanned:
    """A text made ready: ``content`` is what is scanned, ``parts`` where its characters stood in the text as given."""

    content: bytes
    parts: tuple[tuple[int, int], ...]
    starts: tuple[int, ...]  # of the parts, in characters of ``content``

    @classmethod
    def of(cls, text: str) -> _Scanned:
        raw = text.encode("utf-8", "replace")
        if not has_unseen(raw):
            return cls(raw, ((0, len(text)),), (0,))
        parts = tuple(seen_parts(text))
        shown = "".join(text[a:b] for a, b in parts)
        if not shown.isascii():
            shown = _WIDE.sub(lambda match: _NARROW[match.group()], shown)
        # "replace" puts one "?" for a lone surrogate, so characters keep their number
        starts = tuple(accumulate((b - a for a, b in parts), initial=0))
        return cls(shown.encode("utf-8", "replace"), parts, starts)

    def given(self, spans: Iterable[Span]) -> Iterator[tuple[int, int, Kind]]:
        """Yield the spans (sorted, apart) in characters of the text as given."""
        byte, character = 0, 0
        for span in spans:
            character += len(self.content[byte : span.start].decode())
            start = character
            character += len(self.content[span.start : span.end].decode())
            byte = span.end
            yield self._place(start), self._place(character - 1) + 1, span.kind

    def _place(self, character: int) -> int:
        part = bisect_right(self.starts, character) - 1
        return self.parts[part][0] + character - self.starts[part]


def _secret_spans(content: bytes) -> Iterator[Span]:
    if could_hold_forms(content):
        yield from key_block_spans(content)
        yield from tokens.token_spans(content)
    if could_hold_names(content):
        yield from assignments.assignment_spans(content)


def _private_spans(content: bytes) -> Iterator[Span]:
    """Yield what stands between private tags, nested ones as one; an open one reaches to the end."""
    if b"private" not in content.lower():
        return
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
