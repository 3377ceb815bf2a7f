"""The rules for one proposal, each a pure function: "" or the reason to refuse or to hold.

Owns: the rules and the words in which a model is told what to do better. Leaves their order, and what only a whole changeset
can break, to ``checks``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from extractord.memory.age import log_date
from extractord.memory.changeset import ChangeKind, Proposal
from extractord.memory.dates import past_date, undated_relative
from extractord.memory.evidence import Unfounded, verify
from extractord.memory.facts import CheckLimits, Facts, Sharing, TopicFacts, VerifiedQuote
from extractord.memory.foreign import ForeignChange, foreign_loss, is_revoked
from extractord.memory.injection import orders
from extractord.memory.overlap import already_in, buried, facts_of
from extractord.memory.passages import Part, Passage, added_passages, has_words, is_subsequence, lines_of, missing_labels, words_said
from extractord.memory.paths import Misplaced, place
from extractord.memory.team import is_team
from extractord.memory.topics import TYPES, Topic, parse, split
from extractord.redact import invisible, secrets_in

_RULES = ("feedback", "project")  # types that are written as a rule or fact with its reason
_NOT_WORDS = re.compile(r"[\W_]+")
_CLOCK_SLACK = 0.01  # seconds by which a time may differ from itself after it was written into a file and read back
_FORM = "a topic begins with --- and the lines name:, description: (one line each) and metadata: with type: below it, then ---"


@dataclass(frozen=True, slots=True)
class Case:
    """A proposal with all that is derived from it once."""

    proposal: Proposal
    facts: Facts
    limits: CheckLimits
    quotes: tuple[VerifiedQuote, ...] = ()

    @property
    def current(self) -> TopicFacts | None:
        return self.facts.topics.get(self.proposal.path)

    @property
    def is_log(self) -> bool:
        return log_date(self.proposal.path) is not None

    @property
    def newest(self) -> float:
        """Time of the newest evidence; without any it is older than everything."""
        return max((quote.evidence_time for quote in self.quotes), default=float("-inf"))


def needs_evidence(proposal: Proposal) -> bool:
    """Whether a proposal adds, changes or removes a word; re-wrapping, markup and the header's stamps do not count."""
    return proposal.kind is not ChangeKind.UPDATE or words_said(proposal.before) != words_said(proposal.after)


def on_path(case: Case) -> str:
    """Refuse a path where no topic may lie, or which another topic takes up."""
    placed = place(case.proposal.path, case.facts.memory_dir)
    if isinstance(placed, Misplaced):
        return placed.reason
    if placed.relative != case.proposal.path:
        return f"the path must be written as {placed.relative}"
    same = same_name(placed.relative)
    for other in case.facts.topics:
        if other != placed.relative and same_name(other) == same:
            return f"{other} differs in upper and lower case only; update that topic instead"
        if placed.relative.startswith(other + "/") or (case.current is None and other.startswith(placed.relative + "/")):
            return f"{other} stands in the way: one of the two would have to be a directory"
    if case.current is None and case.proposal.kind is ChangeKind.DELETE and case.proposal.before is None:
        return f"there is no topic {placed.relative}"
    return ""


def same_name(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())


def on_size(case: Case) -> str:
    """Refuse a text that is too large, or no Unicode."""
    after = case.proposal.after
    if after is None:
        return ""
    if len(after) > case.limits.topic_bytes or len(after.encode("utf-8", "surrogatepass")) > case.limits.topic_bytes:
        return f"a topic has at most {case.limits.topic_bytes:,} bytes; keep what matters and split by subject"
    return "the text is not valid Unicode" if any("\ud800" <= c <= "\udfff" for c in after) else ""


def verified_quotes(case: Case) -> tuple[VerifiedQuote, ...] | Unfounded:
    """Return the verified quotes, or why there are none where some are needed. One false quote spoils all."""
    entries, proposal = case.facts.entries, case.proposal
    if entries is None:
        return ()
    if not proposal.evidence and needs_evidence(proposal):
        return Unfounded('this needs evidence: [{"message": "m1", "quote": "…"}] with what the person typed, copied word for word')
    verified = []
    for evidence in proposal.evidence:
        found = verify(evidence, entries, case.facts.last_turn)
        if isinstance(found, Unfounded):
            return found
        verified.append(found)
    return tuple(verified)


