"""Reading and composing a topic: a Markdown file with a small YAML header.

Owns: where the header ends, what name, description, type and times it gives, however people and programs wrote it, and what
of YAML is refused. Leaves changing a header to ``stamps``, files to ``directory``, whether a topic may be saved to ``checks``.
"""

from __future__ import annotations

import enum
import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import yaml
from frontmatter.default_handlers import YAMLHandler

TYPES = ("user", "feedback", "project", "reference")
HEADER_BYTES = 4_096
READ_AGAIN = 2_000  # topics whose reading is remembered: as many as are looked at in a directory

_FRONT = re.compile(
    r"\A(?P<lead>\ufeff?(?:[ \t]*\r?\n)*)(?P<open>---[ \t]*\r?\n)(?P<header>.*?)(?P<close>^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE
)
_OPENED = re.compile(r"\A\ufeff?(?:[ \t]*\r?\n)*---[ \t]*(?:\r?\n|\Z)")
_KEY = re.compile(r"^(?P<indent>[ ]*)(?P<key>[\w-]+)[ \t]*:(?:[ \t]+(?P<value>.*?))?[ \t]*$")
_REFUSED_TOKENS = {
    yaml.AnchorToken: "a YAML anchor",
    yaml.AliasToken: "a YAML alias",
    yaml.TagToken: "a YAML tag",
    yaml.DirectiveToken: "a YAML directive",
}
_YAML_ERRORS = (yaml.YAMLError, ValueError, RecursionError)


class TopicForm(enum.Enum):
    """How a topic's header could be read."""

    YAML = "yaml"
    BY_LINE = "line by line"  # no valid YAML, but it has keys
    NONE = "none"  # there is no header, or it never ends
    REFUSED = "refused"  # too long, or more of YAML than a topic needs; read line by line


@dataclass(frozen=True, slots=True)
class Topic:
    """What a topic says of itself. Values are one line each, "" where nothing is given."""

    name: str
    description: str
    type: str  # in small letters; as written, so perhaps none of TYPES
    modified: float | None  # seconds since the epoch
    origin_session: str
    body: str  # all that follows the header's last line, every byte
    form: TopicForm
    problem: str = ""  # what a person should know about the header, "" if nothing

    @property
    def header_ok(self) -> bool:
        """Whether there is a header and it could be read."""
        return self.form in (TopicForm.YAML, TopicForm.BY_LINE)


@dataclass(frozen=True, slots=True)
class Parts:
    """A topic's text in four pieces which together are the text."""

    opening: str  # byte order mark, blank lines, the first ---
    header: str
    closing: str  # the second ---
    body: str


def split(text: str) -> Parts | None:
    """Return the pieces of a topic, or None if it has no header that ends."""
    found = _FRONT.match(text)
    if found is None:
        return None
    return Parts(found["lead"] + found["open"], found["header"], found["close"], text[found.end() :])


@functools.lru_cache(maxsize=READ_AGAIN)
def parse(text: str) -> Topic:
    """Read a topic. Never raises: what is wrong with it is said in ``form`` and ``problem``.

    Reading YAML takes a millisecond, and a directory is read several times within one piece of work.
    """
    parts = split(text)
    if parts is None:
        problem = "the header never ends" if _OPENED.match(text) else "no header"
        return Topic("", "", "", None, "", text, TopicForm.NONE, problem)
    refusal = refusal_of(parts.header)
    if refusal:
        return _topic(by_line(parts.header[:HEADER_BYTES]), parts.body, TopicForm.REFUSED, f"the header {refusal}")
    values = load(parts.header)
    if values is not None:
        return _topic(values, parts.body, TopicForm.YAML, "")
    values = by_line(parts.header)
    if values:
        return _topic(values, parts.body, TopicForm.BY_LINE, "the header is not valid YAML and was read line by line")
    empty = not parts.header.strip()
    return _topic({}, parts.body, TopicForm.NONE, "the header is empty" if empty else "the header has no keys")


