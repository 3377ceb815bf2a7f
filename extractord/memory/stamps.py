"""Changing the header lines that tell when and by whom a topic was written, and no other byte.

Owns: ``metadata`` with ``node_type``, ``type``, ``originSessionId`` and ``modified`` as the client stamps them, and the quotes
that a new name or description needs. Leaves reading to ``topics``; the body is never looked at.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

import yaml

from extractord.memory.topics import Topic, TopicForm, load, parse, scalar, split

_TOP = re.compile(r"^(?P<key>name|description):[ \t]+(?P<value>\S.*?)[ \t]*$")
_FLAT_TYPE = re.compile(r"^type:[ \t]+(?P<value>[^\s|>#].*?)[ \t]*$")
_OPENS_YAML = tuple("\"'[{|>")


def stamp(text: str, session: str, modified: str, before: str | None = None) -> str:
    """Return ``text`` stamped as the client stamps what is written into a memory directory.

    ``modified`` (ISO 8601) is always put. Without ``before`` the topic is new: it also gets ``originSessionId`` unless it has
    one, and a type at the top goes below ``metadata``. With ``before``, the text it had, these stay as they are. Lines of name
    and description that are not in ``before`` are quoted where YAML needs it. A text without a header that can be read, or
    whose header would not read back as it was, comes back unchanged.
    """
    old, parts = parse(text), split(text)
    if parts is None or not old.header_ok:
        return text
    eol = "\r\n" if parts.opening.endswith("\r\n") else "\n"
    lines = [line.removesuffix("\r") for line in parts.header.split("\n")[:-1]]
    ends = ["\r\n" if line.endswith("\r") else "\n" for line in parts.header.split("\n")[:-1]]
    header = _Header([_Line(line, end) for line, end in zip(lines, ends, strict=True)], eol)
    header.quote(_header_lines(before))
    if before is None:
        header.nest_type()
        if session:
            header.put("originSessionId", scalar(session), replace=False)
    header.put("modified", modified, replace=True)
    stamped = parts.opening + header.text() + parts.closing + parts.body
    return stamped if _reads_back(old, parse(stamped), modified) else text


def _header_lines(text: str | None) -> frozenset[str]:
    parts = split(text) if text is not None else None
    return frozenset(line.removesuffix("\r") for line in parts.header.split("\n")) if parts else frozenset()


def _reads_back(old: Topic, new: Topic, modified: str) -> bool:
    same = (old.type, old.body) == (new.type, new.body) and bool(old.name) == bool(new.name)
    time = parse(f"---\nmodified: {modified}\n---\n").modified
    return same and new.header_ok and new.modified == time and (new.form is TopicForm.YAML or old.form is not TopicForm.YAML)


@dataclass(slots=True)
class _Line:
    text: str
    end: str


class _Header:
    """The lines of a header, changed one at a time."""

    def __init__(self, lines: list[_Line], eol: str) -> None:
        self._lines = lines
        self._eol = eol

    def text(self) -> str:
        return "".join(line.text + line.end for line in self._lines)

    def quote(self, kept: frozenset[str]) -> None:
        """Quote the name and description that YAML would not read as they stand; lines in ``kept`` stay."""
        broken = load(self.text()) is None
        for line in self._lines:
            found = _TOP.match(line.text)
            if found and line.text not in kept and _needs_quotes(line.text, found["key"], found["value"], broken):
                line.text = f"{found['key']}: {scalar(found['value'])}"

    def nest_type(self) -> None:
        """Take a type from the top below ``metadata``, unless there is one."""
        for at, line in enumerate(self._lines):
            found = _FLAT_TYPE.match(line.text)
            if found and self._kind() is not _Kind.SCALAR and not self._has("type"):
                del self._lines[at]
                self.put("type", found["value"], replace=False)
                return

    def put(self, key: str, value: str, *, replace: bool) -> None:
        """Give ``key`` below ``metadata`` this value; one that is there stays unless ``replace``."""
        match self._kind():
            case _Kind.FLOW:
                self._put_flow(key, value, replace=replace)
            case _Kind.SCALAR:  # "metadata: 7" is somebody's own key: ours go beside it
                self._put_line(key, value, 0, len(self._lines), "", replace=replace)
            case _Kind.NONE:
                self._lines.append(_Line("metadata:", self._eol))
                self._put_block(key, value, replace=replace)
            case _Kind.BLOCK:
                self._put_block(key, value, replace=replace)

    def _put_block(self, key: str, value: str, *, replace: bool) -> None:
        start, end = self._block()
        indent = next((_indent(line.text) for line in self._lines[start:end] if line.text.strip()), "  ")
        self._put_line(key, value, start, end, indent, replace=replace)
        start, end = self._block()
        if not self._has("node_type"):
            self._lines.insert(start, _Line(f"{indent}node_type: memory", self._eol))

    def _put_line(self, key: str, value: str, start: int, end: int, indent: str, *, replace: bool) -> None:
        for line in self._lines[start:end]:
            if re.match(rf"{indent}{re.escape(key)}[ \t]*:(?:[ \t]|$)", line.text):
                if replace:
                    line.text = f"{indent}{key}: {value}"
                return
        self._lines.insert(self._above_type(start, end, indent), _Line(f"{indent}{key}: {value}", self._eol))

    def _above_type(self, start: int, end: int, indent: str) -> int:
        """Return where a new key goes: above a type that stands last.

        The type is the one key that every reader wants; some go line by line and take an indented line after a value for more of it.
        """
        last = self._lines[end - 1].text if end > start else ""
        return end - 1 if indent and last.startswith(f"{indent}type:") else end

    def _put_flow(self, key: str, value: str, *, replace: bool) -> None:
        """Edit ``metadata: {…}`` where its parts stand; the reader's own marks tell where."""
        text, node = self.text(), self._flow()
        if node is None:
            return
        for inner, given in node.value:
            if inner.value == key:
                if replace:
                    self._take(text[: given.start_mark.index] + value + text[given.end_mark.index :])
                return
        at = node.value[-1][1].end_mark.index if node.value else node.start_mark.index + 1
        self._take(text[:at] + (", " if node.value else "") + f"{key}: {value}" + text[at:])

    def _take(self, text: str) -> None:
        pieces = text.split("\n")[:-1]
        self._lines = [_Line(piece.removesuffix("\r"), "\r\n" if piece.endswith("\r") else "\n") for piece in pieces]

    def _kind(self) -> _Kind:
        at = self._metadata()
        if at is None:
            return _Kind.NONE
        value = self._lines[at].text.partition(":")[2].strip()
        if value.startswith("{"):
            return _Kind.SCALAR if self._flow() is None else _Kind.FLOW
        start, end = self._block()
        children = [line.text.strip() for line in self._lines[start:end] if line.text.strip()]
        is_list = bool(children) and children[0].startswith("- ")
        return _Kind.SCALAR if (value and not value.startswith("#")) or is_list else _Kind.BLOCK

    def _metadata(self) -> int | None:
        return next((at for at, line in enumerate(self._lines) if re.match(r"metadata[ \t]*:(?:[ \t]|$)", line.text)), None)

    def _block(self) -> tuple[int, int]:
        """Return where the lines below ``metadata:`` begin and end."""
        start = end = (self._metadata() or 0) + 1
        for at in range(start, len(self._lines)):
            text = self._lines[at].text
            if text.strip() and not text.startswith((" ", "- ")):
                break
            if text.strip():
                end = at + 1
        return start, end

    def _has(self, key: str) -> bool:
        if (node := self._flow()) is not None:
            return any(inner.value == key for inner, _ in node.value)
        at = self._metadata()
        start, end = self._block() if at is not None else (0, 0)
        return any(re.match(rf"[ ]+{re.escape(key)}[ \t]*:(?:[ \t]|$)", line.text) for line in self._lines[start:end])

    def _flow(self) -> yaml.MappingNode | None:
        try:
            root = yaml.compose(self.text(), Loader=yaml.BaseLoader)
        except (yaml.YAMLError, RecursionError):
            return None
        pairs = root.value if isinstance(root, yaml.MappingNode) else []
        found = next((value for key, value in pairs if key.value == "metadata"), None)
        return found if isinstance(found, yaml.MappingNode) and found.flow_style else None


class _Kind(enum.Enum):
    """How ``metadata`` is written."""

    NONE = "not there"
    BLOCK = "lines below it"
    FLOW = "braces"
    SCALAR = "something else"


def _indent(text: str) -> str:
    return text[: len(text) - len(text.lstrip(" "))]


def _needs_quotes(line: str, key: str, value: str, broken: bool) -> bool:
    read = load(line)
    if read is None:
        return broken  # in a header that reads well it is the first line of a longer value
    return read.get(key) != value and not value.startswith(_OPENS_YAML)
