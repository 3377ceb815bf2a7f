"""The daemon's parts that decide, each by itself."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from extractord.claude_home import Presence, TranscriptFile
from extractord.config import Seconds, Settle
from extractord.daemon.canary import LAST, Canary
from extractord.daemon.quiet import earliest
from extractord.daemon.settings import Settings
from extractord.extraction.backlog import Backlog, Task
from extractord.extraction.plan import OpenStretch, Scope
from extractord.transcript.span import Reading, read_session
from tests.made_records import Session

NOW = 1_800_000_000.0
SETTLE = Settle(idle=Seconds(1800), exited=Seconds(60), pending=Seconds(3600), longest=Seconds(21600))


def _task(session: str, started: float, directory: str = "a", key: str = "k") -> Task:
    return Task(OpenStretch(session, key, Path(session), started, started + 1, Path(directory)), Scope(session=session))


def test_the_oldest_stretch_comes_first_and_one_of_each_directory_at_a_time() -> None:
    """Within a memory directory time runs forward; another directory does not wait for it."""
    backlog = Backlog()
    backlog.put("new", [_task("new", 30)])
    backlog.put("old", [_task("old", 10)])
    backlog.put("elsewhere", [_task("elsewhere", 20, "b")])
    first, second, third = backlog.take(), backlog.take(), backlog.take()
    assert first is not None
    assert second is not None
    assert (first.stretch.session, second.stretch.session, third) == ("old", "elsewhere", None)
    backlog.done(first)
    after = backlog.take()
    assert after is not None
    assert after.stretch.session == "new"


def test_the_newest_look_at_a_session_counts() -> None:
    """What waits of a session is replaced, also by nothing."""
    backlog = Backlog()
    backlog.put("s", [_task("s", 1, key="1"), _task("s", 2, key="2")])
    backlog.put("s", [_task("s", 2, key="2")])
    assert len(backlog) == 1
    backlog.put("s", [])
    assert (len(backlog), backlog.holds("s"), backlog.take()) == (0, False, None)


@pytest.mark.parametrize(
    ("presence", "wanted"), [(Presence.GONE, 60), (Presence.IDLE, 1800), (Presence.UNKNOWN, 1800), (Presence.BUSY, 21600)]
)
def test_a_growing_session_is_not_read_before_it_can_be_settled(presence: Presence, wanted: float) -> None:
    """By the file's time and the client alone."""
    file = TranscriptFile("s", "s", 1, int(NOW * 1e9), 1)
    assert earliest(file, presence, SETTLE, NOW) == pytest.approx(NOW + wanted)


def test_a_file_time_in_the_future_decides_nothing() -> None:
    """A copy from a machine whose clock is ahead would wait for ever: then the records tell."""
    file = TranscriptFile("s", "s", 1, int((NOW + 86400) * 1e9), 1)
    assert earliest(file, Presence.UNKNOWN, SETTLE, NOW) <= NOW


def _reading(tmp_path: Path, number: int, *, prompts: bool) -> Reading:
    session = Session(version="9.9.9")
    if prompts:
        session.prompt("hello")
    session.agent("Done.")
    return msgspec.structs.replace(read_session(session.save(tmp_path)), session=f"s{number}")


def test_the_canary_names_the_client_whose_prompts_are_not_recognised(tmp_path: Path) -> None:
    """Twenty sessions without a prompt, each counted once; one with a prompt and all is well."""
    canary = Canary()
    for number in range(LAST - 1):
        canary.saw(_reading(tmp_path, number, prompts=False))
        canary.saw(_reading(tmp_path, number, prompts=False))
    assert canary.warning == ""
    canary.saw(_reading(tmp_path, LAST, prompts=False))
    assert "9.9.9" in canary.warning
    canary.saw(_reading(tmp_path, LAST + 1, prompts=True))
    assert canary.warning == ""


def test_a_bad_configuration_leaves_the_old_one_in_force(tmp_path: Path) -> None:
    """The problem is told until the file is right again."""
    file = tmp_path / "config.toml"
    file.write_text("workers = 2\n")
    settings = Settings(file, {})
    assert not settings.refresh()
    file.write_text("workers = nonsense\n")
    assert settings.refresh()
    assert (settings.config.workers, bool(settings.problem)) == (2, True)
    assert not settings.refresh()
    file.write_text("workers = 3\n")
    os.utime(file, ns=(1, 1))
    assert settings.refresh()
    assert (settings.config.workers, settings.problem) == (3, "")
    assert msgspec.structs.replace(settings.config).workers == 3
