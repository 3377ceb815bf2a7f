"""A briefing in words: the system prompt, which is the same in every run, and the first message, which is not.

Owns: the order of things, how much of memory is shown whole, the fences round what is data, and that nothing leaves unredacted.
Leaves the rules' words to ``prompts/*.md``, the tools' to ``tool_forms``.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import islice

import msgspec

from extractord.agent.briefing import Briefing
from extractord.agent.frames import ShellOffer
from extractord.agent.prompts import words_of
from extractord.agent.tool_forms import tools
from extractord.agent.wire import Dialogue
from extractord.memory.age import age_text
from extractord.memory.manifest import Tombstone, TopicHead
from extractord.memory.words import folded_words
from extractord.redact import redact
from extractord.transcript.digest import Entry
from extractord.transcript.messages import Origin

_PARTS = ("data.md", "what.md", "evidence.md")  # of both forms of an agent run
SHOWN_TOPICS = 6  # in full
SHOWN_CHARACTERS = 12_000  # of all of them together
LISTED_TOPICS = 200  # MEMORY-RULES §7
INDEX_CHARACTERS = 25_000  # MEMORY-RULES §4
DESCRIPTION = 200  # characters of a line of the manifest
CALENDAR_WEEKS = 6
TOMBSTONES = 20
TOMBSTONE_WORDS = 25
_COMMON = 0.5  # a word that so many of the topics have tells nothing
_SPEAKERS = {
    Origin.PROMPT: "user",
    Origin.QUEUED: "user, while the agent worked",
    Origin.REFUSAL: "user, refusing the call",
    Origin.ACCEPTANCE: "user, accepting the call",
    Origin.ANSWER: "user, answering a question",
    Origin.NOTE: "user, beside a chosen option",
    Origin.AGENT: "agent",
}


def system_prompt(task: str = "task.md") -> str:
    """Return the part that is the same in every run; ``task`` says how it is to answer: by tools, or in one shot."""
    return words_of(task, *_PARTS)


def opening(briefing: Briefing, shell: ShellOffer) -> Dialogue:
    """Return the conversation as it begins. ``briefing`` is one that ``narrowed`` returned: the bodies in it are shown."""
    closing = _FOUND + "\n".join(briefing.candidates) + f"\n\n{CLOSING}" if briefing.candidates else CLOSING
    return Dialogue.opened(system_prompt(), tools(shell), first_message(briefing, closing))


def narrowed(briefing: Briefing) -> Briefing:
    """Return the briefing with the bodies of those topics only that are likely to be touched: what is shown counts as read."""
    return with_bodies(briefing, _likely(briefing))


def with_bodies(briefing: Briefing, whole: Collection[str]) -> Briefing:
    """Return the briefing as it may be shown, with the bodies of those topics only."""
    heads = tuple(head if head.file in whole else msgspec.structs.replace(head, body="") for head in briefing.manifest[:LISTED_TOPICS])
    return msgspec.structs.replace(briefing, manifest=heads, tombstones=briefing.tombstones[:TOMBSTONES])


_FOUND = (
    "These candidates were found beforehand in the messages above, each in its own session, oldest first. Check each against the rules "
    "and the memory as it is, and save what holds; a later one about the same subject counts. Quote as they do.\n\n"
)
CLOSING = "Save what the next session should know, all in one answer, or answer: nothing."


def first_message(briefing: Briefing, closing: str = CLOSING) -> str:
    """Return what a run is about. Redacted as a whole: whatever stood in memory does not leave either."""
    moment = datetime.fromisoformat(briefing.now).timestamp()
    return _message(briefing, (*memory_told(briefing, moment), *team_told(briefing), *removed_told(briefing.tombstones)), closing)


def session_message(briefing: Briefing, closing: str) -> str:
    """Return the same without the memory as it is."""
    return _message(briefing, (), closing)


def _message(briefing: Briefing, known: Iterable[str], closing: str) -> str:
    parts = [where_and_when(briefing), *known, _chunk_note(briefing), _calendar(briefing.digest.entries)]
    text = redact("\n\n".join(filter(None, parts))).text
    return f"{text}\n\n{fenced('session', (_said(entry) for entry in briefing.digest.entries))}\n\n{closing}"


def where_and_when(briefing: Briefing) -> str:
    """Return how a first message begins."""
    now = datetime.fromisoformat(briefing.now)
    return (
        f"It is {now:%A}, {now.isoformat(timespec='minutes')}. Project folder: {briefing.digest.cwd or 'unknown'}. "
        "Topics are named by their path in the memory directory, other files from the project folder."
    )


def memory_told(briefing: Briefing, now: float) -> Iterator[str]:
    yield "# Memory as it is"
    if not briefing.manifest and not briefing.index.strip():
        yield "There is none yet."
        return
    if briefing.index.strip():
        yield "MEMORY.md, the index:\n" + fenced("index", [briefing.index.strip()[:INDEX_CHARACTERS]])
    if briefing.manifest:
        yield "Topics, newest first:\n" + fenced("manifest", (head_line(head, now) for head in briefing.manifest))
    yield from (
        f"{head.file} in full (below its header):\n" + fenced("topic", [head.body.strip()]) for head in briefing.manifest if head.body
    )


def team_told(briefing: Briefing) -> Iterator[str]:
    """Yield what a run has to know of team memory, where there is any."""
    if briefing.team_index is None:
        return
    yield words_of("team.md").strip()
    if briefing.team_index.strip():
        yield "team/MEMORY.md, its index:\n" + fenced("team index", [briefing.team_index.strip()[:INDEX_CHARACTERS]])


def head_line(head: TopicHead, now: float) -> str:
    """Return a topic's line of the manifest."""
    said = " ".join(f"{head.name}: {head.description}".split())[:DESCRIPTION]
    waits = ", waits for the person's review" if head.waits else ""
    return f"{head.file} ({head.type or 'no type'}, {_day(head.time)}, {age_text(head.time, now)}{waits}) {said}"


