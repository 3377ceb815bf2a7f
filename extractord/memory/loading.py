"""What of an index a session loads: the client's two caps, and the warning that says so.

Owns: trimming as the client trims, counting as it counts (UTF-16 code units, though it calls them bytes), where the cut falls.
Pure. Leaves keeping an index below its caps to ``index``, the words round it to ``prompt``.
"""

from __future__ import annotations

from dataclasses import dataclass

from extractord.memory.entries import DEFAULT_LIMITS, IndexLimits

# What JavaScript's trim takes off: not quite what Python's strip does (the byte order mark, and no U+001C to U+001F).
_BLANK = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The part of an index that a session sees. ``warning`` is "" if that is all of it; it counts toward no cap."""

    text: str
    warning: str = ""

    def __str__(self) -> str:
        return f"{self.text}\n\n{self.warning}" if self.warning else self.text


def load(text: str, limits: IndexLimits = DEFAULT_LIMITS) -> Loaded:
    """Return what is loaded of an index: cut by lines first, then at the last newline at or before the size cap.

    Only where there is no newline is a line cut, and then never within a character. CRLF counts as two units; what is loaded has
    plain line ends. All of this was seen on client 2.1.332.
    """
    whole = trimmed(text)
    lines, size = line_count(whole), units(whole)
    struck = [
        *([f"{lines:,} lines (at most {limits.lines:,} are loaded)"] if lines > limits.lines else []),
        *([f"{size:,} characters (at most {limits.units:,} are loaded)"] if size > limits.units else []),
    ]
    if not struck:
        return Loaded(_plain(whole))
    part = _cut("\n".join(whole.split("\n")[: limits.lines]), limits.units)
    said = f"> WARNING: MEMORY.md has {' and '.join(struck)}. Only the part above was loaded: keep each entry to one line of at most"
    return Loaded(_plain(part), f"{said} {limits.line_characters} characters, and put details into the topic files.")


def trimmed(text: str) -> str:
    """Return the text as the client trims it before it counts."""
    return text.strip(_BLANK)


def line_count(whole: str) -> int:
    """Return the lines of a trimmed text, 0 for an empty one."""
    return whole.count("\n") + 1 if whole else 0


def units(text: str) -> int:
    """Return a text's length in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _plain(text: str) -> str:
    return text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")


def _cut(text: str, most: int) -> str:
    raw = text.encode("utf-16-le", "surrogatepass")
    if len(raw) <= 2 * most:
        return text
    with_next = raw[: 2 * most + 2].decode("utf-16-le", "surrogatepass")  # a newline that stands just behind the cap counts
    newline = with_next.rfind("\n")
    if newline > 0:
        return text[:newline]
    part = raw[: 2 * most].decode("utf-16-le", "surrogatepass")
    return part if text.startswith(part) else part[:-1]  # of a pair that the cap parts, neither half is shown
