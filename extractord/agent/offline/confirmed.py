"""Unusual choices of the agent that a person confirms: praise, and the wish that it be done so again.

Owns: finding them, and which sentence of the agent is meant where the person only points. Leaves rules to ``findings``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from extractord.agent.offline.finding import THIN, Accepted, Finding, Message, Part
from extractord.agent.offline.parting import split_praise, whole
from extractord.agent.offline.passages import PASSAGE, grown
from extractord.agent.offline.readings import Kind, Reading, Strength
from extractord.agent.offline.subjects import words_of
from extractord.transcript.digest import Entry

CONFIRMED_TURNS = 3  # how far back the agent's sentence may lie
_PIECES = re.compile(r"[^\s.。！？\n](?:[^.。！？\n]|\.(?=\S))*[.。！？]?")


def confirmation(message: Message, entries: Sequence[Entry]) -> Finding | None:
    """Return the choice that a message confirms; ``entries`` are all messages of the digest."""
    for index, reading in enumerate(message):
        if reading.spoiled or not reading.has(reading.speech.approval):
            continue
        nearby = [r for r in message[index : index + 3] if not r.spoiled]
        last = next((place for place, r in enumerate(nearby) if r.has(r.speech.keep_on)), None)
        if last is None:
            continue
        finding = _confirmed(nearby[: last + 1])
        behind = list(message).index(nearby[last]) + 1
        finding = grown(finding, message[behind : behind + PASSAGE])
        return replace(finding, accepted=_what_was_confirmed(finding, entries))
    return None


def _confirmed(said: Sequence[Reading]) -> Finding:
    """Return what sentences confirm, from the praise to the wish; what stands between is the reason."""
    rule: list[Part] = []
    reason: list[Part] = []
    for reading in said:
        speech = reading.speech
        lasting = reading.has(speech.incident) or reading.has(speech.because_of_people)
        if reading is not said[0] and not reading.has(speech.keep_on) and lasting:
            reason.append(whole(reading))
        else:
            kept, why = split_praise(reading)
            rule.extend(kept)
            reason.extend(why)
    return Finding(Kind.FEEDBACK, Strength.STANDING, "a choice confirmed", tuple(rule), tuple(reason))


def _what_was_confirmed(finding: Finding, entries: Sequence[Entry]) -> Accepted | None:
    """Return the agent's sentence that is meant, where the person only pointed at it."""
    if len(finding.words) > THIN:
        return None
    turn = finding.entry.turn
    earlier = [entry for entry in entries if not entry.origin.typed and turn - CONFIRMED_TURNS <= entry.turn < turn]
    pieces = [(entry, piece) for entry in earlier for piece in _PIECES.findall(entry.text) if 20 <= len(piece) <= 300]
    entry, best = max(pieces, key=lambda p: len(words_of(p[1]) & finding.words), default=(None, ""))
    if entry is None or not words_of(best) & finding.words:
        return None
    return Accepted(entry, best, finding.entry)
