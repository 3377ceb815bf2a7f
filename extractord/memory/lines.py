"""A text as lines that can be put in and taken out while every other byte stays.

Owns: line ends (each line keeps its own), a byte order mark, a missing last line end. Leaves what the lines mean to ``index``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_MARK = "\ufeff"


class Lines:
    """The lines of a text, without their ends; positions count from 0."""

    def __init__(self, text: str) -> None:
        self._mark = _MARK if text.startswith(_MARK) else ""
        pieces = text.removeprefix(_MARK).split("\n")
        last = pieces.pop()
        self._texts = [piece.removesuffix("\r") for piece in pieces]
        self._ends = ["\r\n" if piece.endswith("\r") else "\n" for piece in pieces]
        self._eol = self._ends[0] if self._ends else "\n"
        if last:
            self._texts.append(last)
            self._ends.append("")

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __getitem__(self, position: int) -> str:
        return self._texts[position]

    def text(self) -> str:
        return self._mark + "".join(line + end for line, end in zip(self._texts, self._ends, strict=True))

    def insert(self, position: int, line: str) -> None:
        """Put a line in front of the one at ``position``; the text ends with a line end only if it did before."""
        self.insert_all(position, (line,))

    def insert_all(self, position: int, lines: Sequence[str]) -> None:
        """Put lines in front of the one at ``position``, in their order."""
        ends = [self._eol] * len(lines)
        if position == len(self._texts) and self._ends and not self._ends[-1]:
            self._ends[-1], ends[-1] = self._eol, ""
        self._texts[position:position] = lines
        self._ends[position:position] = ends

    def replace(self, position: int, line: str) -> None:
        self._texts[position] = line

    def remove(self, position: int) -> None:
        end = self._ends[position]
        del self._texts[position], self._ends[position]
        if not end and self._ends:
            self._ends[-1] = ""
