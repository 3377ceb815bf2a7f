"""From the bullets of daily logs to topics, by the offline extractor's rules.

Owns: the order (day by day, so that later days count), which topics a bullet may be about, and what becomes of a bullet whose kind
the log tells. Leaves forms of speech and wording to ``agent.offline``. Pure; a bullet that says nothing lasting stays in its log.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from extractord.agent.briefing import Briefing
from extractord.agent.editing import EditFailedError, replaced
from extractord.agent.offline.drafts import merged, was_removed
from extractord.agent.offline.finding import Finding
from extractord.agent.offline.findings import findings_in
from extractord.agent.offline.proposals import is_ahead, read
from extractord.agent.offline.readings import Kind
from extractord.agent.offline.revising import Step, steps_of
from extractord.agent.offline.subjects import share, words_of
from extractord.agent.offline.updates import revisions_of
from extractord.agent.offline.writing import DESCRIPTION, Words, file_of, slug_of, topic_text, worded
from extractord.consolidation.changes import Cited
from extractord.consolidation.drafts import Drafts
from extractord.consolidation.material import Item, NewLines
from extractord.memory.daily_log import Bullet, bullets_in
from extractord.memory.dates import past_date
from extractord.memory.manifest import TopicHead
from extractord.transcript.digest import Digest, Entry
from extractord.transcript.messages import Origin

RELATED = 12  # topics that the bullets of a day are compared with: those that share most of their words
KNOWN = 0.8  # share of a bullet's words that makes a topic tell it already
REVOKED = "No longer holds: "
USUALLY = "whenever this comes up in this project."
_LONGEST = 2_000  # characters of a bullet that are looked at
_NAME = re.compile(r"(?<![A-Za-zÀ-ÿ])[A-Za-z][A-Za-z0-9]*(?![A-Za-zÀ-ÿ])")


def distil(drafts: Drafts) -> None:
    """Make topics of what is new in the logs, or bring those up to date that are there."""
    index = _Words(drafts)
    for log in drafts.material.logs:
        bullets = tuple(bullets_in(log.text, log.day))
        if bullets:
            _distil_day(drafts, index, log, bullets)


class _Words:
    """Which topics hold which words: of a thousand topics a day's bullets concern a few."""

    def __init__(self, drafts: Drafts) -> None:
        self._drafts = drafts
        self._holders: dict[str, set[str]] = defaultdict(set)
        for item in drafts.items.values():
            self.note(item)

    def note(self, item: Item) -> None:
        for word in words_of(item.text):
            self._holders[word].add(item.file)

    def related(self, words: frozenset[str]) -> tuple[TopicHead, ...]:
        """Return the topics that share at least two words, closest first."""
        counts = Counter(file for word in words for file in self._holders.get(word, ()))
        close = sorted((file for file, count in counts.items() if count >= 2 and file in self._drafts.items), key=lambda f: (-counts[f], f))
        return tuple(_head(self._drafts.items[file]) for file in close[:RELATED])


@dataclass(frozen=True, slots=True)
class _Day:
    """The bullets of a day as a conversation with one speaker."""

    log: NewLines
    bullets: tuple[Bullet, ...]
    entries: tuple[Entry, ...]
    briefing: Briefing

    @classmethod
    def of(cls, drafts: Drafts, log: NewLines, bullets: tuple[Bullet, ...], manifest: tuple[TopicHead, ...]) -> _Day:
        entries = tuple(_entry(number, bullet) for number, bullet in enumerate(bullets))
        digest = Digest("", drafts.material.project_root, entries, 0, len(entries))
        return cls(log, bullets, entries, Briefing(digest, manifest, "", drafts.material.now.isoformat(), drafts.material.tombstones))

    def cited(self, finding: Finding) -> tuple[Cited, ...]:
        numbers = sorted({reading.sentence.position for reading in finding.readings})
        return tuple(Cited(self.log.file, self.bullets[number].statement) for number in numbers)

    def time(self, finding: Finding) -> float:
        return max(reading.sentence.entry.evidence_time for reading in finding.readings)


