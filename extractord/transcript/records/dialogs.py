"""Words that a person typed in a dialog of the client; they stand in the lines of tool results.

Owns: refusals and acceptances with a remark, answers to questions, notes beside an option, in the forms of the client 2.1.197
(no flags, fixed wording) and 2.1.332 (``userFeedback``, ``permissionDecision``). Leaves prompts to the module above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from extractord.transcript.messages import Origin
from extractord.transcript.records.envelope import tidy
from extractord.transcript.records.events import Typed
from extractord.transcript.records.wire import Block, Line, loosely

REFUSED = "The user doesn't want to proceed with this tool use"
SAID = "the user said:\n"
# What the client itself puts in a person's place.
CHAT_ABOUT_THIS = "The user wants to clarify these questions"
_ANSWERS = b'"answers"'
NOTES_ONLY = "(notes only)"
BY_A_PERSON = "user_"  # how ``permissionDecision.source`` begins where a dialog was shown
# From here on (2.1.197 writes no flags, 2.1.332 does) a dialog's words come with flags; without them they are not a person's.
FLAGGING = (2, 1, 300)


def typed_in(line: Line, results: list[Block], texts: list[tuple[str, str]]) -> tuple[Typed, ...]:
    """Return what was typed in the dialog behind a line; ``texts`` are its text blocks with the call each follows."""
    typed: list[Typed] = []
    for block in results:
        call_id = block.tool_use_id or ""
        typed += _refusals(line, block, call_id)
        if _ANSWERS in bytes(line.toolUseResult):
            typed += _answers(loosely(line.toolUseResult), call_id)
    if _may_be_accepted_by_a_person(line):
        typed += [Typed(Origin.ACCEPTANCE, text, call_id) for call_id, text in texts]
    return tuple(typed)


def _refusals(line: Line, block: Block, call_id: str) -> Iterator[Typed]:
    if not block.is_error or not _may_be_refused(line):
        return
    if line.userFeedback is not None and line.userFeedback.strip():
        if not line.userFeedback.startswith(CHAT_ABOUT_THIS):
            yield Typed(Origin.REFUSAL, tidy(line.userFeedback), call_id)
        return
    flagged = line.toolDenialKind is not None or line.permissionDecision is not None
    if not flagged and writes_flags(line.version):
        return
    told = text_of(loosely(block.content))
    if told.startswith(REFUSED) and SAID in told:
        words = told.split(SAID, 1)[1]
        if words.strip() and not words.startswith(CHAT_ABOUT_THIS):
            yield Typed(Origin.REFUSAL, tidy(words), call_id, by_wording=not flagged)


def _may_be_refused(line: Line) -> bool:
    """Whether the flags, where the client wrote some, tell that a person refused."""
    if line.toolDenialKind is not None and line.toolDenialKind != "user-rejected":
        return False
    decision = line.permissionDecision
    return decision is None or (decision.decision == "reject" and (decision.source or "").startswith(BY_A_PERSON))


def _may_be_accepted_by_a_person(line: Line) -> bool:
    if line.permissionDecision is None:
        return not writes_flags(line.version)
    return (line.permissionDecision.source or "").startswith(BY_A_PERSON)


def writes_flags(version: str | None) -> bool:
    """Whether a client of this version tells by flags what a person did in a dialog; one that names no version does not."""
    figures = re.match(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})", version or "")
    return figures is not None and tuple(map(int, figures.groups())) >= FLAGGING


def _answers(result: Any, call_id: str) -> Iterator[Typed]:
    """Yield what was typed in answer to questions of the agent; chosen options are not typed."""
    if not isinstance(result, dict) or not isinstance(result.get("answers"), dict):
        return
    questions = result.get("questions")
    for entry in questions if isinstance(questions, list) else []:
        question = entry.get("question") if isinstance(entry, dict) else None
        if not isinstance(question, str):
            continue
        labels = [o["label"] for o in _list(entry.get("options")) if isinstance(o, dict) and isinstance(o.get("label"), str)]
        typed = _typed_part(result["answers"].get(question), labels, several=entry.get("multiSelect") is True)
        if typed:
            yield Typed(Origin.ANSWER, tidy(typed), call_id, question)
        notes = _note(result.get("annotations"), question)
        if notes:
            yield Typed(Origin.NOTE, tidy(notes), call_id, question)


def _typed_part(answer: Any, labels: list[str], *, several: bool) -> str:
    if isinstance(answer, list):
        return ", ".join(a for a in answer if isinstance(a, str) and a not in labels)
    if not isinstance(answer, str) or answer in labels or answer == NOTES_ONLY:
        return ""
    return _without_labels(answer, labels) if several else answer.strip()


def _without_labels(answer: str, labels: list[str]) -> str:
    """Take known options off both ends of ``a, b, typed text, c``; what holds a comma the client may put in quotes."""
    written = {form for label in labels if label for form in (label, f'"{label}"')}
    longest_first = sorted(written, key=len, reverse=True)
    rest = answer.strip()
    changed = True
    while changed and rest:
        changed = False
        for label in longest_first:
            if rest == label:
                return ""
            if rest.startswith(label + ", "):
                rest, changed = rest[len(label) + 2 :], True
            elif rest.endswith(", " + label):
                rest, changed = rest[: -len(label) - 2], True
    quoted = len(rest) > 2 and rest[0] == rest[-1] == '"'
    return rest[1:-1].strip() if quoted else rest.strip()


def _note(annotations: Any, question: str) -> str:
    entry = annotations.get(question) if isinstance(annotations, dict) else None
    notes = entry.get("notes") if isinstance(entry, dict) else None
    return notes.strip() if isinstance(notes, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def text_of(content: Any) -> str:
    """Return the text of a result's content, a string or a list of blocks."""
    if isinstance(content, str):
        return content
    texts = [b.get("text") for b in _list(content) if isinstance(b, dict)]
    return "\n".join(t for t in texts if isinstance(t, str))
