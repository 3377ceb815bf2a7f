"""Promises about the threads of a run: none is lost sight of, whenever a person interrupts."""

from __future__ import annotations

import sys
import threading
import time
from types import FrameType

import pytest

from extractord.extraction.crew import Crew, ErrandDone, Finished


def test_work_that_was_interrupted_while_it_began_is_waited_for() -> None:
    """Ctrl-C may come while a thread starts: it is neither joined before it runs nor forgotten."""
    reports: list[Finished | ErrandDone] = []
    crew = Crew(reports.append)

    def interrupt(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code is threading.Event.wait.__code__:  # in which a start waits for its thread
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            crew.errand("slow", lambda: time.sleep(0.5))
    finally:
        sys.setprofile(None)
    assert crew.wait(60)
    assert reports == [ErrandDone("slow")]


def test_a_start_that_never_came_keeps_nobody_waiting() -> None:
    """Interrupted before there is a thread at all, nothing is waited for."""
    reports: list[Finished | ErrandDone] = []
    crew = Crew(reports.append)

    def interrupt(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code is threading.Thread.start.__code__:
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            crew.errand("never", lambda: None)
    finally:
        sys.setprofile(None)
    assert crew.wait(60)
    assert reports == []
