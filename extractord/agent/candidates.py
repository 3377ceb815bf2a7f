"""Candidate facts: what a model names in one answer without tools, to be merged into memory later.

Owns: what is asked, reading the answer, and a candidate in words. Leaves whether a quote counts to the checks, money and transport
to whoever sends the request.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from extractord.agent.briefing import Briefing
from extractord.agent.claude_code.changes import objects_in
from extractord.agent.prompting import session_message, system_prompt
from extractord.agent.relay import Terms
from extractord.agent.wire import Dialogue, Request
from extractord.memory.changeset import Evidence

MOST = 5  # of one answer; more is a model that does not choose
_CLOSING = "Answer with the JSON object: the candidates, or none."


class Candidate(msgspec.Struct, frozen=True):
    """A fact that may be worth saving, with its evidence."""

    type: str
    fact: str
    evidence: tuple[Evidence, ...]
    why: str | None = None
    how: str | None = None

    def told(self, ids: Mapping[str, str]) -> str:
        """Return it as a line; ``ids`` are the names that its messages have now."""
        reason = f" Why: {self.why}" if self.why else ""
        use = f" How to apply: {self.how}" if self.how else ""
        quotes = ", ".join(f'{ids[one.message]} "{one.quote}"{_let_stand(one, ids)}' for one in self.evidence)
        return " ".join(f"- ({self.type}) {self.fact}{reason}{use} [{quotes}]".split())


class _Answer(msgspec.Struct, frozen=True):
    candidates: tuple[Candidate, ...]


_answer = msgspec.json.Decoder(_Answer)
_kept: msgspec.json.Decoder[tuple[Candidate, ...]] = msgspec.json.Decoder(tuple[Candidate, ...])


def candidate_request(briefing: Briefing, terms: Terms) -> Request:
    """Return the request about one chunk. Memory is not in it: what is there already is found when it is merged."""
    return terms.request(Dialogue.opened(system_prompt("batch.md"), (), session_message(briefing, _CLOSING)))


def read_candidates(said: str) -> tuple[Candidate, ...] | None:
    """Return what an answer names, None where it is not in the form that was asked for."""
    for text in objects_in(said):
        try:
            return _answer.decode(text).candidates[:MOST]
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            continue
    return None


def to_keep(candidates: tuple[Candidate, ...]) -> str:
    """Return candidates as the ledger keeps them."""
    return msgspec.json.encode(candidates).decode("utf-8")


def kept(text: str) -> tuple[Candidate, ...]:
    """Return what ``to_keep`` was given."""
    return _kept.decode(text)


def _let_stand(one: Evidence, ids: Mapping[str, str]) -> str:
    return f" accepted_by {ids[one.accepted_by]}" if one.accepted_by else ""
