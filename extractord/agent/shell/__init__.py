"""Bash, which is no shell: one pipeline of programs that only read, under the reading policy.

Owns: the order of things in a call, and the form of its result. Leaves reading the command to ``grammar``, what is allowed to
``planning``, running to ``running``. Files are seen as they are on the disk, without what a run has staged.
"""

from __future__ import annotations

import time

from extractord.agent.places import Places
from extractord.agent.policy import denied
from extractord.agent.protocol import Decision, Ruling
from extractord.agent.search import failed
from extractord.agent.shell.grammar import CommandRefusedError
from extractord.agent.shell.judging import Judge
from extractord.agent.shell.planning import plan
from extractord.agent.shell.repository import GitFailedError
from extractord.agent.shell.running import SECONDS, Ended, NotInstalledError, Step, run_pipeline
from extractord.redact import redact

SHOWN_BYTES = 30 << 10
_SAYS_NO = frozenset({"grep", "diff"})  # a status of 1 is an answer


def bash(command: str, places: Places) -> Ruling:
    """Carry out ``command`` if it is allowed. Raises OSError where a program cannot be started."""
    root = places.project or places.memory
    if root.fd is None:
        return denied("the project's folder is gone: Bash has nowhere to run")
    judge = Judge(places, time.monotonic() + SECONDS)
    try:
        steps = plan(command, judge)
        ended = run_pipeline(steps, "/" + "/".join(root.real), judge.deadline)
    except CommandRefusedError as error:
        return denied(str(error))
    except GitFailedError as error:
        return failed(str(error))
    except NotInstalledError as error:
        return failed(f"{error} is not installed here")
    return _told(ended, steps[-1], judge.remarks)


def _told(ended: Ended, last: Step, remarks: list[str]) -> Ruling:
    text = redact(ended.output.decode(errors="replace")).text
    errors = redact(ended.errors.decode(errors="replace")).text.rstrip("\n")
    parts = [*_cut(text.rstrip("\n")), *([errors[: SHOWN_BYTES // 8]] if errors else []), *remarks]
    if ended.told:
        parts.append(ended.told)
    if ended.status:
        parts.append(f"(exit status {ended.status})")
    went_wrong = bool(ended.status) and not (ended.status == 1 and last.program in _SAYS_NO)
    return Ruling(Decision.ALLOWED, "", "\n".join(parts) or "(no output)", failed=went_wrong)


def _cut(text: str) -> list[str]:
    """Return the text, cut at the last line that may be shown whole, with a note."""
    data = text.encode()
    if len(data) <= SHOWN_BYTES:
        return [text] if text else []
    shown = data[:SHOWN_BYTES].decode(errors="ignore")
    return [shown[: shown.rfind("\n")] if "\n" in shown else shown, f"(cut at {SHOWN_BYTES >> 10} KB of {len(data) >> 10} KB)"]
