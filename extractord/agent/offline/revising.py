"""Edits of topics that exist: the fewest lines that must change, everything else as it was.

Owns: finding statement, reason and application in a body, and the calls that change them. Leaves what is to be changed to
``updates``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from extractord.agent.offline.dates import Recurring, dates_in
from extractord.agent.offline.readings import Kind
from extractord.agent.offline.updates import Change, Revision
from extractord.agent.offline.writing import NOT_STATED, body_of, call_input, quote_of, worded, yaml

_WHY = re.compile(r"^\*\*Why:?\*\*:?[^\n]*(?:\n(?!\s*\n|\*\*|#)[^\n]+)*", re.MULTILINE)
_HOW = re.compile(r"^\*\*How to apply:?\*\*:?[^\n]*(?:\n(?!\s*\n|\*\*|#)[^\n]+)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """One tool call, and the same call in other spellings should it not apply."""

    tool: str
    input: dict[str, Any]
    otherwise: tuple[dict[str, Any], ...] = ()


def steps_of(revision: Revision) -> Iterator[Step]:
    """Yield the calls that carry a revision out."""
    topic = revision.topic
    evidence = [quote_of(reading) for reading in revision.borne_out][:5]
    match revision.change:
        case Change.REMOVE:
            yield Step("Delete", call_input(topic.file, evidence))
        case Change.EXTEND:
            last = _last_paragraph(topic.body)
            added = body_of(revision.finding.kind, worded(revision.finding)).rstrip("\n")
            yield _edit(revision, last, f"{last}\n\n{added}")
        case Change.GIVE_REASON:
            yield _edit(revision, f"**Why:** {NOT_STATED}", f"**Why:** {worded(revision.finding).reason}")
        case Change.REPLACE:
            yield from _replacement(revision)


def _edit(revision: Revision, old: str, new: str) -> Step:
    """Return an edit that keeps the topic's kind of line end."""
    if "\r\n" in revision.topic.body:
        new = new.replace("\r\n", "\n").replace("\n", "\r\n")
    evidence = [quote_of(reading) for reading in revision.borne_out][:5]
    return Step("Edit", call_input(revision.topic.file, evidence, old_string=old, new_string=new))


def _last_paragraph(body: str) -> str:
    return re.split(r"\n\s*\n", body.strip())[-1].strip()


def _replacement(revision: Revision) -> Iterator[Step]:
    """Yield the edits that put the newest statement in place of the old one, with its reason."""
    topic, words = revision.topic, worded(revision.finding)
    body = topic.body.replace("\r\n", "\n")
    why, how = _WHY.search(body), _HOW.search(body)
    first = min((m.start() for m in (why, how) if m), default=len(body))
    start = len(body) - len(body.lstrip())
    end = len(body[:first].rstrip())
    new = words.statement
    if why:
        end = why.end()
        new += f"\n\n**Why:** {words.reason or NOT_STATED}"
    # how a revoked rule was applied holds no more than the rule; a project's how outlives its date unless it hangs on it
    over = revision.finding.kind is Kind.FEEDBACK or (how is not None and _hangs_on(how[0], body[start:first], new, revision))
    if how and over and how.start() >= end:
        end = how.end()
        new += f"\n**How to apply:** {words.apply}"
    if not why and words.reason:
        new += f"\n{words.reason}"
    old = body[start:end]
    yield _edit(revision, old.replace("\n", "\r\n") if "\r\n" in topic.body else old, new)
    if topic.description and topic.description != words.description:
        yield _described(revision, words.description)


def _hangs_on(how: str, old: str, new: str, revision: Revision) -> bool:
    """Whether what follows from a plan names a day of the old statement that the new one no longer has."""
    said = revision.borne_out[0].said.date()
    in_how, before, after = ({d.day for d in dates_in(text, said, recurring=Recurring.TAKEN)} for text in (how, old, new))
    return bool(in_how & before - after)


def _described(revision: Revision, description: str) -> Step:
    """Return the edit of the description; how it is quoted in the file is not known, so there are other spellings."""
    old = revision.topic.description
    evidence = [quote_of(reading) for reading in revision.borne_out][:5]
    spellings = [old, f'"{old}"', "'" + old.replace("'", "''") + "'"]
    inputs = [
        call_input(revision.topic.file, evidence, old_string=f"description: {spelling}\n", new_string=f"description: {yaml(description)}\n")
        for spelling in spellings
    ]
    return Step("Edit", inputs[0], tuple(inputs[1:]))