def on_form(case: Case) -> str:
    """Refuse a header that does not say what the topic is; a text that never had one may stay so."""
    before, after = case.proposal.before, case.proposal.after
    if after is None or case.is_log:
        return ""
    if before is not None and split(before) is None and split(after) is None:
        return ""  # somebody's text without a header may stay so
    topic, had = parse(after), parse(before) if before is not None else None
    if not topic.header_ok:
        broken = had is not None and split(before or "") is not None and not had.header_ok
        return f"{topic.problem}; " + ("a person has to mend that, leave this topic alone" if broken else _FORM)
    missing = [key for key, value in (("name", topic.name), ("description", topic.description), ("type", topic.type)) if not value]
    if had is not None and had.header_ok:
        missing = [key for key in missing if getattr(had, key)]
    if missing:
        return f"the header has no {' and no '.join(missing)}; {_FORM}"
    if topic.type and topic.type not in TYPES and not (had and had.type == topic.type):
        return f"the type {topic.type!r} is none of {', '.join(TYPES)}"
    return _on_header_text(topic, after, before, case.limits)


def _on_header_text(topic: Topic, after: str, before: str | None, limits: CheckLimits) -> str:
    """Refuse names and descriptions over several lines, or far too long, unless they were so before."""
    old, new = split(before or ""), split(after)
    if new is None or (old is not None and old.header == new.header):
        return ""
    lines = lines_of(new.header)
    for line, following in zip(lines, (*lines[1:], ""), strict=True):
        key, _, value = line.partition(":")
        if key in ("name", "description") and (value.strip()[:1] in ("|", ">") or (following[:1] in (" ", "\t") and following.strip())):
            return f"{key} is one line"
    if len(topic.description) > limits.description_characters:
        return "the description is one sentence that tells whether the topic matters; shorten it"
    return ""


def on_characters(case: Case) -> str:
    """Refuse characters that nobody sees, where the change brings them in."""
    if case.proposal.after is None:
        return ""
    there = Counter(hidden.character for hidden in invisible(case.proposal.before or ""))
    for hidden in invisible(case.proposal.after):
        there[hidden.character] -= 1
        if there[hidden.character] < 0:
            return f"the text has a character that cannot be seen ({hidden.name}); write it without"
    return ""


def on_team(case: Case) -> str:
    """Refuse what may not be shared: anything where there is no team memory, and what concerns one person."""
    proposal = case.proposal
    if not is_team(proposal.path):
        return ""
    if case.facts.sharing is Sharing.OFF:
        return "this project has no team memory; write the topic into the memory directory itself"
    if proposal.after is not None and parse(proposal.after).type == "user":
        return "what concerns one person is never shared; write the topic into the memory directory itself"
    return ""


def on_secrets(case: Case) -> str:
    """Refuse a text that holds a secret, whoever wrote it."""
    kinds = secrets_in(case.proposal.after) if case.proposal.after is not None else ()
    named = ", ".join(dict.fromkeys(kind.value for kind in kinds))
    return f"the text holds a secret ({named}); memory never holds one: say where it is kept instead" if kinds else ""


def on_evidence_time(case: Case) -> str:
    """Older evidence may add to a newer topic, not change it or take from it."""
    if case.facts.entries is None or case.current is None or not needs_evidence(case.proposal):
        return ""
    if case.newest >= case.current.time - _CLOCK_SLACK:
        return ""
    if case.proposal.after is not None and is_subsequence(words_said(case.proposal.before), words_said(case.proposal.after)):
        return ""
    day = datetime.fromtimestamp(case.current.time, UTC).date()
    return f"the topic is newer ({day}) than this evidence: what it says stands; older evidence may only add to it"


