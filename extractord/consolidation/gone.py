"""Which of the names in memory the project does not have any more.

Owns: asking a worker, which may read the project and nothing else, and what its answers mean. Where a search was not complete
nothing counts as gone. Leaves which names to ``marks``, how a worker searches to ``agent.search``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from extractord.agent.policy import Roots
from extractord.agent.protocol import Decision, Ruling, ToolAnswer, ToolCall
from extractord.agent.supervise import CheckAnswer, try_calls

BATCH = 25  # names in one search: a pattern may have 2,000 characters
ROUNDS = 4  # of searching for those names that the first lines of a long answer did not show
_STOPPED = re.compile(r"(?m)^\((?:stopped after|more than) ")


def gone(files: Iterable[str], symbols: Iterable[str], roots: Roots) -> frozenset[str]:
    """Return the names that are not there. Raises WorkerError."""
    if roots.project is None:
        return frozenset()
    paths, names = sorted(frozenset(files)), sorted(frozenset(symbols))
    asking = _Asking(roots)
    return frozenset((*asking.missing_files(paths), *asking.missing_symbols(names)))


class _Asking:
    """One worker for all calls of a kind."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots

    def missing_files(self, paths: Sequence[str]) -> Iterator[str]:
        """Yield the paths at which nothing lies, and file names that lie nowhere."""
        at = [path for path in paths if "/" in path]
        rulings = self._answers(ToolCall(path, "Read", {"file_path": path, "limit": 1}) for path in at)
        absent = [path for path, ruling in zip(at, rulings, strict=True) if _is_missing(ruling)]
        # A path that counts from another folder is there too.
        yield from self._nowhere([*absent, *(path for path in paths if "/" not in path)])

    def _nowhere(self, names: Sequence[str]) -> Iterator[str]:
        batches = [names[at : at + BATCH] for at in range(0, len(names), BATCH)]
        calls = (ToolCall(str(n), "Glob", {"pattern": f"**/{{{','.join(batch)}}}"}) for n, batch in enumerate(batches))
        for batch, ruling in zip(batches, self._answers(calls), strict=True):
            if _is_complete(ruling):
                shown = ruling.result.splitlines()
                yield from (name for name in batch if not any(line == name or line.endswith(f"/{name}") for line in shown))

    def missing_symbols(self, names: Sequence[str]) -> Iterator[str]:
        """Yield the identifiers that no file of the project has."""
        for at in range(0, len(names), BATCH):
            left = list(names[at : at + BATCH])
            for _ in range(ROUNDS):
                pattern = rf"\b(?:{'|'.join(map(re.escape, left))})\b"
                (ruling,) = self._answers([ToolCall("0", "Grep", {"pattern": pattern})])
                left = [name for name in left if not re.search(rf"\b{re.escape(name)}\b", ruling.result)]
                if not left or _is_complete(ruling):
                    break
            if left and _is_complete(ruling):
                yield from left

    def _answers(self, calls: Iterable[ToolCall]) -> list[Ruling]:
        asked = list(calls)
        if not asked:
            return []
        return [one.ruling for one in try_calls(asked, self._roots, _nothing_changes) if isinstance(one, ToolAnswer)]


def _nothing_changes(_: object) -> CheckAnswer:
    return CheckAnswer(Decision.DENIED, "this run only looks")


def _is_missing(ruling: Ruling) -> bool:
    return ruling.decision is Decision.ALLOWED and ruling.failed and ruling.result.startswith("no such file")


def _is_complete(ruling: Ruling) -> bool:
    return ruling.decision is Decision.ALLOWED and not ruling.failed and not _STOPPED.search(ruling.result)
