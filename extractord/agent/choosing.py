"""A model asked which topics a prompt calls for: one small call without tools.

Owns: what is sent (headers, never bodies; redacted) and reading the answer. Leaves money and transport to ``relay``, what may be
chosen to ``memory.recall``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from extractord.agent.prompting import fenced, head_line
from extractord.agent.prompts import words_of
from extractord.agent.relay import Held, Line, Purse, Relay, Terms
from extractord.agent.wire import Dialogue
from extractord.memory.manifest import TopicHead
from extractord.redact import redact

SECONDS = 20.0  # a person waits for it
ANSWER_TOKENS = 300
QUERY_CHARACTERS = 4_000  # a pasted log says no more at its end
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class Asked:
    """What one question needs: which model, over what, paid by whom."""

    terms: Terms
    line: Line
    now: float  # seconds since the epoch, for ages

    def choose(self, query: str, manifest: tuple[TopicHead, ...], purse: Purse[Held]) -> tuple[str, ...]:
        """Return the files the model names, in its order. Raises PostponedError, WorkerError, LedgerError."""
        notes = fenced("notes", (redact(head_line(head, self.now)).text for head in manifest))
        prompt = fenced("prompt", [redact(query).text[:QUERY_CHARACTERS]])  # cut first, half a secret might not be known for one
        first = f"{notes}\n\n{prompt}\n\nWhich of these files will clearly help? One a line, or: none."
        terms = replace(self.terms, calls=1, max_tokens=ANSWER_TOKENS)
        relay = Relay(Dialogue.opened(words_of("recall.md"), (), first), terms, self.line, purse, time.monotonic() + SECONDS)
        return tuple(named(relay.answer(0, ()).text))


def named(answer: str) -> Iterator[str]:
    """Yield what an answer names, line by line, without bullets and quotes; also of a list on one line."""
    for line in answer.splitlines():
        bare = _BULLET.sub("", line).strip().strip("`\"'*[],")
        yield bare
        yield from re.findall(r"[^\s\"'`\[\],]+\.md", line)
