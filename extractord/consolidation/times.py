"""Dates in topics: what is over goes, what means another day tomorrow is written out.

Owns: both rules for the offline consolidation. Leaves the forms of dates to ``memory.dates`` and ``agent.offline.dates``. Pure.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from extractord.agent.offline.dates import written_out
from extractord.consolidation.drafts import Drafts
from extractord.consolidation.marks import without_mark
from extractord.consolidation.material import Item, says
from extractord.memory.dates import DateSpan, past_date, undated_relative
from extractord.memory.passages import Part, passages
from extractord.memory.topics import split

# What is told of a day that lay ahead when it was said; a decision of that day holds on.
_AHEAD = re.compile(
    r"(?i)\b(?:until|till|by|before|through|due|deadline|freez\w*|frozen|will|planned|scheduled|upcoming|release[sd]?|launch\w*|cut(?:s|over)?|"
    r"starts?|ends?|expires?|on\s+hold|during|next|out\s+of\s+office|vacation|demo|meeting|review|bis|vor|frist|geplant|urlaub|eingefroren|"
    r"hasta|antes|para|plazo|previst\w*|congelad\w*|vacaciones)\b|截止|之前|以前|冻结|凍結|期间|计划|上线|发布|まで|期限|予定|リリース"
)
_HAPPENED = re.compile(
    r"(?i)\b(?:decided|chose|chosen|agreed|switched|moved|migrated|replaced|adopted|introduced|dropped|removed|was|were|had|"
    r"beschlossen|entschieden|umgestellt|eingeführt|war|wurde|decid\w+|cambi\w+|fue)\b|决定|改为|改用|已经|決定|移行した"
)


def drop_what_is_over(drafts: Drafts) -> None:
    """Let project topics go all of whose statements are about days that lie behind."""
    today = drafts.material.now.date()
    for item in tuple(drafts.items.values()):
        if item.topic.type == "project" and (past := _over(item, today)):
            drafts.drop(item.file, f"{past.text} has passed")


def _over(item: Item, today: date) -> DateSpan | None:
    """Return the latest day that a topic is about if that has passed and nothing in it goes on."""
    stated = [p.text for p in passages(without_mark(item.text)) if p.part is not Part.REASON]
    body = [p.text for p in passages(without_mark(item.text)) if p.part is Part.STATEMENT]
    past = past_date("\n".join(stated), today)
    return past if past and body and all(past_date(text, today) and _looked_ahead(text) for text in body) else None


def _looked_ahead(text: str) -> bool:
    return _AHEAD.search(text) is not None and _HAPPENED.search(text) is None


def write_dates_out(drafts: Drafts) -> None:
    """Write the day beside each relative date in a project topic, reckoned from when the topic was last borne out."""
    for item in tuple(drafts.items.values()):
        if item.topic.type == "project" and (text := _dated(item)) != item.text:
            drafts.put(item.file, text, item.time, "relative dates are written out")


def _dated(item: Item) -> str:
    day = datetime.fromtimestamp(item.time, UTC).astimezone().date()
    parts = split(item.text)
    if parts is None:
        return item.text
    lines = [_line_dated(line, day) for line in parts.body.split("\n")]
    return parts.opening + parts.header + parts.closing + "\n".join(lines)


def _line_dated(line: str, day: date) -> str:
    return written_out(line, day) if says(line) and undated_relative(line) else line
