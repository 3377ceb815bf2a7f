"""Grep and Glob: finding things in the project and the memory directory, as this run sees it.

Owns: which files a search looks at, its bounds in time, files and output, and the form of what it gives back. Leaves patterns
to ``globs``, links and opening to ``places``, what may be read to ``policy``. Secret-bearing files are left out silently; text
is searched as redacted, so that no pattern can feel its way along a secret.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from extractord.agent.globs import BadPatternError, chooser, climbs, expression, matcher, split_fixed
from extractord.agent.inputs import GlobInput, GrepInput
from extractord.agent.overlay import Overlay
from extractord.agent.places import Parts, Places, Resolved, Root, read_regular, walk
from extractord.agent.policy import Area, Kind, Located, denied, rule_read, rule_text
from extractord.agent.protocol import Decision, Ruling
from extractord.agent.secret_files import bears_secrets
from extractord.redact import redact

SECONDS = 10.0
FILES = 20_000
FILE_BYTES = 4 << 20  # of one file; what follows is not searched
LINES = 250  # of Grep's output
LINE_CHARS = 300
PATHS = 1_000  # of Glob's output

# Not entered unless named: version control (git keeps passwords in its configuration), and what package tools put there.
LEFT_OUT = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".tox"})


def failed(text: str) -> Ruling:
    """Return the ruling on a call that was allowed but came to nothing by itself."""
    return Ruling(Decision.ALLOWED, "", text, failed=True)


def may_read(resolved: Resolved) -> Ruling:
    """Return the ruling on reading what a path resolved to."""
    return resolved.text if resolved.text.decision is Decision.DENIED else rule_read(resolved.place)


@dataclass(slots=True)
class _Bounds:
    """What is left of a search's allowance; ``told`` says which bound was met."""

    deadline: float = field(default_factory=lambda: time.monotonic() + SECONDS)
    files: int = FILES
    told: str = ""

    def spent(self) -> bool:
        self.files -= 1
        if self.files < 0:
            self.told = f"(stopped after {FILES} files)"
        elif time.monotonic() > self.deadline:
            self.told = f"(stopped after {SECONDS:.0f} seconds)"
        return bool(self.told)


def grep(asked: GrepInput, places: Places, overlay: Overlay) -> Ruling:
    """Return the lines that match, as ``path:number:line``."""
    resolved = places.for_reading(asked.path or places.default)
    if (ruling := may_read(resolved)).decision is Decision.DENIED:
        return ruling
    if asked.glob is not None and (ruling := _rule_pattern(asked.glob)).decision is Decision.DENIED:
        return ruling
    try:
        # Line by line and over whole files alike: ^ and $ are about lines.
        wanted = expression(f"(?m){asked.pattern}")
        chosen = chooser(asked.glob) if asked.glob else _any
    except BadPatternError as error:
        return failed(f"the pattern cannot be used: {error}")
    bounds, lines = _Bounds(), list[str]()
    found_any = False
    for parts in _files(resolved.place, places, overlay, bounds):
        found_any = True
        if chosen("/".join(_below(parts, resolved.place))):
            text = _searched(places, overlay, resolved.place.area, parts)
            lines += _matches(places.shown(resolved.place.area, parts), text, wanted.search)
        if len(lines) > LINES:
            bounds.told = f"(more than {LINES} lines: narrow the pattern, path or glob)"
            break
    if not found_any and resolved.place.kind is Kind.MISSING:
        return failed("no such file or directory")
    return _listed(lines[:LINES], bounds, "no match")


def glob(asked: GlobInput, places: Places, overlay: Overlay) -> Ruling:
    """Return the paths of the files that the pattern means."""
    fixed, rest = split_fixed(asked.pattern)
    if fixed and asked.path and not fixed.startswith("/"):
        fixed = f"{asked.path.rstrip('/')}/{fixed}"
    resolved = places.for_reading(fixed or asked.path or places.default)
    for ruling in (may_read(resolved), _rule_pattern(rest), places.rule(asked.path) if asked.path else resolved.text):
        if ruling.decision is Decision.DENIED:
            return ruling
    if resolved.place.kind is Kind.FILE:
        return failed("it is a file, not a directory")
    try:
        wanted = matcher(rest)
    except BadPatternError as error:
        return failed(f"the pattern cannot be used: {error}")
    bounds, paths = _Bounds(), list[str]()
    for parts in _files(resolved.place, places, overlay, bounds):
        if wanted("/".join(_below(parts, resolved.place))):
            paths.append(places.shown(resolved.place.area, parts))
        if len(paths) > PATHS:
            bounds.told = f"(more than {PATHS} files: narrow the pattern)"
            break
    return _listed(paths[:PATHS], bounds, "no file")


def _rule_pattern(pattern: str) -> Ruling:
    if climbs(pattern):
        return denied("the pattern climbs out with '..'")
    if pattern.startswith("/"):
        return denied("the glob counts from the directory that is searched; name that in path")
    return rule_text(pattern)


def _any(_path: str) -> bool:
    return True


def _below(parts: Parts, start: Located) -> Parts:
    return parts[len(start.parts) :] if len(parts) > len(start.parts) else parts[-1:]


def _files(start: Located, places: Places, overlay: Overlay, bounds: _Bounds) -> Iterator[Parts]:
    """Yield the files at or below ``start`` that may be read, as this run sees them, until the bounds are spent."""
    root = places.root_of(start.area)
    for parts in _seen(start, root, overlay):
        if bounds.spent():
            return
        if not bears_secrets(parts) and not places.is_barred(root, parts):
            yield parts


def _seen(start: Located, root: Root, overlay: Overlay) -> Iterator[Parts]:
    on_disk = iter([start.parts]) if start.kind is Kind.FILE else walk(root, start.parts, LEFT_OUT)
    if start.area is not Area.MEMORY or not overlay.covering():
        return on_disk
    staged = {tuple(path.split("/")): text for path, text in overlay.covering().items()}
    below = {parts for parts in staged if parts[: len(start.parts)] == start.parts}
    return iter(sorted(parts for parts in below | set(on_disk) if staged.get(parts, "") is not None))


def _searched(places: Places, overlay: Overlay, area: Area, parts: Parts) -> bytes:
    """Return the bytes that a search looks at; b"" for what is binary or cannot be read."""
    path = "/".join(parts)
    if area is Area.MEMORY and overlay.covers(path):
        return (overlay.now(path) or "").encode()
    try:
        data = read_regular(places.root_of(area), parts, FILE_BYTES)
    except OSError:
        return b""  # gone or closed to us meanwhile: a search goes on
    return b"" if b"\0" in data[:8192] else data


def _matches(shown: str, data: bytes, search: Callable[[bytes], object]) -> Iterator[str]:
    """Yield the matching lines of one file; RE2 looks at the whole first, which is what makes a large tree quick."""
    if search(data) is None:
        return
    text = redact(data.decode(errors="replace")).text
    for number, line in enumerate(text.split("\n"), 1):
        if search(line.removesuffix("\r").encode()) is not None:
            yield f"{shown}:{number}:{line[:LINE_CHARS].rstrip()}"


def _listed(lines: list[str], bounds: _Bounds, nothing: str) -> Ruling:
    told = [bounds.told] if bounds.told else []
    return Ruling(Decision.ALLOWED, "", "\n".join([*(lines or [nothing]), *told]))
