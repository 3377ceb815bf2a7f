"""Why a topic says what it says: line by line, the changeset that wrote it, the sentences it rests on, and where they were said.

Owns: telling our lines from other people's, and finding a sentence's record in its transcript, if that still exists. Leaves the
words to ``report``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from extractord.errors import UsageError
from extractord.history.topics_named import NamedTopic
from extractord.ledger import FactRow
from extractord.memory.lines import Lines
from extractord.supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class Explained:
    """Lines of a topic that follow each other and have one origin. ``changeset`` None: somebody else wrote them."""

    lines: tuple[tuple[int, str], ...]  # each with its number, from 1
    changeset: str | None
    facts: tuple[FactRow, ...] = ()


def explained(supervisor: Supervisor, topic: NamedTopic) -> tuple[Explained, ...]:
    """Return the topic as it stands, blank lines left out; the one line only where one is named. Raises UsageError for no such line."""
    text = supervisor.directory(topic.memory_dir).read().text_of(topic.path)
    lines = list(Lines(text)) if text is not None else []
    if topic.line is not None and not 1 <= topic.line <= len(lines):
        raise UsageError(f"{topic.path} has no line {topic.line}", hint="`extractord why` without it shows all of them")
    return tuple(_grouped(supervisor, topic, lines))


def _grouped(supervisor: Supervisor, topic: NamedTopic, lines: list[str]) -> Iterator[Explained]:
    memory_dir = str(topic.memory_dir)
    origins = supervisor.ledger.changes_of_lines(memory_dir, topic.path)
    facts = supervisor.ledger.facts(memory_dir, topic.path)
    gathered: list[tuple[int, str]] = []
    origin = None
    for number, line in enumerate(lines, 1):
        if not line.strip() or topic.line not in (None, number):
            continue
        if gathered and origins.get(line) != origin:
            yield _one(gathered, origin, facts)
            gathered = []
        origin = origins.get(line)
        gathered.append((number, line))
    if gathered:
        yield _one(gathered, origin, facts)


def _one(lines: list[tuple[int, str]], changeset: str | None, facts: tuple[FactRow, ...]) -> Explained:
    return Explained(tuple(lines), changeset, tuple(fact for fact in facts if fact.changeset == changeset))


def place_in_transcript(supervisor: Supervisor, fact: FactRow) -> str:
    """Return where the sentence stands, as path:line; "" where the transcript, or the record in it, is gone."""
    seen = supervisor.ledger.sighting(fact.session)
    for path in dict.fromkeys(filter(None, (fact.transcript, seen.path if seen else ""))):
        number = _line_of(Path(path), fact.uuid)
        if number:
            return f"{path}:{number}"
    return ""


def _line_of(path: Path, uuid: str) -> int:
    """Return the number of the line with this record, 0 if there is none."""
    if not uuid or not path.is_file():  # a pipe by the name of a transcript would block
        return 0
    wanted = tuple(f'"uuid":{blank}"{uuid}"'.encode() for blank in ("", " "))
    try:
        with path.open("rb") as file:
            return next((number for number, line in enumerate(file, 1) if any(one in line for one in wanted)), 0)
    except OSError:
        return 0  # gone: the client cleans up its transcripts
