"""What is read from one transcript, and what would be done with it.

Owns: the answers of ``inspect`` and ``memory-dir``. Judges as if the session were settled; asks no ledger and writes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from extractord.claude_home import Surroundings, memory_home
from extractord.config import Config
from extractord.extraction.plan import settle_limits
from extractord.extraction.subject import situation_of
from extractord.report.lines import Inspection, MemoryPlace, WriteSeen
from extractord.transcript.digest import DigestLimits, build
from extractord.transcript.eligibility import judge, memory_writes
from extractord.transcript.settled import ClientState, settled
from extractord.transcript.span import read_session
from extractord.transcript.verdict import Decision, Verdict

OFF_IN_SESSION = "memory was off in this session"


def inspect_transcript(path: Path, config: Config, surroundings: Surroundings, now: float, own_runs: Path) -> Inspection:
    """Return what is read from the transcript at ``path``; ``now`` (seconds since the epoch) decides whether it is settled.
    ``own_runs`` is the folder of our own runs.

    Raises TranscriptError.
    """
    reading = read_session(path)
    home = memory_home(reading.cwd, surroundings)
    situation = replace(situation_of(home, config, surroundings), own_folder=own_runs)
    verdicts = [(stretch, judge(stretch, situation)) for stretch in reading.stretches]
    extracting = [(stretch, verdict) for stretch, verdict in verdicts if verdict.decision is Decision.EXTRACT]
    state = settled(reading, now, ClientState.UNKNOWN, settle_limits(config))
    tokens = sum(d.tokens for stretch, verdict in extracting for d in build(stretch, verdict, DigestLimits(config.limits.digest_tokens)))
    writes = [write.call for stretch in reading.stretches for write in memory_writes(stretch, situation)]
    private = reading.memory.was_off(index_exists=situation.index_exists)
    return Inspection(
        session=reading.session,
        transcript=str(path),
        cwd=reading.cwd,
        project_root=home.project_root,
        project_key=home.project_key,
        memory_dir=str(home.directory),
        memory_enabled=home.enabled and not private,
        memory_reason=OFF_IN_SESSION if private and home.enabled else home.reason,
        prompts=reading.prompts,
        messages=reading.message_count,
        memory_writes=tuple(WriteSeen(w.tool_use_id, w.tool, w.path or w.command or "") for w in writes),
        settled=state.ok,
        settled_reason=state.reason,
        verdict=(Decision.EXTRACT if extracting else Decision.SKIP).value,
        reason=reason_of([verdict for _, verdict in verdicts], extracting=bool(extracting)),
        stretches=len(reading.stretches),
        digest_tokens=tokens,
        damaged=reading.damages,
    )


def reason_of(verdicts: list[Verdict], *, extracting: bool) -> str:
    """Return the reasons that stand behind the verdict on a session."""
    wanted = Decision.EXTRACT if extracting else Decision.SKIP
    return "; ".join(dict.fromkeys(v.reason for v in verdicts if v.decision is wanted and v.reason)) or (
        "" if extracting else "nothing typed"
    )


def memory_place(cwd: str, surroundings: Surroundings) -> MemoryPlace:
    """Return where the memory of sessions started in ``cwd`` lies."""
    home = memory_home(cwd, surroundings)
    return MemoryPlace(home.cwd, home.project_root, str(home.directory), home.enabled, home.reason)
