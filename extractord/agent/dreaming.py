"""A consolidation in words: its own system prompt, and the first message with memory, logs and norms.

Owns: which topics are shown whole, how much of the logs, and what evidence is there. Leaves the rules' words to
``prompts/dream_*.md``, fences and the list of topics to ``prompting``, the tools' forms to ``tool_forms``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

import msgspec

from extractord.agent.briefing import Briefing
from extractord.agent.claude_code.shot import Question
from extractord.agent.frames import ShellOffer
from extractord.agent.prompting import LISTED_TOPICS, fenced, fitting, memory_told, removed_told, where_and_when, with_bodies
from extractord.agent.prompts import words_of
from extractord.agent.tool_forms import tools
from extractord.agent.wire import Dialogue, Tool
from extractord.memory.manifest import TopicHead
from extractord.memory.overlap import telling
from extractord.redact import redact
from extractord.transcript.eligibility import OWN_RUN

_PARTS = ("dream_orient.md", "dream_gather.md", "dream_consolidate.md", "dream_prune.md")
NORM_CHARACTERS = 8_000
CHARACTERS_A_TOKEN = 4  # performance.md §6
CLOSING = "Tidy up what has to be tidied up, all in one answer, or answer: nothing."
_ONE_SHOT = 'Answer with the JSON object alone; {"changes": []} if nothing has to be done.'


class LogText(msgspec.Struct, frozen=True):
    """What is new in a daily log."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Room:
    """How many characters of topics and of logs are shown."""

    topics: int
    logs: int

    @classmethod
    def of(cls, tokens: int) -> Room:
        """Divide what a run may be given."""
        characters = tokens * CHARACTERS_A_TOKEN
        return cls(characters * 3 // 4, characters // 4)


def system_prompt(*more: str) -> str:
    """Return the part that is the same in every consolidation, with ``more`` parts behind it."""
    return words_of(*_PARTS, *more)


def opening(briefing: Briefing, logs: Iterable[LogText], norms: Iterable[str], shell: ShellOffer) -> Dialogue:
    """Return the conversation as it begins. ``briefing`` is one that ``narrowed`` returned: the bodies in it are shown."""
    return Dialogue.opened(system_prompt(), dream_tools(shell), first_message(briefing, logs, norms))


def question(briefing: Briefing, logs: Iterable[LogText], norms: Iterable[str]) -> Question:
    """Return the same for a model that answers in one shot."""
    return Question(system_prompt("dream_one_shot.md"), f"{OWN_RUN}\n\n{first_message(briefing, logs, norms, _ONE_SHOT)}")


def first_message(briefing: Briefing, logs: Iterable[LogText], norms: Iterable[str], closing: str = CLOSING) -> str:
    """Return what a consolidation is about. Redacted as a whole."""
    parts = [
        where_and_when(briefing),
        *memory_told(briefing, datetime.fromisoformat(briefing.now).timestamp()),
        *_logs_told(logs),
        *_norms_told(norms),
        *removed_told(briefing.tombstones),
        closing,
    ]
    return redact("\n\n".join(parts)).text


def narrowed(briefing: Briefing, room: Room) -> Briefing:
    """Return the briefing with the bodies of those topics that fit: first those that share most words with another one."""
    return with_bodies(briefing, frozenset(fitting(_alike_first(briefing.manifest[:LISTED_TOPICS]), room.topics)))


def fitting_logs(logs: Iterable[LogText], room: Room) -> tuple[LogText, ...]:
    """Return the first logs that are shown; a single one that is too long is shown in part, and does not count as read."""
    shown, left = list[LogText](), room.logs
    for log in logs:
        if len(log.text) > left:
            break
        shown.append(log)
        left -= len(log.text)
    return tuple(shown)


def dream_tools(shell: ShellOffer) -> tuple[Tool, ...]:
    """Return the tools with what evidence is here."""
    return tuple(_with_sources(tool) for tool in tools(shell))


def _with_sources(tool: Tool) -> Tool:
    schema = copy.deepcopy(tool.input_schema)
    evidence = schema["properties"].get("evidence")
    if evidence is None:
        return tool
    evidence["description"] = "the places in memory that this rests on, word for word"
    evidence["items"]["properties"] = {
        "message": {"type": "string", "description": "a topic or log, e.g. feedback_tests.md"},
        "quote": {"type": "string"},
    }
    return Tool(tool.name, tool.description.replace("that the person revoked", "that is said elsewhere, contradicted or past"), schema)


def _logs_told(logs: Iterable[LogText]) -> Iterator[str]:
    told = [f"{log.file}:\n" + fenced("log", [log.text.strip()]) for log in logs]
    if told:
        yield "# New in the daily logs"
        yield from told


def _norms_told(norms: Iterable[str]) -> Iterator[str]:
    text = "\n\n".join(norm.strip() for norm in norms)[:NORM_CHARACTERS]
    if text:
        yield "# CLAUDE.md and AGENTS.md, written by people\n\n" + fenced("norms", [text])


def _alike_first(heads: tuple[TopicHead, ...]) -> list[TopicHead]:
    words = {head.file: telling(f"{head.name} {head.description} {head.body}") for head in heads}

    def likeness(head: TopicHead) -> float:
        own = words[head.file]
        return max((len(own & other) / (len(own | other) or 1) for file, other in words.items() if file != head.file), default=0.0)

    return sorted(heads, key=lambda head: -likeness(head))
