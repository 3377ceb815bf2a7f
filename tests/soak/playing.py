"""One round of the soak: played undisturbed and with kills, then compared; and the table of many rounds.

Owns: the phases, hand edits, when all is at rest, and what counts as a difference. Leaves what clients do to ``writing``.
"""

from __future__ import annotations

import difflib
import os
import random
import re
import subprocess
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from extractord.claude_home import transcripts
from extractord.ledger import Ledger
from tests.ends import End, end_of
from tests.homes import Home, topic
from tests.model_runs import write
from tests.scripted_server import Answer, Asked, text
from tests.soak.killing import OFFLINE, WITH_MODEL, Killed
from tests.soak.writing import Script, start_client

# A client that is there and gets no time on a busy machine is not done: only its going says so. A killed call counts whole.
CONFIG = """
[settle]
exited = "1s"
idle = "15s"
pending = "15s"
longest = "10m"
[retry]
first = "1s"
longest = "2s"
park_after = 1000
[budget]
usd_per_stretch = 1000.0
usd_per_day = 1000.0
usd_per_month = 1000.0
"""
REST = 240.0  # seconds in which everything has to come to rest when nobody disturbs it, on a busy machine
SLOWEST = 0.8  # seconds until a model has answered
PROJECTS = ("alone", "crowd", "site")
File = tuple[str, bytes, int]  # of a Tree
_SAID = re.compile(r"^\[(m\d+)\][^\n]*\n((?:From now on|Never deploy)[^\n]*)", re.MULTILINE)


@dataclass
class Table:
    """What many rounds came to."""

    rounds: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    stretches: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    @property
    def told_kills(self) -> str:
        return f"{self.kills.total()} ({', '.join(f'{count} {kind}' for kind, count in sorted(self.kills.items()))})"

    def __str__(self) -> str:
        outcomes = ", ".join(f"{count} {kind}" for kind, count in sorted(self.outcomes.items()))
        return (
            "| rounds | kills | stretches | outcomes | differences |\n|---|---|---|---|---|\n"
            f"| {self.rounds} | {self.told_kills} | {self.stretches} | {outcomes} | {len(self.differences)} |"
        )

    def add(self, other: Table) -> None:
        self.rounds += other.rounds
        self.kills += other.kills
        self.stretches += other.stretches
        self.outcomes += other.outcomes
        self.differences += other.differences


def play(folder: Path, seed: int, kills: int, began: datetime, model: str = "") -> Table:
    """Play one round with about ``kills`` kills; ``model`` is the address of a server to extract with, none means offline."""
    whole = _played(folder, "whole", seed, 0, began, model)
    killed = _played(folder, "killed", seed, kills, began, model)
    undisturbed, end = end_of(whole.home), end_of(killed.home)
    rows = Counter((session, key) for session, key, *_ in end.outcomes)
    found = [f"{seed}: {count} outcomes of {row}" for row, count in rows.items() if count != 1]
    found += [f"seed {seed}: {line}" for line in (*killed.dirty_ends, *_differences(undisturbed, end))]
    return Table(1, killed.kills, len(rows), Counter(outcome for _, _, outcome, *_ in end.outcomes), found)


def answer(asked: Asked, _: int) -> Answer:
    """Answer as a model that saves each rule that was typed, and is done when it was told the results; it takes its time."""
    takes = zlib.crc32(asked.raw) % 1000 / 1000 * SLOWEST
    if asked.results:
        return Answer((text("nothing more"),), after=takes)
    content = asked.messages[0]["content"]
    prompt = content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)
    said = _SAID.findall(prompt.rpartition("==== session ")[0].rpartition("==== session ")[2] or prompt)
    calls = [write(f"feedback_{'_'.join(re.findall('[a-z]{5,}', line)[-4:])}.md", line, line, message) for message, line in said]
    return Answer(tuple(calls) or (text("nothing"),), after=takes)


# --- one of the two


