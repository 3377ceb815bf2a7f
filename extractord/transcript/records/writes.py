"""Which calls may write memory: those whose result must be seen.

Owns: the generous first choice, made while reading, before the memory directory is known: memory is Markdown, and lies
outside the project or in a folder whose name tells. Leaves the exact rule to ``memory_writes``.
"""

from __future__ import annotations

import re

from extractord.transcript.records.wire import Input

FILE_TOOLS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
SHELL_TOOL = "Bash"
MAY_WRITE = FILE_TOOLS | {SHELL_TOOL}
_WRITING = re.compile(r">|\btee\b|\bsed\b|\bperl\b|\bcp\b|\bmv\b|\binstall\b|\brsync\b|\bln\b|\bdd\b|\btruncate\b|\bpatch\b")
_TELLING = re.compile(r"memor(?:y|ies)[/\\]|\.md\b", re.IGNORECASE)


def path_of(arguments: Input) -> str | None:
    """Return the file that a call of a file tool names."""
    return arguments.file_path or arguments.notebook_path


def may_write_memory(tool: str, arguments: Input, cwd: str) -> bool:
    """Whether a call could be a write into a memory directory, wherever that is."""
    if tool in FILE_TOOLS:
        path = path_of(arguments)
        return path is not None and (not cwd or not path.startswith(cwd.rstrip("/") + "/") or _tells(path))
    if tool == SHELL_TOOL and arguments.command is not None:
        return _tells(arguments.command) and _WRITING.search(arguments.command) is not None
    return False


def _tells(text: str) -> bool:
    """Whether a text names memory or Markdown; the search that ignores case is slow, so parts of it are looked for first."""
    lowered = text.lower()
    return ("memor" in lowered or ".md" in lowered) and _TELLING.search(text) is not None
