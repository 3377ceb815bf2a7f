"""Consolidations for tests: a memory of ours and of others, runs by hand, the client's lock.

Owns: laying out topics that the ledger knows as ours without an agent run, and looking at the lock. Leaves what must hold to the tests.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from extractord.applying import Application, carry_out, settle_spares
from extractord.consolidation.dream import Dream, dream
from extractord.ledger import ChangesetRow, FactRow, Kind, Outcome
from extractord.memory.changeset import Proposal
from extractord.memory.consolidate_lock import NAME
from extractord.memory.prepared import spare_name
from extractord.memory.writing import index_lines, write_of
from extractord.supervisor import Supervisor
from tests.homes import DAY, Home, Tree, topic
from tests.killed_once import Steps, supervising

SESSION = "5e551011-0000-4000-8000-000000000000"
WHY = "\n\n**Why:** not stated\n**How to apply:** whenever it comes up."
TUESDAYS = "Deploy the shop service on Tuesdays only."
THURSDAYS = "Deploy the shop service on Thursdays only."


def saved(supervisor: Supervisor, home: Home, project: str, topics: Mapping[str, tuple[str, float]], kind: Kind = Kind.EXTRACTION) -> str:
    """Write topics as ours: texts by file, each with how many days ago it was said. Returns the changeset's id."""
    directory, now = supervisor.directory(home.memory(project)), supervisor.wall()
    snapshot, id_ = directory.read(), supervisor.ledger.new_id()
    told = {file: now - days * DAY for file, (_, days) in topics.items()}
    writes = tuple(
        write_of(Proposal(file, snapshot.text_of(file), text), told[file], snapshot, SESSION, spare_name(id_, number))
        for number, (file, (text, _)) in enumerate(topics.items())
    )
    facts = tuple(FactRow(file, SESSION, moment, "m1", f"u-{file}", f"said of {file}", id_) for file, moment in told.items())
    row = ChangesetRow(id_, now, SESSION, None, str(home.memory(project)), Outcome.SAVED, kind)
    with directory.lock():
        carry_out(supervisor, directory, Application(row, directory.prepare(id_, writes, index_lines(writes), snapshot), facts=facts))
    settle_spares(supervisor)
    return id_


def agreed(supervisor: Supervisor, home: Home, project: str) -> None:
    """Let a first consolidation be over: later ones are written at once."""
    saved(
        supervisor,
        home,
        project,
        {"reference_first.md": (topic("first", "Dashboards are in Grafana.", "reference"), 300)},
        Kind.CONSOLIDATION,
    )


@contextlib.contextmanager
def working(home: Home, steps: Steps | None = None) -> Iterator[Supervisor]:
    with supervising(home.root, steps or Steps()) as supervisor:
        yield supervisor


def dreamt(supervisor: Supervisor, home: Home, project: str) -> Dream:
    """Consolidate a project's memory."""
    done = dream(supervisor, supervisor.home_of(str(home.project(project))))
    settle_spares(supervisor)
    return done


def rule(name: str, text: str) -> str:
    return topic(name, text + WHY)


def lock_of(memory: Path) -> tuple[str, float] | None:
    """Return the client's lock: its body, and how many seconds ago the last run was."""
    place = memory / NAME
    return (place.read_text(), time.time() - place.stat().st_mtime) if place.exists() else None


def shown(found: Tree) -> Tree:
    """Return a directory without what is hidden."""
    return {file: what for file, what in found.items() if not file.startswith(".") or file == "."}


def put_lock(memory: Path, body: str, seconds_ago: float) -> None:
    memory.mkdir(parents=True, exist_ok=True)
    (memory / NAME).write_text(body)
    os.utime(memory / NAME, (time.time() - seconds_ago,) * 2)
