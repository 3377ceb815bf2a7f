"""Directories that a program goes through by itself: what it may meet there.

Owns: handing a recursive search the very files it may look at, and refusing or narrowing programs that cannot be handed files.
Nothing relies on a program's own idea of what to leave out, but for names of a comparison's sides. Leaves single paths to
``judging``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from extractord.agent.places import Parts, walk
from extractord.agent.policy import Kind, Located
from extractord.agent.search import LEFT_OUT
from extractord.agent.secret_files import bears_secrets, lies_among_secrets
from extractord.agent.shell.grammar import CommandRefusedError
from extractord.agent.shell.judging import Judge

FILES = 10_000  # of one recursive search
_SURVEYED = 50_000  # entries


@dataclass(frozen=True, slots=True)
class Chosen:
    """grep's --include, --exclude and --exclude-dir, as patterns of names."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exclude_dir: tuple[str, ...] = ()

    def means(self, below: Parts) -> bool:
        """Return whether the file at ``below``, counted from where the search began, is to be searched."""
        name = below[-1]
        return (
            (not self.include or _any(name, self.include))
            and not _any(name, self.exclude)
            and not any(_any(part, self.exclude_dir) for part in below[:-1])
        )


def _any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern.rstrip("/")) for pattern in patterns)


def files_below(judge: Judge, text: str, place: Located, chosen: Chosen) -> list[str]:
    """Return the files in the directory ``text`` ("" is where the program runs) that a search may look at, as it calls them."""
    found: list[str] = []
    left_out = 0
    for parts in walk(judge.places.root_of(place.area), place.parts, LEFT_OUT):
        below = parts[len(place.parts) :]
        if judge.places.is_barred(judge.places.root_of(place.area), parts) or not chosen.means(below):
            continue
        if bears_secrets(parts) or judge.holds_secret(Located(place.area, parts, parts, Kind.FILE)):
            left_out += 1
            continue
        found.append(_called(text, below))
        if len(found) > FILES:
            raise CommandRefusedError(f"more than {FILES} files: narrow it, or use Grep")
    if left_out:
        judge.remarks.append(f"({left_out} files that bear or hold secrets were left out; Grep searches what may be shown of them)")
    return found


def _called(text: str, below: Parts) -> str:
    if not text:
        name = "/".join(below)
        return f"./{name}" if name.startswith("-") else name
    return "/".join((text.rstrip("/"), *below))


def refuse_hidden_below(judge: Judge, program: str, text: str, place: Located) -> None:
    """Raise CommandRefusedError if below the directory at ``place`` lies one of which not even names are shown."""
    if place.kind is not Kind.DIRECTORY:
        return
    if barred_below(judge, place) or any(lies_among_secrets(parts) for mode, parts in _survey(judge, place) if stat.S_ISDIR(mode)):
        raise CommandRefusedError(f"{program} {text[:80]} would go into a directory that is never shown: name one further down")


def unopened_names(judge: Judge, place: Located) -> set[str]:
    """Return the names, in the directory at ``place`` or below, of what a comparison must not open."""
    names = {
        parts[-1]
        for mode, parts in _survey(judge, place)
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or _is_unreadable(judge, place, mode, parts)
    }
    return names | {parts[-1] for parts in barred_below(judge, place)}


def _is_unreadable(judge: Judge, place: Located, mode: int, parts: Parts) -> bool:
    whole = (*place.parts, *parts)
    if stat.S_ISDIR(mode):
        return lies_among_secrets(whole)
    return bears_secrets(whole) or judge.holds_secret(Located(place.area, whole, whole, Kind.FILE))


def barred_below(judge: Judge, place: Located) -> tuple[Parts, ...]:
    """Return the paths, relative to the directory at ``place``, of directories in which nothing is shown."""
    return judge.places.barred_below(judge.places.root_of(place.area), place.parts)


def _survey(judge: Judge, place: Located) -> Iterator[tuple[int, Parts]]:
    """Yield mode and path, relative to it, of all that lies below the directory at ``place``; links are not followed."""
    top = "/" + "/".join((*judge.places.root_of(place.area).real, *place.parts))
    count = 0
    for folder, directories, files in os.walk(top):
        above = tuple(part for part in folder[len(top) :].split("/") if part)
        for name in (*directories, *files):
            count += 1
            if count > _SURVEYED:
                raise CommandRefusedError(f"more than {_SURVEYED} entries: name a directory further down")
            yield _mode(f"{folder}/{name}"), (*above, name)


def _mode(path: str) -> int:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0  # gone or closed to us: counts as what must not be opened
