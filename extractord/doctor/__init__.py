"""The examination: is everything as it should be that saving memory rests on?

Owns: the order of the checks, and that each comes to a finding whatever happens in it. Leaves the checks to the modules beside
it. Nothing is made or changed but by ``correct``.
"""

from __future__ import annotations

from collections.abc import Iterator

from extractord.doctor import client, leaving, memories, places, running
from extractord.doctor.finding import Check, Finding, Visit, bad, told
from extractord.doctor.permissions import correct
from extractord.errors import ExtractordError

CHECKS: tuple[Check, ...] = (*places.CHECKS, *client.CHECKS, *memories.CHECKS, *running.CHECKS, *leaving.CHECKS)

__all__ = ["CHECKS", "Check", "Finding", "Visit", "correct", "examine", "told"]


def examine(visit: Visit, checks: tuple[Check, ...] = CHECKS) -> Iterator[Finding]:
    """Yield what each check finds; checks that mean nothing on this system yield nothing."""
    for check in checks:
        finding = _asked(check, visit)
        if finding is not None:
            yield finding


def _asked(check: Check, visit: Visit) -> Finding | None:
    try:
        return check.ask(visit)
    except ExtractordError as error:
        return bad(check.name, error.message, error.hint)
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return bad(check.name, what, "Give yourself access to it.")
