"""Our own children, and pipes to them: see ``posix_processes`` and ``windows_processes``, which have the same names."""

import sys

if sys.platform == "win32":
    from extractord.system.windows_processes import PYTHON, bound, needed_environment, receive, send, start, use_pipe
else:
    from extractord.system.posix_processes import PYTHON, bound, needed_environment, receive, send, start, use_pipe

__all__ = ["PYTHON", "bound", "needed_environment", "receive", "send", "start", "use_pipe"]
