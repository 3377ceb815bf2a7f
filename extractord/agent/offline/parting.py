"""Which part of a sentence is the rule, which the reason, and what only stands in front.

Owns: cutting one sentence. Leaves which sentences go together to ``passages``.
"""

from __future__ import annotations

from extractord.agent.offline.finding import Finding, Part
from extractord.agent.offline.forms import first
from extractord.agent.offline.readings import CLAUSE, Kind, Reading, Strength
from extractord.agent.offline.subjects import words_of

Parted = tuple[tuple[Part, ...], tuple[Part, ...]]  # rule and reason


def as_said(kind: Kind, readings: tuple[Reading, ...], reason: tuple[Part, ...] = ()) -> Finding:
    """Return what sentences say as they stand, but for a clause that gives the reason."""
    rule: list[Part] = []
    for reading in readings:
        kept, why = split(reading)
        rule.extend(kept)
        reason = reason or why
    return Finding(kind, Strength.STANDING, "as said", tuple(rule), reason)


def whole(reading: Reading) -> Part:
    """Return a whole sentence as a part."""
    return Part(reading, 0, len(reading.sentence.text))


def split(reading: Reading) -> Parted:
    """Part a sentence into rule and reason, where the words say which is which."""
    text, speech, mark = reading.sentence.text, reading.speech, reading.mark
    if mark is None or mark.kind in (Kind.USER, Kind.REFERENCE) or (mark.kind is Kind.PROJECT and reading.task):
        return (_from_the_mark(reading),), ()
    for form in speech.therefore if mark.kind is Kind.FEEDBACK else ():
        match = form.search(reading.sentence.plain)
        if match and match.start() >= 12 and len(text) - match.end() > 6 and _rules(reading, match.end()):
            return (Part(reading, match.end(), len(text)),), (Part(reading, 0, match.start()),)
    return _cut_reason(reading, mark.at)


def _cut_reason(reading: Reading, after: int) -> Parted:
    """Cut the clause that gives the reason off a sentence; it begins after ``after``, and a rule may stand behind it again."""
    text, plain, speech = reading.sentence.text, reading.sentence.plain, reading.speech
    for start in sorted({m.start("why") for form in speech.reason for m in form.pattern.finditer(plain)}):
        end = len(text[:start].rstrip(" ,，、–—-:。"))
        if start > after and len(text) - start > 6 and end >= after + 3 and _says_more(reading, text[:end]):
            behind = next((m.end() for m in CLAUSE.finditer(plain, start + 4) if _rules_again(reading, m.end())), len(text))
            rest = (Part(reading, behind, len(text)),) if behind < len(text) else ()
            return (Part(reading, 0, end), *rest), (Part(reading, start, behind),)
    return (whole(reading),), ()


def _says_more(reading: Reading, rule: str) -> bool:
    """Whether a rule says more than that it is to be remembered ("write this down somewhere you'll see it, …")."""
    mark = reading.mark
    return bool(words_of(rule) - (_ANNOUNCING if mark is not None and mark.strength is Strength.ASKED else frozenset()))


_ANNOUNCING = words_of(
    "small reminder quick little tiny gentle important since otherwise either remember memory memories memorize mind mental note notes "
    "noted record records file down write written jot put keep commit save store forget permanent permanently lasting somewhere safe place "
    "see again find later future forever good sake session sessions general also "
    "merk merke notier notiere schreib auf vergiss gleich dauerhaft gedächtnis kopf immer später zukunft "
    "recuerda apunta anota nota notas memoria olvides guarda veces futuro "
    "记住 记下 记一下 记牢 记得 备忘 笔记 别忘了 帮我 这件事 这一条 这条 有件事 覚えて 覚えておいて メモ 記録 記憶 忘れないで 今後"
)


def _rules_again(reading: Reading, position: int) -> bool:
    """Whether the rule goes on after its reason (", so the next ones like that too")."""
    rest, speech = reading.sentence.plain[position:], reading.speech
    return any(first(forms, rest) is not None for forms in (speech.keep_on, speech.standing))


def _from_the_mark(reading: Reading) -> Part:
    """Leave out an order or a question that only stands in front ("explain …, I come from …")."""
    mark, plain = reading.mark, reading.sentence.plain
    if mark is not None and mark.kind is Kind.USER:
        return Part(reading, *reading.telling)
    if mark is not None and mark.kind is Kind.PROJECT and (colon := plain.find(": ")) > 0:
        return Part(reading, colon + 2, len(plain))
    if mark is not None and (reading.task or reading.has(reading.speech.temporary)):
        breaks = [m.end() for m in CLAUSE.finditer(plain) if m.end() <= mark.at + 4]
        if breaks and breaks[-1] > 8:
            return Part(reading, breaks[-1], len(plain))
    return whole(reading)


def _rules(reading: Reading, position: int) -> bool:
    """Whether what stands after ``position`` is the rule rather than a consequence told by the way."""
    mark = reading.mark
    return mark is not None and (mark.at >= position - 4 or first(reading.speech.correction, reading.sentence.plain[position:]) is not None)


def split_praise(reading: Reading) -> Parted:
    """Part a confirmation into the choice and why it was right."""
    return _cut_reason(reading, next((m.end() for f in reading.speech.approval if (m := f.search(reading.sentence.plain))), 8))
