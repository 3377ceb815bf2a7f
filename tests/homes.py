"""Config homes for end-to-end tests: sessions as the client writes them, and memory that was there before.

Owns: laying out transcripts and memory directories below one folder, and looking at what is there with times. Leaves running
commands to ``command``, what must hold to the tests.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.case_files import sanitized
from tests.command import Place

DAY = 86_400.0
VERSION = "2.1.332"
# What people say in so many words; the offline extractor makes one topic of each.
SAYINGS = (
    "From now on always run the linter before you commit.",
    "Never push to main without asking me, because the release manager tags it by hand.",
    "Bugs are tracked in the Linear project INGEST.",
    "Stop summarizing what you did at the end of every reply, I can read the diff.",
    "Always use pnpm instead of npm in this repository.",
    "Don't mock the database in integration tests, we got burned when the migration failed in prod.",
    "I'm a backend developer, twelve years of Go, and this is my first React project.",
    "Please remember: the staging database is reset every night at two.",
)
Tree = dict[str, tuple[str, bytes, int]]  # kind, bytes, mtime in ns (folders: 0)


@dataclass(frozen=True, slots=True)
class Home(Place):
    """A config home with projects beside it, everything below ``root``."""

    @property
    def projects(self) -> Path:
        return self.config_home / "projects"

    def project(self, name: str) -> Path:
        """Return a project folder, made as a git repository."""
        folder = self.root / "work" / name
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (folder / ".git" / "objects").mkdir(exist_ok=True)
        (folder / ".git" / "refs").mkdir(exist_ok=True)
        return folder

    def memory(self, project: str) -> Path:
        return self.projects / sanitized(str(self.root / "work" / project)) / "memory"

    def talk(self, project: str, *said: str, days_ago: float = 3.0, session: str = "", minutes: float = 2.0) -> Talk:
        """Return a session of ``project`` in which a person types ``said``, laid out on disk."""
        began = datetime.now(UTC) - timedelta(days=days_ago)
        talk = Talk(self, self.project(project), session or str(uuid.uuid4()), began)
        for one in said:
            talk.prompt(one, minutes=minutes)
        return talk.save()

    def config(self, text: str) -> None:
        (self.root / "config.toml").write_text(text)

    def transcripts(self) -> list[Path]:
        return sorted(self.projects.glob("*/*.jsonl"))

    def memories(self) -> dict[str, Tree]:
        """Every memory directory with all that is in it, by project folder."""
        return {place.parent.name: tree(place) for place in sorted(self.projects.glob("*/memory"))}


class Talk:
    """One session that grows: each prompt is answered, then saved with the time of its last record."""

    def __init__(self, home: Home, cwd: Path, session: str, began: datetime) -> None:
        self.home, self.cwd, self.session = home, cwd, session
        self.now = began.replace(microsecond=0)
        self._records: list[dict[str, Any]] = []
        self._parent: str | None = None

    @property
    def path(self) -> Path:
        return self.home.projects / sanitized(str(self.cwd)) / f"{self.session}.jsonl"

    def prompt(self, text: str, *, minutes: float = 2.0) -> Talk:
        """Let a person type ``text`` after so many minutes, and the agent answer."""
        self.now += timedelta(minutes=minutes)
        content = {"type": "user", "message": {"role": "user", "content": text}, "origin": {"kind": "human"}, "promptSource": "typed"}
        self._chained(content)
        self.now += timedelta(seconds=20)
        said = [{"type": "text", "text": "Done."}]
        message = {"id": f"msg_{len(self._records)}", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": said}
        self._chained({"type": "assistant", "message": {**message, "stop_reason": "end_turn"}, "requestId": f"req_{len(self._records)}"})
        return self

    def save(self) -> Talk:
        """Write the transcript; it is as old as its last record."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in self._records), encoding="utf-8")
        moment = self.now.timestamp()
        os.utime(self.path, (moment, moment))
        return self

    def _chained(self, content: dict[str, Any]) -> None:
        made = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.session}/{len(self._records)}"))
        envelope = {
            "uuid": made,
            "timestamp": self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "userType": "external",
            "entrypoint": "cli",
            "cwd": str(self.cwd),
            "sessionId": self.session,
            "version": VERSION,
        }
        self._records.append({"parentUuid": self._parent, "isSidechain": False, **content, **envelope})
        self._parent = made


