"""Lists that stand under a heading ("remember for this repo:", "implement these rules:"), and a line for each thing.

Owns: which lines of a message are items of such a list. Leaves what an item says to ``readings``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from extractord.agent.offline.readings import Listed, Reading

_BULLET = re.compile(r"\s*(?:[-*•–—]|\d{1,2}[.)])\s*")


def with_lists(message: Sequence[Reading]) -> tuple[Reading, ...]:
    """Return a message in which headings of lists, and the items below them, are told apart from sentences."""
    out: list[Reading] = []
    heading: Reading | None = None
    items = Listed.NOT
    for reading in message:
        if (kind := _items_below(reading)) is not Listed.NOT:
            heading, items = reading, kind
        elif heading is not None and _begins_an_item(reading, heading):
            out = [replace(r, listed=Listed.HEADING) if r.sentence is heading.sentence else r for r in out]
            out.append(replace(reading, listed=items))
            continue
        elif heading is not None and _before(reading) == "":
            heading = None  # a line of its own that is no item ends the list
        out.append(reading)
    return tuple(out)


def _items_below(reading: Reading) -> Listed:
    """Return what the items below a sentence are, if it is the heading of a list that says so."""
    if reading.asks:
        return Listed.WORK  # "which of these do we have?": what is asked about was not said
    if not reading.sentence.plain.endswith(":"):
        return Listed.NOT
    if reading.has(reading.speech.heading):
        return Listed.RULE
    if reading.has(reading.speech.heading_facts):
        return Listed.FACT
    told = reading.has(reading.speech.inform) or reading.has(reading.speech.remember)
    work = reading.has(reading.speech.heading_work) or (reading.task and not told)
    return Listed.WORK if work else Listed.NOT


def _begins_an_item(reading: Reading, heading: Reading) -> bool:
    """Whether a sentence begins a line with a bullet, or without one right below the heading."""
    before, distance = _before(reading), reading.sentence.paragraph - heading.sentence.paragraph
    return distance <= 1 and (_BULLET.fullmatch(before) is not None or (distance == 0 and before == ""))


def _before(reading: Reading) -> str:
    """Return what stands before a sentence in its line, without blanks and opening quotes."""
    text = reading.sentence.entry.text[: reading.sentence.start]
    return text.rsplit("\n", 1)[-1].strip(" \t\r`\"'“")
