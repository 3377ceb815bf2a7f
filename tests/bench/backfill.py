"""A run over months of old sessions: the estimate beside peers, a run that finds nothing new, growth, and what all of it costs.

Peers are installed into the cache of the benchmarks, each in its version; one that cannot be had is passed over. Ratios are of wall
time, ours with one process (held to one core) and with two; all rounds take turns.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from extractord.agent.prices import HABITS
from extractord.claude_home import Surroundings, transcripts
from extractord.config import Config, Locations
from extractord.extraction.plan import Scope, examine
from extractord.extraction.survey import survey
from extractord.ledger import Ledger
from extractord.supervisor import Supervisor, WallClock, dry
from tests.bench import corpora, cost
from tests.bench.corpora import CACHE, Corpus
from tests.bench.cost import THOUGHTS, Honest
from tests.bench.goals import Goal
from tests.bench.reading import compiled
from tests.command import Place, extractord, relocation
from tests.measure import Spent, spent
from tests.model_runs import model_env
from tests.scripted_server import Answer, Asked, serving, text

ROUNDS = 5
CCUSAGE, LOG = "ccusage@20.0.24", "claude-code-log==1.7.0"
TWO, LOG_RATIO = 1.5, 100.0  # the goals, as all bounds here
PEAK_MIB, UNCHANGED_MS = 64, 50
DIGEST_PART, P90_TOKENS = 0.05, 10_000
USD, BATCH_USD = 1.50, 0.50  # for 1,000 sessions
GROWTH = (100, 1_000, 10_000)
SESSION_BYTES, BATCHED = 30_000, 100
MODEL = "claude-haiku-5-5"
OURS = [sys.executable, "-m", "extractord", "once"]


def bench() -> list[Goal]:
    """Measure all of it."""
    corpus = corpora.thousand_sessions()
    with tempfile.TemporaryDirectory(prefix="extractord-backfill-") as folder:
        root = Path(folder)
        return [*_estimates(corpus, root), *_sizes(corpus, root), _unchanged(corpus, root / "unchanged"), *_growth(root), _batches(root)]


def _env(config_home: Path, root: Path, **more: str) -> dict[str, str]:
    root.mkdir(exist_ok=True, parents=True)
    return {**compiled(), "HOME": str(root), "CLAUDE_CONFIG_DIR": str(config_home), **relocation(root), **more}


# --- beside peers


def _estimates(corpus: Corpus, root: Path) -> Iterator[Goal]:
    """The whole command, on the processors of everybody else's programs, and on one."""
    env = _env(corpus.root / ".claude", root / "estimate")
    estimate = [*OURS, "--estimate", "--json"]
    found: dict[str, list[Spent]] = {"estimate, one process": [], "estimate, two processes": []}
    ccusage = _npm(CCUSAGE, "ccusage")
    if ccusage:
        found["ccusage"] = []
    for _ in range(ROUNDS):
        found["estimate, one process"].append(spent(estimate, env, cores=1))
        found["estimate, two processes"].append(spent(estimate, env))
        if ccusage:
            found["ccusage"].append(spent([str(ccusage), "daily", "--offline", "--json"], env))
    if log := _pypi(LOG, "claude-code-log"):
        with _linked(corpus) as home:
            argv = [str(log), "--projects-dir", str(home / "projects"), "--all-projects", "--no-individual-sessions"]
            found["claude-code-log"] = [spent(argv, _env(home, root / "log"))]
    print(f"{'300 MB, 1,000 sessions':28}{'wall s, best':>14}{'median':>10}{'cpu s':>10}{'peak MiB':>10}")
    best = {name: min(one.wall for one in taken) for name, taken in found.items()}
    for name, taken in found.items():
        median = sorted(one.wall for one in taken)[len(taken) // 2]
        peak = max(one.peak_mib for one in taken)
        print(f"{name:28}{best[name]:14.2f}{median:10.2f}{min(one.cpu for one in taken):10.2f}{peak:10.1f}")
    one, two = best["estimate, one process"], best["estimate, two processes"]
    if ccusage:
        yield Goal("estimate with one process, of ccusage's time on two threads", one / best["ccusage"], 1.0, at_least=False)
        yield Goal("ccusage's time, of the estimate's with two processes", best["ccusage"] / two, TWO, at_least=True)
    if log:
        yield Goal("claude-code-log's time, of the estimate's", best["claude-code-log"] / two, LOG_RATIO, at_least=True)
    for name in ("estimate, one process", "estimate, two processes"):
        yield Goal(f"peak MiB a process, {name}", max(one.peak_mib for one in found[name]), PEAK_MIB, at_least=False)


def _npm(package: str, program: str) -> Path | None:
    """Return a program of an npm package in the cache, None where it cannot be had."""
    folder, npm = CACHE / "peers" / program, shutil.which("npm")
    path = folder / "node_modules" / ".bin" / program
    if not path.exists() and npm:
        done = subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), package], capture_output=True, check=False
        )
        print(f"{package}: {'installed' if done.returncode == 0 else 'cannot be had'}", file=sys.stderr)
    return path if path.exists() else None


