"""Which process a number belongs to: see ``posix_pids`` and ``windows_pids``, which have the same names."""

import sys

if sys.platform == "win32":
    from extractord.system.windows_pids import runs, started_at
else:
    from extractord.system.posix_pids import runs, started_at

__all__ = ["runs", "started_at"]
