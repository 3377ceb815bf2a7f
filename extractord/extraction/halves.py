"""Work on many files shared between two processes.

Owns: sharing it out, the second process (a fork, which needs no start of its own) and doing what that one left undone. Leaves
what the work is, and whether it pays, to the caller.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from extractord.system.unsupported import NotHereError

Item = TypeVar("Item")
Result = TypeVar("Result")


def can_fork() -> bool:
    """Whether there is a second processor, and this process can be copied safely: only where it has no other threads."""
    free = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return free > 1 and hasattr(os, "fork") and threading.active_count() == 1


def in_two(
    items: Sequence[Item], weight: Callable[[Item], int], work: Callable[[Item], Result], there: Callable[[Item], Result]
) -> list[Result]:
    """Return the results in the order of the items: about half of them by ``work``, the others by ``there`` in a second process.

    Results go back as pickles. What the other process did not do, for whatever reason, is done here.
    """
    mine, theirs = shared_out(items, weight)
    reading, child = _forked(lambda: {number: there(items[number]) for number in theirs})
    try:
        done = {number: work(items[number]) for number in mine}
        done |= _told(reading)
    finally:
        os.close(reading)  # a child that still writes then ends
        os.waitpid(child, 0)
    return [done[number] if number in done else work(items[number]) for number in range(len(items))]


def shared_out(items: Sequence[Item], weight: Callable[[Item], int]) -> tuple[list[int], list[int]]:
    """Return the places of two halves of about the same weight: the heaviest first, each to the lighter half."""
    halves: tuple[list[int], list[int]] = [], []
    weights = [0, 0]
    for number in sorted(range(len(items)), key=lambda one: -weight(items[one])):
        lighter = int(weights[1] < weights[0])
        halves[lighter].append(number)
        weights[lighter] += weight(items[number])
    return halves[0], halves[1]


def _forked(work: Callable[[], dict[int, Result]]) -> tuple[int, int]:
    """Start the second process; return where its results can be read, and its number."""
    if sys.platform == "win32":
        raise NotHereError
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return reading, child
    status = 1
    try:  # from here on it is the other process: it must never come back to the caller
        os.close(reading)
        with os.fdopen(writing, "wb") as file:
            pickle.dump(work(), file, pickle.HIGHEST_PROTOCOL)
        status = 0
    finally:
        os._exit(status)


def _told(reading: int) -> dict[int, Result]:
    """Return what the second process did; nothing where it ended before it said so."""
    with os.fdopen(os.dup(reading), "rb") as file:
        try:
            found: dict[int, Result] = pickle.load(file)  # noqa: S301 - written by a copy of this process
        except (EOFError, pickle.PickleError, TypeError):
            return {}
    return found
