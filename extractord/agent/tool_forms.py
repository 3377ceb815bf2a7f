"""The tools as they are offered to a model: names, words and JSON Schema.

Owns: the descriptions. Names and types of the parameters are those of ``inputs``, which refuses everything else.
"""

from __future__ import annotations

from typing import Any

from extractord.agent.frames import ShellOffer
from extractord.agent.wire import Tool


def tools(shell: ShellOffer) -> tuple[Tool, ...]:
    """Return the tools of a run, always in the same order: they begin the prompt that a server may keep."""
    return (*_READING, *((_BASH,) if shell is ShellOffer.OFFERED else ()), *_WRITING)


def _text(description: str = "") -> dict[str, Any]:
    return {"type": "string", **({"description": description} if description else {})}


def _tool(name: str, description: str, required: str, **properties: dict[str, Any]) -> Tool:
    return Tool(name, description, {"type": "object", "properties": properties, "required": required.split()})


_LINE = {"type": "integer"}
_TOPIC = _text("the topic's file name in the memory directory")
_EVIDENCE: dict[str, Any] = {
    "type": "array",
    "description": "what the person typed, word for word",
    "items": {
        "type": "object",
        "properties": {"message": _text("m12"), "quote": _text(), "accepted_by": _text("only for an accepted choice of the agent")},
        "required": ["message", "quote"],
    },
}

_READING = (
    _tool("Read", "Show a file of the project or a topic, with line numbers.", "file_path", file_path=_text(), offset=_LINE, limit=_LINE),
    _tool(
        "Grep",
        "Search file contents by regular expression (RE2), in the project unless a path says otherwise.",
        "pattern",
        pattern=_text(),
        path=_text(),
        glob=_text("only files that match"),
    ),
    _tool("Glob", "List files by pattern.", "pattern", pattern=_text(), path=_text()),
)
_BASH = _tool("Bash", "Run one read-only command, such as `git log --oneline -5 -- src`. No shell: pipes only.", "command", command=_text())
_WRITING = (
    _tool(
        "Write",
        "Create a topic, or replace one that you know.",
        "file_path content evidence",
        file_path=_TOPIC,
        content=_text(),
        evidence=_EVIDENCE,
    ),
    _tool(
        "Edit",
        "Replace a passage of a topic that is shown in full or was Read. old_string must occur exactly once.",
        "file_path old_string new_string evidence",
        file_path=_TOPIC,
        old_string=_text(),
        new_string=_text(),
        replace_all={"type": "boolean"},
        evidence=_EVIDENCE,
    ),
    _tool("Delete", "Remove a topic that the person revoked.", "file_path evidence", file_path=_TOPIC, evidence=_EVIDENCE),
)
