"""Tool calls tried as an agent run would make them: through the real worker and the real checks, applying nothing.

Owns: reading calls, one a line, and telling rulings and what would be applied. Leaves ruling to ``agent``, the checks to
``memory.checks``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from extractord.agent.protocol import ToolAnswer, ToolCall
from extractord.agent.supervise import EvidenceRule, Roots, ShellOffer, try_calls
from extractord.claude_home import Surroundings
from extractord.config import Config, Sandbox, rule_for
from extractord.errors import UsageError
from extractord.extraction.chunk import answer_of
from extractord.ledger import Ledger
from extractord.memory.changeset import Changeset
from extractord.memory.checks import check_changeset
from extractord.memory.facts import Checked, CheckLimits, Facts, Sharing
from extractord.memory.snapshot import read
from extractord.runs.norms import norms
from extractord.runs.places import topic_facts
from extractord.transcript.digest import DigestLimits, build
from extractord.transcript.records.events import LoadedText
from extractord.transcript.span import read_session


@dataclass(frozen=True, slots=True)
class Trial:
    """What the calls may see, and what the checks know."""

    roots: Roots
    facts: Facts
    sandbox: Sandbox


class RulingLine(msgspec.Struct, frozen=True):
    id: str
    ruling: str
    reason: str
    result: str


class ProposedFile(msgspec.Struct, frozen=True):
    path: str
    change: str
    content: str | None


class NotTaken(msgspec.Struct, frozen=True):
    path: str
    reason: str


class Proposed(msgspec.Struct, frozen=True):
    """What would be applied, what would wait for review, what was refused at the end."""

    files: tuple[ProposedFile, ...]
    held: tuple[NotTaken, ...]
    refused: tuple[NotTaken, ...]


class ChangesetLine(msgspec.Struct, frozen=True):
    changeset: Proposed


def try_tools(calls: Iterable[ToolCall], trial: Trial) -> Iterator[RulingLine | ChangesetLine]:
    """Yield the ruling on each call, in order, and last the changeset they come to. Raises WorkerError."""
    limits = CheckLimits()
    rule = EvidenceRule.NOT_ASKED if trial.facts.entries is None else EvidenceRule.ASKED
    checking = lambda proposal: answer_of(proposal, trial.facts, limits)  # noqa: E731 - as in the worker's own runs
    for answer in try_calls(calls, trial.roots, checking, evidence=rule, shell=ShellOffer.OFFERED, sandbox=trial.sandbox):
        match answer:
            case ToolAnswer(call, ruling):
                yield RulingLine(call, ruling.decision.value, ruling.reason, ruling.result)
            case Changeset():
                yield ChangesetLine(_proposed(check_changeset(answer, trial.facts, limits)))


def trial_of(project: Path, memory: Path, transcript: Path | None, surroundings: Surroundings, config: Config, ledger: Ledger) -> Trial:
    """Return the trial of calls on a project and a memory directory, with evidence from ``transcript`` if one is given.

    ``ledger`` says which lines of the topics are ours. Raises TranscriptError.
    """
    place = memory.absolute()
    barred = (surroundings.config_home,)
    entries, last_turn, session = None, 0, ""
    loaded: tuple[LoadedText, ...] = ()
    if transcript is not None:
        reading, limits = read_session(transcript), DigestLimits(config.limits.digest_tokens)
        digests = [d for stretch in reading.stretches for d in build(stretch, limits=limits)]
        entries = {entry.id: entry for digest in digests for entry in digest.entries}
        last_turn = max((digest.last_turn for digest in digests), default=0)
        session, loaded = reading.session, reading.loaded
    facts = Facts(
        entries=entries,
        last_turn=last_turn,
        topics=topic_facts(ledger, str(place), read(place)),
        norms=norms(project.absolute(), surroundings.config_home, loaded),
        tombstones=ledger.tombstones(str(place)),
        now=datetime.now().astimezone(),
        memory_dir=place,
        session=session,
        sharing=Sharing.OFF if rule_for(str(project.absolute()), config, surroundings.home).team is None else Sharing.ON,
    )
    return Trial(Roots(str(project.absolute()), str(place), tuple(map(str, barred))), facts, config.sandbox)


def _proposed(checked: Checked) -> Proposed:
    return Proposed(
        files=tuple(ProposedFile(p.path, p.kind.value, p.after) for p, _ in checked.accepted),
        held=tuple(NotTaken(p.path, f.reason) for p, f in checked.held),
        refused=tuple(NotTaken(p.path, f.reason) for p, f in checked.refused),
    )


def calls_of(lines: Iterable[bytes]) -> Iterator[ToolCall]:
    """Read one call a line. Raises UsageError for a line that is none."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield msgspec.json.decode(line, type=ToolCall)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                raise UsageError(f"line {number} is no tool call", hint='write {"id":"1","tool":"Read","input":{…}}') from None
