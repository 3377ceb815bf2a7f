"""Signs in the records that auto memory was on or off in the session, and the texts that were loaded.

Owns: the vendor's section headings, which may change with a version: where none is found nothing is said. The last sign of a
file counts. Leaves what follows from a sign to ``eligibility``.
"""

from __future__ import annotations

import re
from typing import Any

from extractord.transcript.records.events import Dated, Envelope, Instructions, LoadedText, Shown, Sign
from extractord.transcript.records.wire import Attachment, Line, loosely

MEMORY_HEADING = "# Memory"
OWN_HEADING = "# Environment"  # shows that it is the client's own system prompt
MEMORY_SECTION = "Memory"  # its name where it stands beside the system prompt
INDEX_KIND = "AutoMem"
LOADED_CHARACTERS = 64_000  # of one loaded text
_BARE = re.compile(r"\s*CWD: [^\n]*\nDate: [^\n]*\s*")  # the whole prompt of --bare


def of_attachment(attachment: Attachment, at: Envelope) -> Dated | Instructions | Shown | None:
    """Return what an attachment shows, if anything."""
    match attachment.type:
        case "date":
            return Dated(*at, attachment.date) if attachment.date else None
        case "instructions":
            return _instructions(loosely(attachment.files), loosely(attachment.removed), at)
        case "context_sections":
            sections = loosely(attachment.sections)
            named = any(isinstance(s, dict) and s.get("name") == MEMORY_SECTION for s in _list(sections))
            return Shown(*at, Sign.ON_BESIDE) if named else None
        case "prompt_snapshot":
            return _shown([s for s in _list(loosely(attachment.systemPrompt)) if isinstance(s, str)], at)
    return None


def of_request_shape(line: Line, at: Envelope) -> Shown | None:
    """Return what the debug copy of a request shows of its system prompt."""
    shape = loosely(line.shape)
    blocks = _list(shape.get("system")) if isinstance(shape, dict) else []
    texts = [b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str)]
    if texts and _BARE.fullmatch(texts[-1]):
        return Shown(*at, Sign.OFF)
    return _shown(texts, at)


def _shown(texts: list[str], at: Envelope) -> Shown | None:
    if any(_has_heading(text, MEMORY_HEADING) for text in texts):
        return Shown(*at, Sign.ON)
    if any(_has_heading(text, OWN_HEADING) for text in texts):
        return Shown(*at, Sign.OFF)
    return None


def _has_heading(text: str, heading: str) -> bool:
    return text == heading or text.startswith(heading + "\n") or f"\n{heading}\n" in text or text.endswith("\n" + heading)


def _instructions(files: Any, removed: Any, at: Envelope) -> Instructions | None:
    loaded = []
    for file in _list(files):
        if isinstance(file, dict):
            path, kind, content = file.get("path"), file.get("type"), file.get("content")
            if isinstance(path, str) and isinstance(kind, str) and isinstance(content, str):
                loaded.append(LoadedText(path, kind, content[:LOADED_CHARACTERS]))
    gone = tuple(p for p in _list(removed) if isinstance(p, str))
    index = next((p for p in gone if p.replace("\\", "/").endswith("/memory/MEMORY.md") or p.endswith("/MEMORY.md")), None)
    on = any(text.kind == INDEX_KIND for text in loaded)
    if not loaded and not gone:
        return None
    return Instructions(*at, tuple(loaded), gone, Sign.ON if on else None, None if on else index)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
