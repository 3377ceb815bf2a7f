"""Words for people: how an outcome, a changeset, a fact or a plan is told.

Owns: the wording and layout of text output (it may change; scripts use ``--json``). Leaves printing and colour to the
command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from extractord.report.lines import FactLine, Inspection, LogLine, OnceLine, OnceTotals, SessionLine, SpendLine, printable

OUTCOME_WORDS = {
    "saved": "saved",
    "nothing_to_save": "nothing to save",
    "skipped": "skipped",
    "pending_review": "waits for review",
    "conflicted": "conflicted",
    "failed": "failed",
    "postponed": "postponed",
}


def local_time(moment: float) -> str:
    """Return seconds since the epoch as ISO 8601 in the machine's zone, to the second."""
    return datetime.fromtimestamp(moment, UTC).astimezone().isoformat(timespec="seconds")


def short_time(moment: float) -> str:
    """Return seconds since the epoch as a person reads it, in the machine's zone."""
    return datetime.fromtimestamp(moment, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def counted(number: int, one: str, many: str = "") -> str:
    """Return ``number`` with the right form of the noun: "1 session", "3,012 sessions"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def diff(path: str, before: str | None, after: str | None) -> str:
    """Return a unified diff of one topic; /dev/null stands for no file."""
    import difflib

    old, new = (_lines(before), _lines(after))
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    return printable("".join(difflib.unified_diff(old, new, *names)))


def on_terminal(text: str) -> str:
    """Return a line with every character that nobody sees, or that a terminal obeys, written out: U+202E, U+001B."""
    from extractord.redact import invisible  # with its patterns, which the last line of a run needs not

    text = text.removesuffix("\r").replace("\r", "<U+000D>")
    pieces: list[str] = []
    done = 0
    for hidden in invisible(text):
        pieces += (text[done : hidden.position], f"<U+{ord(hidden.character):04X}>")
        done = hidden.position + 1
    return printable("".join((*pieces, text[done:])))


def _lines(text: str | None) -> list[str]:
    lines = (text or "").splitlines(keepends=True)
    return [line if line.endswith("\n") else line + "\n" for line in lines]


def once_line(line: OnceLine) -> str:
    """Return the line that a run shows for one session."""
    topics = f": {', '.join(line.topics)}" if line.topics else f" – {line.reason}" if line.reason else ""
    cost = f"  ${line.cost_usd:.4f}" if line.cost_usd else ""
    return printable(f"{line.session[:8]}  {OUTCOME_WORDS[line.outcome]}{topics}{cost}")


def once_summary(totals: OnceTotals) -> str:
    """Return the last line of a run."""
    parts = [
        f"{getattr(totals, key)} {words}" for key, words in (("unchanged", "unchanged"), *OUTCOME_WORDS.items()) if getattr(totals, key)
    ]
    money = f", ${totals.cost_usd:.4f}" if totals.cost_usd else ", nothing spent"
    return f"{counted(totals.sessions, 'session')} looked at: {', '.join(parts) or 'nothing to do'}{money}, {totals.seconds:.1f} s"


def inspection(found: Inspection) -> Iterator[str]:
    """Yield the lines that tell what was read from one transcript."""
    yield f"session       {found.session}"
    yield f"project       {found.project_root}"
    yield f"memory        {found.memory_dir} ({'on' if found.memory_enabled else 'off'}{_because(found.memory_reason)})"
    parts = (
        counted(found.prompts, "prompt"),
        counted(found.messages, "message"),
        counted(found.stretches, "stretch", "stretches"),
    )
    yield f"conversation  {', '.join(parts)}"
    for write in found.memory_writes:
        yield f"wrote memory  {write.tool} {write.path}"
    yield f"settled       {'yes' if found.settled else 'no'}{_because(found.settled_reason)}"
    yield f"verdict       {found.verdict}{_because(found.reason)}"
    yield f"a model reads {counted(found.digest_tokens, 'token')} at most"
    if found.damaged:
        yield f"damaged       {counted(found.damaged, 'record')} could not be read"


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""


def session_line(line: SessionLine) -> str:
    project, outcome = Path(line.project).name, OUTCOME_WORDS[line.outcome]
    return printable(f"{_minute(line.time)}  {line.session[:8]}  {outcome:<16}  {project}  {line.reason}")


def _minute(iso: str) -> str:
    return iso[:16].replace("T", " ")


def log_lines(line: LogLine) -> Iterator[str]:
    yield f"{line.id}  {_minute(line.time)}  {line.kind}  {OUTCOME_WORDS[line.outcome]}  {line.memory_dir}"
    for file in line.files:
        yield f"    {file.change:<6}  {printable(file.path)}"


def facts(lines: Iterable[FactLine]) -> Iterator[str]:
    """Yield what a topic rests on: the sentence, when and where it was said."""
    for line in lines:
        yield from fact(line)


def fact(line: FactLine, place: str = "") -> Iterator[str]:
    """Yield one sentence, when and where it was said; ``place`` is its line in the transcript, "" where that is not known."""
    for said in (f"“{line.quote}”" if line.quote else "(the sentence is kept no longer: evidence.keep)").split("\n"):
        yield on_terminal(said)
    yield f"    {_minute(line.time)}, session {line.session[:8]}, message {line.message}, changeset {line.changeset}"
    if place:
        yield on_terminal(f"    {place}")


def explained(lines: Iterable[tuple[int, str]], facts: Iterable[str], changeset: str | None) -> Iterator[str]:
    """Yield lines of a topic with their numbers, and below them what they rest on."""
    for number, line in lines:
        yield f"{number:4}  {on_terminal(line)}"
    told = [f"      {line}" for line in facts]
    yield from told or [f"      written by {changeset}, which rests on no sentence" if changeset else "      not written by extractord"]


def spend_line(line: SpendLine) -> str:
    tokens = f"{line.input_tokens:,} tokens in, {line.output_tokens:,} out"
    return f"{line.period:<10}  ${line.cost_usd:>9.4f}  {counted(line.calls, 'call'):>12}  {tokens}"
