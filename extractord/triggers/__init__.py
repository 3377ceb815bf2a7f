"""What starts work by itself: file events, clients that leave, and the clock, each turned into a wakeup.

Owns: noticing, and one bounded queue. Everything here only says "look"; whether there is something to do is decided by whoever takes
the wakeup. Threads of the resident process live here and nowhere else.
"""

from __future__ import annotations

from extractord.triggers.triggers import Periods, Triggers, WatchMode, WatchState
from extractord.triggers.wakeups import Reason, Wakeup

__all__ = ["Periods", "Reason", "Triggers", "Wakeup", "WatchMode", "WatchState"]