def on_foreign_lines(case: Case) -> str:
    """Refuse what an extraction may not do to lines that somebody else wrote."""
    before, after, current = case.proposal.before, case.proposal.after, case.current
    if before is None or after is None or current is None or case.facts.entries is None:
        return ""
    loss = foreign_loss(before, after, current.foreign)
    quotes = [quote.quote for quote in case.quotes]
    match loss.change:
        case ForeignChange.OVERWRITTEN if not is_revoked(loss.removed, quotes):
            return "a person wrote this topic: do not write it anew; Edit the lines that the evidence changes, or write another topic"
        case ForeignChange.REMOVED if not is_revoked(loss.removed, quotes):
            return f"a person wrote the line {loss.removed[0].strip()[:80]!r} and the evidence does not take it back; keep it"
        case _:
            return ""


def on_dates(case: Case) -> str:
    """Refuse a project topic whose dates mean nothing later, or a new one that is over."""
    proposal = case.proposal
    if proposal.after is None or case.is_log or (topic := parse(proposal.after)).type != "project":
        return ""
    added = added_passages(proposal.before, proposal.after)
    for passage in added:
        if said := undated_relative(passage.text):
            return f"{said!r} means another day when it is read later; write the date (YYYY-MM-DD), reckoned from when it was said"
    if proposal.kind is ChangeKind.CREATE:
        stated = "\n".join((topic.name, topic.description, *(passage.text for passage in added if passage.part is not Part.REASON)))
        if past := past_date(stated, case.facts.now.date()):
            return f"{past.text} has passed: a new topic about it would never be of use; do not save it"
    return ""


def on_norms(case: Case) -> str:
    """Refuse what CLAUDE.md or AGENTS.md says already."""
    if case.proposal.after is None or not case.facts.norms:
        return ""
    for fact in facts_of(_added(case)):
        if said := already_in(case.facts.norms, fact, case.limits):
            return f"CLAUDE.md or AGENTS.md says this already ({said[:80]!r}); what stands there is not saved again"
    return ""


def on_tombstones(case: Case) -> str:
    """Refuse what was removed after it was said."""
    proposal = case.proposal
    if proposal.after is None or not case.facts.tombstones:
        return ""
    path = proposal.path if proposal.kind is ChangeKind.CREATE else None
    statements = [passage.text for passage in _added(case)]
    if stone := buried(case.facts.tombstones, path, statements, case.newest, case.limits):
        day = datetime.fromtimestamp(stone.time, UTC).date()
        return f"this was removed on {day}, after what the evidence says was said; do not save it again"
    return ""


def _added(case: Case) -> tuple[Passage, ...]:
    return added_passages(case.proposal.before, case.proposal.after)


def held_for_orders(case: Case) -> str:
    """Hold a text that newly reads like an injected order, or a new topic whose name does: it comes to stand in the index."""
    if case.proposal.after is None:
        return ""
    named = orders(_NOT_WORDS.sub(" ", case.proposal.path)) if case.proposal.kind is ChangeKind.CREATE else ()
    there = Counter(order.excerpt for order in orders(case.proposal.before or ""))
    for order in (*named, *orders(case.proposal.after)):
        there[order.excerpt] -= 1
        if there[order.excerpt] < 0:
            return f"the text {order.kind} ({order.excerpt!r}): a person decides whether it is saved"
    return ""


def held_for_foreign(case: Case) -> str:
    """Hold what would make a topic of somebody else go."""
    current, proposal = case.current, case.proposal
    if current is None or proposal.before is None or not any(has_words(line) for line in current.foreign):
        return ""
    if proposal.after is None:
        return "a person wrote this topic or part of it: a person decides whether it is deleted"
    if not words_said(_body(proposal.after)) and words_said(_body(proposal.before)):
        return "nothing is left of a topic that a person wrote: a person decides whether it goes"
    if case.facts.entries is None and foreign_loss(proposal.before, proposal.after, current.foreign).change is ForeignChange.OVERWRITTEN:
        return "a person wrote this topic: a person decides whether it is written anew"
    return ""


def _body(text: str) -> str:
    parts = split(text)
    return parts.body if parts else text


def remarks(case: Case) -> Iterator[str]:
    """Yield what an accepted topic still lacks."""
    if case.proposal.after is None or case.is_log:
        return
    topic = parse(case.proposal.after)
    if topic.type in _RULES and (missing := missing_labels(topic)):
        lines = f"line{'s' if len(missing) > 1 else ''} {' and '.join(missing)}"
        yield f'saved, but add the {lines} (write "not stated" where no reason was given)'
