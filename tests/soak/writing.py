"""What clients do to their transcripts in one round of the soak, made from a seed; and the client that does it.

Owns: the sessions' records, the order of appending, resuming, forking, compacting, rewinding, renaming, truncating and deleting, and a
process that carries it out and leaves a file behind while it is there, as the client does. Leaves when that happens to ``playing``.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.case_files import sanitized
from tests.homes import VERSION

# As many as a round has facts: two that share a word could be taken for one, in the one order or the other.
FIRST = (
    "amber birch cedar delta ember fjord grove heron indigo jasper kestrel lagoon maple nectar onyx prairie quartz raven sable tundra "
    "umber violet walnut yarrow zephyr alder basalt cobalt dahlia egret falcon garnet hazel ivory juniper koala lilac marlin nutmeg ochre"
)
THEN = (
    "linter formatter typechecker profiler bundler packager minifier transpiler notarizer obfuscator validator spellchecker compiler "
    "debugger sanitizer benchmark simulator emulator scheduler renderer tokenizer optimizer visualizer migrator importer exporter "
    "scanner crawler indexer archiver compressor encoder decoder sampler balancer throttler dispatcher aggregator serializer watchdog"
)
PAUSE = 0.06  # seconds between two appends, at most
Step = list[Any]  # one line of a client's script

# Announces itself as the client does, carries out its steps, and is gone.
_CLIENT = """
import json, os, sys, time
started = open("/proc/self/stat").read().rpartition(")")[2].split()[19]
def announce(session):
    now = time.time() * 1000
    said = {"pid": os.getpid(), "sessionId": session, "status": "busy", "statusUpdatedAt": now, "updatedAt": now, "procStart": started}
    place = os.path.join(sys.argv[1], "sessions", "%d.json" % os.getpid())
    open(place, "w").write(json.dumps(said))
    return place
