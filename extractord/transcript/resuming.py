"""What is kept of a session between two readings: the state before a stretch, from which the file is read on.

Owns: which parts of a course make it up, the inverse of ``Course.__init__``. Leaves using it to ``span``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from extractord.transcript.drafts import StretchDraft
from extractord.transcript.stretches import ReadState

if TYPE_CHECKING:
    from extractord.transcript.chain import Chain
    from extractord.transcript.course import Course


def state_before(course: Course, uuid: str, start: int, within: int) -> ReadState:
    """Return the state before the prompt ``uuid``, which is not yet taken; ``completed`` adds what only grows."""
    setting, chain = course.setting, course.chain
    return ReadState(
        offset=start,
        within=within,
        line=course.line,
        key=uuid,
        number=course.growing.state.number + 1,
        ordinal=course.ordinal,
        turns=course.turns,
        evidence=course.evidence,
        last_talk=course.last_talk,
        session=next(iter(setting.sessions), ""),
        cwd=setting.cwd,
        version=setting.version,
        entrypoint=setting.entrypoint,
        first_prompt=course.first_prompt,
        signs=setting.signs,
        beside=setting.beside,
        dates=tuple(setting.dates),
        loaded=tuple(setting.loaded.values()),
        launched=tuple(course.waiting.launched.items()),
        node=chain.node,
        forks=chain.forks(),
        recent=chain.recent(),
        abandoned=chain.abandoned(),
        damaged=tuple(course.damaged),
        damages=course.damages,
    )


def completed(draft: StretchDraft, chain: Chain) -> ReadState:
    """Return the state before a stretch, with what only grows and was therefore not copied."""
    state = draft.state
    return msgspec.structs.replace(state, seen=chain.first(draft.seen), nodes=tuple(chain.branches[: state.turns]))