def _pypi(package: str, program: str) -> Path | None:
    folder = CACHE / "peers" / program
    path = folder / "bin" / program
    if not path.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True, check=False)
        done = subprocess.run([str(folder / "bin" / "python"), "-m", "pip", "install", "-q", package], capture_output=True, check=False)
        print(f"{package}: {'installed' if done.returncode == 0 else 'cannot be had'}", file=sys.stderr)
    return path if path.exists() else None


@contextmanager
def _linked(corpus: Corpus) -> Iterator[Path]:
    """Yield a config home with links to the same files: such a program writes beside what it reads."""
    place = Path(tempfile.mkdtemp(prefix="linked-", dir=CACHE))
    try:
        shutil.copytree(corpus.root / ".claude", place / ".claude", copy_function=os.link)
        yield place / ".claude"
    finally:
        shutil.rmtree(place)


# --- sizes and prices


def _sizes(corpus: Corpus, root: Path) -> Iterator[Goal]:
    """What would be sent, and what it costs by the table, thoughts and answers included."""
    home, habits = corpus.root / ".claude", HABITS[MODEL]
    raw = sum(path.stat().st_size for path in corpus.transcripts)
    with _looking(home, root / "sizes") as supervisor:
        forecasts = survey(supervisor, Scope()).forecasts.values()
    digests = sum(chunk.rest for one in forecasts for chunk in one.chunks)  # with all that frames it: more than the digest alone
    prompts = sorted(sum((chunk.shared + chunk.rest) / habits.bytes_a_token for chunk in one.chunks) for one in forecasts)
    done = extractord(
        Place(root / "price"), *OURS[3:], "--estimate", "--json", env=_env(home, root / "price", EXTRACTORD_BACKEND="anthropic")
    )
    usd = done.summary["cost_usd"] * 1000 / len(prompts)
    p90 = prompts[len(prompts) * 9 // 10]
    print(f"what is sent: {digests / raw:.1%} of {raw / 1e6:.0f} MB; p90 {p90:.0f} tokens; ${usd:.2f} for 1,000 sessions")
    yield Goal("digest, part of the raw bytes", digests / raw, DIGEST_PART, at_least=False)
    yield Goal("tokens of prompt and digest, p90 session", p90, P90_TOKENS, at_least=False)
    yield Goal("$ for 1,000 sessions", usd, USD, at_least=False)


@contextmanager
def _looking(config_home: Path, root: Path) -> Iterator[Supervisor]:
    surroundings = Surroundings(environ=_env(config_home, root), home=root)
    with dry(Locations(root / "config.toml", root / "state", root / "credentials"), Config(), surroundings, WallClock()) as supervisor:
        yield supervisor


class Named(Honest):
    """The same model asked by batches: of every third session it names what was typed last as a candidate."""

    def _says(self, asked: Asked, number: int) -> list[dict[str, Any]]:
        if asked.body.get("tools"):
            return super()._says(asked, number)
        *_, (message, said) = cost.said_in(asked)
        fact = said.split(".")[0].strip()[:120]
        worth = zlib.crc32(said.encode()) % 3 == 0 and len(fact.split()) >= 4
        named = [{"type": "project", "fact": fact, "evidence": [{"message": message, "quote": fact}]}] if worth else []
        return [text(json.dumps({"candidates": named}))]


def _batches(root: Path) -> Goal:
    """Sessions of the corpus's size by batches, as a server on loopback counts them, the merging runs at the full price."""
    place = Place(root / "batches")
    cost.made(place, BATCHED)
    (place.root / "config.toml").write_text("budget.usd_per_day = 9\nbudget.usd_per_month = 9\n")
    model = Named(thoughts=THOUGHTS, looks=False)
    asked: list[Asked] = []

    def script(one: Asked, number: int) -> Answer:
        asked.append(one)
        return model(one, number)

    with serving(script) as server:
        done = extractord(place, "once", "--batch", "--yes", "--json", env=model_env(server))
    if done.status or done.summary["failed"] or done.summary["postponed"]:
        raise RuntimeError(done.stderr + done.stdout)
    usd = done.summary["cost_usd"] * 1000 / BATCHED
    merges, saved = sum("tools" in one.body for one in asked), done.summary["saved"]
    print(f"by batches: {BATCHED} sessions, {len(asked) - merges} requests, {merges} merging calls, {saved} saved: ${usd:.2f} for 1,000")
    return Goal("$ for 1,000 sessions by batches", usd, BATCH_USD, at_least=False)


# --- nothing new, and growth


def _unchanged(corpus: Corpus, root: Path) -> Goal:
    """A run over 1,000 sessions that were all dealt with, over ``--help``: processor time, which other work disturbs least."""
    env = _env(corpus.root / ".claude", root)
    _dealt_with(corpus.root / ".claude", root)
    walls: dict[str, list[Spent]] = {"--help": [], "once": []}
    for _ in range(3 * ROUNDS):
        walls["--help"].append(spent([sys.executable, "-m", "extractord", "--help"], env))
        walls["once"].append(spent([*OURS, "--json"], env))
    found = json.loads(walls["once"][0].stdout.splitlines()[-1])["summary"]
    if found["unchanged"] != found["sessions"]:
        raise RuntimeError(str(found))
    help_ms, once_ms = (1000 * min(one.cpu for one in walls[name]) for name in ("--help", "once"))
    print(f"unchanged again: {once_ms:.0f} ms, --help {help_ms:.0f} ms, {found['sessions']} sessions")
    return Goal("unchanged again, ms over --help", once_ms - help_ms, UNCHANGED_MS, at_least=False)


def _dealt_with(config_home: Path, root: Path) -> None:
    """Let the ledger know all transcripts as they lie there, as a run does that finds nothing open in them."""
    surroundings = Surroundings(environ=_env(config_home, root), home=root)
    locations = Locations(root / "config.toml", root / "state", root / "credentials")
    with Ledger.open(locations.state) as ledger:
        supervisor = Supervisor(ledger, Config(), surroundings, locations)
        for file in transcripts(config_home):
            if (examined := examine(supervisor, Scope(), file)) is not None:
                ledger.note_sighting(replace(examined.plan.sighting, unfinished=False))


def _growth(root: Path) -> Iterator[Goal]:
    """The estimate over ten times as many sessions takes at most ten times as long, and a half more."""
    walls: list[float] = []
    for sessions in GROWTH:
        home = corpora.small_sessions(sessions, SESSION_BYTES)
        env = _env(home.root / ".claude", root / f"growth-{sessions}")
        walls.append(min(spent([*OURS, "--estimate", "--json"], env, cores=1).cpu for _ in range(2)))
        print(f"growth: {sessions:6,} sessions {walls[-1]:8.2f} s")
    start = walls[0] - (walls[1] - walls[0]) / 9  # what the start alone takes
    yield Goal("10,000 sessions, of 1,000 ones' time", (walls[2] - start) / (walls[1] - start), 11.0, at_least=False)
