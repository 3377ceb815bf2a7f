"""The options of ``once``, read and checked.

Owns: what they mean, and which exclude each other. Leaves running to ``once``.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from extractord.cli.moments import datetime_of, moment_of
from extractord.config import Backend, Config, SkipScope
from extractord.errors import UsageError
from extractord.extraction.plan import Scope
from extractord.supervisor import Clock, FixedClock, SessionClock, WallClock


class Mode(enum.Enum):
    """What a run is for."""

    APPLY = "apply"
    DRY_RUN = "dry run"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class OnceOptions:
    """How a run was asked for."""

    scope: Scope
    mode: Mode
    clock: Clock
    backend: Backend | None
    workers: int | None
    skip_scope: SkipScope | None
    consented: bool  # --yes
    as_json: bool
    batch: bool = False

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> OnceOptions:
        """Read click's options; raises UsageError."""
        if raw["dry_run"] and raw["estimate"]:
            raise UsageError("--dry-run and --estimate exclude each other")
        if raw["batch"] and (raw["dry_run"] or raw["estimate"] or raw["again"]):
            raise UsageError("--batch goes with none of --dry-run, --estimate and --again", hint="an estimate's price is halved by batches")
        if raw["again"] and not raw["session"]:
            raise UsageError("--again needs --session ID", hint="it is for one session at a time")
        return cls(
            scope=Scope(
                since=moment_of(raw["since"]),
                until=moment_of(raw["until"]),
                project=raw["project"].resolve() if raw["project"] else None,
                session=raw["session"],
                again=raw["again"],
                limit=raw["limit"],
            ),
            mode=Mode.DRY_RUN if raw["dry_run"] else Mode.ESTIMATE if raw["estimate"] else Mode.APPLY,
            clock=clock_of(raw["now"]),
            backend=Backend(raw["backend"]) if raw["backend"] else None,
            workers=raw["workers"],
            skip_scope=SkipScope(raw["skip_scope"]) if raw["skip_scope"] else None,
            consented=raw["yes"],
            as_json=raw["as_json"],
            batch=raw["batch"],
        )

    def over(self, config: Config) -> Config:
        """Return the configuration with what the options override."""
        import msgspec

        rules = config.project
        if self.backend is not None:  # asked for by hand: it decides for every project
            rules = tuple(msgspec.structs.replace(rule, backend=None) for rule in rules)
        memory = msgspec.structs.replace(config.memory, skip_scope=self.skip_scope or config.memory.skip_scope)
        return msgspec.structs.replace(
            config, backend=self.backend or config.backend, project=rules, workers=self.workers or config.workers, memory=memory
        )


def clock_of(now: str | None) -> Clock:
    """Return the clock that ``--now`` asks for."""
    match now:
        case None:
            return WallClock()
        case "session":
            return SessionClock()
        case _:
            return FixedClock(datetime_of(now))