place = None
for step in json.load(sys.stdin):
    if step[0] == "session":
        place = announce(step[1])
    elif step[0] == "append":
        os.makedirs(os.path.dirname(step[1]), exist_ok=True)
        out = os.open(step[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(out, step[2].encode())
        os.close(out)
    elif step[0] == "truncate":
        os.truncate(step[1], os.path.getsize(step[1]) - step[2])
    elif step[0] == "rename":
        os.makedirs(os.path.dirname(step[2]), exist_ok=True)
        os.rename(step[1], step[2])
    elif step[0] == "delete":
        os.unlink(step[1])
    elif step[0] == "away":
        os.unlink(place)
    time.sleep(step[-1] if step[0] in ("pause", "away") else 0)
if os.path.exists(place):
    os.unlink(place)
"""


@dataclass
class Talking:
    """One session that is being made: its records so far, and where its transcript lies."""

    session: str
    cwd: Path
    folder: Path
    now: datetime
    records: list[dict[str, Any]] = field(default_factory=list)
    parent: str | None = None

    @property
    def path(self) -> str:
        return str(self.folder / f"{self.session}.jsonl")

    def chained(self, content: dict[str, Any], **more: Any) -> dict[str, Any]:
        made = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.session}/{len(self.records)}"))
        self.now += timedelta(seconds=20)
        envelope = {
            "uuid": made,
            "timestamp": self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "userType": "external",
            "entrypoint": "cli",
            "cwd": str(self.cwd),
            "sessionId": self.session,
            "version": VERSION,
        }
        record = {"parentUuid": self.parent, "isSidechain": False, **content, **envelope, **more}
        self.records.append(record)
        self.parent = made
        return record

    def turn(self, said: str, **more: Any) -> list[dict[str, Any]]:
        """Return the records of a prompt and its answer."""
        asked: dict[str, Any] = {"type": "user", "message": {"role": "user", "content": said}}
        asked |= {"origin": {"kind": "human"}, "promptSource": "typed", **more}
        content = [{"type": "text", "text": "Done."}]
        message = {"type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": content, "stop_reason": "end_turn"}
        number = len(self.records)
        return [
            self.chained(asked),
            self.chained({"type": "assistant", "message": {"id": f"msg_{number}", **message}, "requestId": f"req_{number}"}),
        ]


@dataclass
class Script:
    """The scripts of all clients of a round, by phase; between two phases everything comes to rest."""

    projects: Path  # of the config home
    work: Path
    chance: random.Random
    began: datetime
    phases: list[list[list[Step]]] = field(default_factory=lambda: [[], []])
    _facts: int = 0
    _sessions: int = 0

    @classmethod
    def of(cls, seed: int, config_home: Path, work: Path, began: datetime) -> Script:
        """Return the script of a round; the same seed gives the same, wherever it is played."""
        script = cls(config_home / "projects", work, random.Random(seed), began)
        script._write()
        return script

    def _write(self) -> None:
        alone, crowd, third, gone = (self._talking(name) for name in ("alone", "crowd", "crowd", "site"))
        old = self._talking("site")
        self._phase(0, alone, self._burst(alone), self._away(), self._later(alone), self._burst(alone), self._rewind(alone))
        self._phase(0, crowd, self._burst(crowd), self._compact(crowd), self._burst(crowd))
        self._phase(0, third, self._burst(third), self._renamed(third), self._burst(third))
        self._phase(0, gone, self._burst(gone), [["delete", gone.path]])
        self._phase(0, old, self._burst(old))
        fork = self._fork(alone)
        self._phase(1, fork, self._append(fork.path, fork.records), self._later(fork), self._burst(fork))
        self._phase(1, alone, self._later(alone, hours=30), self._burst(alone))
        self._phase(
            1, third, self._truncated(third), self._later(third), self._burst(third), self._away(), self._later(third), self._burst(third)
        )
        self._phase(1, old, [["delete", old.path]])
        for number in (0, 1):
            for project in ("crowd", "site"):
                again = self._talking(project)
                self._phase(number, again, *self._again_and_again(again))

    def _phase(self, number: int, talking: Talking, *parts: list[Step]) -> None:
        steps = [step for part in parts for step in part]
        self.phases[number].append([["session", talking.session], *steps])

    def _again_and_again(self, talking: Talking) -> list[list[Step]]:
        """Return to a session again and again, so that there is always something to do."""
        parts = [self._burst(talking)]
        for _ in range(3):
            parts += [self._away(), self._later(talking), self._burst(talking)]
        return parts

    def _talking(self, project: str) -> Talking:
        self._sessions += 1
        session = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        cwd = self.work / project
        return Talking(session, cwd, self.projects / sanitized(str(cwd)), self._first_moment())

    def _first_moment(self) -> datetime:
        """Of two topics of one moment the index would name first what was written last: no two sessions share one."""
        return self.began + timedelta(hours=3 * self._sessions, seconds=self._sessions)

    # --- what people type

    def _fact(self) -> str:
        first, then = FIRST.split(), THEN.split()
        number = self._facts
        self._facts += 1
        said: Callable[[str, str], str] = self.chance.choice(
            (
                lambda a, b: f"From now on always run the {b} before you touch {a}.",
                lambda a, b: f"Never deploy {a} without the {b}, because it broke twice.",
            )
        )
        return said(first[number % len(first)], then[number % len(then)])

    def _burst(self, talking: Talking) -> list[Step]:
        lines = [record for _ in range(self.chance.randint(1, 2)) for record in talking.turn(self._said())]
        return self._append(talking.path, [*lines, *talking.turn(self._fact())])

    def _said(self) -> str:
        return self.chance.choice(("fix the rounding", "why is the build slow?", "thanks", "and the other one?"))

    # --- what clients do

    def _append(self, path: str, records: list[dict[str, Any]]) -> list[Step]:
        steps: list[Step] = []
        for record in records:
            steps += [["append", path, json.dumps(record, ensure_ascii=False) + "\n"], ["pause", self.chance.uniform(0, PAUSE)]]
        return steps

    def _away(self) -> list[Step]:
        """The client leaves, and comes back before, while or after its session was looked at."""
        return [["away", self.chance.uniform(0, 5)]]

    def _later(self, talking: Talking, hours: float = 1) -> list[Step]:
        """Return to a session after more than half an hour of its own time."""
        talking.now += timedelta(hours=hours)
        return [["session", talking.session]]

    def _rewind(self, talking: Talking) -> list[Step]:
        """Say something, then go back and say something else: the first is gone."""
        before = talking.parent
        lines = talking.turn(f"From now on always say {self._sessions} prayers before you start the mainframe.")
        talking.parent = before
        return self._append(talking.path, [*lines, *talking.turn(self._fact())])

    def _compact(self, talking: Talking) -> list[Step]:
        last, talking.parent = talking.parent, None
        boundary = talking.chained({"type": "system", "subtype": "compact_boundary", "content": "compacted"}, logicalParentUuid=last)
        summary = talking.turn("The person never wants tests to be run at all.", isCompactSummary=True)
        return self._append(talking.path, [boundary, *summary])

    def _renamed(self, talking: Talking) -> list[Step]:
        """The client moves the transcript into the folder of a worktree."""
        before = talking.path
        talking.folder = self.projects / f"{talking.folder.name}--claude-worktrees-x"
        return [["rename", before, talking.path]]

    def _truncated(self, talking: Talking) -> list[Step]:
        """The last line is cut off, as a lost write does."""
        last = talking.records.pop()
        talking.parent = last["parentUuid"]
        return [["truncate", talking.path, len(json.dumps(last, ensure_ascii=False).encode()) + 1]]

    def _fork(self, talking: Talking) -> Talking:
        """Return a new session that begins with all of another one, under the same uuids."""
        fork = self._talking(talking.cwd.name)
        fork.records = [{**record, "sessionId": fork.session} for record in talking.records]
        fork.parent, fork.now = talking.parent, talking.now + timedelta(hours=1)
        return fork


def start_client(config_home: Path, steps: list[Step]) -> subprocess.Popen[bytes]:
    """Start a client that carries out its steps by itself."""
    (config_home / "sessions").mkdir(parents=True, exist_ok=True)
    client = subprocess.Popen([sys.executable, "-I", "-S", "-c", _CLIENT, str(config_home)], stdin=subprocess.PIPE)
    assert client.stdin is not None
    client.stdin.write(json.dumps(steps).encode())
    client.stdin.close()
    return client
