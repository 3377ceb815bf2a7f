"""What is said about topics that exist already: revoked, contradicted, moved, refined, or only said again.

Owns: matching what was said with the manifest, and what becomes of the matched topic. Leaves making the edits to ``revising``.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from extractord.agent.offline.finding import Finding, Message, Part
from extractord.agent.offline.forms import first
from extractord.agent.offline.parting import as_said, whole
from extractord.agent.offline.readings import MOMENTARY, SPEECHES, Kind, Reading, Strength
from extractord.agent.offline.sentences import language_of
from extractord.agent.offline.subjects import Words, kinship, share, words_of
from extractord.memory.manifest import TopicHead
from extractord.transcript.digest import Entry

COVERED = 0.8  # share of a statement's words that makes it known already
RELATED = 0.34  # kinship from which a new statement belongs to a known topic
CITED = 2  # words that the agent must share with a topic it speaks from


class Change(enum.Enum):
    """What becomes of a topic."""

    REPLACE = "replace"  # the newest statement stands where the old one stood
    EXTEND = "extend"
    REMOVE = "remove"
    GIVE_REASON = "give reason"  # the statement stands, its reason was told only now


@dataclass(frozen=True, slots=True)
class Revision:
    """A change of one topic, what is said now, and the sentences that bear it out."""

    topic: TopicHead
    change: Change
    finding: Finding  # what is to stand there; for REMOVE what revoked it
    borne_out: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """A topic with its words."""

    topic: TopicHead
    words: Words
    head: Words  # of name, description and statement
    says: Words  # of description and body: a name says nothing

    @classmethod
    def of(cls, topic: TopicHead) -> Known:
        # a topic without a name has that of its file, which anybody may have given to anything
        name = "" if topic.name == PurePosixPath(topic.file).stem else topic.name
        head = words_of(f"{name} {topic.description} {topic.body.split('**Why', 1)[0]}")
        return cls(topic, head | words_of(topic.body), head, words_of(f"{topic.description} {topic.body}"))

    def tells(self, finding: Finding) -> bool:
        """Whether what was found stands there already."""
        return self.topic.type in (finding.kind.value, "") and share(finding.rule_words, self.says) >= COVERED


def revisions_of(
    findings: Sequence[Finding], messages: Sequence[Message], entries: Sequence[Entry], manifest: Iterable[TopicHead]
) -> tuple[tuple[Revision, ...], tuple[Finding, ...]]:
    """Return the changes of known topics, and the findings that are left for new ones."""
    known = [Known.of(topic) for topic in manifest if topic.body.strip()]
    if not known:
        return (), tuple(findings)
    revisions: dict[str, Revision] = {}
    used: set[Reading] = set()
    for message in messages:
        if (revision := _revocation(message, entries, known, findings)) is not None:
            revisions[revision.topic.file] = revision
            used.update(revision.borne_out)
    for message in messages:
        for revision in _late_reasons(message, known):
            if revision.topic.file not in revisions:
                revisions[revision.topic.file] = revision
                used.update(revision.borne_out)
    left: list[Finding] = []
    for finding in findings:
        if used & set(finding.readings):
            continue
        closest = _closest(finding, entries, known)
        if closest is None:
            left.append(finding)
        elif (change := _relation(finding, closest)) is not None and closest.topic.file not in revisions:
            revisions[closest.topic.file] = Revision(closest.topic, change, finding, finding.readings)
    return tuple(r for r in revisions.values() if _is_newer(r)), tuple(left)


def _is_newer(revision: Revision) -> bool:
    """Whether the evidence is as new as the topic: older evidence may add, not change or delete."""
    newest = max(r.sentence.entry.evidence_time for r in revision.borne_out)
    return newest >= revision.topic.time or revision.change in (Change.EXTEND, Change.GIVE_REASON)


# --- revocations ------------------------------------------------------------------------------------------------------


def _revocation(message: Message, entries: Sequence[Entry], known: Sequence[Known], findings: Sequence[Finding]) -> Revision | None:
    """Return the change that a message makes to a topic by saying that something holds no more."""
    if not message or any(r.has(r.speech.private) for r in message):
        return None
    lost = [r for r in message if _revokes(r)]
    if not lost:
        return None
    said = frozenset[str]().union(*(r.words for r in lost))
    context, from_notes = _agent_before(message[0].sentence.position, entries)
    best = max(known, key=lambda k: 2 * len(k.words & said) + len(k.words & context) + kinship(k.head, said))
    if not _is_meant(best, lost, said, context if from_notes else frozenset()):
        return None
    statement = _statement(message, lost, best)
    borne_out = tuple(r for r in message if r in lost or r in statement)
    if not statement and not any(r.has(r.speech.revocation) for r in lost):
        return None  # "from now on" renews, it takes nothing back
    if not statement:
        return Revision(best.topic, Change.REMOVE, _finding(best, lost, ()), borne_out)
    reasons = [f.reason for f in findings if set(f.readings) & set(statement)]
    reason: tuple[Part, ...] = next((r for r in reasons if r), ())
    return Revision(best.topic, Change.REPLACE, _finding(best, statement, reason), borne_out)


def _revokes(reading: Reading) -> bool:
    if reading.asks or reading.spoiled not in ("", MOMENTARY):  # "now" spoils a new rule, but it is just how changes are told
        return False
    return _revokes_in_words(reading) or (reading.has(reading.speech.renewal) and not reading.task)


def _revokes_in_words(reading: Reading) -> bool:
    return reading.has(reading.speech.revocation) or (reading.has(reading.speech.moved) and bool(reading.ahead))


def _is_meant(known: Known, lost: Sequence[Reading], said: Words, cited: Words) -> bool:
    """Whether a revocation is about this topic: by its words, or as an answer to the agent that spoke from it."""
    own, common = len(known.words & said), len(known.words & cited)
    if any(r.has(r.speech.notes) for r in lost) and own + common >= 1:
        return True
    put_off = known.topic.type == Kind.PROJECT.value and any(r.has(r.speech.moved) and r.ahead for r in lost)
    if common and put_off:
        return True  # "got pushed to November 15" answers the agent that spoke of the date
    if common >= CITED or (common and own):
        return own >= 1 or lost[0].points
    if any(r.task for r in lost) or all(_rules_elsewhere(r, known) for r in lost):
        return False
    return len(known.head & said) >= (1 if put_off else 2)


def _rules_elsewhere(reading: Reading, known: Known) -> bool:
    """Whether a sentence is a rule of another type than the topic and revokes nothing in words ("from now on …")."""
    mark = reading.mark
    return mark is not None and known.topic.type not in (mark.kind.value, "") and not _revokes_in_words(reading)


def _statement(message: Message, lost: Sequence[Reading], best: Known) -> tuple[Reading, ...]:
    """Return the sentences that say what holds now: all that are about the topic, but for orders of the moment."""
    kept: list[Reading] = []
    for reading in message:
        if reading.asks or reading.spoiled not in ("", MOMENTARY) or _only_revokes(reading, best):
            continue
        about = reading in lost or bool(reading.words & best.words)
        if kept and not about and (reading.shifts or reading.task):
            break
        if about or kept or (reading.mark is not None and reading.mark.strength >= Strength.STANDING):
            kept.append(reading)
    return tuple(kept)


def _only_revokes(reading: Reading, best: Known) -> bool:
    """Whether nothing is left of a sentence but that the topic holds no more."""
    plain = reading.sentence.plain
    for form in (*reading.speech.revocation, *reading.speech.notes):
        plain = form.pattern.sub(" ", plain)
    said = len(words_of(plain) - best.words)
    told_to_forget = reading.has(reading.speech.notes) and not reading.has(reading.speech.renewal)
    return not reading.ahead and said <= (1 if told_to_forget else 0)


def _finding(known: Known, statement: Iterable[Reading], reason: tuple[Part, ...]) -> Finding:
    kind = Kind(known.topic.type) if known.topic.type in {k.value for k in Kind} else Kind.PROJECT
    return as_said(kind, tuple(statement), reason)


def _agent_before(position: int, entries: Sequence[Entry]) -> tuple[Words, bool]:
    """Return the words of what the agent said just before, and whether it spoke from its notes."""
    texts: list[str] = []
    for entry in reversed(entries[:position]):
        if entry.origin.typed:
            break
        texts.append(entry.text)
    text = "\n".join(texts)
    notes = SPEECHES[language_of(text)].notes
    return words_of(text), first(notes, text.lower()) is not None


def _late_reasons(message: Message, known: Sequence[Known]) -> Iterator[Revision]:
    """Yield the reason that a message tells at last for a known rule that had none."""
    for place, reading in enumerate(message):
        late = reading.has(reading.speech.late_reason)
        if reading.asks or reading.spoiled or not (late or reading.has(reading.speech.incident)):
            continue
        nearby = reading.words.union(*(r.words for r in message[max(0, place - 1) : place]))
        for topic in known:
            if UNTOLD in topic.topic.body and len(topic.head & nearby) >= (1 if late else 2):
                follows = [r for r in message[place + 1 : place + 2] if r.has(r.speech.consequence) and not r.spoiled and not r.asks]
                told = (reading, *follows)
                finding = Finding(
                    Kind(topic.topic.type), Strength.STANDING, "the reason at last", (whole(reading),), tuple(map(whole, told))
                )
                yield Revision(topic.topic, Change.GIVE_REASON, finding, told)


UNTOLD = "**Why:** not stated"


# --- the same subject -------------------------------------------------------------------------------------------------


def _closest(finding: Finding, entries: Sequence[Entry], known: Sequence[Known]) -> Known | None:
    """Return the topic that a finding belongs to."""
    words = finding.rule_words
    best = max(known, key=lambda k: (len(k.words & words), kinship(k.head, words)))
    if best.tells(finding):
        return best
    if len(best.words & finding.words) < 2 or best.topic.type not in (finding.kind.value, ""):
        return None
    context, from_notes = _agent_before(finding.position, entries)
    if from_notes and len(context & best.words) >= CITED:
        return best
    return best if len(best.head & words) >= 2 and kinship(best.head, words) >= RELATED else None


def _relation(finding: Finding, known: Known) -> Change | None:
    """Return what a finding changes in the topic it belongs to; None if it stands there already."""
    if known.tells(finding):
        untold = finding.reason and UNTOLD in known.topic.body
        return Change.GIVE_REASON if untold else None
    return Change.EXTEND
