"""sd_notify: what a service supervisor hears, on real sockets."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from extractord.notify import Notifier


def _listening(address: str) -> socket.socket:
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind("\0" + address[1:] if address.startswith("@") else address)
    heard.settimeout(5)
    return heard


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_messages_reach_the_socket(tmp_path: Path, kind: str) -> None:
    """READY, STATUS, WATCHDOG and STOPPING arrive as datagrams, on a path and on an abstract address."""
    address = str(tmp_path / "s") if kind == "path" else f"@extractord-test-{os.getpid()}"
    with _listening(address) as heard:
        told = Notifier.of({"NOTIFY_SOCKET": address})
        told.ready("idle")
        told.status("at work\non 1")
        told.alive()
        told.stopping()
        got = [heard.recv(4096).decode() for _ in range(4)]
    assert got == ["READY=1\nSTATUS=idle", "STATUS=at work on 1", "WATCHDOG=1", "STOPPING=1\nSTATUS=stopping"]


def test_without_a_socket_or_listener_nothing_happens(tmp_path: Path) -> None:
    """No supervisor, one that is gone, an address of another kind: the daemon goes on."""
    for environ in ({}, {"NOTIFY_SOCKET": str(tmp_path / "gone")}, {"NOTIFY_SOCKET": "vsock:2:1"}, {"NOTIFY_SOCKET": "@"}):
        Notifier.of(environ).ready("idle")


@pytest.mark.parametrize(
    ("variables", "seconds"),
    [
        ({"WATCHDOG_USEC": "300000000"}, 150.0),
        ({"WATCHDOG_USEC": "300000000", "WATCHDOG_PID": str(os.getpid())}, 150.0),
        ({"WATCHDOG_USEC": "300000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_watchdog_is_answered_at_half_its_time(variables: dict[str, str], seconds: float | None) -> None:
    """WATCHDOG_USEC is halved; one for another process, or none, asks for nothing."""
    assert Notifier.of({"NOTIFY_SOCKET": "/nowhere", **variables}).watchdog_seconds == seconds