def refusal_of(header: str) -> str:
    """Return why a header is not given to the YAML reader ("holds a YAML tag" …), "" if it may be.

    Only tokens are looked at, in one pass: nothing is built, so that no alias can expand and no tag can call anything.
    """
    if len(header.encode("utf-8", "surrogatepass")) > HEADER_BYTES:
        return f"is longer than {HEADER_BYTES} bytes"
    try:
        for token in yaml.scan(header, Loader=yaml.BaseLoader):
            if what := _REFUSED_TOKENS.get(type(token)):
                return f"holds {what}"
    except _YAML_ERRORS:
        return ""  # no YAML at all: it will be read line by line, where none of this means anything
    return ""


def load(header: str) -> Mapping[str, object] | None:
    """Return a header's values, all scalars as the text that stands there, or None if it is no YAML mapping."""
    try:
        values = YAMLHandler().load(header, Loader=yaml.BaseLoader)
    except _YAML_ERRORS:
        return None
    return values if isinstance(values, dict) and all(isinstance(key, str) for key in values) else None


def by_line(header: str) -> Mapping[str, object]:
    """Return what a header says when each line is read by itself: ``key: value``, lists and folded text below their key."""
    values: dict[str, object] = {}
    nested: dict[str, object] = {}
    lists: dict[str, list[str]] = {}
    last = ""
    for line in re.split(r"\r?\n", header):
        found = _KEY.match(line)
        if found and not found["indent"]:
            last = found["key"]
            values.setdefault(last, _unquoted(found["value"] or ""))
        elif found and last == "metadata":
            nested.setdefault(found["key"], _unquoted(found["value"] or ""))
        elif last and line.strip() and line[:1] in " \t-":
            lists.setdefault(last, []).append(line.strip().removeprefix("- "))
    for key, entries in lists.items():
        if values[key] in ("", "|", ">", "|-", ">-"):
            values[key] = entries if values[key] == "" else " ".join(entries)
    return {**values, "metadata": nested} if nested else values


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        read = load(f"k: {value}")
        return readable(read["k"]) if read and "k" in read else value[1:-1]
    return value


def _topic(values: Mapping[str, object], body: str, form: TopicForm, problem: str) -> Topic:
    nested = values.get("metadata")
    inner: Mapping[str, object] = nested if isinstance(nested, dict) else {}

    def value(key: str) -> str:
        return readable(inner[key]) if readable(inner.get(key)) else readable(values.get(key))

    name, description = readable(values.get("name")), readable(values.get("description"))
    return Topic(name, description, value("type").lower(), moment(value("modified")), value("originSessionId"), body, form, problem)


def readable(value: object) -> str:
    """Return a header's value as one line of text: lists joined with commas, mappings as "key: value"."""
    match value:
        case None:
            return ""
        case str():
            return " ".join(value.split())
        case dict():
            return ", ".join(f"{readable(key)}: {readable(inner)}" for key, inner in value.items())
        case list() | tuple():
            return ", ".join(readable(inner) for inner in value)
        case _:
            return str(value)


def moment(text: str) -> float | None:
    """Return an ISO 8601 time or day as seconds since the epoch (UTC where no offset is given), None if it is none."""
    try:
        read = datetime.fromisoformat(text)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def iso(time: float) -> str:
    """Return seconds since the epoch as the client writes them: UTC, milliseconds, Z."""
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def scalar(value: str) -> str:
    """Return ``value`` as a YAML value on one line that every reader gives back as just this text."""
    line = f"k: {value}"
    if value and "\n" not in value and value.isprintable() and not refusal_of(line):
        try:
            if yaml.safe_load(line) == {"k": value}:
                return value
        except _YAML_ERRORS:
            pass  # it needs quotes, which is what we wanted to know
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else _escaped(char) for char in quoted)


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def compose(name: str, description: str, type: str, body: str) -> str:  # noqa: A002 - the header's own word
    """Return the text of a new topic; name and description are brought to one line."""
    header = f"name: {scalar(readable(name))}\ndescription: {scalar(readable(description))}\nmetadata:\n  type: {scalar(type)}\n"
    return f"---\n{header}---\n\n{body.strip(chr(10))}\n"
