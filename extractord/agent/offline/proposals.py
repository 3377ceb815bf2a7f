"""The one pass from a briefing to the calls that propose its topics.

Owns: the order of the steps. Leaves each step to its module.
"""

from __future__ import annotations

from datetime import datetime

from extractord.agent.briefing import Briefing
from extractord.agent.offline.drafts import chosen, merged, was_removed
from extractord.agent.offline.finding import Finding, Message
from extractord.agent.offline.findings import findings_in
from extractord.agent.offline.lists import with_lists
from extractord.agent.offline.readings import Reading
from extractord.agent.offline.revising import Step, steps_of
from extractord.agent.offline.scope import FOLDER, is_shared
from extractord.agent.offline.sentences import Lang, language_of, sentences_of
from extractord.agent.offline.updates import revisions_of
from extractord.agent.offline.writing import call_input, evidence_of, file_of, slug_of, topic_text, worded


def steps_for(briefing: Briefing) -> tuple[Step, ...]:
    """Return the calls for a briefing: first the changes of known topics, then the new ones."""
    entries = briefing.digest.entries
    messages = read(briefing)
    found = merged(findings_in(messages, entries))
    revisions, left = revisions_of(found, messages, entries, briefing.manifest)
    fresh = chosen(f for f in left if not was_removed(f, briefing.tombstones) and is_ahead(f))
    taken = [topic.file for topic in briefing.manifest]
    steps = [step for revision in revisions for step in steps_of(revision)]
    for finding in fresh:
        folder = f"{FOLDER}/" if briefing.team_index is not None and is_shared(finding) else ""
        step = _write(finding, folder, taken)
        steps.append(step)
        taken += [call["file_path"] for call in (step.input, *step.otherwise)]
    return tuple(steps)


def read(briefing: Briefing) -> tuple[Message, ...]:
    """Return the readings of all typed messages."""
    now = datetime.fromisoformat(briefing.now)
    usual = _usual_language(briefing)
    messages: list[Message] = []
    for position, entry in enumerate(briefing.digest.entries):
        if entry.origin.typed:
            said = datetime.fromisoformat(entry.said)
            today = now.astimezone(said.tzinfo).date()
            sentences = sentences_of(entry, position, language_of(entry.text, usual))
            messages.append(with_lists([Reading(sentence, said, today) for sentence in sentences]))
    return tuple(messages)


def _usual_language(briefing: Briefing) -> Lang:
    typed = "\n".join(entry.text[:400] for entry in briefing.digest.entries if entry.origin.typed)
    return language_of(typed)


def is_ahead(finding: Finding) -> bool:
    """Whether a new finding is not only about days that are over (DESIGN, evidence time)."""
    if finding.kind.value != "project":
        return True
    days = [(d.day, r.now) for r in finding.readings for d in r.dates]
    return not days or any(day >= now for day, now in days)


def _write(finding: Finding, folder: str, taken: list[str]) -> Step:
    slug, names = slug_of(finding), [file.removeprefix(folder) for file in taken]
    path = folder + file_of(finding, slug, names)
    other = folder + file_of(finding, slug, (*names, path.removeprefix(folder)))
    evidence, content = evidence_of(finding), topic_text(finding.kind, slug, worded(finding))
    return Step("Write", call_input(path, evidence, content=content), (call_input(other, evidence, content=content),))
