"""Private keys as blocks of text: PEM, OpenSSH, PGP and PuTTY, whole or cut off at either end.

Owns: finding the block. One pass, so that a text full of false beginnings costs no more than its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from extractord.redact.kinds import Kind, Span

_EDGE = rb"-{4,5} ?(BEGIN|END) (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|(Private-Lines: \d{1,4})\r?\n"
_RUN = rb"[A-Za-z0-9+/=\\]{16,}"
_LAST_RUN = rb"(?<![A-Za-z0-9+/=\\])[A-Za-z0-9+/=\\]{16,}+\s*$"
_MARGIN = rb"[ \t>|#*\"'`-]*+(?:\\[nr])?"
# A line of a key's body, as it may stand in a quotation, a list, a YAML block or a string constant.
_BODY_LINE = rb"[ \t>|#*\"'`-]*+[A-Za-z0-9+/=\\]++[\"'`+,; \t]*+\r?$"
_WORD_LINE = rb"\W*[A-Za-z][a-z]*\W*$"
_HEADER_LINE = rb"[ \t>|#*+\"'`-]*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n]*$|\s*$"
_LONGEST = 20_000  # bytes of a block; an RSA key of 16,384 bits has 12,700


GLANCE = r"(?:BEGIN|END) (?:[A-Z0-9]+ )*PRIVATE KEY|Private-Lines: \d"  # (RE2) is in any text in which a block is found


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    """Return a pattern compiled; not done at import, since most texts hold no key."""
    return re.compile(pattern)


def key_block_spans(text: bytes) -> Iterator[Span]:
    """Yield the key blocks in ``text`` (UTF-8), not overlapping, in order."""
    if b"PRIVATE KEY" not in text and b"Private-Lines" not in text:
        return
    edges = list(_compiled(_EDGE).finditer(text))
    done = 0
    for i, edge in enumerate(edges):
        following = edges[i + 1] if i + 1 < len(edges) else None
        if edge.group(1) == b"END":
            start = _body_start(text, edge.start(), done)
            if start < edge.start():
                yield Span(start, edge.end(), Kind.PRIVATE_KEY)
                done = edge.end()
            continue
        if following and following.group(1) == b"END" and following.start() - edge.end() <= _LONGEST:
            if _compiled(_RUN).search(text, edge.end(), following.start()):
                yield Span(edge.start(), following.end(), Kind.PRIVATE_KEY)
                done = following.end()
            else:
                done = max(done, following.start())
            continue
        end = _body_end(text, edge.end(), following.start() if following else len(text))
        if end > edge.end():
            yield Span(edge.start(), end, Kind.PRIVATE_KEY)
            done = end


def _body_end(text: bytes, start: int, limit: int) -> int:
    """Return where the body of a block whose end is missing ends; ``start`` if there is none."""
    position, end = start, start
    limit = min(limit, start + _LONGEST)
    while position < limit:
        stop = text.find(b"\n", position, limit)
        stop = limit if stop < 0 else stop
        line = text[position:stop]
        run = _compiled(_RUN).match(line, _compiled(_MARGIN).match(line).end())  # type: ignore[union-attr]
        if run:
            end = position + run.end()
            if line[run.end() :].strip(b"\"'`+,; \t\r"):
                return end  # prose goes on after it
        elif _compiled(_BODY_LINE).match(line) and end > start and line.strip() and not _compiled(_WORD_LINE).match(line):
            return stop  # the last, short line
        elif not _compiled(_HEADER_LINE).match(line):
            return end
        position = stop + 1
    return end


def _body_start(text: bytes, end: int, floor: int) -> int:
    """Return where the body of a block whose beginning is missing begins; ``end`` if there is none."""
    start, position = end, end
    floor = max(floor, end - _LONGEST)
    while position > floor:
        line_start = max(text.rfind(b"\n", floor, max(floor, position - 1)) + 1, floor)
        line = text[line_start:position].rstrip(b"\n")
        whole = _compiled(_BODY_LINE).match(line)
        run = _compiled(_LAST_RUN).search(line)
        if run:
            start = line_start if whole else line_start + run.start()
        if line.strip() and not (whole and (run or start == end)):
            break
        position = line_start
    return start
