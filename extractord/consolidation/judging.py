"""Which proposed changes stand, which wait for a person, which are refused.

Owns: the rules of consolidation: foreign text is only proposed, the newest evidence wins, what goes must be said elsewhere, be past
or be contradicted, and never much at once. Leaves the rules that hold for every change to ``memory.checks``. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from extractord.consolidation.changes import Change, Judged
from extractord.consolidation.marks import without_mark
from extractord.consolidation.material import Item, Material
from extractord.memory.checks import CheckLimits, Facts, Fate, check, needs_evidence, vanishes
from extractord.memory.dates import past_date
from extractord.memory.overlap import telling
from extractord.memory.passages import (
    NOT_STATED,
    Part,
    Passage,
    added_passages,
    application_in,
    is_subsequence,
    lines_of,
    passages,
    reason_in,
    words_said,
)
from extractord.memory.words import share_of

SUPPORTED = 0.5  # share of a new statement's words that the cited places must have
DESCRIBED = 0.34  # the same for a name or description, which sums up
COVERED = 0.8  # share of a statement's words that another text must have to say it too
_SLACK = 0.01  # seconds, as the checks have it
UNCOVERED = "nothing else in memory says what goes with this: a person decides"
THEIRS = "a person or the client wrote this: it is only proposed"


def judge(changes: Sequence[Change], material: Material, limits: CheckLimits) -> Judged:
    """Return each change with its fate, after the rules that only all of them together can break."""
    fates = [(change, *rule(change, material, limits)) for change in changes]
    accepted = [change for change, fate, _ in fates if fate is Fate.ACCEPTED]
    held = [(change, reason) for change, fate, reason in fates if fate is Fate.HELD]
    refused = tuple((change, reason) for change, fate, reason in fates if fate is Fate.REFUSED)
    while alone := [(change, reason) for change in accepted if (reason := _stands_alone(change, accepted, material))]:
        held += alone
        accepted = [change for change in accepted if change not in [one for one, _ in alone]]
    going = [change for change in accepted if vanishes(change.proposal) and _lost(change, accepted, material)]
    if len(going) > _most(material, limits):
        reason = f"{len(going)} of {len(material.items)} topics would go at once: a person decides"
        held += [(change, reason) for change in going]
        accepted = [change for change in accepted if change not in going]
    return Judged(tuple(accepted), tuple(held), refused)


def rule(change: Change, material: Material, limits: CheckLimits) -> tuple[Fate, str]:
    """Return the fate of one change by itself, with the reason."""
    finding = check(change.proposal, _facts(change, material), limits)
    if finding.fate is Fate.REFUSED:
        return Fate.REFUSED, finding.reason
    if reason := _older(change, material) or _invented(change, material):
        return Fate.REFUSED, reason
    if finding.fate is Fate.HELD:
        return Fate.HELD, finding.reason
    if _touches_theirs(change, material.items.get(change.file)):
        return Fate.HELD, THEIRS
    return Fate.ACCEPTED, ""


def order(changes: Iterable[Change]) -> tuple[str, ...]:
    """Return the topics that lose something, in the order in which they may be written once all others are."""
    losing = [change for change in changes if change.before is not None and _dropped(change)]
    return tuple(change.file for change in sorted(losing, key=lambda change: change.after is None))


# --- one change ------------------------------------------------------------------------------------------------------------


def _facts(change: Change, material: Material) -> Facts:
    """Return what the checks are told: what a person removed counts where nothing cited is newer.

    Of the other topics only a new one has to know, for its name.
    """
    there = material.topics.get(change.file)
    topics = material.topics if there is None else {change.file: there}
    stones = tuple(stone for stone in material.tombstones if stone.time > change.time)
    return Facts(now=material.now, memory_dir=material.memory_dir, topics=topics, norms=material.norms, tombstones=stones)


def _older(change: Change, material: Material) -> str:
    """Refuse that older evidence changes what newer evidence says; it may add. What goes whole is judged with all the others."""
    item = material.items.get(change.file)
    if item is None or not change.others or not needs_evidence(change.proposal):
        return ""
    times = material.times
    if any(times.get(cited.file, 0.0) >= item.time - _SLACK for cited in change.cited):
        return ""
    if change.after is None or is_subsequence(words_said((change.before or "").replace(NOT_STATED, "")), words_said(change.after)):
        return ""
    return "what this topic says is newer than what is cited against it: it stands; change the older one"


def _invented(change: Change, material: Material) -> str:
    """Refuse a statement whose words stand neither in the topic nor in what it cites."""
    if change.after is None:
        return ""
    known = _words_of([change.before or "", *(cited.quote for cited in change.cited), *_texts_of(change.others, material)])
    for passage in added_passages(change.before, without_mark(change.after)):
        if application_in(passage):
            continue  # when a rule holds follows from the rule
        words = frozenset(word for word in telling(reason_in(passage) or _without_label(passage)) if not word.isdigit())
        if words and share_of(words, known) < (DESCRIBED if passage.part is Part.TITLE else SUPPORTED):
            return f"none of the cited topics and logs says {passage.text[:80]!r}: cite where it stands, or leave it out"
    return ""


def _without_label(passage: Passage) -> str:
    return "" if passage.part is Part.REASON else passage.text


def _touches_theirs(change: Change, item: Item | None) -> bool:
    if item is None or not item.theirs:
        return False
    return not item.is_ours or not item.theirs <= frozenset(lines_of(change.after or ""))


# --- all together ----------------------------------------------------------------------------------------------------------


def _stands_alone(change: Change, accepted: Sequence[Change], material: Material) -> str:
    """Return why a change that drops something has to wait: nothing that is written says it."""
    left = [passage for passage in _lost(change, accepted, material) if not _is_over(change, passage, material)]
    return UNCOVERED if left else ""


def _lost(change: Change, accepted: Sequence[Change], material: Material) -> tuple[Passage, ...]:
    """Return the statements that a change drops and that no other text says.

    What is cited may say it in other words: where it took the statement up, or is as new. All others have to have every word,
    since two statements that contradict each other differ in a word or two.
    """
    dropped, texts = _dropped(change), _texts(accepted, material)
    takers = {one.file for one in accepted if change.file in one.others}
    times, own = material.times, material.items[change.file].time if change.file in material.items else 0.0
    loosely = [file for file in change.others if file in takers or times.get(file, 0.0) >= own - _SLACK]
    left = _unsaid(dropped, (*(texts.get(file, "") for file in loosely), change.after or "", *material.norms), COVERED)
    return _unsaid(left, (text for file, text in texts.items() if file != change.file), 1.0)


def _unsaid(dropped: Iterable[Passage], texts: Iterable[str], least: float) -> tuple[Passage, ...]:
    left = tuple(dropped)
    for text in texts:
        if not left:
            return ()
        words = _stems(text)
        left = tuple(passage for passage in left if share_of(_stems(passage.text), words) < least)
    return left


def _stems(text: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in telling(text))


def _dropped(change: Change) -> tuple[Passage, ...]:
    """Return the statements of the topic that its new text does not have word for word, without names and descriptions."""
    if change.before is None:
        return ()
    kept = {passage.text for passage in passages(change.after)} if change.after is not None else frozenset[str]()
    return tuple(p for p in passages(without_mark(change.before)) if p.part is not Part.TITLE and p.text not in kept and telling(p.text))


def _is_over(change: Change, passage: Passage, material: Material) -> bool:
    """Whether a statement may go though nothing else says it: its dates are past, or newer evidence is cited against it."""
    if past_date(passage.text, material.now.date()):
        return True
    item = material.items.get(change.file)
    if passage.part is Part.REASON or item is None:  # a reason goes with its statement
        return True
    times = material.times
    return any(times.get(file, 0.0) >= item.time - _SLACK and _speaks_of(file, passage, material) for file in change.others)


def _speaks_of(file: str, passage: Passage, material: Material) -> bool:
    words = telling(passage.text)
    return any(len(words & telling(text)) >= min(2, len(words)) for text in _texts_of((file,), material))


def _most(material: Material, limits: CheckLimits) -> int:
    return max(limits.vanishing_least, min(limits.vanishing_most, len(material.items) // limits.vanishing_part))


def _texts(accepted: Iterable[Change], material: Material) -> dict[str, str]:
    """Return all topics as they are once the accepted changes are made."""
    texts = {file: item.text for file, item in material.items.items()}
    for change in accepted:
        texts[change.file] = change.after or ""
    return texts


def _texts_of(files: Iterable[str], material: Material) -> Iterator[str]:
    for file in files:
        if file in material.items:
            yield material.items[file].text
        yield from (log.text for log in material.logs if log.file == file)


def _words_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(telling, texts))


def with_time(change: Change, material: Material) -> Change:
    """Return a change as old as the newest of what it rests on."""
    times = material.times
    return replace(change, time=max((times.get(file, 0.0) for file in (change.file, *change.others)), default=0.0))
