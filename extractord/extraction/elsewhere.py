"""Was a stretch dealt with under another ledger: on another machine that shares the config home, or before a state folder was lost?

Owns: the sign of that, as a pure function. A topic that an extraction made bears its session, and is as old as the newest words that
stand behind it: to the millisecond the time of something typed. What a client or a subagent stamps bears the time of its writing.
Leaves when it is asked to ``subject``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from extractord.memory.snapshot import TopicFile
from extractord.transcript.stretches import Stretch


def resting_on(stretch: Stretch, topics: Mapping[str, TopicFile]) -> Iterator[str]:
    """Yield the topics that have evidence of ``stretch``, whichever ledger it is in."""
    of_session = {
        file: round(found.topic.modified * 1000)
        for file, found in topics.items()
        if found.topic.origin_session == stretch.session and found.topic.modified is not None
    }
    if not of_session:
        return
    typed = {round(message.evidence_time * 1000) for message in stretch.messages if message.origin.typed}
    yield from (file for file, moment in of_session.items() if moment in typed)
