"""The handed cases: where they lie, what each says, and how one becomes a config home.

Owns: the copies in ``tests/cases``, the handed originals that ``EXTRACTORD_CASES`` names, the records of ``case.json``, file
times. Leaves ``/home/dev`` to ``dev_home`` and what must hold to the tests.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

TESTS = Path(__file__).parent
COPIES = TESTS / "cases"
TOOLS = TESTS / "tools"
KINDS = ("transcripts", "bugs", "corpus", "quality")
LEFT_OUT = frozenset({"__pycache__", ".gitattributes"})
NOT_OF_THE_HOME = frozenset({"case.json", "outside"})


class MissingCasesError(Exception):
    """The cases a test is to run are not there."""


class Layout(msgspec.Struct, frozen=True):
    """A directory that must exist for a case, and what it is."""

    path: str
    kind: str  # "git repository", "plain directory", "linked worktree of PATH, …"


class Said(msgspec.Struct, frozen=True):
    """One entry of the conversation."""

    role: str
    text: str
    partial: bool = False


class Typed(msgspec.Struct, frozen=True):
    """Words typed inside a dialog."""

    text: str
    how: str  # refusal, acceptance, answer, note
    tool_use_id: str = ""
    question: str = ""


class StretchCase(msgspec.Struct, frozen=True):
    """A part of a session between long pauses."""

    prompts: tuple[str, ...]
    main_agent_wrote_memory: bool = False


class SessionCase(msgspec.Struct, frozen=True):
    """What must be read from one transcript."""

    file: str
    session_id: str
    real_user_prompts: int
    conversation: tuple[Said, ...]
    main_agent_wrote_memory: bool
    memory_write_tool_use_ids: tuple[str, ...]
    memory_writes_through_bash_tool_use_ids: tuple[str, ...] = ()
    typed: tuple[Typed, ...] = ()
    stretches: tuple[StretchCase, ...] = ()


class TranscriptCase(msgspec.Struct, frozen=True):
    """``case.json`` of a transcript fixture; keys that bind nothing are left out."""

    case: str
    config_home: str
    cwd: str
    memory_root: str | None  # None: memory lies in a directory of its own
    memory_dir: str
    memory_dir_is: str
    auto_memory_enabled: bool
    layout: tuple[Layout, ...]
    sessions: tuple[SessionCase, ...]
    project_files: dict[str, str] = {}
    environment: dict[str, str] = {}
    memory_off_seen_in: str = ""
    fork_of_session: str = ""
    settled: bool | None = None
    verdict: str | None = None

    @property
    def expected_memory_dir(self) -> str:
        """The memory directory as an absolute path."""
        return str(Path(self.config_home, self.memory_dir))


class Expected(msgspec.Struct, frozen=True):
    """``expected`` of a bug case: fields of ``--json`` answers, bounds, environment, words."""

    behaviour: str = ""
    inspect: dict[str, Any] = {}
    inspect_any: tuple[dict[str, Any], ...] = ()
    once: dict[str, Any] = {}
    memory_dir: dict[str, Any] | str | None = None
    usage: dict[str, dict[str, int]] = {}
    limits: dict[str, float] = {}
    env: dict[str, str] = {}
    steps: tuple[str, ...] = ()
    settled_after: str = ""


class BugCase(msgspec.Struct, frozen=True):
    """``case.json`` of a bug folder."""

    expected: Expected
    source: str = ""
    symptom: str = ""


@dataclass(frozen=True, slots=True)
class Folder:
    """A case as it lies on disk; ``name`` says whether it is a copy or a handed original."""

    name: str
    path: Path

    def transcript_case(self) -> TranscriptCase:
        return msgspec.json.decode((self.path / "case.json").read_bytes(), type=TranscriptCase)

    def bug_case(self) -> BugCase:
        return msgspec.json.decode((self.path / "case.json").read_bytes(), type=BugCase)


def handed_root() -> Path | None:
    """Return the folder that ``EXTRACTORD_CASES`` names, None if it names none."""
    named = os.environ.get("EXTRACTORD_CASES")
    if not named:
        return None
    root = Path(named).resolve()
    if not any((root / kind).is_dir() for kind in KINDS):
        raise MissingCasesError(f"EXTRACTORD_CASES={named}: none of {', '.join(KINDS)} is there")
    return root


def kind_folders(kind: str) -> list[Folder]:
    """Return the folder of ``kind`` among the copies and, if there are handed originals of it that differ, that one too."""
    if not (COPIES / kind).is_dir():
        raise MissingCasesError(f"{COPIES / kind} is missing: copy the handed cases there")
    folders = [Folder("copy", COPIES / kind)]
    root = handed_root()
    if root is not None and (root / kind).is_dir() and not _same(root / kind, COPIES / kind):
        folders.append(Folder("handed", root / kind))
    return folders


def cases(kind: str) -> list[Folder]:
    """Return every case of ``kind``, copies first; a kind without a single case is an error.

    A handed case that is byte for byte its copy is not listed again: it would be the same test. That it is the same is tested.
    """
    found = []
    for folder in kind_folders(kind):
        inside = [path for path in sorted(folder.path.iterdir()) if (path / "case.json").is_file()]
        if not inside:
            raise MissingCasesError(f"{folder.path} holds no case")
        if folder.name == "copy":
            found += [Folder(path.name, path) for path in inside]
        else:
            found += [Folder(f"{folder.name}:{path.name}", path) for path in inside if not _same(path, COPIES / kind / path.name)]
    return found


def _same(theirs: Path, ours: Path) -> bool:
    """Whether two folders hold the same files with the same bytes."""
    names = [*files_of(theirs)]
    return names == [*files_of(ours)] and all((theirs / name).read_bytes() == (ours / name).read_bytes() for name in names)


def files_of(folder: Path) -> Iterator[Path]:
    """Yield all files of a folder of cases, relative to it."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not LEFT_OUT & {*path.relative_to(folder).parts}:
            yield path.relative_to(folder)


