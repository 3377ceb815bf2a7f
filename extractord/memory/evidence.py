"""Was it said? Quotes checked against the session.

Owns: when a quote counts, who may be quoted, and when a proposal of the agent counts as accepted. Leaves whether a change
needs evidence, and what its time allows, to ``checks``, and the words of an objection to ``objections``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extractord.memory.changeset import Evidence
from extractord.memory.facts import VerifiedQuote
from extractord.memory.objections import objects, retracts, speaks_of
from extractord.redact import redact
from extractord.transcript.digest import Entry
from extractord.transcript.messages import Origin

_LEAST_WORDS = 3
_LEAST_CHARACTERS = 12
_RETRACTED_TURNS = 3  # within which a bare "forget it" means a choice that was let stand
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Unfounded:
    """A quote that does not count, and what to do."""

    reason: str


def verify(evidence: Evidence, entries: Mapping[str, Entry], last_turn: int) -> VerifiedQuote | Unfounded:
    """Return the quote with its time and message, or why it does not count.

    ``entries`` is the digest in order; ``last_turn`` the number of the stretch's last turn, in which nothing counts as accepted.
    """
    entry = entries.get(evidence.message)
    if entry is None:
        return Unfounded(f"there is no message {evidence.message!r}; use the ids of the digest, e.g. m1")
    quote = folded(evidence.quote)
    if reason := _not_said(quote, folded(entry.text), entry.id):
        return Unfounded(reason)
    if entry.origin.typed:
        following = next((one for one in _after(entry, entries) if one.origin.typed), None)
        if following is not None and retracts(following.text) and not retracts(entry.text):
            return Unfounded(f"{following.id} takes back what {entry.id} says; do not rest anything on it")
        return _verified(entry, quote, entry.evidence_time, None)
    return _accepted(evidence, entry, quote, entries, last_turn)


def folded(text: str) -> str:
    """Return ``text`` with each run of white space as one space, as quotes are compared."""
    return " ".join(text.split())


def _verified(entry: Entry, quote: str, time: float, accepted_by: str | None) -> VerifiedQuote:
    return VerifiedQuote(entry.id, entry.uuid, redact(quote).text, time, accepted_by)


def _not_said(quote: str, text: str, message: str) -> str:
    if not quote:
        return f"the quote from {message} is empty"
    if quote != text and not _long_enough(quote):
        return f"the quote {quote!r} is too short: at least {_LEAST_WORDS} words or {_LEAST_CHARACTERS} characters, or the whole message"
    if not _stands_in(quote, text):
        return (
            f"{message} does not say {quote[:80]!r}: copy the words exactly as they stand there, from one message, without leaving any out"
        )
    return ""


def _long_enough(quote: str) -> bool:
    """Whether a quote says enough; a Chinese, Japanese or Korean character counts as two."""
    words = sum(any(c.isalnum() for c in word) for word in quote.split())
    return words >= _LEAST_WORDS or len(quote) + len(_UNSPACED.findall(quote)) >= _LEAST_CHARACTERS


def _stands_in(quote: str, text: str) -> bool:
    """Whether ``quote`` stands in ``text`` as whole words: "ever commit" is not in "never commit"."""
    start = text.find(quote)
    while start >= 0:
        end = start + len(quote)
        if not _cuts(text, start) and not _cuts(text, end):
            return True
        start = text.find(quote, start + 1)
    return False


def _cuts(text: str, position: int) -> bool:
    pair = text[max(0, position - 1) : position + 1]
    return 0 < position < len(text) and all(c.isalnum() and not _UNSPACED.match(c) for c in pair)


def _accepted(evidence: Evidence, entry: Entry, quote: str, entries: Mapping[str, Entry], last_turn: int) -> VerifiedQuote | Unfounded:
    """Judge a sentence of the agent that a later prompt is said to have let stand."""
    name = evidence.accepted_by
    if name is None:
        return Unfounded(
            f"{entry.id} is the agent's own text; quote what the person typed, "
            "or add accepted_by with the id of a later prompt that let it stand"
        )
    order = list(entries)
    prompt = entries.get(name)
    if prompt is None or not prompt.origin.opens_turn:
        return Unfounded(f"accepted_by must name a prompt of the person; {name!r} is none")
    if order.index(name) <= order.index(entry.id) or prompt.turn <= entry.turn:
        return Unfounded(f"accepted_by must name a prompt later than {entry.id}; {name} is not")
    if entry.turn >= last_turn:
        return Unfounded(f"{entry.id} stands in the last turn: nothing in it was accepted yet")
    at, by = order.index(entry.id), order.index(name)
    meanwhile, later = [entries[one] for one in order[at + 1 : by + 1]], [entries[one] for one in order[by + 1 :]]
    # Later on people object to other things as well: only what takes up words of the quote takes the acceptance back, or soon
    # after it a retraction that names nothing.
    near = [one for one in later if one.turn - prompt.turn <= _RETRACTED_TURNS]
    if objection := _objection(meanwhile) or _objection([one for one in later if speaks_of(one.text, quote)]) or _retraction(near):
        return Unfounded(f"{objection.id} objects, so {entry.id} was not accepted; quote what the person typed instead")
    return _verified(entry, quote, prompt.evidence_time, name)


def _after(entry: Entry, entries: Mapping[str, Entry]) -> Sequence[Entry]:
    order = list(entries)
    return [entries[one] for one in order[order.index(entry.id) + 1 :]]


def _retraction(since: Sequence[Entry]) -> Entry | None:
    return next((one for one in since if one.origin.typed and retracts(one.text)), None)


def _objection(since: Sequence[Entry]) -> Entry | None:
    """Return the first typed message that refuses or contradicts."""
    return next((one for one in since if one.origin is Origin.REFUSAL or (one.origin.typed and objects(one.text))), None)
