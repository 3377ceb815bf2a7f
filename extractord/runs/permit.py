"""Whether the user's own client may be run now: the limits of the backend ``claude-code``.

Owns: these limits (so many runs a day, none while a client of the person is at work, none before the reset of a limit that was
reached) and that each run stands in the ledger before it starts. Leaves running it to ``agent.claude_code``.
"""

from __future__ import annotations

import time

from extractord.agent.protocol import Usage
from extractord.claude_home import look_at_clients
from extractord.claude_home.clients import Status
from extractord.config import Backend
from extractord.durable import make_private_folder
from extractord.errors import StoppedError
from extractord.ledger import day_start, next_day
from extractord.runs.purse import LedgerPurse
from extractord.supervisor import Supervisor

BUSY_AGAIN = 600.0  # seconds until the next try while a client is at work
NAME = Backend.CLAUDE_CODE.value


class ClientPermit:
    """The permit of one stretch; what its runs used goes to ``purse``, at no price."""

    def __init__(self, supervisor: Supervisor, purse: LedgerPurse) -> None:
        self._supervisor = supervisor
        self._ledger = supervisor.spending or supervisor.ledger
        self._purse = purse

    def begin(self, session: str) -> None:
        """Note a run before it starts. Raises StoppedError where none may start now."""
        self.check()
        now, most = self._supervisor.wall(), self._supervisor.config.budget.sessions_per_day
        if self._ledger.lost_days(day_start(now)):
            hint = "it goes on by itself tomorrow"
            raise StoppedError("the ledger was damaged today: how many runs there were is not known", hint=hint, until=next_day(now))
        if not self._ledger.begin_own_run(session, since=day_start(now), most=most):
            hint = "raise it in the configuration, or wait; `extractord status` shows the count"
            raise StoppedError(f"budget.sessions_per_day of {most} is used up", hint=hint, until=next_day(now))
        make_private_folder(self._supervisor.locations.run)

    def check(self) -> None:
        """Raise StoppedError where a limit holds, or a client that is not one of our runs is at work."""
        now = self._supervisor.wall()
        limit = self._ledger.limit(NAME)
        if limit is not None and now < (until := limit[0]):
            hint = f"nothing is asked before {time.strftime('%Y-%m-%d %H:%M', time.localtime(until))}"
            raise StoppedError(limit[1], hint=hint, until=until)
        clients = look_at_clients(self._supervisor.surroundings.config_home, now).living
        ours = self._ledger.own_runs()
        # One whose state cannot be read may be at work: a person's own turn comes first.
        if any(client.status is not Status.IDLE and client.session not in ours for client in clients):
            hint = "claude-code waits until no session is being answered; the daemon tries again by itself"
            raise StoppedError("a Claude Code session is at work", hint=hint, until=now + BUSY_AGAIN)

    def used(self, usage: Usage) -> None:
        """Note the tokens of a run, at no price: what they cost, if anything, is between the client's login and its vendor."""
        self._purse.settle(self._purse.reserve(0.0), usage, 0.0)

    def limited(self, until: float, reason: str) -> None:
        """Note that nothing may start before ``until``, and why."""
        self._ledger.note_limit(NAME, until, reason)
