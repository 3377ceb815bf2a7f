"""Promises about extraction, consolidation and the client on one directory, in any order and at the same time: nothing is lost.

Hypothesis plays sessions, dreams, hands, undo and kills by turns; one test has all three at work at once. Real files and processes.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from extractord.applying import recover, settle_spares
from extractord.errors import ChangedMeanwhileError, MemoryDirectoryError
from extractord.extraction.plan import Scope, look
from extractord.extraction.sweep import sweep
from extractord.history import review
from extractord.history.undo import standing, still_stands, undo
from extractord.memory.consolidate_lock import NAME
from extractord.memory.daily_log import path_of
from extractord.supervisor import Supervisor
from tests.command import extractord
from tests.dreams import agreed, dreamt, put_lock, saved, working
from tests.dreams import rule as a_rule
from tests.homes import SAYINGS, Home, put, topic
from tests.killed_once import Steps
from tests.memory_directories import in_child

pick = st.integers(min_value=0, max_value=7)
_WORD = re.compile(r"Zebra\d+ crossing\.")


class MemoryInOrder(RuleBasedStateMachine):
    """One project's memory: whatever is written by a person or the client is there at every moment."""

    @initialize()
    def lay_out(self) -> None:
        self.home = Home(Path(tempfile.mkdtemp(prefix="extractord-machine-")))
        self.memory = self.home.memory("shop")
        self.home.project("shop")
        self.words: dict[Path, set[str]] = {}
        self.count = 0
        with working(self.home) as supervisor:
            agreed(supervisor, self.home, "shop")
        put(self.memory, "MEMORY.md", "# Mine\n\nProse of mine.\n- [first](reference_first.md) — first\n")

    @rule(saying=pick)
    def session(self, saying: int) -> None:
        self.count += 1
        self.home.talk("shop", SAYINGS[saying], days_ago=2, session=f"{self.count:08d}-0000-4000-8000-000000000000")
        with self._working() as supervisor:
            for _ in sweep(supervisor, Scope(), look(supervisor, Scope())):
                pass

    @rule(days=st.integers(min_value=1, max_value=9))
    def ours_twice(self, days: int) -> None:
        """Two topics of ours that say the same."""
        self.count += 1
        said = f"Always review change set number {self.count} with the whole team present."
        with self._working() as supervisor:
            topics = {f"feedback_{self.count}_{name}.md": (a_rule(f"{name} {self.count}", said), float(days)) for name in "ab"}
            saved(supervisor, self.home, "shop", topics)

    @rule(alike=st.booleans())
    def client_saves(self, alike: bool) -> None:
        """A topic of the client; perhaps one that says what another one says."""
        self.count += 1
        body = "Always run the linter before every single commit." if alike else "See the wiki."
        self._theirs(f"project_client_{self.count}.md", topic(f"client {self.count}", f"{body}\n\n{self._word()}", "project"))

    @rule(which=pick, by_rename=st.booleans())
    def client_edits(self, which: int, by_rename: bool) -> None:
        files = sorted(self.memory.glob("*.md"))
        file, word = files[which % len(files)], self._word()
        self._write(file, file.read_text() + f"\n{word}\n", by_rename=by_rename)
        self.words.setdefault(file, set()).add(word)

    @rule(days=st.integers(min_value=0, max_value=3), saying=pick)
    def client_logs(self, days: int, saying: int) -> None:
        """A long-lived session adds a bullet."""
        file, word = self.memory / path_of(date.today() - timedelta(days=days)), self._word()  # noqa: DTZ011
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as log:
            log.write(f"- 10:00 {SAYINGS[saying]}\n- 10:01 {word}\n")
        self.words.setdefault(file, set()).add(word)

    @rule()
    def dream(self) -> None:
        with self._working() as supervisor:
            dreamt(supervisor, self.home, "shop")
        assert [path.name for path in self.memory.rglob(".*")] in ([], [NAME])

    @rule(step=st.integers(min_value=1, max_value=30))
    def dream_killed(self, step: int) -> None:
        def killed() -> None:
            with working(self.home, Steps(step)) as supervisor:
                dreamt(supervisor, self.home, "shop")

        assert os.waitstatus_to_exitcode(in_child(killed)) in (0, -signal.SIGKILL)
        with self._working():
            pass

    @rule()
    def client_consolidates(self) -> None:
        put_lock(self.memory, "1", 30)
        with self._working() as supervisor:
            assert dreamt(supervisor, self.home, "shop").changeset is None
        (self.memory / NAME).unlink()

    @rule(which=pick, accept=st.booleans())
    def answer_review(self, which: int, accept: bool) -> None:
        """A person agrees to what is proposed only where nothing of theirs goes with it."""
        with self._working() as supervisor:
            held = supervisor.ledger.held()
            if held:
                one = held[which % len(held)]
                keeps = all(set(_WORD.findall(file.before or "")) <= set(_WORD.findall(file.after or "")) for file in one.files)
                with contextlib.suppress(ChangedMeanwhileError, MemoryDirectoryError):
                    review.accept(supervisor, one) if accept and keeps else review.reject(supervisor, one)

    @rule(which=pick)
    def undo_one(self, which: int) -> None:
        with self._working() as supervisor:
            ids = standing(supervisor, None)
            if ids and still_stands(supervisor, ids[which % len(ids)]):
                with contextlib.suppress(ChangedMeanwhileError):
                    undo(supervisor, ids[which % len(ids)])

    @invariant()
    def no_word_of_theirs_is_lost(self) -> None:
        for file, words in getattr(self, "words", {}).items():
            text = file.read_text() if file.exists() else ""
            assert [word for word in words if word not in text] == [], f"lost from {file}: {text!r}"

    @invariant()
    def what_we_said_twice_is_said_once_at_least(self) -> None:
        if hasattr(self, "home"):
            with working(self.home) as supervisor:
                undone = any(entry.row.undoes for entry in supervisor.ledger.changesets())
                deleted = {f.path for e in supervisor.ledger.changesets() for f in e.files if f.change.value == "delete"}
            everything = "\n".join(path.read_text() for path in self.memory.glob("*.md"))
            numbers = {int(found) for name in deleted for found in re.findall(r"feedback_(\d+)_", name)}
            assert undone or [n for n in numbers if f"change set number {n} with" not in everything] == []

    def teardown(self) -> None:
        if hasattr(self, "home"):
            shutil.rmtree(self.home.root)

    @contextlib.contextmanager
    def _working(self) -> Iterator[Supervisor]:
        with working(self.home) as supervisor:
            recover(supervisor)
            yield supervisor
            settle_spares(supervisor)
            assert supervisor.ledger.unfinished() == ()

    def _word(self) -> str:
        self.count += 1
        return f"Zebra{self.count} crossing."

    def _theirs(self, name: str, text: str) -> None:
        file = self.memory / name
        self._write(file, text, by_rename=True)
        self.words[file] = set(_WORD.findall(text))

    def _write(self, file: Path, text: str, *, by_rename: bool) -> None:
        target = file.with_name(f"{file.name}.tmp") if by_rename else file
        target.write_text(text)
        target.replace(file)


