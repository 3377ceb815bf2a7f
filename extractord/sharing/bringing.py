"""What came from the remote, brought into the memory directory by a changeset of the ledger.

Owns: the changeset, what waits for a person in it, and bringing in again what somebody changed at that very moment. Leaves carrying it
out to ``applying``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from extractord.applying import Application, carry_out
from extractord.ledger import Burial, ChangesetRow, FileRow, FileState, HeldChangeset, HeldFile, Kind, Outcome
from extractord.memory.changeset import ChangeKind, Proposal
from extractord.memory.directory import MemoryDirectory, Snapshot
from extractord.memory.injection import orders
from extractord.memory.paths import INDEX, inspect_target
from extractord.memory.prepared import IndexTexts, TopicWrite, spare_name
from extractord.memory.reconcile import both_kept, reconciled
from extractord.memory.removals import removed
from extractord.memory.team import FOLDER, beyond, is_team
from extractord.memory.topics import parse
from extractord.sharing.git import SharingError
from extractord.sharing.repository import Repository
from extractord.sharing.tree import Tree, faults
from extractord.supervisor import Supervisor

_ROUNDS = 8  # each is lost only to a write by somebody else in that very moment
_REASON = "from the team: commit "


@dataclass(frozen=True, slots=True)
class Brought:
    """What a sync did to one topic here. ``waits``: it is not written, a person decides."""

    path: str  # relative to the memory directory
    change: ChangeKind
    changeset: str
    by: str  # who made the newest commit
    waits: str = ""


@dataclass(frozen=True, slots=True)
class _Wish:
    """A topic as it was when it was compared, and as it is to be (None: no file)."""

    path: str
    before: str | None
    after: str | None


class Bringing:
    """Brings commits into one memory directory, whose lock the caller holds."""

    def __init__(self, supervisor: Supervisor, directory: MemoryDirectory, memory_dir: str, repository: Repository) -> None:
        self._supervisor, self._directory, self._memory_dir, self._repository = supervisor, directory, memory_dir, repository

    def bring(self, mine: str | None, goal: str) -> list[Brought]:
        """Bring the difference between two commits into the memory directory."""
        ours, wanted = self._repository.tree(mine), self._repository.tree(goal)
        left = {*faults(wanted)}
        wishes = [
            _Wish(beyond(path), _text(ours, path), _text(wanted, path))
            for path in sorted({*ours, *wanted} - left - {INDEX})
            if ours.get(path) != wanted.get(path)
        ]
        held = [wish for wish in wishes if _gives_orders(wish)]
        wishes = [wish for wish in wishes if wish not in held]
        index = _Wish(beyond(INDEX), _text(ours, INDEX), _text(wanted, INDEX)) if INDEX not in left else None
        self._supervisor.step("note what is to be brought")
        self._repository.set_upcoming(goal)
        return self._carried(goal, wishes, index, held)

    def was_brought(self, goal: str) -> bool:
        """Whether a changeset began to bring a commit here; those that were interrupted are finished by now."""
        return any(True for _ in self._changesets(goal))

    def bring_left(self, goal: str) -> None:
        """Bring in what somebody had changed at the moment when a commit was brought here."""
        results: dict[str, FileRow] = {}
        for id_ in reversed([*self._changesets(goal)]):
            results |= {file.path: file for file in self._supervisor.ledger.changeset(id_).files}
        conflicted = [file for file in results.values() if file.result is FileState.CONFLICTED and not file.let_go]
        if conflicted:
            self._carried(goal, [_Wish(file.path, file.before, file.after) for file in conflicted], None, ())

    def _changesets(self, goal: str) -> Iterator[str]:
        """Yield the changesets that bring a commit, newest first."""
        for entry in self._supervisor.ledger.changesets(memory_dir=self._memory_dir):
            if entry.row.kind is Kind.TEAM and entry.row.reason == _REASON + goal:
                yield entry.row.id

    def _carried(self, goal: str, wishes: Iterable[_Wish], index: _Wish | None, held: Iterable[_Wish]) -> list[Brought]:
        """Carry wishes out, and once more on the new state where somebody changed a topic meanwhile."""
        by = self._repository.author(goal)
        done: dict[str, Brought] = {}
        wishes, kept = list(wishes), self._held(goal, held)
        for _ in range(_ROUNDS):
            snapshot = self._directory.read()
            settled = [_on_today(wish, snapshot) for wish in wishes if not self._blocked(wish.path)]
            texts = _index_texts(index, snapshot)
            if not settled and texts is None:
                if kept is not None:
                    self._supervisor.ledger.hold(kept)
                break
            application = self._application(goal, settled, texts, snapshot)
            carried = carry_out(self._supervisor, self._directory, replace(application, held=kept))
            for wish in settled:
                if wish.path not in carried.conflicts and wish.before != wish.after:
                    done[wish.path] = Brought(wish.path, _kind(wish), application.row.id, by)
            done |= _waiting(kept, by)
            kept = None
            wishes = [wish for wish in wishes if wish.path in carried.conflicts]
            wishes = [_Wish(old.path, new.before, new.after) for old in wishes for new in settled if new.path == old.path]
            index = index if _index_texts(index, self._directory.read()) is not None else None
            if not (self._directory.path / FOLDER).is_dir():
                index = None  # there is no topic that it could tell of
            if not wishes and index is None:
                break
        else:
            raise SharingError(f"{self._memory_dir} is being written all the time", hint="Run `extractord team sync` again later.")
        return list({**done, **_waiting(kept, by)}.values())

    def _blocked(self, path: str) -> str:
        """Return what stands in a topic's way: links are never written through."""
        return inspect_target(self._directory.path, path)

    def _application(self, goal: str, wishes: Iterable[_Wish], texts: IndexTexts | None, snapshot: Snapshot) -> Application:
        id_, now = self._supervisor.ledger.new_id(), self._supervisor.wall()
        writes = tuple(_write(wish, snapshot, spare_name(id_, number), now) for number, wish in enumerate(wishes))
        burials = tuple(
            Burial(stone, write.path, id_)
            for write in writes
            if write.before is not None and write.after is None
            for stone in removed(write.path, write.before, None, now)
        )
        prepared = self._directory.prepare(id_, writes, (), snapshot, team_index=texts)
        return Application(self._row(id_, goal, Outcome.SAVED), prepared, burials=burials)

    def _held(self, goal: str, wishes: Iterable[_Wish]) -> HeldChangeset | None:
        files = tuple(
            HeldFile(wish.path, wish.before, wish.after, f"a teammate's text {next(iter(orders(wish.after or ''))).kind}: a person decides")
            for wish in wishes
        )
        row = self._row(self._supervisor.ledger.new_id(), goal, Outcome.PENDING_REVIEW)
        return HeldChangeset(row, files) if files else None

    def _row(self, id_: str, goal: str, outcome: Outcome) -> ChangesetRow:
        return ChangesetRow(id_, self._supervisor.wall(), None, None, self._memory_dir, outcome, Kind.TEAM, reason=_REASON + goal)


