"""A memory of years: a thousand topics and four hundred days of logs, made from a seed.

Owns: laying it out. Leaves what must hold, and how long it may take, to the test and the benchmark.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path

from extractord.memory.daily_log import path_of
from tests.homes import Home, put, topic

NOUNS = (
    *("importer", "exporter", "scheduler", "ledger", "gateway", "cache", "queue", "parser", "renderer", "indexer", "worker", "router"),
    *("billing", "login", "search", "upload", "mailer", "report", "webhook", "archive", "snapshot", "migration", "feature", "invoice"),
)
VERBS = ("rebuild", "restart", "check", "review", "test", "lint", "sign", "tag", "archive", "migrate", "deploy", "document", "measure")
WHENS = ("before every release", "after each merge", "on staging first", "in two steps", "outside office hours")
TOPICS, DAYS = 1_000, 400


def large(home: Home, project: str, topics: int = TOPICS, days: int = DAYS, seed: int = 1) -> Path:
    """Lay out a memory: a fifth of the topics say what another one says, some are over, some name code."""
    chance, memory = random.Random(seed), home.memory(project)
    home.project(project)
    said = list(_statements(chance, topics))
    lines = []
    for number, (kind, text) in enumerate(said):
        file = f"{kind}_{number}.md"
        why = "\n\n**Why:** not stated\n**How to apply:** whenever it comes up." if kind in ("feedback", "project") else ""
        put(memory, file, topic(f"{kind} {number}", text + why, kind, text[:80]), days_ago=1 + (number * 7) % 300)
        lines.append(f"- [{kind} {number}]({file}) — {text[:60]}\n")
    put(memory, "MEMORY.md", "".join(lines[:180]) + "- [gone](gone.md) — no more\n")
    for number in range(days):
        day = date.today() - timedelta(days=days - number)  # noqa: DTZ011 - logs are of local days
        put(memory, path_of(day), "".join(f"- {line}\n" for line in _bullets(chance, day, number)), days_ago=days - number)
    return memory


def _statements(chance: random.Random, count: int) -> Iterator[tuple[str, str]]:
    made: list[tuple[str, str]] = []
    for number in range(count):
        if made and number % 5 == 4:
            made.append(chance.choice(made))
        elif number % 11 == 3:
            day = datetime.now().astimezone().date() - timedelta(days=chance.randint(20, 300))
            made.append(("project", f"All merges of the {_subject(chance, number)} are frozen until {day.isoformat()}."))
        elif number % 13 == 5:
            made.append(
                (
                    "reference",
                    f"The {_subject(chance, number)} is in `src/{chance.choice(NOUNS)}_{number}.py`, see `{chance.choice(NOUNS)}_step()`.",
                )
            )
        else:
            made.append(("feedback", f"Always {chance.choice(VERBS)} the {_subject(chance, number)} {chance.choice(WHENS)}."))
        yield made[-1]


def _subject(chance: random.Random, number: int) -> str:
    return f"{chance.choice(NOUNS)} {chance.choice(NOUNS)} no. {number}"


def _bullets(chance: random.Random, day: date, number: int) -> Iterator[str]:
    verb, when = chance.choice(VERBS), chance.choice(WHENS)
    yield f"09:{chance.randint(0, 59):02} looked at the {_subject(chance, number)}"
    if number % 4 == 0:
        yield f"10:{chance.randint(0, 59):02} From now on always {verb} the {_subject(chance, 5000 + number)} {when}."
    if number % 7 == 0:
        yield f"11:00 [feedback] Never {verb} the {_subject(chance, 7000 + number)} on Fridays. **Why:** nobody is there."
    yield f"17:30 fixed a test of {day.isoformat()}"