def removed_told(tombstones: Iterable[Tombstone]) -> Iterator[str]:
    lines = [f"- {_day(stone.time)} {stone.slug}: {' '.join(stone.words[:TOMBSTONE_WORDS])}" for stone in tombstones]
    if lines:
        yield "# Removed by the person, not to come back\n\n" + fenced("removed", lines)


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).astimezone().date().isoformat()


def _chunk_note(briefing: Briefing) -> str:
    digest = briefing.digest
    return f"# The session, part {digest.chunk + 1} of {digest.chunks}" if digest.chunks > 1 else "# The session"


def _calendar(entries: Iterable[Entry]) -> str:
    """Return the weeks from the first message to a fortnight after the last: models are bad at weekdays."""
    days = [date.fromisoformat(entry.said[:10]) for entry in entries]
    if not days:
        return ""
    monday = min(days) - timedelta(days=min(days).weekday())
    weeks = min((max(days) - monday).days // 7 + 3, CALENDAR_WEEKS)
    return "Calendar:\n" + "\n".join(_week(monday + timedelta(weeks=number)) for number in range(weeks))


@functools.lru_cache(maxsize=512)
def _week(monday: date) -> str:
    later = (monday + timedelta(days=number) for number in range(1, 7))
    return ", ".join((f"Mon {monday.isoformat()}", *(f"{day:%a %d}" for day in later)))


def _said(entry: Entry) -> str:
    """Return one message; it is redacted since it was digested, and left as it is: quotes are compared with it."""
    asked = f'\n(asked: "{entry.question}")' if entry.question else ""
    calls = "".join(f"\n· {call}" for call in entry.calls)
    return f"[{entry.id}] {_moment(entry.said)} {_SPEAKERS[entry.origin]}:{asked}\n{entry.text}{calls}\n"


def _moment(said: str) -> str:
    """Return an ISO moment as a person reads it, with its weekday, in the zone of who said it."""
    return f"{datetime.fromisoformat(said):%a %Y-%m-%d %H:%M}"


def fenced(what: str, lines: Iterable[str]) -> str:
    """Return data between two lines that nothing in it can imitate: they carry a figure made from it."""
    text = "\n".join(lines)
    mark = hashlib.sha256(f"{what}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"==== {what} {mark} begins ====\n{text}\n==== {what} {mark} ends ===="


# --- likely topics


def _likely(briefing: Briefing) -> frozenset[str]:
    """Return the topics that share most words with what was said; words that most topics have do not count."""
    if not briefing.manifest:
        return frozenset()
    said = frozenset(word for entry in briefing.digest.entries if entry.origin.typed for word in folded_words(entry.text))
    words = {head.file: frozenset(folded_words(f"{head.name} {head.description} {head.body}")) for head in briefing.manifest}
    often = _often(words.values())
    scores = {file: len((own & said) - often) for file, own in words.items()}
    return frozenset(islice(fitting(sorted(briefing.manifest, key=lambda head: -scores[head.file]), SHOWN_CHARACTERS), SHOWN_TOPICS))


def _often(topics: Iterable[frozenset[str]]) -> frozenset[str]:
    every = list(topics)
    if len(every) <= SHOWN_TOPICS:
        return frozenset()
    counts: dict[str, int] = {}
    for words in every:
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    return frozenset(word for word, count in counts.items() if count > _COMMON * len(every))


def fitting(heads: Iterable[TopicHead], room: int) -> Iterator[str]:
    """Yield the first topics that may be shown whole, in so many characters.

    One that holds a secret may not: shown otherwise it would not count as read.
    """
    for head in heads:
        if head.body.strip() and len(head.body) <= room and redact(head.body).text == head.body:
            room -= len(head.body)
            yield head.file
