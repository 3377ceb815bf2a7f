"""Promises about several ``once`` on one home at the same time: together they do what one does."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

from extractord.ledger import Outcome
from tests.command import Answer, extractord
from tests.ends import end_of
from tests.homes import SAYINGS, Home, put, topic

PROCESSES = 2


def crowded(home: Home) -> None:
    """Six sessions of two projects, by turns, one with memory beforehand."""
    put(home.memory("shop"), "MEMORY.md", "# Mine\n\n- [deploys](project_deploys.md) — on Thursdays\n")
    put(home.memory("shop"), "project_deploys.md", topic("deploys", "Deploys happen on Thursdays.", "project"))
    for number, said in enumerate(SAYINGS[:4]):
        home.talk(("shop", "site")[number % 2], "fix the total", said, days_ago=30 - number)
    home.talk("shop", SAYINGS[1], days_ago=12)
    home.talk("site", "why is the build slow?", days_ago=11)


def test_several_at_once_leave_what_one_leaves(tmp_path: Path) -> None:
    """Bytes, times, outcomes and facts equal those of one undisturbed run, and each stretch has one outcome."""
    crowded(Home(tmp_path / "plain"))
    whole, shared = (Home(shutil.copytree(tmp_path / "plain", tmp_path / name)) for name in ("whole", "shared"))
    alone = extractord(whole, "once", "--json")
    assert alone.status == 0, alone.stderr
    with ThreadPoolExecutor(PROCESSES) as pool:
        answers = list(pool.map(lambda _: extractord(shared, "once", "--json"), range(PROCESSES)))
    assert [answer.status for answer in answers] == [0] * PROCESSES, [answer.stderr for answer in answers]
    assert end_of(shared) == end_of(whole)
    done = list(chain.from_iterable(map(_sessions, answers)))
    assert sorted(done) == sorted(_sessions(alone))
    for summary in (answer.summary for answer in answers):  # what the other did is unchanged, not lost
        counted = sum(summary[key] for key in ("unchanged", *(outcome.value for outcome in Outcome)))
        assert counted == summary["sessions"] == alone.summary["sessions"], summary


def test_a_run_beside_undo_ends_in_one_of_the_two_orders(tmp_path: Path) -> None:
    """An ``undo --all`` while ``once`` runs takes back what it finds whole; a second one leaves memory as it was."""
    home = Home(tmp_path)
    crowded(home)
    before = home.memories()
    with ThreadPoolExecutor(2) as pool:
        once = pool.submit(extractord, home, "once", "--json")
        undone = pool.submit(extractord, home, "undo", "--all")
        assert once.result().status == 0, once.result().stderr
        assert undone.result().status == 0, undone.result().stderr
    assert extractord(home, "undo", "--all").status == 0
    assert home.memories() == before


def _sessions(answer: Answer) -> list[str]:
    return [str(line["session"]) for line in answer.lines if "session" in line]
