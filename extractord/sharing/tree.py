"""Team memory as sets of files: what was shared last, what lies here, what the remote has, and what becomes of them.

Owns: which files may leave and come in, and the three-way merge of whole sets. Pure. Leaves the merge of a text to ``memory.reconcile``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from extractord.memory.paths import INDEX, Misplaced, place
from extractord.memory.reconcile import both_kept, reconciled
from extractord.memory.rules import same_name
from extractord.memory.snapshot import ReadLimits, is_looked_at
from extractord.memory.team import beyond, in_step
from extractord.memory.topics import parse
from extractord.redact import invisible, secrets_in

LIMITS = ReadLimits()
_ANYWHERE = Path("/memory")  # paths are judged by their text


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of a commit. ``text`` is None where it is no text; then ``reason`` tells why it is left alone."""

    mode: str
    name: str  # of the object
    text: str | None = field(default=None, compare=False)
    reason: str = field(default="", compare=False)

    def with_data(self, data: bytes | None) -> Blob:
        """Return the file with what it holds."""
        if data is None:
            return replace(self, reason=self.reason or "no plain file")
        try:
            return replace(self, text=data.decode("utf-8"))
        except UnicodeDecodeError:
            return replace(self, reason="not UTF-8")


Tree = dict[str, Blob]  # by path within team memory


def unfit(path: str, text: str) -> str:
    """Return why a file is neither sent to others nor taken from them, "" if it is."""
    if path != INDEX:
        placed = place(path, _ANYWHERE)
        if isinstance(placed, Misplaced):
            return placed.reason
        if placed.relative != path or any(folder.endswith(".md") for folder in path.split("/")[:-1]):
            return "its path is no plain path of a topic"
        if not is_looked_at(beyond(path)):
            return "it is hidden, or a copy that some program made"
        if parse(text).type == "user":
            return "what concerns one person is not shared"
    if len(text.encode("utf-8", "surrogatepass")) > LIMITS.file_bytes:
        return f"it is larger than {LIMITS.file_bytes:,} bytes"
    if kinds := secrets_in(text):
        return f"it holds a secret ({kinds[0].value})"
    if hidden := next(iter(invisible(text)), None):
        return f"it has a character that cannot be seen ({hidden.name})"
    return ""


def faults(tree: Mapping[str, Blob]) -> dict[str, str]:
    """Return which files of a commit are left alone, and why."""
    found: dict[str, str] = {}
    taken: dict[str, str] = {}
    for path, blob in sorted(tree.items()):
        reason = blob.reason or ("no text" if blob.text is None else unfit(path, blob.text))
        if not reason and (other := taken.setdefault(same_name(path), path)) != path:
            reason = f"{other} differs in upper and lower case only"
        if reason:
            found[path] = reason
    return found


@dataclass(frozen=True, slots=True)
class Here:
    """Team memory as it lies in the memory directory, by path within it."""

    texts: Mapping[str, str]
    unreadable: frozenset[str]  # there, but not to be read: nothing is known of them
    missing: frozenset[str] = frozenset()  # a folder that is gone, or an index: nobody took these away


@dataclass(frozen=True, slots=True)
class Local:
    """What of team memory here goes into a commit."""

    tree: Tree
    withheld: dict[str, str]  # what does not, and why


def local(here: Here, base: Tree, blob: Callable[[str], Blob]) -> Local:
    """Return the files to be shared, given those that were shared last. ``blob`` makes a file of a text: never of one that is unfit."""
    tree: Tree = {}
    withheld: dict[str, str] = {}
    frozen = faults(base)
    for path in sorted({*here.texts, *base}):
        text, was = here.texts.get(path), base.get(path)
        if was is not None and (path in here.unreadable or path in here.missing or path in frozen or was.text == text):
            tree[path] = was
            if path in frozen and text is not None and was.text != text:
                withheld[path] = f"the team's file of that name is left alone: {frozen[path]}"
        elif text is not None and (reason := unfit(path, text)):
            withheld[path] = reason
            if was is not None:
                tree[path] = was
        elif text is not None:
            tree[path] = blob(text)
    return Local(tree, withheld)


def merged(base: Tree, ours: Tree, theirs: Tree, blob: Callable[[str], Blob]) -> Tree:
    """Return both sides together. What one side removed and the other changed stays as it was changed."""
    out: Tree = {}
    for path in sorted({*ours, *theirs}):
        chosen = _one(path, base.get(path), ours.get(path), theirs.get(path), blob)
        if chosen is not None:
            out[path] = chosen
    index = out.get(INDEX)
    if index is not None and index.text is not None:
        left = faults(out)
        topics = {path: one.text for path, one in out.items() if path not in left and path != INDEX and one.text is not None}
        text = in_step(index.text, topics)
        out[INDEX] = index if text == index.text else blob(text)
    return out


def _one(path: str, base: Blob | None, ours: Blob | None, theirs: Blob | None, blob: Callable[[str], Blob]) -> Blob | None:
    match ours, theirs:
        case _ if ours == theirs or theirs == base:
            return ours
        case _ if ours == base:
            return theirs
        case None, _:
            return theirs
        case _, None:
            return ours
        case Blob(text=str(mine)), Blob(text=str(others)):
            before = base.text if base is not None else None
            text = both_kept(before or "", mine, others) if path == INDEX else reconciled(before, mine, others)
            return ours if text == mine else theirs if text == others else blob(text)
        case _:
            return theirs
