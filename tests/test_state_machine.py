"""Promises about memory over time: sessions, hands, the client, undo, forget, review and crashes in any order.

Hypothesis plays all of them by turns on real files, with real workers and real kills; only the clock is its own, a day a step.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from extractord.applying import recover, settle_spares
from extractord.errors import ChangedMeanwhileError, MemoryDirectoryError
from extractord.history import forget, review, withdrawing
from extractord.history.topics_named import NamedTopic
from extractord.history.undo import standing, still_stands, undo
from extractord.ledger import ChangesetState, HeldChangeset, Kind
from extractord.supervisor import Supervisor
from tests.homes import DAY, SAYINGS, Home, Talk, put, topic, tree
from tests.killed_once import Steps, run, supervising
from tests.memory_directories import in_child

PROJECTS = ("shop", "site")
MARKS = ("run the linter", "push to main", "Linear project INGEST", "Stop summarizing", "pnpm instead of npm", "mock the database")
OLD_DAYS = 250.0
_LINK = re.compile(r"\]\(([^)]+\.md)\)")

pick = st.integers(min_value=0, max_value=7)
project = st.sampled_from(PROJECTS)


class MemoryOverTime(RuleBasedStateMachine):
    """The home, and what must be true of it by what was done so far."""

    @initialize()
    def lay_out(self) -> None:
        self.home = Home(Path(tempfile.mkdtemp(prefix="extractord-machine-")))
        self.now = time.time() - 500 * DAY
        self.words: dict[Path, set[str]] = {}  # a person's and the client's, by the file they wrote them into
        self.gone: dict[tuple[str, str], float] = {}  # (project, mark): when it was taken out of memory
        self.touched: set[Path] = set()  # by hand
        self.deleted: set[Path] = set()  # by hand
        self.talks: list[Talk] = []
        self.count = 0
        self.ran = False
        self._theirs("shop", "feedback_mine.md", topic("mine", f"{self._word()}\n\n{self._word()}"))
        put(self.home.memory("shop"), "MEMORY.md", "# Mine\n\n- [mine](feedback_mine.md) — mine\n\nProse of mine.\n", days_ago=900)
        self.touched.clear()
        self.before = {name: tree(self.home.memory(name)) for name in PROJECTS}

    # --- what people say ---

    @rule(project=project, saying=pick, old=st.booleans())
    def say(self, project: str, saying: int, old: bool) -> None:
        """A session, today's or one that is only found now."""
        said = saying % len(MARKS)
        self._pass_a_day()
        days = (time.time() - self.now) / DAY + (OLD_DAYS if old else 0.2)
        self.count += 1
        session = f"{self.count:08d}-0000-4000-8000-000000000000"
        self.talks.append(self.home.talk(project, "fix it", SAYINGS[said], days_ago=days, session=session))
        if not old:
            self.gone.pop((project, MARKS[said]), None)

    @precondition(lambda self: self.talks)
    @rule(which=pick, saying=pick)
    def say_more(self, which: int, saying: int) -> None:
        """A session goes on after a long pause."""
        talk, said = self.talks[which % len(self.talks)], saying % len(MARKS)
        self._pass_a_day()
        talk.prompt(SAYINGS[said], minutes=(self.now - talk.now.timestamp()) / 60 - 400).save()
        self.gone.pop((talk.cwd.name, MARKS[said]), None)

    # --- what we do ---

    @rule()
    def once(self) -> None:
        self._pass_a_day()
        run(self.home.root, Steps(), self._wall)
        self._ran()

    @rule(step=st.integers(min_value=1, max_value=40))
    def once_killed(self, step: int) -> None:
        """A run is killed, and there is another one."""
        self._pass_a_day()
        assert in_child(lambda: run(self.home.root, Steps(step), self._wall)) in (0, signal.SIGKILL)
        run(self.home.root, Steps(), self._wall)
        self._ran()

    @rule(which=pick)
    def undo_one(self, which: int) -> None:
        with self._supervised() as supervisor:
            recover(supervisor)
            ids = [e.row.id for e in supervisor.ledger.changesets() if e.row.state is ChangesetState.APPLIED]
            if not ids:
                return
            stood = self._marks()
            try:
                undo(supervisor, ids[which % len(ids)])
            except ChangedMeanwhileError:
                assert self._marks() == stood
            settle_spares(supervisor)
        self._took_out(stood)

    @rule(which=pick, step=st.integers(min_value=1, max_value=20))
    def undo_killed(self, which: int, step: int) -> None:
        """An undo is killed; the next command finishes it, or it has not begun."""
        stood = self._marks()

        def work() -> None:
            with self._supervised(Steps(step)) as supervisor, contextlib.suppress(ChangedMeanwhileError):
                ids = [e.row.id for e in supervisor.ledger.changesets() if e.row.state is ChangesetState.APPLIED]
                if ids:
                    undo(supervisor, ids[which % len(ids)])

        assert in_child(work) in (0, signal.SIGKILL)
        with self._supervised() as supervisor:
            recover(supervisor)
            settle_spares(supervisor)
        self._took_out(stood)

    @rule(which=pick, project=project, how=st.sampled_from(["topic", "line", "session", "text", "project"]))
    def forget_one(self, which: int, project: str, how: str) -> None:
        stood = self._marks()
        with self._supervised() as supervisor:
            recover(supervisor)
            removals, waiting = self._meant(supervisor, which, project, how)
            for held in waiting:
                review.reject(supervisor, held)
            forget.carry_out_removals(supervisor, removals, "forgotten by a person")
            settle_spares(supervisor)
        for removal in removals:
            if how not in ("session", "project"):  # of these only what we saved goes
                self._lose(removal.memory_dir / removal.path, removal.after or "")
        self._took_out(stood)

    @rule(which=pick, project=project, how=st.sampled_from(["session", "text", "project"]), step=st.integers(min_value=1, max_value=15))
    def forget_killed(self, which: int, project: str, how: str, step: int) -> None:
        """A kill in the middle: the next command finishes it, or it has not begun."""
        stood = self._marks()
        words = {file: set(of) for file, of in self.words.items()}

        def work() -> None:
            with self._supervised(Steps(step)) as supervisor:
                removals, _ = self._meant(supervisor, which, project, how)
                forget.carry_out_removals(supervisor, removals, "forgotten by a person")

        assert in_child(work) in (0, signal.SIGKILL)
        with self._supervised() as supervisor:
            recover(supervisor)
            settle_spares(supervisor)
        if how == "text":  # it may have taken other people's lines that hold it
            self.words = {file: {w for w in of if file.exists() and w in file.read_text(encoding="utf-8")} for file, of in words.items()}
        self._took_out(stood)

    def _meant(
        self, supervisor: Supervisor, which: int, project: str, how: str
    ) -> tuple[tuple[forget.Removal, ...], tuple[HeldChangeset, ...]]:
        """Return what a person means who forgets something, standing and waiting."""
        memory, files = self.home.memory(project), self._topics(project)
        file = files[which % len(files)] if files else None
        if how == "topic" and file:
            topic = NamedTopic(memory, file.name)
            return forget.of_topic(supervisor, topic), withdrawing.of_topic(supervisor, topic)
        if how == "line" and file:
            last = len(file.read_text(encoding="utf-8").splitlines())
            return forget.of_topic(supervisor, NamedTopic(memory, file.name, last)), ()
        if how == "session" and self.talks:
            session = self.talks[which % len(self.talks)].session
            return forget.of_session(supervisor, session), withdrawing.of_session(supervisor, session)
        if how == "project":
            return forget.of_project(supervisor, memory), withdrawing.of_project(supervisor, memory)
        mark = MARKS[which % len(MARKS)]
        return forget.of_text(supervisor, memory, mark), withdrawing.of_text(supervisor, memory, mark)

    @rule(on=st.booleans())
    def ask_for_review(self, on: bool) -> None:
        self.home.config('memory.write = "review"\n' if on else "")

    @rule(which=pick, step=st.integers(min_value=1, max_value=20))
    def accept_killed(self, which: int, step: int) -> None:
        """An acceptance is killed: it is finished by the next command, or what waited goes on waiting."""

        def work() -> None:
            with self._supervised(Steps(step)) as supervisor, contextlib.suppress(ChangedMeanwhileError, MemoryDirectoryError):
                held = supervisor.ledger.held()
                if held:
                    review.accept(supervisor, held[which % len(held)])

        assert in_child(work) in (0, signal.SIGKILL)
        with self._supervised() as supervisor:
            recover(supervisor)
            settle_spares(supervisor)
        for name, mark in self._marks():
            self.gone.pop((name, mark), None)

    @rule(which=pick, accept=st.booleans(), edit=st.booleans())
    def answer_review(self, which: int, accept: bool, edit: bool) -> None:
        with self._supervised() as supervisor:
            held = supervisor.ledger.held()
            if not held:
                return
            one = held[which % len(held)]
            if not accept:
                review.reject(supervisor, one)
                for file in one.files:
                    self._never_again(Path(one.row.memory_dir), file.after or "")
                return
            if edit:
                given = {file.path: review.on_today(supervisor, one, file) for file in one.files if file.after is not None}
                edited = {
                    path: review.Edited(text.based_on, f"{text.text}\n\nEdited before it was saved.\n") for path, text in given.items()
                }
                one = review.as_edited(one, edited)
            try:
                review.accept(supervisor, one)
            except (ChangedMeanwhileError, MemoryDirectoryError):
                return
            settle_spares(supervisor)
            for name, mark in self._marks():
                self.gone.pop((name, mark), None)

    # --- what hands and the client do ---

    @rule(project=project, which=pick, by_client=st.booleans())
    def add_a_line(self, project: str, which: int, by_client: bool) -> None:
        """A person's editor writes in place; the client puts a new file in the place of the old one."""
        files = [*self._topics(project), *self.home.memory(project).glob("MEMORY.md")]
        if not files:
            return
        file, word = files[which % len(files)], self._word()
        text = file.read_text(encoding="utf-8")
        self._write(file, text + ("" if text.endswith("\n") else "\n") + f"\n{word}\n", by_client=by_client)
        self.words.setdefault(file, set()).add(word)

    @rule(project=project)
    def client_saves_a_topic(self, project: str) -> None:
        self.count += 1
        name = f"project_client_{self.count}.md"
        self._theirs(project, name, topic(name, self._word(), "project"))
        index = self.home.memory(project) / "MEMORY.md"
        text = index.read_text(encoding="utf-8") if index.exists() else ""
        self._write(index, f"{text}- [client](./{name}) — {self._word()}\n", by_client=True)

    @rule(project=project, which=pick)
    def delete_by_hand(self, project: str, which: int) -> None:
        files = self._topics(project)
        if files:
            stood, file = self._marks(), files[which % len(files)]
            self._pass_a_day()
            file.unlink()
            self.words.pop(file, None)
            self.touched.add(file)
            self.deleted.add(file)
            self._took_out(stood)

    @rule(project=project, which=pick)
    def remove_a_mark_by_hand(self, project: str, which: int) -> None:
        """A person takes the statement out of a topic and leaves the rest of the file."""
        files = [file for file in self._topics(project) if self._marks_in(file)]
        if files:
            stood, file = self._marks(), files[which % len(files)]
            head, _, body = file.read_text(encoding="utf-8").partition("\n---\n")
            kept = [line for line in body.splitlines(keepends=True) if not any(mark.lower() in line.lower() for mark in MARKS)]
            self._pass_a_day()
            head = "\n".join(f"description: {self._word()}" if line.startswith("description:") else line for line in head.splitlines())
            self._write(file, f"{head}\n---\n{''.join(kept)}", by_client=False)
            self._took_out(stood)

    # --- what must hold ---

    @invariant()
    def no_word_of_theirs_is_lost(self) -> None:
        for file, words in getattr(self, "words", {}).items():
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            assert [word for word in words if word not in text] == [], f"lost from {file}: {text!r}"

    @invariant()
    def what_was_taken_out_stays_out(self) -> None:
        if hasattr(self, "home"):
            back = [key for key in self._marks() if key in self.gone]
            assert back == [], f"came back from older evidence: {back}"

    def teardown(self) -> None:
        if hasattr(self, "home"):
            self._undo_everything()
            shutil.rmtree(self.home.root)

    def _undo_everything(self) -> None:
        """What no hand touched, and no undo before, is as it was in the beginning, to the byte and the mtime; words stay."""
        with self._supervised() as supervisor:
            recover(supervisor)
            blocked: list[str] = []
            undone = [entry for entry in supervisor.ledger.changesets() if entry.row.kind is Kind.UNDO]
            # Undone out of turn before: a topic may have been made anew in between, and then its turn is refused.
            loose = self.touched | {Path(entry.row.memory_dir) / file.path for entry in undone for file in entry.files}
            for changeset in standing(supervisor, None):
                if not still_stands(supervisor, changeset):
                    continue
                try:
                    undo(supervisor, changeset)
                except ChangedMeanwhileError as error:
                    blocked.append(error.message)
            settle_spares(supervisor)
        assert [why for why in blocked if not any(file.name in why for file in loose)] == []
        self.no_word_of_theirs_is_lost()
        for name in PROJECTS:
            memory = self.home.memory(name)
            self._assert_no_link_dangles(memory)
            by_hand = {file for file in loose if file.parent == memory}
            if by_hand:  # what blocks an undo keeps its line
                by_hand.add(memory / "MEMORY.md")
            now, was = (
                {f: v for f, v in found.items() if v[0] == "file" and memory / f not in by_hand}
                for found in (tree(memory), self.before[name])
            )
            assert now == was

    def _ran(self) -> None:
        with self._supervised() as supervisor:
            assert supervisor.ledger.unfinished() == ()
            assert supervisor.ledger.spares() == ()
            kinds = {entry.row.kind for entry in supervisor.ledger.changesets()}
            assert kinds <= {Kind.EXTRACTION, Kind.UNDO, Kind.REVIEW}
        for name in PROJECTS:
            memory = self.home.memory(name)
            assert [path.name for path in memory.glob(".*")] == []
            self._assert_no_link_dangles(memory)

    def _assert_no_link_dangles(self, memory: Path) -> None:
        index = (memory / "MEMORY.md").read_text(encoding="utf-8") if (memory / "MEMORY.md").exists() else ""
        linked = [memory / Path(link).name for link in _LINK.findall(index)]
        assert [file for file in linked if not file.exists() and file not in self.deleted] == []

    # --- the person's and the client's part ---

    def _word(self) -> str:
        self.count += 1
        return f"Zebra{self.count} crossing."

    def _theirs(self, project: str, name: str, text: str) -> None:
        file = self.home.memory(project) / name
        self._write(file, text, by_client=True)
        self.words[file] = set(re.findall(r"Zebra\d+ crossing\.", text))

    def _write(self, file: Path, text: str, *, by_client: bool) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        target = file.with_name(f"{file.name}.tmp") if by_client else file
        target.write_text(text, encoding="utf-8")
        os.utime(target, (self.now, self.now))
        target.replace(file)
        self.touched.add(file)
        self.deleted.discard(file)

    def _lose(self, file: Path, left: str) -> None:
        """A person wanted this gone, other people's words in it too."""
        self.words[file] = {word for word in self.words.get(file, set()) if word in left}

    # --- looking ---

    def _supervised(self, steps: Steps | None = None) -> contextlib.AbstractContextManager[Supervisor]:
        return supervising(self.home.root, steps or Steps(), self._wall)

    def _wall(self) -> float:
        return self.now

    def _pass_a_day(self) -> None:
        self.now += DAY

    def _topics(self, project: str) -> list[Path]:
        return sorted(path for path in self.home.memory(project).glob("*.md") if path.name != "MEMORY.md")

    def _marks_in(self, file: Path) -> list[str]:
        text = file.read_text(encoding="utf-8").lower()
        return [mark for mark in MARKS if mark.lower() in text]

    def _marks(self) -> set[tuple[str, str]]:
        return {(name, mark) for name in PROJECTS for file in self._topics(name) for mark in self._marks_in(file)}

    def _took_out(self, stood: set[tuple[str, str]]) -> None:
        stands = self._marks()
        for key in stood - stands:
            self.gone[key] = self.now
        for key in stands - stood:  # an undo of what had taken it out
            self.gone.pop(key, None)

    def _never_again(self, memory_dir: Path, text: str) -> None:
        name = next(n for n in PROJECTS if self.home.memory(n) == memory_dir)
        for mark in MARKS:
            if mark.lower() in text.lower() and (name, mark) not in self._marks():
                self.gone[name, mark] = self.now


def _settings(examples: int, steps: int) -> settings:
    # Nothing is made smaller: each try runs real processes, and a failing one of so few steps is short enough.
    phases = (Phase.explicit, Phase.generate)
    every = list(HealthCheck)
    return settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, phases=phases, suppress_health_check=every, database=None
    )


class TestMemoryOverTime(MemoryOverTime.TestCase):  # type: ignore[misc, valid-type]
    """The invariants hold in every order of a few steps."""

    settings = settings(_settings(14, 14), derandomize=True)


@pytest.mark.soak
@pytest.mark.timeout(0)
class TestMemoryOverLongTime(MemoryOverTime.TestCase):  # type: ignore[misc, valid-type]
    """The same, longer and more often."""

    settings = _settings(150, 30)
