"""Records for the ledger's tests, filled in where a test does not care."""

from __future__ import annotations

from extractord.ledger import ChangesetRow, FactRow, Kind, Ledger, Outcome, Sighting, StretchRow
from extractord.memory.prepared import Applied, FileResult, IndexLine, IndexResult, LineChange, Prepared, TopicWrite, WriteState

MEMORY = "/home/dev/.claude/projects/-home-dev-shop/memory"
NOON = 1_750_000_000.0


def sighting(session: str = "s1", **changed: object) -> Sighting:
    values: dict[str, object] = {
        "session": session,
        "path": f"/t/{session}.jsonl",
        "inode": 7,
        "size": 100,
        "mtime_ns": 1_750_000_000_123_456_789,
        "cwd": "/home/dev/shop",
        "project_root": "/home/dev/shop",
        "memory_dir": MEMORY,
        "offset": 100,
        "uuid": "u9",
        "resume": b"\x00state",
    }
    return Sighting(**(values | changed))  # type: ignore[arg-type]


def stretch(session: str = "s1", key: str = "k1", outcome: Outcome = Outcome.SAVED, **changed: object) -> StretchRow:
    values: dict[str, object] = {
        "session": session,
        "key": key,
        "number": 0,
        "memory_dir": MEMORY,
        "project": "/home/dev/shop",
        "transcript": f"/t/{session}.jsonl",
        "outcome": outcome,
        "reason": "",
        "time": NOON,
    }
    return StretchRow(**(values | changed))  # type: ignore[arg-type]


def head(id: str, kind: Kind = Kind.EXTRACTION, **changed: object) -> ChangesetRow:  # noqa: A002 - the record's word
    values: dict[str, object] = {
        "id": id,
        "time": NOON,
        "session": "s1",
        "stretch_key": "k1",
        "memory_dir": MEMORY,
        "outcome": Outcome.SAVED,
        "kind": kind,
    }
    return ChangesetRow(**(values | changed))  # type: ignore[arg-type]


def write(path: str, before: str | None, after: str | None) -> TopicWrite:
    times = [None if text is None else time for text, time in ((before, 1_000), (after, 2_000))]
    return TopicWrite(path, before, after, times[0], times[1], f".{path}.spare")


def prepared(id: str, *writes: TopicWrite) -> Prepared:  # noqa: A002
    index = tuple(IndexLine(w.path, f"- [x]({w.path}) — y", 5.0) for w in writes)
    return Prepared(id, MEMORY, writes, index, ".index.spare")


def applied(made: Prepared, *conflicted: str) -> Applied:
    states = ((w.path, WriteState.CONFLICTED if w.path in conflicted else WriteState.WRITTEN) for w in made.writes)
    index = IndexResult(None, "- [x](a.md) — y\n", None, (LineChange("a.md", None, "- [x](a.md) — y", 0),))
    return Applied(tuple(FileResult(path, state) for path, state in states), index, (".",), ("one line shortened",))


def fact(file: str, quote: str = "always use tabs", session: str = "s1") -> FactRow:
    return FactRow(file, session, NOON, "m1", "u1", quote, "", transcript=f"/t/{session}.jsonl", offset=12)


def carry_out(ledger: Ledger, row: ChangesetRow, *writes: TopicWrite, conflicted: tuple[str, ...] = ()) -> str:
    """Prepare and apply a changeset, with one fact a topic (an undo has none)."""
    made = prepared(row.id, *writes)
    ledger.prepare(row, made, [fact(w.path) for w in writes if row.kind is not Kind.UNDO])
    ledger.applied(row.id, applied(made, *conflicted))
    return row.id