def handed_without_copy() -> list[str]:
    """Return handed files of which ``tests`` has no copy, for the closing summary: they run, but a clone lacks them."""
    root = handed_root()
    if root is None:
        return []
    pairs = [(root / kind, COPIES / kind) for kind in KINDS] + [(root / "tools", TOOLS)]
    return [str(ours.relative_to(TESTS) / name) for theirs, ours in pairs for name in files_of(theirs) if not (ours / name).is_file()]


# --- as a config home --------------------------------------------------------------------------------------------------


def place_case(case: Path, into: Path) -> Path:
    """Copy the config home of a transcript fixture to ``into`` and return it, each file with the time it would have had."""
    into.mkdir(parents=True, exist_ok=True)
    for entry in sorted(case.iterdir()):
        if entry.name in NOT_OF_THE_HOME:
            continue
        if entry.is_dir():
            shutil.copytree(entry, into / entry.name, dirs_exist_ok=True)
        else:
            shutil.copy(entry, into / entry.name)
    set_times(into)
    return into


def place_transcript(file: Path, home: Path) -> Path:
    """Copy a lone transcript to where the client would have written it below ``home`` and return its place."""
    first = next(record for record in _records(file) if isinstance(record.get("cwd"), str) and record.get("sessionId"))
    target = home / "projects" / sanitized(first["cwd"]) / f"{first['sessionId']}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)
    set_times(home)
    return target


def set_times(home: Path) -> None:
    """Give every file below ``home/projects`` its time: a transcript that of its last record, a topic its ``modified``.

    What says no time of its own gets that of the first record of its project folder.
    """
    for folder in sorted((home / "projects").glob("*")):
        starts = [start for path in sorted(folder.glob("*.jsonl")) if (start := _first_time(path)) is not None]
        for path in sorted(folder.rglob("*")):
            if path.is_file() and (time := _own_time(path) or (min(starts) if starts else None)) is not None:
                os.utime(path, (time, time))


def set_memory_times(memory: Path, otherwise: float) -> None:
    """Give the files of a memory directory their ``modified`` time, or ``otherwise``."""
    for path in sorted(memory.rglob("*")):
        if path.is_file():
            time = _own_time(path) or otherwise
            os.utime(path, (time, time))


def last_time(transcript: Path) -> float:
    """Return the time of the last record that has one, in seconds since the epoch."""
    times = [seconds(record["timestamp"]) for record in _records(transcript) if isinstance(record.get("timestamp"), str)]
    return times[-1]


def first_time(transcript: Path) -> float:
    """Return the time of the first record that has one, in seconds since the epoch."""
    time = _first_time(transcript)
    assert time is not None, f"{transcript} holds no time"
    return time


def seconds(iso: str) -> float:
    return datetime.fromisoformat(iso).timestamp()


def sanitized(path: str) -> str:
    """Return the client's folder name for ``path``: each UTF-16 unit outside [A-Za-z0-9] a dash, at most 200 and a hash.

    Written here once more on purpose: a test must not ask the code under test where a file belongs.
    """
    raw = path.encode("utf-16-le", "surrogatepass")
    units = [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw), 2)]
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    if len(name) <= 200:
        return name
    value = 0
    for unit in units:
        value = (value * 31 + unit) & 0xFFFFFFFF
    value = abs(value - (1 << 32) if value & 0x80000000 else value)
    digits = ""
    while value or not digits:
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36] + digits
        value //= 36
    return f"{name[:200]}-{digits}"


def _own_time(path: Path) -> float | None:
    if path.suffix == ".jsonl":
        times = [record["timestamp"] for record in _records(path) if isinstance(record.get("timestamp"), str)]
        return seconds(times[-1]) if times else None
    if path.suffix == ".md" and (found := re.search(rb"^\s+modified: *['\"]?(\S+?)['\"]?\s*$", path.read_bytes(), re.MULTILINE)):
        return seconds(found[1].decode())
    return None


def _first_time(transcript: Path) -> float | None:
    return next((seconds(record["timestamp"]) for record in _records(transcript) if isinstance(record.get("timestamp"), str)), None)


def _records(transcript: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a transcript that are whole; what is broken is for the code under test to master."""
    with transcript.open("rb") as file:
        for line in file:
            try:
                record = json.loads(line.decode("utf-8-sig", "replace"))
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record
