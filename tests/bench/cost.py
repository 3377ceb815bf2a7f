"""What a session costs with a model, at the table's prices, and whether the estimate told so beforehand.

Made sessions go to a scripted model on loopback. Its server counts as tokenizers do and keeps marked beginnings; what the vendor's
model thinks before it answers is added, as a figure. The model means well: of every third session it saves what was typed last,
after one look, and of the rest it says "nothing".
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.goals import Goal
from tests.case_files import TOOLS, set_times
from tests.command import Line, Place, extractord
from tests.model_runs import model_env, write
from tests.scripted_server import Answer, Asked, call, serving, text
from tests.token_counts import Counter

SESSIONS, SESSION_BYTES = 100, 300_000
THOUGHTS = 500  # tokens of thinking a call
USD, TURNS, WITHIN = 0.0015, 2.0, 0.2
_SAID = re.compile(r"^\[(m\d+)\] [^\n]*? user[^\n]*:\n(.*?)(?=\n\[m\d+\] |\n====)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """One way of asking: what was told beforehand, what was counted, what was spent."""

    told: Line
    calls: int
    runs: int
    prompts: int
    usd: float
    saved: int


def bench() -> list[Goal]:
    """Ask for each session once, then with a look before each write, and print both."""
    with tempfile.TemporaryDirectory(prefix="extractord-cost-") as folder:
        once = measured(Place(Path(folder) / "once"), SESSIONS, Honest(thoughts=0, looks=False))
        looking = measured(Place(Path(folder) / "looking"), SESSIONS, Honest(thoughts=THOUGHTS, looks=True))
    print(f"{'cost, a session':24}{'told tokens':>14}{'counted':>10}{'told $':>11}{'spent $':>11}{'turns':>8}{'saved':>8}")
    for name, row in {"one call": once, "looking, thinking": looking}.items():
        told = [row.told["input_tokens"] / SESSIONS, row.prompts / SESSIONS, row.told["cost_usd"] / SESSIONS, row.usd / SESSIONS]
        print(f"{name:24}{told[0]:14.0f}{told[1]:10.0f}{told[2]:11.6f}{told[3]:11.6f}{row.calls / row.runs:8.2f}{row.saved:8}")
    return goals(once, looking, SESSIONS)


def goals(once: Row, looking: Row, sessions: int) -> list[Goal]:
    """Return what has to hold of both rows. Figures in thousandths of a dollar are shown as cents."""
    return [
        Goal("tokens told, of those counted: off by", abs(once.told["input_tokens"] / once.prompts - 1), WITHIN, at_least=False),
        Goal("dollars told, of those spent: off by", abs(once.told["cost_usd"] / once.usd - 1), WITHIN, at_least=False),
        Goal("calls a run", looking.calls / looking.runs, TURNS, at_least=False),
        Goal("cents a session", 100 * looking.usd / sessions, 100 * USD, at_least=False),
    ]


def said_in(asked: Asked) -> list[tuple[str, str]]:
    """Return what a person typed of a session as it is sent: each message's id and text."""
    found: list[tuple[str, str]] = _SAID.findall(asked.messages[0]["content"][0]["text"])
    return found


class Honest:
    """A model that means well. Each session is a third likely to hold something that it saves."""

    def __init__(self, *, thoughts: int, looks: bool) -> None:
        self.counter = Counter()
        self.thoughts = thoughts
        self.looks = looks

    def __call__(self, asked: Asked, number: int) -> Answer:
        content = self._says(asked, number)
        usage = self.counter.usage(asked, content)
        if not self.looks:  # a server that keeps nothing, which is what an estimate goes by where nothing is known
            cached = usage.pop("cache_read_input_tokens") + usage.pop("cache_creation_input_tokens")
            usage["input_tokens"] += cached
        return Answer(tuple(content), usage={**usage, "output_tokens": usage["output_tokens"] + self.thoughts})

    def _says(self, asked: Asked, number: int) -> list[dict[str, Any]]:
        message, said = (said_in(asked) or [("", "")])[-1]  # of a long stretch, a later chunk may hold the agent's answers only
        fact = said.split(".")[0].strip()[:120]
        looked, refused = len(asked.messages) > 1, len(asked.messages) > (3 if self.looks else 1)
        if zlib.crc32(said.encode()) % 3 or refused or len(fact.split()) < 4:
            return [text("nothing")]
        if self.looks and not looked:
            return [call("Grep", f"g{number}", pattern=fact.split()[0])]
        return [write(f"project_{number}.md", fact, fact, message, "project")]


def measured(place: Place, sessions: int, model: Honest) -> Row:
    """Make so many sessions at ``place``, estimate them, give them to ``model``."""
    made(place, sessions)
    runs = 0

    def counting(script: Callable[[Asked, int], Answer]) -> Callable[[Asked, int], Answer]:
        def answer(asked: Asked, number: int) -> Answer:
            nonlocal runs
            runs += len(asked.messages) == 1
            return script(asked, number)

        return answer

    (place.root / "config.toml").write_text("budget.usd_per_day = 9\nbudget.usd_per_month = 9\n")
    with serving(counting(model)) as server:
        told = extractord(place, "once", "--estimate", "--json", env=model_env(server))
        done = extractord(place, "once", "--yes", "--json", env=model_env(server))
        if told.status or done.status or done.summary["failed"]:
            raise RuntimeError(told.stderr + done.stderr + done.stdout)
        return Row(told.summary, len(server.asked), runs, model.counter.prompts, done.summary["cost_usd"], done.summary["saved"])


def made(place: Place, sessions: int) -> None:
    place.root.mkdir(parents=True)
    made = place.root / "made"
    size = ["--sessions", sessions, "--bytes", sessions * SESSION_BYTES, "--subagents", 0, "--seed", 3]
    maker = [sys.executable, "-B", TOOLS / "make_corpus.py", *size, "--out", made]
    subprocess.run([*map(str, maker)], check=True, capture_output=True)
    (made / ".claude").rename(place.config_home)
    set_times(place.config_home)
