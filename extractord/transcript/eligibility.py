"""The verdict on a stretch: is it extracted or skipped, which of its turns are left out, and why.

Owns: the rules of CONTRACTS and DESIGN §5 as one pure function; the first rule that applies decides. What the settings, the ledger and the
disk say is given. Leaves whether a session is over to ``settled``, which call wrote where to ``memory_writes``, and
what a verdict is to ``verdict``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from extractord.config import Headless, SkipScope
from extractord.transcript.memory_writes import MemoryPlace, written_file
from extractord.transcript.stretches import MemorySigns, Stretch
from extractord.transcript.verdict import Decision, Verdict, Write, turns_of

OWN_RUN = "<extractord-run>"  # how the first prompt of our own runs begins
OFF_IN_SESSION = "memory was off in this session"
OWN_FOLDER = ("extractord", "run")  # how the cwd of our own runs ends


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known about a stretch from elsewhere."""

    memory_enabled: bool = True
    memory_reason: str = ""
    memory_dir: Path | None = None
    memory_dir_resolved: Path | None = None  # with links resolved, if that differs
    home: Path | None = None  # for ``~`` in shell commands
    index_exists: bool = False  # MEMORY.md is there now
    excluded: str = ""  # why the project is excluded
    own_sessions: Collection[str] = frozenset()  # ids of our own runs, from the ledger
    own_folder: Path | None = None  # where our own runs take place
    handled: Collection[str] = frozenset()  # identities of typed messages that were dealt with before
    older: Collection[str] = frozenset()  # identities of typed messages from before the daemon's watermark
    skip_scope: SkipScope = SkipScope.STRETCH
    headless: Headless = Headless.EXTRACT


def judge(stretch: Stretch, situation: Situation) -> Verdict:
    """Return the verdict on ``stretch``; the first rule that applies decides."""
    writes = memory_writes(stretch, situation)
    if reason := _not_for_us(stretch, situation):
        return Verdict(Decision.SKIP, reason, writes=writes)
    typed = {mark.turn for mark in stretch.typed if not mark.silent}
    if not typed:
        return Verdict(Decision.SKIP, "nothing typed", writes=writes)
    handled, older = _handled_turns(stretch, situation), _older_turns(stretch, situation)
    if typed <= handled | older:
        return Verdict(Decision.SKIP, "nothing typed since it was dealt with", handled, writes)
    if writes and situation.skip_scope is SkipScope.STRETCH:
        return Verdict(Decision.SKIP, _told(writes), handled, writes)
    by_agent = frozenset(w.call.turn for w in writes)
    by_client = _saved_turns(stretch)
    left_out = handled | older | by_agent | by_client
    if typed <= left_out:
        return Verdict(Decision.SKIP, _told(writes) if writes else _told_of_client(stretch), left_out, writes)
    return Verdict(Decision.EXTRACT, _what_remains(len(typed - left_out), handled, older, by_agent, by_client), left_out, writes)


def memory_writes(stretch: Stretch, situation: Situation) -> tuple[Write, ...]:
    """Return the main agent's writes into the memory directory that succeeded."""
    if situation.memory_dir is None or not stretch.writes:
        return ()
    forms = [str(d) for d in (situation.memory_dir, situation.memory_dir_resolved) if d is not None]
    place = MemoryPlace.of(*forms, home=str(situation.home) if situation.home is not None else "")
    found = ((call, written_file(call, place, stretch.cwd)) for call in stretch.writes if call.ok)
    return tuple(Write(call, file) for call, file in found if file is not None)


def off_in(memory: MemorySigns, situation: Situation) -> str:
    """Return why memory was off in a session or stretch that shows ``memory``, "" if nothing says so."""
    return OFF_IN_SESSION if memory.was_off(index_exists=situation.index_exists) else ""


def _not_for_us(stretch: Stretch, situation: Situation) -> str:
    """Return why a stretch is none of our business, "" if it is."""
    if is_own_run(stretch, situation):
        return "our own run"
    if situation.excluded:
        return situation.excluded
    if not situation.memory_enabled:
        return f"auto memory is off: {situation.memory_reason}" if situation.memory_reason else "auto memory is off"
    if off := off_in(stretch.memory, situation):
        return off
    if stretch.headless and situation.headless is Headless.SKIP:
        return "a program drove this session (headless = skip)"
    return ""


def is_own_run(stretch: Stretch, situation: Situation) -> bool:
    """Whether a session is one of our own: by the ledger, its folder or its first words; each suffices."""
    cwd = Path(stretch.cwd) if stretch.cwd else None
    return (
        stretch.session in situation.own_sessions
        or stretch.first_prompt.lstrip().startswith(OWN_RUN)
        or (cwd is not None and (cwd.parts[-2:] == OWN_FOLDER or cwd == situation.own_folder))
    )


def _handled_turns(stretch: Stretch, situation: Situation) -> frozenset[int]:
    """Return the turns in which everything typed was dealt with before."""
    if not situation.handled:
        return frozenset()
    return turns_of(stretch, situation.handled)


def _older_turns(stretch: Stretch, situation: Situation) -> frozenset[int]:
    """Return the turns from before the daemon's watermark."""
    return turns_of(stretch, situation.older) if situation.older else frozenset()


def _saved_turns(stretch: Stretch) -> frozenset[int]:
    """Return the turns that the client's own extraction dealt with."""
    last = max((saved.turn for saved in stretch.saved), default=-1)
    return frozenset(range(stretch.first_turn, last + 1))


def _told(writes: tuple[Write, ...]) -> str:
    files = list(dict.fromkeys(w.file for w in writes))
    names = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    first = writes[0].call
    return f"the main agent wrote {names} itself, in turn {first.turn + 1} ({first.tool})"


def _told_of_client(stretch: Stretch) -> str:
    if not stretch.saved:
        return "nothing typed since it was dealt with"
    names = ", ".join(Path(p).name for p in stretch.saved[-1].paths[:3])
    return f"the client's own extraction saved {names} after turn {stretch.saved[-1].turn + 1}"


def _what_remains(count: int, handled: frozenset[int], older: frozenset[int], by_agent: frozenset[int], by_client: frozenset[int]) -> str:
    reasons = []
    if handled:
        reasons.append("dealt with before")
    if older:
        reasons.append("older than the daemon's first start")
    if by_agent:
        reasons.append("the main agent wrote memory in them")
    if by_client:
        reasons.append("the client's own extraction saved them")
    turns = f"{count} turn" + ("s" if count != 1 else "")
    return f"{turns} to extract" + (f" (others left out: {'; '.join(reasons)})" if reasons else "")
