"""Whether the machine runs on its battery: nothing that can wait is done then.

Owns: asking the system, Linux's ``/sys`` and macOS's ``pmset``. A system that tells nothing counts as plugged in.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SUPPLIES = Path("/sys/class/power_supply")
_SECONDS = 5.0


def on_battery(supplies: Path = SUPPLIES) -> bool:
    """Return whether no supply from outside is on and a battery is being emptied."""
    return _by_pmset() if sys.platform == "darwin" else _by_sys(supplies)


def _by_sys(supplies: Path) -> bool:
    kinds: list[tuple[str, str]] = []
    for supply in sorted(supplies.iterdir()) if supplies.is_dir() else ():
        kind = _read(supply / "type")
        if _read(supply / "scope") != "Device":  # a mouse has a battery of its own
            kinds.append((kind, _read(supply / ("status" if kind == "Battery" else "online"))))
    plugged = any(kind != "Battery" and state == "1" for kind, state in kinds)
    return not plugged and ("Battery", "Discharging") in kinds


def _by_pmset() -> bool:
    try:
        told = subprocess.run(["/usr/bin/pmset", "-g", "batt"], capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False  # a system without it, or one that does not answer: nothing is known of a battery
    return b"Battery Power" in told.stdout


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""  # not every supply has every file