def _distil_day(drafts: Drafts, index: _Words, log: NewLines, bullets: tuple[Bullet, ...]) -> None:
    words = frozenset[str]().union(*(words_of(bullet.statement) for bullet in bullets))
    day = _Day.of(drafts, log, bullets, index.related(words))
    messages = read(day.briefing)
    found = merged(findings_in(messages, day.entries))
    revisions, left = revisions_of(found, messages, day.entries, day.briefing.manifest)
    used: set[int] = set()
    for revision in revisions:
        numbers = {reading.sentence.position for reading in revision.borne_out}
        cited = tuple(Cited(log.file, bullets[number].statement) for number in sorted(numbers))
        time = max(bullets[number].said.timestamp() for number in numbers)
        if revision.topic.file in drafts.items and _apply(drafts, tuple(steps_of(revision)), time, cited):
            used |= numbers
            if revision.topic.file in drafts.items:
                index.note(drafts.items[revision.topic.file])
    used |= {reading.sentence.position for one in found if one not in left for reading in one.readings}
    for finding in left:
        if all(bullets[reading.sentence.position].type for reading in finding.readings):
            continue  # taken below as it stands, with its reason
        if not was_removed(finding, drafts.material.tombstones) and is_ahead(finding):
            _make(drafts, index, *_text_of(finding, drafts.taken()), day.time(finding), day.cited(finding))
        used |= {reading.sentence.position for reading in finding.readings}
    for number, bullet in enumerate(bullets):
        if bullet.type and number not in used:
            _take_typed(drafts, index, log, bullet)


def _entry(number: int, bullet: Bullet) -> Entry:
    reason = f" The reason is that {bullet.reason}" if bullet.reason and not bullet.type else ""
    text = f"{bullet.statement}{reason}"[:_LONGEST]
    return Entry(f"m{number + 1}", Origin.PROMPT, text, bullet.said.isoformat(), bullet.said.timestamp(), "", number)


def _head(item: Item) -> TopicHead:
    topic = item.topic
    return TopicHead(item.file, topic.name, topic.description, topic.type, item.time, topic.body)


def _text_of(finding: Finding, taken: Iterable[str]) -> tuple[str, str]:
    slug = slug_of(finding)
    return file_of(finding, slug, taken), topic_text(finding.kind, slug, worded(finding))


def _make(drafts: Drafts, index: _Words, file: str, text: str, time: float, cited: tuple[Cited, ...]) -> None:
    drafts.put(file, text, time, f"from {cited[0].file}", cited)
    index.note(drafts.items[file])


def _apply(drafts: Drafts, steps: Sequence[Step], time: float, cited: tuple[Cited, ...]) -> bool:
    """Carry the calls of a revision out on the drafts; return whether one of them did anything."""
    done = False
    for step in steps:
        file = step.input["file_path"]
        if step.tool == "Delete":
            drafts.drop(file, f"revoked in {cited[0].file}", cited)
            return True
        for spelling in (step.input, *step.otherwise):
            try:
                text = replaced(drafts.items[file].text, spelling["old_string"], spelling["new_string"])
            except EditFailedError:
                continue
            drafts.put(file, text, time, f"from {cited[0].file}", cited)
            done = True
            break
    return done


# --- bullets whose kind the log tells: we wrote them ourselves


def _take_typed(drafts: Drafts, index: _Words, log: NewLines, bullet: Bullet) -> None:
    said, cited = bullet.said.timestamp(), (Cited(log.file, bullet.statement),)
    if bullet.statement.startswith(REVOKED):
        revoked = words_of(bullet.statement.removeprefix(REVOKED))
        for head in index.related(revoked):
            if share(revoked, words_of(f"{head.description} {head.name}")) >= KNOWN and head.time <= said:
                drafts.drop(head.file, f"revoked in {log.file}", cited)
        return
    words = words_of(bullet.statement)
    heads = index.related(words)
    if any(head.type == bullet.type and share(words, words_of(f"{head.description} {head.body}")) >= KNOWN for head in heads):
        return
    today = drafts.material.now.date()
    removed = any(stone.time > said and share(words, words_of(" ".join(stone.words))) >= KNOWN for stone in drafts.material.tombstones)
    if words and not removed and not (bullet.type == Kind.PROJECT.value and past_date(bullet.statement, today)):
        kind = Kind(bullet.type)
        name = _name(bullet)
        wording = Words(bullet.statement, bullet.reason, bullet.apply or USUALLY, _described(bullet.statement))
        _make(drafts, index, _file(kind, name, drafts.taken()), topic_text(kind, name, wording), said, cited)


def _name(bullet: Bullet) -> str:
    names = [word.lower() for word in _NAME.findall(bullet.statement) if words_of(word)]
    return "-".join(dict.fromkeys(names[:4]))[:40].strip("-") or f"{bullet.said:%Y-%m-%d-%H%M}"


def _file(kind: Kind, name: str, taken: Iterable[str]) -> str:
    stem, names = f"{kind.value}_{name.replace('-', '_')}", {one.casefold() for one in taken}
    return next(file for file in _numbered(stem) if file.casefold() not in names)


def _numbered(stem: str) -> Iterator[str]:
    yield f"{stem}.md"
    number = 2
    while True:
        yield f"{stem}_{number}.md"
        number += 1


def _described(statement: str) -> str:
    return statement.rstrip(".。") if len(statement) <= DESCRIPTION else statement[: DESCRIPTION - 1].rsplit(" ", 1)[0] + "…"
