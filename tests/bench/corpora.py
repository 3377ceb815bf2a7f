"""Transcripts to measure on, made once and kept in a cache folder below the temporary folder.

Owns: making them; the same arguments give the same bytes. Leaves what they look like to ``tests/tools/make_corpus.py``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.case_files import TOOLS

CACHE = Path(tempfile.gettempdir()) / "extractord-bench"
LONG_LINE = 96_000_000  # bytes of one record, as a session full of screenshots has them


@dataclass(frozen=True, slots=True)
class Corpus:
    """A config home full of transcripts; ``needles`` lists the planted facts."""

    root: Path

    @property
    def projects(self) -> Path:
        return self.root / ".claude" / "projects"

    @property
    def needles(self) -> Path:
        return self.root / "needles.jsonl"

    @property
    def transcripts(self) -> list[Path]:
        return sorted(self.projects.glob("*/*.jsonl"))


def thousand_sessions() -> Corpus:
    """Return 300 MB in 1,000 sessions, with needles."""
    return Corpus(_cached("sessions-1000", lambda root: _make(root, "--sessions", "1000", "--bytes", "300000000", "--seed", "1")))


def small_sessions(count: int, mean: int) -> Corpus:
    """Return so many sessions of so many bytes on average."""
    size = ("--sessions", str(count), "--bytes", str(count * mean), "--subagents", "0", "--seed", "2")
    return Corpus(_cached(f"small-{count}", lambda root: _make(root, *size)))


def one_large_session() -> Corpus:
    """Return 1 GB in one session."""
    return Corpus(
        _cached("one-gigabyte", lambda root: _make(root, "--sessions", "1", "--subagents", "0", "--bytes", "1000000000", "--seed", "1"))
    )


def one_long_line() -> Corpus:
    """Return a session with one record of 96 MB between two prompts."""
    return Corpus(_cached("long-line", _long_line))


def _cached(name: str, make: Callable[[Path], None]) -> Path:
    """Return the cached folder ``name``; a half-made one has no mark and is made anew."""
    root = CACHE / name
    if not (root / "complete").exists():
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        print(f"making {root}", file=sys.stderr)
        make(root)
        (root / "complete").touch()
    return root


def _make(root: Path, *argv: str) -> None:
    script = [sys.executable, "-B", str(TOOLS / "make_corpus.py"), *argv]
    subprocess.run([*script, "--out", str(root), "--needles", str(root / "needles.jsonl")], check=True, stdout=subprocess.DEVNULL)


def _long_line(root: Path) -> None:
    session, cwd = "5b0c1f4e-1111-4222-8333-944455556666", "/home/dev/work/shots"
    folder = root / ".claude" / "projects" / "-home-dev-work-shots"
    folder.mkdir(parents=True)
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * LONG_LINE}}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": [image]}]}
    fact = "Screenshots go into docs/img, never into the root."
    said = [{"role": "user", "content": fact}, result, {"role": "user", "content": "Good."}]
    with (folder / f"{session}.jsonl").open("w", encoding="utf-8") as file:
        for number, message in enumerate(said):
            envelope = {"type": "user", "uuid": f"00000000-0000-4000-8000-{number:012d}", "parentUuid": None, "isSidechain": False}
            when = {"timestamp": f"2026-03-09T09:00:0{number}.000Z", "cwd": cwd, "sessionId": session, "version": "2.1.332"}
            file.write(json.dumps({**envelope, **when, "message": message}, separators=(",", ":")) + "\n")
    (root / "needles.jsonl").write_text(json.dumps({"session": session, "fact": fact}) + "\n", encoding="utf-8")
