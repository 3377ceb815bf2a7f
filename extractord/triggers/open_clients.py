"""Which clients are open, so that it shows when one leaves.

Owns: the clients that were alive at the last look, by pid. A client that was killed leaves its file behind, so the processes are
asked too. Leaves the files' content to ``claude_home.clients``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from extractord.claude_home.clients import FOLDER, Client, lives, living, pid_of, read_client


class OpenClients:
    """Tells ``left`` the sessions that no living client has open any longer. For several threads."""

    def __init__(self, config_home: Path, wall: Callable[[], float], left: Callable[[str], None]) -> None:
        self._config_home = config_home
        self._wall = wall
        self._left = left
        self._lock = threading.Lock()
        self._open: dict[int, Client] = {}

    def look(self) -> None:
        """Read all clients' files."""
        self._change(lambda _: {client.pid: client for client in living(self._config_home, self._wall())})

    def look_at(self, name: str) -> None:
        """Read one file of the folder, since something happened to it; files that are no client's are left alone."""
        pid = pid_of(name)
        if pid is not None:
            self._change(lambda before: self._with(before, pid, self._config_home / FOLDER / name))

    def ask_processes(self) -> None:
        """Ask whether the open clients' processes still run; opens no file of the client's."""
        now = self._wall()
        self._change(lambda before: {pid: client for pid, client in before.items() if lives(client, now)})

    def _with(self, before: dict[int, Client], pid: int, path: Path) -> dict[int, Client]:
        client = read_client(path)
        if client is not None and client.session is None:  # caught while it was written: the next event tells
            return before
        others = {known: one for known, one in before.items() if known != pid}
        return {**others, pid: client} if client is not None and lives(client, self._wall()) else others

    def _change(self, change: Callable[[dict[int, Client]], dict[int, Client]]) -> None:
        with self._lock:
            before = self._open
            after = self._open = change(before)
        for session in sorted(sessions_left(before, after)):
            self._left(session)


def sessions_left(before: Mapping[int, Client], after: Mapping[int, Client]) -> frozenset[str]:
    """Return the sessions that were open and are not: the client ended, or went on with another one (``/clear``)."""
    still = {client.session for client in after.values()}
    return frozenset(client.session for client in before.values() if client.session is not None and client.session not in still)