def _played(folder: Path, name: str, seed: int, kills: int, began: datetime, model: str) -> Killed:
    home, work = Home(folder / name), folder / "work"
    for project in PROJECTS:
        Home(folder).project(project)
    _laid_out(home, work, began)
    env = {"ANTHROPIC_API_KEY": "sk-test-" + "soak" * 8} if model else {}
    home.config((f'backend = "anthropic"\nbase_url = "{model}"\n' if model else "") + CONFIG)
    killed = Killed(home, random.Random(seed), env, WITH_MODEL if model else OFFLINE)
    script = Script.of(seed, home.config_home, work, began)
    try:
        killed.start()
        _wait(lambda: (home.state / "status.json").exists(), killed)
        for number, clients in enumerate(script.phases):
            _edit_between(home, work, number, began)
            running = [start_client(home.config_home, steps) for steps in clients]
            _edit_meanwhile(home, work, number, began)
            _strike_often(killed, running, kills // len(script.phases))
            for client in running:
                assert client.wait(REST) == 0
            _edit_meanwhile(home, work, number + 10, began)
            killed.start()
            _wait(lambda: _at_rest(home), killed)
    finally:
        killed.stop()
    return killed


def _strike_often(killed: Killed, running: list[subprocess.Popen[bytes]], times: int) -> None:
    """Strike while clients write or something is left to do: who kills an idle daemon sees nothing."""
    for _ in range(times):
        if not killed.strike(lambda: all(client.poll() is not None for client in running) and _at_rest(killed.home)):
            return


def _laid_out(home: Home, work: Path, began: datetime) -> None:
    for project in PROJECTS:
        memory = _memory(home, work, project)
        _put(memory / "feedback_squash.md", topic("squash", "Squash merge feature branches."), began - timedelta(days=30))
        _put(memory / "MEMORY.md", "# Mine\n\n- [squash](feedback_squash.md) — merges\n\nMy words.\n", began - timedelta(days=30))


def _edit_between(home: Home, work: Path, number: int, began: datetime) -> None:
    """Edit what is ours while nothing else happens: a line of a person in each topic."""
    for project in PROJECTS:
        for place in sorted(_memory(home, work, project).glob("*.md")):
            if number and place.name != "MEMORY.md":
                _put(place, place.read_text() + f"\nA line of my own, {number}.\n", began + timedelta(days=7))


def _edit_meanwhile(home: Home, work: Path, number: int, began: datetime) -> None:
    """Edit what belongs to nobody else: a topic of the person's own, and a word at the end of the index."""
    for project in PROJECTS:
        memory = _memory(home, work, project)
        _put(memory / f"user_mine_{number}.md", topic("mine", f"I edit by hand, the {number}th time.", "user"), began + timedelta(days=6))
        with (memory / "MEMORY.md").open("ab") as index:
            index.write(f"My words, {number}.\n".encode())


def _put(place: Path, text: str, moment: datetime) -> None:
    """Write a file as a person does, at a moment that is the same in both games."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    os.utime(place, (moment.timestamp(), moment.timestamp()))


def _memory(home: Home, work: Path, project: str) -> Path:
    return home.projects / re.sub(r"[^A-Za-z0-9]", "-", str(work / project)) / "memory"


def _at_rest(home: Home) -> bool:
    """Whether every transcript, as it lies there, was dealt with to its end, and nothing is left in hand."""
    with Ledger.in_memory(home.state) as ledger:
        dealt_with = ledger.stamps()
        done = all(dealt_with.get(file.session) == file.stamp for file in transcripts(home.config_home))
        return done and not ledger.unfinished() and not ledger.spares()


def _wait(what: Callable[[], bool], killed: Killed) -> None:
    end = time.monotonic() + REST
    while not what():
        assert time.monotonic() < end, f"{killed.home.root} did not come to rest: {(killed.home.root / 'daemon.log').read_text()[-3000:]}"
        killed.start()
        time.sleep(0.3)


def _differences(undisturbed: End, end: End) -> Iterable[str]:
    for directory in undisturbed.memories.keys() | end.memories.keys():
        one, other = undisturbed.memories.get(directory, {}), end.memories.get(directory, {})
        changed = [file for file in one | other if one.get(file) != other.get(file)]
        yield from (f"{directory}/{file}: {_told(one.get(file), other.get(file))}" for file in changed)
    for what in ("outcomes", "facts", "changesets"):
        one_rows, other_rows = Counter(getattr(undisturbed, what)), Counter(getattr(end, what))
        yield from (f"{what}: lost {row}" for row in (one_rows - other_rows))
        yield from (f"{what}: added {row}" for row in (other_rows - one_rows))


def _told(one: File | None, other: File | None) -> str:
    """Return how two files differ: their lines where these do, else kind and time."""
    was, is_now = (file[1].decode("utf-8", "replace").splitlines() if file else [] for file in (one, other))
    lines = "\n".join(difflib.unified_diff(was, is_now, lineterm="", n=1))
    return lines or f"{one and (one[0], one[2])} → {other and (other[0], other[2])}"
