"""Carrying a plan out.

Owns: doing each step, and the error that names the one that failed. Leaves which steps to ``plan``.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import assert_never

from extractord.durable import make_private_folder, write_atomically
from extractord.report.status import running_pid
from extractord.service.found import reachable
from extractord.service.steps import AwaitDaemon, MakeFolder, OnFailure, Plan, RemoveFile, Run, ServiceError, Step, WriteFile

RUN_SECONDS = 180.0  # more than the unit's own TimeoutStartSec
_LOOK_SECONDS = 0.2


def carry_out(plan: Plan, environ: Mapping[str, str], tell: Callable[[str], None]) -> None:
    """Do the steps in their order, telling each before. Raises ServiceError at the first that fails."""
    for step in plan.steps:
        if isinstance(step, RemoveFile) and not os.path.lexists(step.path):
            continue
        tell(str(step))
        _do(step, environ)


def _do(step: Step, environ: Mapping[str, str]) -> None:
    try:
        match step:
            case WriteFile(path, text):
                target = path.resolve()  # a link (dot files kept elsewhere) stays one
                make_private_folder(target.parent)
                write_atomically(target, text.encode(), mode=0o644)
            case MakeFolder(path):
                make_private_folder(path)
            case RemoveFile(path):
                path.unlink(missing_ok=True)
            case Run():
                _run(step, environ)
            case AwaitDaemon():
                _await(step)
            case _:
                assert_never(step)
    except OSError as error:
        raise ServiceError(f"could not {step}: {error.strerror or error}", hint="Give yourself the right to, and try again.") from error


def _run(step: Run, environ: Mapping[str, str]) -> None:
    try:
        done = subprocess.run(
            step.argv, env=reachable(environ), stdin=subprocess.DEVNULL, capture_output=True, timeout=RUN_SECONDS, check=False
        )
    except FileNotFoundError:
        failure = "there is no such program"
    except subprocess.TimeoutExpired:
        failure = f"it did not end within {RUN_SECONDS:.0f} s"
    else:
        said = done.stderr.strip() or done.stdout.strip()
        failure = f"status {done.returncode}: {said.decode('utf-8', 'replace')}" if done.returncode else ""
    if failure and step.on_failure is OnFailure.STOP:
        raise ServiceError(f"`{' '.join(step.argv)}` failed: {failure}", hint=step.hint)


def _await(step: AwaitDaemon) -> None:
    until = time.monotonic() + step.seconds
    while running_pid(step.state) is None:
        if time.monotonic() >= until:
            raise ServiceError(f"no daemon runs after {step.seconds:.0f} s", hint=step.hint)
        time.sleep(_LOOK_SECONDS)


def ended(state: Path, seconds: float) -> bool:
    """Wait until no daemon runs on the state folder any more; whether that came about in ``seconds``."""
    until = time.monotonic() + seconds
    while running_pid(state) is not None:
        if time.monotonic() >= until:
            return False
        time.sleep(_LOOK_SECONDS)
    return True