def _settings(examples: int, steps: int) -> settings:
    phases, every = (Phase.explicit, Phase.generate), list(HealthCheck)
    made = settings(max_examples=examples, stateful_step_count=steps, deadline=None, phases=phases, suppress_health_check=every)
    return settings(made, database=None)


class TestMemoryInOrder(MemoryInOrder.TestCase):  # type: ignore[misc, valid-type]
    """The invariants hold in every order of a few steps."""

    settings = settings(_settings(5, 10), derandomize=True)


@pytest.mark.soak
@pytest.mark.timeout(0)
class TestMemoryLongInOrder(MemoryInOrder.TestCase):  # type: ignore[misc, valid-type]
    """The same, longer and more often."""

    settings = _settings(100, 30)


def test_all_three_at_once_lose_nothing(tmp_path: Path) -> None:
    """A run over sessions, dreams one after the other, and a client that edits topics, index and log all the time."""
    home = Home(tmp_path)
    memory = home.memory("shop")
    home.project("shop")
    with working(home) as supervisor:
        agreed(supervisor, home, "shop")
        for number in range(3):
            said = f"Always review change set number {number} with the whole team present."
            saved(supervisor, home, "shop", {f"feedback_{number}_{n}.md": (a_rule(f"{n}{number}", said), 5.0) for n in "ab"})
    put(memory, "MEMORY.md", (memory / "MEMORY.md").read_text() + "\nMine.\n")
    for number, said in enumerate((SAYINGS[0], SAYINGS[2], SAYINGS[4])):
        home.talk("shop", said, days_ago=5.0 - number)
    over, words = threading.Event(), dict[Path, list[str]]()
    log = memory / path_of(date.today())  # noqa: DTZ011
    log.parent.mkdir(parents=True)

    def client() -> None:
        number = 0
        while not over.wait(0.01):
            number += 1
            for file in (memory / "feedback_0_b.md", memory / "MEMORY.md", memory / "reference_first.md"):
                with contextlib.suppress(FileNotFoundError):
                    text = file.read_text()
                    file.with_name("x.tmp").write_text(f"{text.rstrip()}\nWord {number} of {file.name}.\n")
                    if file.exists():
                        file.with_name("x.tmp").replace(file)
                        words.setdefault(file, []).append(f"Word {number} of {file.name}.")
            with log.open("a") as out:
                out.write(f"- 10:00 word {number}\n")
            words.setdefault(log, []).append(f"- 10:00 word {number}\n")

    def dreams() -> None:
        for _ in range(3):
            extractord(home, "dream", "--cwd", str(home.project("shop")))

    threads = [threading.Thread(target=client), threading.Thread(target=dreams)]
    for thread in threads:
        thread.start()
    once = extractord(home, "once", "--json")
    threads[1].join()
    over.set()
    threads[0].join()
    assert once.status == 0, once.stderr
    with working(home) as supervisor:
        recover(supervisor)
        settle_spares(supervisor)
    everything = "\n".join(path.read_text() for path in sorted(memory.rglob("*.md")))
    kept = "\n".join(path.read_text() for path in sorted((home.state / "kept").rglob("*")) if path.is_file())
    lost = [word for said in words.values() for word in said if word not in everything and word not in kept]
    assert lost == []
    assert all(f"change set number {number} with" in everything for number in range(3))