def tree(folder: Path) -> Tree:
    """Return everything at and below ``folder``: links as such, files with bytes and mtime, folders by name."""
    found: Tree = {}
    for place in _walk(folder):
        name = str(place.relative_to(folder))
        status = place.lstat()
        if place.is_symlink():
            found[name] = ("link", os.fsencode(place.readlink()), status.st_mtime_ns)
        elif place.is_dir():
            found[name] = ("folder", b"", 0)
        else:
            found[name] = ("file", place.read_bytes(), status.st_mtime_ns)
    return found


def _walk(folder: Path) -> Iterator[Path]:
    if folder.exists():
        yield folder
        yield from sorted(folder.rglob("*"))


def without_index_times(memories: dict[str, Tree]) -> dict[str, Tree]:
    """Return the same, the time of MEMORY.md left out: it is that of writing."""
    return {
        name: {file: (kind, data, 0 if file == "MEMORY.md" else mtime) for file, (kind, data, mtime) in inside.items()}
        for name, inside in memories.items()
    }


def put(folder: Path, file: str, text: str, *, days_ago: float = 40.0) -> Path:
    """Write a file of a memory directory as a person or the client left it; ``text`` byte for byte."""
    place = folder / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode("utf-8"))
    moment = int(datetime.now(UTC).timestamp() - days_ago * DAY)
    os.utime(place, (moment, moment))
    return place


def lived_in(home: Home) -> None:
    """Fill a home with projects of every kind: without memory, with memory in all the shapes that people and clients leave."""
    home.talk("fresh", SAYINGS[0], SAYINGS[1], days_ago=30)
    home.talk("fresh", "fix the rounding", SAYINGS[2], days_ago=20)
    home.talk("quiet", "why does the build take so long?", days_ago=20)
    home.talk("empty", SAYINGS[3], days_ago=10)
    home.memory("empty").mkdir()
    home.talk("crlf", "fix the parser", SAYINGS[4], days_ago=10)
    crlf = home.memory("crlf")
    put(crlf, "MEMORY.md", "# Mine\r\n\r\nA word of my own.\r\n- [old](user_old.md) — how I work\r\n\r\nMore prose")
    put(crlf, "user_old.md", topic("old", "Prefers short answers.\n\nA line of mine", "user").replace("\n", "\r\n").rstrip("\r\n"))
    home.talk("flat", SAYINGS[5], days_ago=10)
    home.talk("flat", "Forget that rule about squash merges, we no longer squash merge feature branches.", days_ago=5)
    flat = home.memory("flat")
    put(
        flat,
        "feedback_squash.md",
        "---\nname: squash\ndescription: squash merges\ntype: feedback\nmood: fine\n---\n\nSquash merge feature branches.\n",
    )
    put(flat, "deep/notes/project_x.md", topic("x", "The X project is on hold until the audit is over.", "project"))
    put(flat, "broken.md", "---\nname: [\n---\nnot a topic")
    put(flat, "picture.png", "no text")
    put(flat, ".DS_Store", "x")
    (flat / "link.md").symlink_to("broken.md")
    home.talk("logs", SAYINGS[7], days_ago=10)
    put(home.memory("logs"), "logs/2026/03/2026-03-01.md", "- 09:00 looked at the importer\n")
    put(home.memory("logs"), "MEMORY.md", "- [gone](gone.md) — its file is no more\n")


def topic(name: str, body: str, kind: str = "feedback", description: str = "") -> str:
    """Return a topic in today's form."""
    return f"---\nname: {name}\ndescription: {description or name}\nmetadata:\n  node_type: memory\n  type: {kind}\n---\n\n{body}\n"
