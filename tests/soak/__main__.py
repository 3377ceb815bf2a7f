"""Play rounds until so many kills were made, and print the table: ``python -m tests.soak --kills 2000 --seed 1``."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.scripted_server import serving
from tests.soak.playing import Table, answer, play

WITH_MODEL = 2  # each so many-th round extracts with a model


def soak(folder: Path, kills: int, seed: int, a_round: int = 24, at_once: int = 3, with_model: int = WITH_MODEL) -> Table:
    """Play rounds of ``a_round`` kills, several at once, until there were ``kills``; each ``with_model``-th extracts with a model."""
    table, number = Table(), 0
    began = (datetime.now(UTC) - timedelta(days=12)).replace(microsecond=0)

    def one(number: int) -> Table:
        place = folder / f"round-{number}"
        place.mkdir(parents=True)
        found = play(place, seed + number, a_round, began, server.url if number % with_model == with_model - 1 else "")
        if not found.differences:
            shutil.rmtree(place)
        return found

    with serving(answer) as server, ThreadPoolExecutor(at_once) as pool:
        running: set[Future[Table]] = set()
        while table.kills.total() < kills or running:
            while len(running) < at_once and table.kills.total() + len(running) * a_round < kills:
                running.add(pool.submit(one, number))
                number += 1
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                table.add(found := future.result())
                print(time.strftime("%H:%M:%S"), table.told_kills, *found.differences, file=sys.stderr)
    return table


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--kills", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=20_261_201)
    parser.add_argument("--round", type=int, default=24, help="kills in each round")
    parser.add_argument("--at-once", type=int, default=3, help="rounds at the same time")
    asked = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="extractord-soak-"))
    came_to = soak(place, asked.kills, asked.seed, asked.round, asked.at_once)
    print(came_to)
    print("\n".join(came_to.differences))
    if not came_to.differences:
        shutil.rmtree(place)
    sys.exit(bool(came_to.differences))
