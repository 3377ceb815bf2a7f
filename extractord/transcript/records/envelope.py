"""What is common to all records of the talk: the envelope, the time, plain texts.

Owns: these, and the texts that the client itself writes in somebody's place. Leaves what a record says to the modules beside it.
"""

from __future__ import annotations

from datetime import datetime

from extractord.transcript.records.events import Envelope
from extractord.transcript.records.wire import Line

EARLIEST, LATEST = 0.0, 7_258_118_400.0  # 1970 to 2200; other times are no times


def envelope(line: Line) -> Envelope:
    """Return the fields of a ``Record``."""
    return (
        line.uuid or "",
        line.parentUuid,
        seconds(line.timestamp),
        line.sessionId or "",
        line.cwd or "",
        line.version or "",
        line.entrypoint or "",
    )


def seconds(timestamp: str | None) -> float:
    """Return an ISO time as seconds since the epoch, 0.0 where it is none or out of all range."""
    if timestamp is None:
        return 0.0
    try:
        moment = datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0
    return moment if EARLIEST < moment < LATEST else 0.0


def tidy(text: str) -> str:
    """Return a text with plain line ends and without NUL."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\x00", "\ufffd") if "\x00" in text else text