def _text(tree: Tree, path: str) -> str | None:
    return tree[path].text if path in tree else None


def _gives_orders(wish: _Wish) -> bool:
    """Whether a text newly reads like an order to an agent."""
    there = {order.excerpt for order in orders(wish.before or "")}
    return wish.after is not None and any(order.excerpt not in there for order in orders(wish.after))


def _on_today(wish: _Wish, snapshot: Snapshot) -> _Wish:
    """Return a wish on the text as it is today: what somebody wrote since is kept."""
    today = snapshot.text_of(wish.path)
    match today, wish.before, wish.after:
        case now, before, after if now in (before, after):
            return _Wish(wish.path, now, after)
        case None, _, after:  # taken away here meanwhile: that is for the next sync to tell, unless the team changed it
            return _Wish(wish.path, None, after)
        case now, _, None:
            return _Wish(wish.path, now, now)
        case str() as now, before, str() as after:
            return _Wish(wish.path, now, reconciled(before, now, after))
    return wish


def _index_texts(index: _Wish | None, snapshot: Snapshot) -> IndexTexts | None:
    """Return what is to be done to the index, None if nothing is."""
    if index is None or index.after is None or snapshot.team_index == index.after:
        return None
    today = snapshot.team_index
    after = index.after if today in (None, index.before) else both_kept(index.before or "", today or "", index.after)
    return None if after == today else IndexTexts(today, after)


def _kind(wish: _Wish) -> ChangeKind:
    return Proposal(wish.path, wish.before, wish.after).kind


def _waiting(held: HeldChangeset | None, by: str) -> dict[str, Brought]:
    if held is None:
        return {}
    id_ = held.row.id
    return {file.path: Brought(file.path, Proposal(file.path, file.before, file.after).kind, id_, by, file.reason) for file in held.files}


def _write(wish: _Wish, snapshot: Snapshot, spare: str, now: float) -> TopicWrite:
    """Return the write of a topic: as old as it says itself, for it is no news of today."""
    assert is_team(wish.path)
    before = snapshot.mtime_of(wish.path)
    if wish.after is None:
        return TopicWrite(wish.path, wish.before, None, before, None, spare, snapshot.mode_of(wish.path))
    said = parse(wish.after).modified
    moment = before if wish.after == wish.before and before is not None else int(min(said or now, now) * 1000) * 1_000_000
    return TopicWrite(wish.path, wish.before, wish.after, before, moment, spare, snapshot.mode_of(wish.path))
