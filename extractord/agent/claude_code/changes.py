"""The answer of a single shot: JSON, which becomes the calls that a model with tools would have made.

Owns: finding the object in what was said and the form of its list. Leaves each change's own form to ``inputs``, which refuses it
like any call, and whether it is right to the checks. Pure.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from extractord.agent.child import NOTHING_WRITTEN
from extractord.agent.loop import WRITING
from extractord.agent.protocol import ToolCall
from extractord.errors import WorkerError

_FENCE = re.compile(r"\A```\w*\s*\n(.*?)\n?```\s*\Z", re.DOTALL)
_NOTHING = re.compile(r"\A\W*nothing\W*\Z", re.IGNORECASE)


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    changes: list[dict[str, Any]]


_answer = msgspec.json.Decoder(_Answer)


def calls_of(said: str) -> tuple[ToolCall, ...]:
    """Return the calls that an answer comes to, none where nothing is to be saved. Raises WorkerError for another form."""
    if _NOTHING.match(said.strip()):
        return ()
    for candidate in objects_in(said):
        try:
            changes = _answer.decode(candidate)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            continue
        return tuple(_call(number, change) for number, change in enumerate(changes.changes, start=1))
    raise WorkerError("the model did not answer in the form that was asked for", hint=NOTHING_WRITTEN)


def objects_in(said: str) -> tuple[str, ...]:
    """Return where the JSON object of an answer may stand: all of it, its fenced part, or from the first brace to the last."""
    text = said.strip()
    fenced = _FENCE.match(text)
    start, end = text.find("{"), text.rfind("}")
    return fenced[1] if fenced else text, text[start : end + 1]


def _call(number: int, change: dict[str, Any]) -> ToolCall:
    kind = change.get("change")
    given = {key: value for key, value in change.items() if key != "change"}
    return ToolCall(f"change-{number}", kind if isinstance(kind, str) and kind in WRITING else "", given)
