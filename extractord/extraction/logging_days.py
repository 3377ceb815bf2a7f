"""Memory kept as a daily log: what a run found out becomes bullets instead of topics.

Owns: turning checked changes of topics into lines of the logs of the days on which they were said. Leaves a bullet's form to
``memory.daily_log``, making topics of them to ``consolidation``. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from extractord.memory.changeset import ChangeKind, Proposal
from extractord.memory.daily_log import Bullet, holds_lines, local, with_lines
from extractord.memory.directory import Snapshot
from extractord.memory.facts import Finding
from extractord.memory.passages import Part, added_passages, application_in, reason_in
from extractord.memory.topics import parse

Accepted = tuple[tuple[Proposal, Finding], ...]


def logged(accepted: Accepted, snapshot: Snapshot) -> Accepted:
    """Return the same as additions to daily logs, one a day, in the order of time; what a log says already is left out."""
    bullets = sorted(((_bullet(proposal, finding), finding) for proposal, finding in accepted), key=lambda pair: pair[0].said)
    days: dict[str, list[tuple[Bullet, Finding]]] = {}
    for bullet, finding in bullets:
        if not holds_lines(snapshot.text_of(bullet.file) or "", f"{bullet.line}\n"):
            days.setdefault(bullet.file, []).append((bullet, finding))
    return tuple(_of_day(file, of_day, snapshot.text_of(file)) for file, of_day in days.items())


def _of_day(file: str, bullets: list[tuple[Bullet, Finding]], before: str | None) -> tuple[Proposal, Finding]:
    lines = "".join(f"{bullet.line}\n" for bullet, _ in bullets)
    findings = [finding for _, finding in bullets]
    facts = tuple(fact for finding in findings for fact in finding.facts)
    return Proposal(file, before, with_lines(before, lines)), replace(findings[0], facts=facts)


def _bullet(proposal: Proposal, finding: Finding) -> Bullet:
    said = local(finding.evidence_time or 0.0)
    topic = parse(proposal.after if proposal.after is not None else proposal.before or "")
    if proposal.kind is ChangeKind.DELETE:
        return Bullet(said, topic.type, f"No longer holds: {topic.description or topic.name}")
    passages = [passage for passage in added_passages(proposal.before, proposal.after) if passage.part is not Part.TITLE]
    statement = _joined(passage.text for passage in passages if passage.part is Part.STATEMENT)
    reason, apply = (_joined(filter(None, map(part, passages))) for part in (reason_in, application_in))
    return Bullet(said, topic.type, statement or topic.description or topic.name, reason, apply)


def _joined(texts: Iterable[str]) -> str:
    return " ".join(texts)
